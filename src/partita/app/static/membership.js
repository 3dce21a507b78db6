// How much each drawn object belongs to each cluster: a bar per object, in the order of the heatmap.
import { announce, el, percent } from "./dom.js";
import { STRIP, Still, crisp, fitCanvas } from "./canvas.js";

const HELP = "Membership: a bar per object, in the order of the heatmap. Up and Down move, with Shift they draw a range, Enter selects its objects, Escape clears.";

export class Membership {
  constructor(picture) {
    this.picture = picture;
    this.store = picture.store;
    this.at = 0; // row of the mouse or of the keys
    this.start = null; // where a range was begun
    this.dragging = false;
    this.still = new Still((context) => this.#still(context));
    this.canvas = el("canvas", {
      class: "membership", tabindex: "0", role: "application", "aria-label": HELP,
      on: {
        pointerdown: (event) => this.#down(event), pointermove: (event) => this.#move(event), pointerup: (event) => this.#up(event),
        pointercancel: () => this.#forget(), pointerleave: () => { if (!this.dragging) { picture.hideTip(); picture.point(null); } },
        keydown: (event) => this.#key(event), focus: () => { if (this.canvas.matches(":focus-visible")) this.#go(this.at); },
        blur: () => { this.start = null; picture.hideTip(); picture.point(null); },
      },
    });
  }

  prepare() {
    this.at = Math.min(this.at, this.picture.n - 1);
    this.start = null;
  }

  fit(width, height) {
    this.width = width;
    this.height = height;
    this.context = fitCanvas(this.canvas, width, height);
    this.still.fit(width, height);
  }

  draw() {
    if (!this.width || !this.store.heat.membership) return;
    this.still.copyTo(this.context);
    const { marked, step } = this.picture;
    if (marked?.i === undefined) return;
    const { context } = this;
    context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--mark");
    context.lineWidth = 1;
    const [first, last] = this.#range(marked.i);
    context.strokeRect(0.5, STRIP + first * step - 0.5, this.width - 1, (last - first + 1) * step + 1);
  }

  #still(context) {
    const { step } = this.picture;
    this.store.heat.membership.values.forEach((shares, place) => {
      const top = crisp(STRIP + place * step);
      this.#bar(context, shares, top, crisp(STRIP + (place + 1) * step) - top);
    });
    this.picture.veilRows(context, this.width);
  }

  #bar(context, shares, top, height) {
    const total = shares.reduce((sum, share) => sum + (share ?? 0), 0);
    let left = 0;
    (total > 0 ? shares : []).forEach((share, cluster) => {
      if (!share) return;
      const wide = (share / total) * this.width;
      context.fillStyle = this.store.color(cluster);
      context.fillRect(left, top, wide, height);
      left += wide;
    });
    if (left > 0) return;
    context.fillStyle = this.store.color(-1);
    context.fillRect(0, top, this.width, height);
  }

  #range(place) {
    const start = this.start ?? place;
    return [Math.min(place, start), Math.max(place, start)];
  }

  #words(place) {
    const { ids, membership } = this.store.heat;
    const largest = membership.values[place].map((share, cluster) => [share ?? 0, cluster]).sort((one, two) => two[0] - one[0]).slice(0, 3).filter(([share]) => share > 0);
    return [ids[place], ...largest.map(([share, cluster]) => `cluster ${cluster}: ${percent(share)}`)];
  }

  #select(mode) {
    const [first, last] = this.#range(this.at);
    this.store.selectPositions(Array.from({ length: last - first + 1 }, (_, step) => first + step), mode, "membership");
    if (first === last) this.store.look(this.store.heat.order[first]);
  }

  // ------------------------------------------------------------------------------------------------------------- mouse
  #row(event) { return this.picture.positionAt(event.clientY - this.canvas.getBoundingClientRect().top); }

  #down(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(event.pointerId);
    this.at = this.start = this.#row(event);
    this.dragging = true;
  }

  #move(event) {
    const place = this.#row(event);
    const box = this.canvas.getBoundingClientRect();
    this.picture.point({ i: place });
    this.picture.showTip(this.canvas, event.clientX - box.left, event.clientY - box.top, this.#words(place));
  }

  #up(event) {
    if (!this.dragging) return;
    this.at = this.#row(event);
    this.#select(event.shiftKey || event.ctrlKey || event.metaKey ? "add" : "replace");
    this.#forget();
  }

  #forget() {
    this.dragging = false;
    this.start = null;
    this.picture.draw();
  }

  // -------------------------------------------------------------------------------------------------------------- keys
  #key(event) {
    const last = this.picture.n - 1;
    const far = Math.max(1, Math.round(this.picture.n / 10));
    const step = { ArrowUp: -1, ArrowDown: 1, PageUp: -far, PageDown: far, Home: -last, End: last }[event.key];
    if (step) {
      this.start = event.shiftKey ? this.start ?? this.at : null;
      this.#go(Math.max(0, Math.min(last, this.at + step)));
    } else if (event.key === "Enter" || event.key === " ") this.#select(event.ctrlKey || event.metaKey ? "add" : "replace");
    else return;
    event.preventDefault();
  }

  #go(place) {
    this.at = place;
    const lines = this.#words(place);
    this.picture.point({ i: place });
    this.picture.showTip(this.canvas, 0, STRIP + (place + 1) * this.picture.step, lines);
    announce(lines.join(", "));
  }
}
