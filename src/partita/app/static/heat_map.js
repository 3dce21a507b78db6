// The co-association of the drawn objects: mouse and keys move over it, a rectangle selects.
import { announce, el } from "./dom.js";
import { STRIP, Still, fitCanvas, shareWords } from "./canvas.js";
import { fadedColors, scaleColors } from "./scale.js";

const HELP = "Heatmap: how often two objects are in one cluster. Arrow keys move, with Shift they draw a rectangle, Enter selects its objects, Escape clears.";

export class HeatMap {
  constructor(picture) {
    this.picture = picture;
    this.store = picture.store;
    this.bitmap = document.createElement("canvas");
    this.still = new Still((context) => this.#still(context));
    this.cursor = { i: 0, j: 0 };
    this.anchor = null; // other corner of the rectangle
    this.dragging = false;
    this.canvas = el("canvas", {
      class: "heat", tabindex: "0", role: "application", "aria-label": HELP,
      on: {
        pointerdown: (event) => this.#down(event), pointermove: (event) => this.#move(event), pointerup: (event) => this.#up(event),
        pointercancel: () => this.#forget(), pointerleave: () => { if (!this.dragging) { picture.hideTip(); picture.point(null); } },
        keydown: (event) => this.#key(event), focus: () => picture.draw(),
        blur: () => { this.anchor = null; picture.hideTip(); picture.draw(); },
      },
    });
  }

  prepare() {
    const { n_drawn: n } = this.store.heat;
    this.bitmap.width = n;
    this.bitmap.height = n;
    this.color();
    this.cursor = { i: Math.min(this.cursor.i, n - 1), j: Math.min(this.cursor.j, n - 1) };
    this.anchor = null;
  }

  /** Colours of all pairs, one pixel each; those without a selected object are faded. */
  color() {
    const { n_drawn: n, pixels } = this.store.heat;
    const [full, faded] = [packed(scaleColors()), packed(fadedColors())];
    const { selection, selectedPositions: chosen } = this.store;
    const clear = Array.from({ length: n }, (_, place) => !selection || chosen.has(place));
    const image = new ImageData(n, n);
    const cells = new Uint32Array(image.data.buffer);
    for (let row = 0, cell = 0; row < n; row += 1) {
      for (let column = 0; column < n; column += 1, cell += 1) cells[cell] = (clear[row] || clear[column] ? full : faded)[pixels[cell]];
    }
    this.bitmap.getContext("2d").putImageData(image, 0, 0);
  }

  fit(width, height) {
    this.width = width;
    this.height = height;
    this.context = fitCanvas(this.canvas, width, height);
    this.still.fit(width, height);
  }

  draw() {
    this.still.copyTo(this.context);
    this.#marks(this.picture.step);
  }

  #still(context) {
    const { picture } = this;
    const { size, step, n } = picture;
    context.imageSmoothingEnabled = n > size * (window.devicePixelRatio || 1);
    context.drawImage(this.bitmap, STRIP, STRIP, size, size);
    this.#strips(context, step);
    picture.veilRows(context, STRIP - 3);
    picture.veilColumns(context, STRIP - 3);
  }

