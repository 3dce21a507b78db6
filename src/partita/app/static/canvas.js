// What the three canvases of the picture have in common.
import { percent } from "./dom.js";

export const STRIP = 9; // pixels of the strip of clusters above and left of the heatmap, with its gap

/** Pixels of a canvas on a screen of any density; gives the context in the pixels of the page. */
export function fitCanvas(canvas, width, height) {
  canvas.hidden = width === 0;
  const density = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * density);
  canvas.height = Math.round(height * density);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(density, 0, 0, density, 0, 0);
  return context;
}

/** What stays while the mouse moves: drawn once on a canvas behind, and then only copied. */
export class Still {
  constructor(draw) {
    this.draw = draw;
    this.canvas = document.createElement("canvas");
    this.stale = true;
  }

  fit(width, height) {
    [this.width, this.height] = [width, height];
    this.context = fitCanvas(this.canvas, width, height);
    this.stale = true;
  }

  copyTo(context) {
    if (this.stale) {
      this.context.clearRect(0, 0, this.width, this.height);
      this.draw(this.context);
      this.stale = false;
    }
    context.clearRect(0, 0, this.width, this.height);
    context.drawImage(this.canvas, 0, 0, this.width, this.height);
  }
}

/** The pixel of the screen that is nearest: edges on it leave no light between two rows. */
export function crisp(length) {
  const density = window.devicePixelRatio || 1;
  return Math.round(length * density) / density;
}

export function shareWords(value) { return value === 255 ? "no clustering has both" : `together in ${percent(value / 254)}`; }
