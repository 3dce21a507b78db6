// How much each drawn object belongs to each cluster: a bar per object, in the order of the heatmap.
import { el, percent } from "./dom.js";
import { STRIP, fitCanvas } from "./canvas.js";

export class Membership {
  constructor(picture) {
    this.picture = picture;
    this.store = picture.store;
    this.start = null; // where a range was begun with the mouse
    this.canvas = el("canvas", {
      class: "membership", role: "img", "aria-label": "Membership: a bar per object, in the order of the heatmap. The table and the details of an object give the numbers.",
      on: {
        pointerdown: (event) => { if (event.button === 0) { event.preventDefault(); this.canvas.setPointerCapture(event.pointerId); this.start = this.#row(event); } },
        pointermove: (event) => this.#move(event), pointerup: (event) => this.#up(event), pointercancel: () => { this.start = null; },
        pointerleave: () => { picture.hideTip(); picture.point(null); },
      },
    });
  }

  fit(width, height) {
    this.width = width;
    this.height = height;
    this.context = fitCanvas(this.canvas, width, height);
  }

  draw() {
    const { membership } = this.store.heat;
    if (!this.width || !membership) return;
    const { context } = this;
    const { step } = this.picture;
    context.clearRect(0, 0, this.width, this.height);
    membership.values.forEach((shares, place) => this.#bar(shares, STRIP + place * step, step));
    this.picture.veilRows(context, this.width);
    const { hover } = this.picture;
    if (hover?.i === undefined) return;
    context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--mark");
    context.lineWidth = 1;
    const first = Math.min(hover.i, this.start ?? hover.i), last = Math.max(hover.i, this.start ?? hover.i);
    context.strokeRect(0.5, STRIP + first * step - 0.5, this.width - 1, (last - first + 1) * step + 1);
  }

  #bar(shares, top, step) {
    const total = shares.reduce((sum, share) => sum + (share ?? 0), 0);
    if (!(total > 0)) { this.#part(-1, 0, this.width, top, step); return; }
    let left = 0;
    shares.forEach((share, cluster) => {
      if (!share) return;
      const wide = (share / total) * this.width;
      this.#part(cluster, left, wide, top, step);
      left += wide;
    });
  }

  #part(cluster, left, width, top, step) {
    this.context.fillStyle = this.store.color(cluster);
    this.context.fillRect(left, top, width, step + 0.3); // no light between two rows
  }

  #row(event) { return this.picture.positionAt(event.clientY - this.canvas.getBoundingClientRect().top); }

  #move(event) {
    const place = this.#row(event);
    const { ids, membership } = this.store.heat;
    const largest = membership.values[place].map((share, cluster) => [share ?? 0, cluster]).sort((one, two) => two[0] - one[0]).slice(0, 3).filter(([share]) => share > 0);
    this.picture.point({ i: place });
    const box = this.canvas.getBoundingClientRect();
    this.picture.showTip(this.canvas, event.clientX - box.left, event.clientY - box.top, [ids[place], ...largest.map(([share, cluster]) => `cluster ${cluster}: ${percent(share)}`)]);
  }

  #up(event) {
    if (this.start === null) return;
    const place = this.#row(event);
    const low = Math.min(place, this.start), high = Math.max(place, this.start);
    this.start = null;
    this.store.selectPositions(Array.from({ length: high - low + 1 }, (_, step) => low + step), event.shiftKey || event.ctrlKey || event.metaKey ? "add" : "replace", "membership");
    if (low === high) this.store.look(this.store.heat.order[low]);
  }
}
