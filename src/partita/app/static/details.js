// All that is known of one object.
import { NONE, button, clusterChip, decimal, el, percent } from "./dom.js";
import { get } from "./api.js";

export class Details {
  constructor(store) {
    this.store = store;
    this.element = el("section", { class: "details", hidden: true, "aria-label": "Details of one object" });
    store.on("current", () => this.load());
    store.on("number", () => this.load());
  }

  async load() {
    const { store, element } = this;
    if (store.current === null) { element.hidden = true; return; }
    const row = store.current;
    try {
      const object = await get(store.path(`object/${row}`), { k: store.k });
      if (store.current === row) this.#draw(object);
    } catch (error) {
      element.replaceChildren(el("p", { class: "failed", role: "alert" }, error.message));
      element.hidden = false;
    }
  }

  #draw(object) {
    const { colors } = this.store.summary;
    const facts = [["Cluster", clusterChip(object.cluster, colors)], ["Confidence", decimal(object.confidence)], ["Vote", percent(object.vote)], ["Second", clusterChip(object.second, colors)]];
    const close = button("Close", () => this.store.look(null), { class: "quiet", "aria-label": "Close the details" });
    this.element.replaceChildren(...[
      el("div", { class: "details-head" }, el("h3", {}, object.id), close),
      object.in_doubt ? el("p", { class: "doubt-words" }, "In doubt: its labels speak for another cluster at least as much.") : null,
      el("dl", { class: "short" }, facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
      object.membership ? this.#membership(object.membership) : null,
      this.#annotations(object.annotations ?? {}),
      this.#labels(object.labels ?? []),
      object.position === null || object.position === undefined ? el("p", { class: "note" }, "It is not among the objects drawn in the pictures.") : null,
    ].filter(Boolean));
    this.element.hidden = false;
  }

  #membership(shares) {
    const order = shares.map((share, cluster) => [share ?? 0, cluster]).sort((one, two) => two[0] - one[0]);
    const shown = order.filter(([share], place) => share > 0.0005 || place < 2).slice(0, 8);
    return el("div", {}, el("h4", {}, "Membership"), el("ul", { class: "bars" }, shown.map(([share, cluster]) => {
      const bar = el("span", { class: "bar", "aria-hidden": "true" });
      bar.style.width = `${100 * share}%`;
      bar.style.backgroundColor = this.store.color(cluster);
      return el("li", {}, clusterChip(cluster, this.store.summary.colors), el("span", { class: "track" }, bar), el("span", { class: "n" }, percent(share)));
    })));
  }

  #annotations(annotations) {
    const pairs = Object.entries(annotations);
    if (!pairs.length) return null;
    return el("div", {}, el("h4", {}, "Annotations"), el("dl", { class: "pairs" }, pairs.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, String(value ?? NONE))))));
  }

  #labels(labels) {
    if (!labels.length) return null;
    return el("details", { open: labels.length <= 60 }, el("summary", {}, `Labels in all ${labels.length} clusterings`),
      el("dl", { class: "pairs labels" }, labels.map(({ clustering, label }) => el("div", {}, el("dt", {}, clustering), el("dd", { class: label === null ? "hole" : null }, label === null ? "missing" : String(label))))));
  }
}
