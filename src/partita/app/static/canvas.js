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

export function shareWords(value) { return value === 255 ? "no clustering has both" : `together in ${percent(value / 254)}`; }
