// Tree, heatmap and membership side by side: one row of each is the same object.
import { count, el, sentence } from "./dom.js";
import { STRIP } from "./canvas.js";
import { scaleColors } from "./scale.js";
import { HeatMap } from "./heat_map.js";
import { Tree } from "./tree.js";
import { Membership } from "./membership.js";
import { AnnotationStrip } from "./annotation_strip.js";

const KEYS = "Keys: arrows move; with Shift they draw a rectangle on the heatmap and a range on the membership; Enter selects; Escape clears.";

export class Picture {
  constructor(store) {
    this.store = store;
    this.hover = null; // {i, j} of the heatmap or {node} of the tree
    this.tip = el("div", { class: "tip", hidden: true, "aria-hidden": "true" });
    this.heatMap = new HeatMap(this);
    this.tree = new Tree(this);
    this.strip = new AnnotationStrip(this);
    this.membership = new Membership(this);
    this.views = [this.tree, this.heatMap, this.strip, this.membership];
    this.note = el("p", { class: "note" });
    this.scale = el("div", { class: "scale" });
    this.panels = el("div", { class: "panels" }, this.tree.canvas, this.heatMap.canvas, this.strip.canvas, this.membership.canvas, this.tip);
    this.heads = el("div", { class: "panel-heads", "aria-hidden": "true" }, el("span", {}, "Tree"), el("span", {}, "How often two objects are together"), el("span", {}, "Membership"));
    this.element = el("section", { class: "picture", "aria-label": "Pictures of the consensus" }, this.heads, this.panels, this.scale, this.strip.element, this.note, el("p", { class: "note key-help", "aria-hidden": "true" }, KEYS));
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.panels);
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.recolor = () => this.show();
    this.scheme.addEventListener("change", this.recolor);
    store.on("heat", () => this.show());
    store.on("selection", () => { if (store.heat) this.heatMap.color(); this.redraw(); });
    store.on("current", () => this.draw());
  }

  close() {
    this.observer.disconnect();
    this.scheme.removeEventListener("change", this.recolor);
  }

  get n() { return this.store.heat?.n_drawn ?? 0; }

  /** Height of a row. */
  get step() { return this.size / this.n; }

  positionAt(pixel) { return Math.max(0, Math.min(this.n - 1, Math.floor((pixel - STRIP) / this.step))); }

  show() {
    if (!this.store.heat) return;
    const { heat } = this.store;
    this.hover = null;
    this.tip.hidden = true;
    for (const view of this.views) view.prepare();
    const draws = heat.n_drawn < heat.n_objects ? `Drawn: ${count(heat.n_drawn)} of ${count(heat.n_objects)} objects. ` : "";
    this.note.textContent = heat.note ? `${sentence(heat.note)}.` : draws;
    this.note.hidden = !this.note.textContent;
    this.scale.replaceChildren(...scaleLegend());
    this.resize();
  }

  resize() {
    const width = this.panels.clientWidth;
    if (!width || !this.n) return;
    const narrow = width < 480;
    const gap = 6;
    const treeWidth = this.store.heat.tree ? (narrow ? 54 : Math.round(width * 0.16)) : 0;
    const sideWidth = this.store.heat.membership ? (narrow ? 44 : Math.round(width * 0.12)) : 0;
    const beside = [treeWidth, this.strip.width, sideWidth].filter((wide) => wide > 0);
    const rest = beside.reduce((left, wide) => left - wide - gap, width);
    this.size = rest - STRIP;
    this.tree.fit(treeWidth, rest);
    this.heatMap.fit(rest, rest);
    this.strip.fit(this.strip.width, rest);
    this.membership.fit(sideWidth, rest);
    const besideHeat = this.strip.width ? this.strip.width + gap : 0;
    [treeWidth, rest + besideHeat, sideWidth].forEach((wide, place) => {
      const head = this.heads.children[place];
      head.style.width = `${wide}px`;
      head.hidden = wide === 0 || (narrow && place !== 1);
    });
    this.heads.children[1].textContent = narrow ? "Tree, how often two are together, membership" : "How often two objects are together";
    if (narrow) this.heads.children[1].style.width = "auto";
    this.redraw();
  }

  /** Draw everything anew, with the next frame. */
  redraw() {
    for (const view of this.views) view.still.stale = true;
    this.draw();
  }

  /** Draw what the mouse and the keys mark; what lies below has not changed. */
  draw() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      if (this.size) for (const view of this.views) view.draw();
    });
  }

  /** What is marked in all pictures: the place of the mouse or of the keys, else the object whose details are shown. */
  get marked() {
    const place = this.hover ? undefined : this.store.positionOf?.get(this.store.current);
    return place === undefined ? this.hover : { i: place, j: place };
  }

  point(hover) {
    this.hover = hover;
    this.draw();
  }

  /** Show words beside a place of a canvas. */
  showTip(canvas, x, y, lines) {
    this.tip.replaceChildren(...lines.map((line) => el("div", {}, line)));
    this.tip.hidden = false;
    const left = canvas.offsetLeft + x + 14, top = canvas.offsetTop + y + 14;
    const most = this.panels.clientWidth - this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(0, Math.min(left, most))}px`;
    this.tip.style.top = `${top + this.tip.offsetHeight > this.panels.clientHeight ? top - this.tip.offsetHeight - 28 : top}px`;
  }

  hideTip() { this.tip.hidden = true; }

  /** Cover the rows that are not selected. */
  veilRows(context, width) {
    if (!this.store.selection) return;
    context.fillStyle = veil();
    for (const [start, end] of this.#others(this.store.selectedPositions)) context.fillRect(0, STRIP + start * this.step, width, (end - start) * this.step);
  }

  veilColumns(context, height) {
    if (!this.store.selection) return;
    context.fillStyle = veil();
    for (const [start, end] of this.#others(this.store.selectedPositions)) context.fillRect(STRIP + start * this.step, 0, (end - start) * this.step, height);
  }

  /** Stretches of positions that are not selected. */
  #others(chosen) {
    const found = [];
    let start = -1;
    for (let place = 0; place <= this.n; place += 1) {
      const other = place < this.n && !chosen.has(place);
      if (other && start < 0) start = place;
      if (!other && start >= 0) { found.push([start, place]); start = -1; }
    }
    return found;
  }
}

function veil() {
  const page = getComputedStyle(document.documentElement).getPropertyValue("--page").trim();
  return `${page}B0`;
}

function scaleLegend() {
  const bar = el("canvas", { width: "100", height: "1", class: "scale-bar", "aria-hidden": "true" });
  const context = bar.getContext("2d");
  const colors = scaleColors();
  for (let x = 0; x < 100; x += 1) {
    const [red, green, blue] = colors[Math.round((x / 99) * 254)];
    context.fillStyle = `rgb(${red} ${green} ${blue})`;
    context.fillRect(x, 0, 1, 1);
  }
  const none = el("i", { class: "swatch", "aria-hidden": "true" });
  none.style.backgroundColor = `rgb(${colors[255].join(" ")})`;
  return [el("span", {}, "never together"), bar, el("span", {}, "always"), el("span", { class: "scale-none" }, none, "no clustering has both")];
}