  /** Colours of the clusters, along both sides. */
  #strips(context, step) {
    const { clusters } = this.store.heat;
    for (let start = 0; start < clusters.length;) {
      let end = start;
      while (end < clusters.length && clusters[end] === clusters[start]) end += 1;
      context.fillStyle = this.store.color(clusters[start]);
      context.fillRect(0, STRIP + start * step, STRIP - 3, (end - start) * step);
      context.fillRect(STRIP + start * step, 0, (end - start) * step, STRIP - 3);
      start = end;
    }
  }

  #marks(step) {
    const { context, picture } = this;
    const style = getComputedStyle(document.documentElement);
    context.strokeStyle = style.getPropertyValue("--mark");
    const { marked } = picture;
    if (marked?.i !== undefined) {
      context.lineWidth = 1;
      context.globalAlpha = 0.6;
      context.strokeRect(STRIP - 0.5, STRIP + marked.i * step - 0.5, picture.size, step + 1);
      if (marked.j !== undefined) context.strokeRect(STRIP + marked.j * step - 0.5, STRIP - 0.5, step + 1, picture.size);
      context.globalAlpha = 1;
    }
    if (this.dragging || this.canvas.matches(":focus-visible")) this.#rectangle(step);
  }

  #rectangle(step) {
    const [top, bottom, left, right] = this.#bounds();
    this.context.lineWidth = 2;
    const grow = Math.max(1, 3 - step / 2); // a single cell of a large picture is hard to see
    this.context.strokeRect(STRIP + left * step - grow, STRIP + top * step - grow, (right - left + 1) * step + 2 * grow, (bottom - top + 1) * step + 2 * grow);
  }

  #bounds() {
    const other = this.anchor ?? this.cursor;
    const { i, j } = this.cursor;
    return [Math.min(i, other.i), Math.max(i, other.i), Math.min(j, other.j), Math.max(j, other.j)];
  }

  /** Objects of the rows and columns of the rectangle. */
  #select(mode) {
    const [top, bottom, left, right] = this.#bounds();
    const chosen = new Set();
    for (let place = top; place <= bottom; place += 1) chosen.add(place);
    for (let place = left; place <= right; place += 1) chosen.add(place);
    this.store.selectPositions([...chosen], mode, "heat");
    if (top === bottom && left === right) this.store.look(this.store.heat.order[this.cursor.i]);
  }

  // ------------------------------------------------------------------------------------------------------------- mouse
  #cell(event) {
    const box = this.canvas.getBoundingClientRect();
    return { i: this.picture.positionAt(event.clientY - box.top), j: this.picture.positionAt(event.clientX - box.left) };
  }

  #down(event) {
    if (event.button !== 0) return;
    event.preventDefault(); // or text beside the canvas is marked
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(event.pointerId);
    this.cursor = this.#cell(event);
    this.anchor = { ...this.cursor };
    this.dragging = true;
    this.picture.draw();
  }

  #move(event) {
    const cell = this.#cell(event);
    if (this.dragging) this.cursor = cell;
    this.picture.point(cell);
    const box = this.canvas.getBoundingClientRect();
    this.picture.showTip(this.canvas, event.clientX - box.left, event.clientY - box.top, this.#words(cell));
  }

  #up(event) {
    if (!this.dragging) return;
    this.cursor = this.#cell(event);
    this.#select(event.shiftKey || event.ctrlKey || event.metaKey ? "add" : "replace");
    this.#forget();
  }

  #forget() {
    this.dragging = false;
    this.anchor = null;
    this.picture.draw();
  }

  #words({ i, j }) {
    const { ids, n_drawn: n, pixels } = this.store.heat;
    const share = i === j ? "the same object" : shareWords(pixels[i * n + j]);
    return i === j ? [ids[i], `cluster ${this.#cluster(i)}`] : [`${ids[i]} · cluster ${this.#cluster(i)}`, `${ids[j]} · cluster ${this.#cluster(j)}`, share];
  }

  #cluster(place) {
    const cluster = this.store.heat.clusters[place];
    return cluster < 0 ? "none" : cluster;
  }

  // -------------------------------------------------------------------------------------------------------------- keys
  #key(event) {
    const far = Math.max(1, Math.round(this.picture.n / 10));
    const last = this.picture.n - 1;
    const moves = {
      ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
      PageUp: [-far, -far], PageDown: [far, far], Home: [-last, -last], End: [last, last],
    };
    if (moves[event.key]) this.#step(moves[event.key], event.shiftKey);
    else if (event.key === "Enter" || event.key === " ") this.#select(event.ctrlKey || event.metaKey ? "add" : "replace");
    else if (event.key === "Escape" && this.anchor) this.anchor = null;
    else return; // Escape without a rectangle: the view clears the selection
    if (event.key === "Escape") event.stopPropagation();
    event.preventDefault();
    this.picture.draw();
  }

  #step([down, right], extend) {
    const last = this.picture.n - 1;
    if (extend) this.anchor ??= { ...this.cursor };
    else this.anchor = null;
    const within = (value) => Math.max(0, Math.min(last, value));
    this.cursor = { i: within(this.cursor.i + down), j: within(this.cursor.j + right) };
    this.picture.point({ ...this.cursor });
    const lines = this.#words(this.cursor);
    const { step } = this.picture;
    this.picture.showTip(this.canvas, STRIP + (this.cursor.j + 1) * step, STRIP + (this.cursor.i + 1) * step, lines);
    announce(lines.join(", "));
  }
}

/** Colours as the bytes of an image are in memory. */
function packed(colors) {
  return new Uint32Array(colors.map(([red, green, blue]) => (255 << 24) | (blue << 16) | (green << 8) | red));
}
