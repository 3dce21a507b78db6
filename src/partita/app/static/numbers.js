// The slider of the number of clusters, with the agreement of every number that was compared above it.
import { button, decimal, el, sentence } from "./dom.js";

export class Numbers {
  constructor(store, changed) {
    this.store = store;
    this.changed = changed;
    this.slider = el("input", { type: "range", id: "k", step: "1", on: { input: () => this.#tell(Number(this.slider.value)), change: () => this.#ask(Number(this.slider.value)) } });
    this.output = el("output", { for: "k" });
    this.words = el("p", { class: "note k-words" });
    this.bars = el("div", { class: "k-bars", "aria-hidden": "true" });
    this.busy = el("span", { class: "busy", hidden: true, role: "status" });
    this.back = button("", () => this.#ask(this.store.own.k_chosen), { class: "quiet" });
    this.reasons = el("ul", { class: "points" });
    this.element = el("section", { class: "numbers", "aria-label": "Number of clusters" },
      el("div", { class: "k-head" }, el("label", { for: "k" }, "Number of clusters"), this.output, this.busy),
      this.bars, this.slider, this.words,
      el("details", {}, el("summary", {}, "Why this number was chosen"), this.reasons));
  }

  draw() {
    const { own, k } = this.store;
    const ks = own.ks;
    [this.slider.min, this.slider.max] = [String(Math.min(...ks)), String(Math.max(...ks))];
    this.slider.value = String(k);
    this.wanted = k;
    this.slider.disabled = ks.length < 2;
    this.#bars(ks);
    this.#tell(k);
    this.reasons.replaceChildren(...(own.reasons ?? []).map((text) => el("li", {}, sentence(text))));
    this.reasons.parentElement.hidden = !own.reasons?.length;
  }

  /** A column per number: as high as two halves of the clusterings agree on it. */
  #bars(ks) {
    const { own } = this.store;
    const table = own.choice_table;
    const place = (name) => table?.columns?.findIndex((column) => (column.name ?? column) === name) ?? -1;
    const [number, agreement] = [place("n_clusters"), place("agreement")];
    const known = new Map(number < 0 || agreement < 0 ? [] : table.rows.map((row) => [row[number], row[agreement]]));
    this.agreement = known;
    this.bars.classList.toggle("dense", ks.length > 24);
    this.bars.classList.toggle("flat", ![...known.values()].some((value) => value > 0));
    this.bars.replaceChildren(...ks.map((k) => {
      const value = known.get(k);
      const bar = el("span", { class: "k-bar" });
      bar.style.height = `${100 * Math.max(0, value ?? 0)}%`;
      const kind = k === own.k_chosen ? "chosen" : k === own.runner_up ? "second" : "";
      return el("span", { class: `k-column ${kind}`, title: value === undefined ? null : `${k} clusters: agreement ${decimal(value)}`, on: { click: () => this.#ask(k) } }, el("span", { class: "k-track" }, bar), el("span", { class: "k-name" }, String(k)));
    }));
  }

  #tell(k) {
    const { own } = this.store;
    this.output.textContent = String(k);
    [...this.bars.children].forEach((column, place) => column.classList.toggle("at", own.ks[place] === k));
    const parts = [];
    if (k === own.k_chosen) parts.push(this.store.run.n_clusters !== "auto" ? "the number that you gave" : "the number that was chosen");
    if (k === own.runner_up) parts.push("second best");
    const value = this.agreement.get(k);
    if (value !== undefined && value !== null) parts.push(`two halves of the clusterings agree to ${decimal(value)} on it (adjusted Rand index, 1 is best)`);
    const text = parts.length ? `${parts.join("; ")}.` : "Not among the numbers that were compared.";
    this.words.replaceChildren(sentence(text), " ");
    this.slider.setAttribute("aria-valuetext", `${k} clusters${parts.length ? `, ${parts[0]}` : ""}`);
    if (k !== own.k_chosen) {
      this.back.textContent = `Back to ${own.k_chosen}`;
      this.words.append(this.back);
    }
  }

  #ask(k) {
    this.slider.value = String(k);
    this.#tell(k);
    if (k === this.wanted) return;
    this.wanted = k; // it may come later than a number asked for after it
    this.changed(k);
  }

  wait(text) {
    this.busy.hidden = !text;
    this.busy.textContent = text ?? "";
  }
}
