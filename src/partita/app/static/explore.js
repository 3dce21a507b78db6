// The result of a run: words, numbers, pictures and tables that follow each other.
import { announce, button, count, counted, decimal, el, messagePlace, percent, seconds, sentence, swatch } from "./dom.js";
import { get, getBytes, getWhenReady, pause } from "./api.js";
import { Details } from "./details.js";
import { Numbers } from "./numbers.js";
import { Objects, selectionFile } from "./objects.js";
import { Picture } from "./picture.js";
import { Store } from "./store.js";
import { tabs } from "./tabs.js";

const STEADY = 250; // milliseconds without another number, until a number that was not seen is asked for and fitted
const MOST_SEEN = 6; // numbers of clusters whose pictures are kept: each has about 1 MB

export async function showExplore(page, run, parts) {
  const store = new Store(run);
  const view = new Explore(page, store);
  await view.number(parts.get("k") === null ? null : Number(parts.get("k")), parts.get("tab"));
  return view;
}

class Explore {
  constructor(page, store) {
    this.page = page;
    this.store = store;
    this.open = true;
    this.asked = 0;
    this.seen = new Map(); // what is drawn, by number of clusters: results never change
    this.message = messagePlace();
    this.words = el("div", { class: "words" });
    this.legend = el("div", { class: "legend", role: "group", "aria-label": "Clusters: press one to select its objects" });
    this.numbers = new Numbers(store, (k) => page.go({ run: store.run.id, k, tab: this.tab }));
    this.picture = new Picture(store);
    this.objects = new Objects(store);
    this.details = new Details(store);
    this.selected = el("div", { class: "selected" });
    this.tab = null;
    store.on("selection", () => { this.message.clear(); this.#drawSelection(); });
    store.on("failed", (text) => this.message.show(text));
    this.keys = (event) => { if (event.key === "Escape" && !/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) store.clear(); };
    document.addEventListener("keydown", this.keys);
  }

  close() {
    this.open = false;
    this.picture.close();
    document.removeEventListener("keydown", this.keys);
  }

  /** Another number of clusters or another tab was asked for through the address. */
  change(parts) {
    const k = parts.get("k") === null ? this.store.summary?.k_chosen : Number(parts.get("k"));
    if (k !== this.store.k || this.waiting) this.number(k, parts.get("tab"));
    else if (parts.get("tab")) this.tabs?.open(parts.get("tab"));
  }

  // ------------------------------------------------------------------------------------------------ number of clusters
  /** Show the result with k clusters, once it is there; of several asked for in a row the last one counts. */
  async number(k, tab = null) {
    const mine = this.asked += 1;
    this.waiting = true;
    this.message.clear();
    try {
      const found = this.seen.get(k) ?? await this.#fetchSteady(k, mine);
      if (!found || mine !== this.asked || !this.open) return;
      this.#take(found.summary, found.heat, tab);
      await this.store.summariseAgain();
    } catch (error) {
      if (!this.tabs) throw error;
      if (mine === this.asked) { this.message.show(error.message); this.numbers.draw(); }
    } finally {
      if (mine === this.asked) { this.waiting = false; this.numbers.wait(null); this.page.main.removeAttribute("aria-busy"); }
    }
  }

  /** Keys pass over numbers on their way to another: only the one where they stay is fitted. */
  async #fetchSteady(k, mine) {
    if (this.tabs) await pause(STEADY);
    return mine === this.asked && this.open ? this.#fetch(k, mine) : null;
  }

  async #fetch(k, mine) {
    const summary = await this.#summary(k, mine);
    if (!summary) return null;
    const { store } = this;
    const query = { k: summary.k };
    store.own ??= summary.k === summary.k_chosen ? summary : await get(store.path("summary"));
    const [heat, pixels, membership] = await Promise.all([
      get(store.path("heatmap"), query), getBytes(store.path("heatmap/pixels"), query), get(store.path("membership"), query),
    ]);
    const found = { summary, heat: { ...heat, pixels, membership: membership.values?.length ? membership : null } };
    this.seen.set(summary.k, found);
    if (this.seen.size > MOST_SEEN) this.seen.delete(this.seen.keys().next().value);
    return found;
  }

