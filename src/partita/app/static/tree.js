// The tree of the drawn objects: a branch selects what hangs on it.
import { announce, counted, el, percent } from "./dom.js";
import { STRIP, Still, fitCanvas } from "./canvas.js";

const HELP = "Tree: objects that are often together join early. Right goes to a smaller branch, Left to the larger one, Up and Down to the one beside it; Enter selects the objects of the branch.";
const EDGE = 4, NEAR = 14; // pixels

export class Tree {
  constructor(picture) {
    this.picture = picture;
    this.store = picture.store;
    this.nodes = [];
    this.at = 0; // node of the keys
    this.still = new Still((context) => this.#still(context));
    this.canvas = el("canvas", {
      class: "tree", tabindex: "0", role: "application", "aria-label": HELP,
      on: {
        pointermove: (event) => this.#move(event), pointerleave: () => { picture.hideTip(); picture.point(null); },
        click: (event) => this.#click(event), keydown: (event) => this.#key(event),
        focus: () => this.#point(this.at), blur: () => { picture.hideTip(); picture.point(null); },
      },
    });
  }

  prepare() {
    const { tree, n_drawn: n, clusters } = this.store.heat;
    this.nodes = Array.from({ length: n }, (_, place) => ({ low: place, high: place, y: place + 0.5, height: 0, cluster: clusters[place], children: [], parent: -1 }));
    for (const [left, right, height] of tree?.merges ?? []) {
      const [one, two] = [this.nodes[left], this.nodes[right]];
      one.parent = two.parent = this.nodes.length;
      const children = one.y <= two.y ? [left, right] : [right, left];
      this.nodes.push({ low: Math.min(one.low, two.low), high: Math.max(one.high, two.high), y: (one.y + two.y) / 2, height, cluster: one.cluster === two.cluster ? one.cluster : null, children, parent: -1 });
    }
    this.top = Math.max(...this.nodes.map((node) => node.height), 1e-9);
    this.at = this.nodes.length - 1;
  }

  fit(width, height) {
    this.width = width;
    this.height = height;
    this.context = fitCanvas(this.canvas, width, height);
    this.still.fit(width, height);
  }

  #x(height) { return this.width - 1 - (height / this.top) * (this.width - EDGE - 1); }

  #y(node) { return STRIP + node.y * this.picture.step; }

  draw() {
    if (!this.width) return;
    this.still.copyTo(this.context);
    const { marked } = this.picture;
    if (marked?.node !== undefined) this.#mark(marked.node);
    else if (marked?.i !== undefined) this.#line(marked.i);
  }

  #still(context) {
    context.lineWidth = this.picture.n > 400 ? 0.75 : 1.25;
    const mixed = getComputedStyle(document.documentElement).getPropertyValue("--soft");
    for (const node of this.nodes) if (node.children.length) this.#branch(context, node, node.cluster === null ? mixed : this.store.color(node.cluster));
    this.picture.veilRows(context, this.width);
  }

  #branch(context, node, color) {
    const x = this.#x(node.height);
    const [one, two] = node.children.map((child) => this.nodes[child]);
    context.strokeStyle = color;
    context.beginPath();
    context.moveTo(this.#x(one.height), this.#y(one));
    context.lineTo(x, this.#y(one));
    context.lineTo(x, this.#y(two));
    context.lineTo(this.#x(two.height), this.#y(two));
    context.stroke();
  }

  #mark(index) {
    const node = this.nodes[index];
    const style = getComputedStyle(document.documentElement).getPropertyValue("--mark");
    const { context } = this;
    const { step } = this.picture;
    const x = this.#x(node.height);
    context.strokeStyle = style;
    context.lineWidth = 2;
    context.strokeRect(Math.max(1, x - 2), STRIP + node.low * step, this.width - Math.max(1, x - 2) - 1, (node.high - node.low + 1) * step);
  }

  #line(place) {
    this.context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--mark");
    this.context.fillRect(0, STRIP + (place + 0.5) * this.picture.step - 0.5, this.width, 1);
  }

  /** The branch whose lines are nearest. */
  #nearest(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    let best = -1, distance = NEAR;
    this.nodes.forEach((node, index) => {
      if (!node.children.length) return;
      const ends = node.children.map((child) => this.#y(this.nodes[child]));
      const own = this.#x(node.height);
      const before = node.parent < 0 ? 0 : this.#x(this.nodes[node.parent].height);
      const stem = Math.hypot(Math.max(before - x, 0, x - own), y - this.#y(node));
      const fork = Math.hypot(x - own, Math.max(ends[0] - y, 0, y - ends[1]));
      const near = Math.min(stem, fork);
      if (near <= distance) { best = index; distance = near; }
    });
    return best;
  }

  #words(node) {
    const n = node.high - node.low + 1;
    if (n === 1) return [this.store.heat.ids[node.low]];
    const inside = node.cluster === null ? "of several clusters" : node.cluster < 0 ? "without a cluster" : `of cluster ${node.cluster}`;
    const share = this.store.heat.tree.height_is_share === false ? "" : `together in ${percent(Math.max(0, 1 - node.height))} on average`;
    return [`${counted(n, "object")} ${inside}`, share].filter(Boolean);
  }

  #move(event) {
    const index = this.#nearest(event);
    if (index < 0) { this.picture.hideTip(); this.picture.point(null); return; }
    this.picture.point({ node: index });
    const box = this.canvas.getBoundingClientRect();
    this.picture.showTip(this.canvas, event.clientX - box.left, event.clientY - box.top, this.#words(this.nodes[index]));
  }

  #click(event) {
    const index = this.#nearest(event);
    if (index < 0) return;
    this.at = index;
    this.#select(event.shiftKey || event.ctrlKey || event.metaKey ? "add" : "replace");
  }

  #select(mode) {
    const { low, high } = this.nodes[this.at];
    this.store.selectPositions(Array.from({ length: high - low + 1 }, (_, place) => low + place), mode, "tree");
  }

  // -------------------------------------------------------------------------------------------------------------- keys
  #key(event) {
    const node = this.nodes[this.at];
    const beside = node.parent < 0 ? [] : this.nodes[node.parent].children;
    const next = { ArrowRight: node.children[0], ArrowLeft: node.parent < 0 ? undefined : node.parent, ArrowUp: beside[0], ArrowDown: beside[1] };
    if (event.key in next) { if (next[event.key] !== undefined) this.#point(next[event.key]); }
    else if (event.key === "Enter" || event.key === " ") this.#select(event.ctrlKey || event.metaKey ? "add" : "replace");
    else return;
    event.preventDefault();
  }

  #point(index) {
    if (!this.nodes[index]) return;
    this.at = index;
    const node = this.nodes[index];
    this.picture.point({ node: index });
    const lines = this.#words(node);
    if (this.canvas.matches(":focus-visible")) this.picture.showTip(this.canvas, this.#x(node.height), this.#y(node), lines);
    announce(lines.join(", "));
  }
}
