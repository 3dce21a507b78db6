// A column of colours beside the heatmap: what is known of the drawn objects, one annotation at a time.
import { NONE, choice, el, field } from "./dom.js";
import { STRIP, Still, crisp, fitCanvas } from "./canvas.js";
import { scaleColors } from "./scale.js";

const COLORS = ["#332288", "#ddcc77", "#117733", "#cc6677", "#88ccee", "#882255", "#44aa99", "#aa4499"]; // not those of the clusters
const REST = "#999999"; // no value, and values beyond the most frequent ones
const WIDTH = 14;

export class AnnotationStrip {
  constructor(picture) {
    this.picture = picture;
    this.store = picture.store;
    this.name = ""; // of the annotation that is shown
    this.still = new Still((context) => this.#still(context));
    this.canvas = el("canvas", {
      class: "strip", role: "img", hidden: true,
      on: { pointermove: (event) => this.#move(event), pointerleave: () => { picture.hideTip(); picture.point(null); } },
    });
    this.legend = el("span", { class: "strip-legend" });
    this.element = el("div", { class: "strip-tools", hidden: true });
  }

  get width() { return this.name ? WIDTH : 0; }

  prepare() {
    const names = Object.keys(this.store.heat.annotations ?? {});
    this.element.hidden = names.length === 0;
    if (!names.includes(this.name)) this.name = "";
    if (this.element.childElementCount === 0 && names.length) {
      const options = [["", "nothing"], ...names.map((name) => [`=${name}`, name])];
      this.element.append(field("Colour beside the heatmap by", choice(options, "", (value) => this.#choose(value.slice(1)))), this.legend);
    }
    this.#color();
  }

  #choose(name) {
    this.name = name;
    this.#color();
    this.picture.resize();
  }

  /** A colour for each drawn object, and what the colours mean. */
  #color() {
    const { values = [] } = this.store.heat.annotations?.[this.name] ?? {};
    const known = values.filter((value) => value !== null);
    const numbers = known.length > 0 && known.every((value) => typeof value === "number") && new Set(known).size > COLORS.length;
    this.canvas.setAttribute("aria-label", `${this.name} of the drawn objects; the table of objects gives the values.`);
    if (numbers) this.#shade(values, Math.min(...known), Math.max(...known));
    else this.#name(values, known);
  }

  #shade(values, low, high) {
    const colors = scaleColors().map((color) => `rgb(${color.join(" ")})`);
    const place = (value) => Math.round((254 * (value - low)) / (high - low));
    this.colors = values.map((value) => (value === null ? REST : colors[place(value)]));
    this.#legend([[colors[0], String(low)], [colors[254], String(high)], ...(values.includes(null) ? [[REST, "no value"]] : [])]);
  }

  #name(values, known) {
    const counts = new Map();
    for (const value of known) counts.set(value, (counts.get(value) ?? 0) + 1);
    const often = [...counts.keys()].sort((one, two) => counts.get(two) - counts.get(one)).slice(0, COLORS.length);
    const colorOf = new Map(often.map((value, place) => [value, COLORS[place]]));
    this.colors = values.map((value) => colorOf.get(value) ?? REST);
    const rest = this.colors.includes(REST) ? [[REST, counts.size > often.length ? "others, or no value" : "no value"]] : [];
    this.#legend([...often.map((value) => [colorOf.get(value), String(value)]), ...rest]);
  }

  #legend(pairs) {
    this.legend.replaceChildren(...pairs.map(([color, words]) => {
      const square = el("i", { class: "swatch", "aria-hidden": "true" });
      square.style.backgroundColor = color;
      return el("span", {}, square, words);
    }));
    this.legend.hidden = !this.name;
  }

  fit(width, height) {
    this.context = fitCanvas(this.canvas, width, height);
    this.still.fit(width, height);
  }

  draw() {
    if (this.name) this.still.copyTo(this.context);
  }

  #still(context) {
    const { step } = this.picture;
    this.colors.forEach((color, place) => {
      const top = crisp(STRIP + place * step);
      context.fillStyle = color;
      context.fillRect(0, top, WIDTH, crisp(STRIP + (place + 1) * step) - top);
    });
    this.picture.veilRows(context, WIDTH);
  }

  #move(event) {
    const box = this.canvas.getBoundingClientRect();
    const place = this.picture.positionAt(event.clientY - box.top);
    const { ids, annotations } = this.store.heat;
    this.picture.point({ i: place });
    this.picture.showTip(this.canvas, event.clientX - box.left, event.clientY - box.top, [ids[place], `${this.name}: ${annotations[this.name].values[place] ?? NONE}`]);
  }
}