  async #summary(k, mine) {
    for (let look = 0; ; look += 1) {
      const [ready, answer] = await getWhenReady(this.store.path("summary"), { k });
      if (mine !== this.asked || !this.open) return null;
      if (ready) return answer;
      const text = `Fitting ${k} clusters … ${answer.progress?.seconds ? seconds(answer.progress.seconds) : ""}`;
      if (this.tabs) this.numbers.wait(text);
      else this.page.main.replaceChildren(el("p", { class: "note", role: "status" }, text));
      await pause(look < 10 ? 150 : 600);
    }
  }

  #take(summary, heat, tab) {
    const { store } = this;
    const first = !this.tabs;
    store.summary = summary;
    store.k = summary.k; // as it was asked for: a method may find fewer
    if (first) this.#build(tab);
    this.objects.load(); // the server answers while the pictures are drawn
    this.#drawWords();
    this.#drawLegend();
    this.numbers.draw();
    store.setHeat(heat);
    store.tell("number");
    if (!first) announce(`${counted(store.k, "cluster")} shown`);
    if (!first && tab) this.tabs.open(tab);
  }

  // ---------------------------------------------------------------------------------------------------------- the page
  #build(tab) {
    const { page, store } = this;
    const { run } = store;
    this.tabs = tabs(store, this.objects, this.details, tab, (name) => {
      this.tab = name;
      page.settle({ run: run.id, k: store.k, tab: name });
    });
    page.main.replaceChildren(
      el("div", { class: "opening" }, this.words, this.numbers.element),
      this.message.element,
      el("div", { class: "stick" }, this.legend, this.selected),
      el("div", { class: "linked" }, this.picture.element, this.tabs.element),
    );
    page.title(run.dataset_name, [["Start", "#"], [run.dataset_name, page.place({ data: run.dataset })], ["Result"]]);
    this.#drawSelection();
    queueMicrotask(() => page.main.querySelector("h1")?.focus({ preventScroll: true }));
  }

  #chosen({ k, k_chosen: own, n_clusters: n }) {
    if (n !== k) return `of ${count(k)} asked for`;
    if (k !== own) return `instead of ${count(own)}`;
    return this.store.run.n_clusters === "auto" ? "chosen" : "as you asked";
  }

  #drawWords() {
    const { summary, run } = this.store;
    const figures = [
      ["Clusters", count(summary.n_clusters), this.#chosen(summary)],
      ["Objects", count(summary.n_objects), summary.n_unlabelled ? `${count(summary.n_unlabelled)} without a cluster` : "all have a cluster"],
      ["Clusterings", count(summary.n_clusterings), "combined"],
      ["In doubt", count(summary.n_in_doubt), summary.n_in_doubt ? percent(summary.n_in_doubt / summary.n_objects) : "no object"],
      ["Agreement", decimal(summary.average_nmi), "mean NMI with the clusterings"],
    ];
    this.words.replaceChildren(...[
      el("h1", { tabindex: "-1", class: "small" }, run.dataset_name),
      el("p", { class: "lead" }, summary.summary),
      el("dl", { class: "figures" }, figures.map(([name, value, more]) => el("div", {}, el("dt", {}, name), el("dd", {}, value, el("small", {}, more))))),
      run.warnings.length ? el("ul", { class: "warnings" }, run.warnings.map((text) => el("li", {}, sentence(text)))) : null,
    ].filter(Boolean));
  }

  #drawLegend() {
    const { summary } = this.store;
    this.legend.replaceChildren(...summary.sizes.map((size, cluster) => button("", (event) => this.store.select({ cluster }, event.shiftKey || event.ctrlKey || event.metaKey ? "add" : "replace", "legend"), { class: "chip", "aria-label": `Cluster ${cluster}, ${counted(size, "object")}: select` })));
    [...this.legend.children].forEach((chip, cluster) => chip.append(swatch(this.store.color(cluster)), `Cluster ${cluster}`, el("span", { class: "note" }, count(summary.sizes[cluster]))));
    this.#press();
  }

  #press() {
    const parts = new Map(this.store.selection?.by_cluster ?? []);
    [...this.legend.children].forEach((chip, cluster) => {
      const part = parts.get(cluster) ?? 0;
      chip.setAttribute("aria-pressed", part === 0 ? "false" : part === this.store.summary.sizes[cluster] ? "true" : "mixed");
    });
  }

  #drawSelection() {
    const { store } = this;
    this.#press();
    this.selected.classList.toggle("some", Boolean(store.selection));
    if (!store.selection) {
      this.selected.replaceChildren(el("span", { class: "note" }, "Nothing selected. Draw a rectangle on the heatmap, or press a branch, a cluster or a row."));
      return;
    }
    this.selected.replaceChildren(
      el("span", {}, store.words()),
      el("a", { class: "button", href: selectionFile(store), download: "" }, "Download selection"),
      button("Clear", () => store.clear(), { title: "Escape" }));
  }
}
