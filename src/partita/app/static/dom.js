// Elements and the forms of numbers. All text of users goes through textContent: nothing here reads it as HTML.

const OWN = new Set(["value", "checked", "disabled", "hidden", "selected", "open", "indeterminate"]);

/** Make an element; `on` holds listeners, null attributes are left out, children are elements or text. */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || name === "value") continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    else if (OWN.has(name)) made[name] = value;
    else if (value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  if (attributes.value !== undefined && attributes.value !== null) made.value = attributes.value; // of a select: last
  return made;
}

export function button(text, listener, attributes = {}) {
  return el("button", { type: "button", on: { click: listener }, ...attributes }, text);
}

let used = 0;
export function freshId(start) {
  used += 1;
  return `${start}-${used}`;
}

/** A labelled control, with an optional line below that explains it. */
export function field(label, control, help = null) {
  control.id ||= freshId("field");
  const words = help ? el("small", { id: `${control.id}-help` }, help) : null;
  if (words) control.setAttribute("aria-describedby", words.id);
  return el("div", { class: "field" }, el("label", { for: control.id }, label), control, words);
}

export function choice(options, value, listener) {
  const select = el("select", { on: { change: () => listener(select.value) } });
  for (const [key, text] of options) select.append(el("option", { value: key, selected: key === value }, text));
  return select;
}

// ---------------------------------------------------------------------------------------------------------- telling
let queued = 0;
/** Say something to readers who do not see the page; of many in a row the last is said. */
export function announce(text) {
  const live = document.getElementById("live");
  clearTimeout(queued);
  queued = setTimeout(() => { live.textContent = text; }, 120);
}

/** A place beside a control for what went wrong; empty it takes no room. */
export function messagePlace() {
  const place = el("p", { class: "failed", role: "alert", hidden: true });
  return {
    element: place,
    show(text) { place.textContent = sentence(text); place.hidden = false; },
    clear() { place.textContent = ""; place.hidden = true; },
  };
}

// ---------------------------------------------------------------------------------------------------- forms of numbers
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
export const NONE = "–";

/** Messages of the library begin with a small letter. */
export function sentence(text) { return text ? text[0].toUpperCase() + text.slice(1) : ""; }

export function count(number) { return whole.format(number); }

export function counted(number, noun, nouns = `${noun}s`) {
  return `${count(number)} ${number === 1 ? noun : nouns}`;
}

export function decimal(number, digits = 2) {
  if (number === null || number === undefined || Number.isNaN(number)) return NONE;
  if (!Number.isFinite(number)) return number > 0 ? "∞" : "−∞";
  const size = Math.abs(number);
  const text = size !== 0 && (size >= 1e5 || size < 0.001) ? number.toPrecision(3) : number.toFixed(digits);
  return text.replace("-", "−");
}

/** A share in per cent; what is not 0 or 1 is not shown as such. */
export function percent(share) {
  if (share === null || share === undefined) return NONE;
  if (share > 0 && share < 0.001) return "< 0.1%";
  if (share > 0.9995 && share < 1) return "> 99.9%";
  return `${(100 * share).toFixed(1)}%`;
}

export function seconds(number) {
  if (number < 60) return `${number.toFixed(number < 10 ? 1 : 0)} s`;
  return `${Math.floor(number / 60)} min ${Math.floor(number % 60)} s`;
}

export function bytes(number) {
  if (number < 1000) return `${number} bytes`;
  const [unit, size] = number < 1e6 ? ["kB", 1e3] : number < 1e9 ? ["MB", 1e6] : ["GB", 1e9];
  return `${(number / size).toFixed(number / size < 10 ? 1 : 0)} ${unit}`;
}

export function clusterName(cluster) { return cluster === null || cluster === undefined || cluster < 0 ? "none" : String(cluster); }

/** The small square in the colour of a cluster. */
export function swatch(color) {
  const square = el("i", { class: "swatch", "aria-hidden": "true" });
  square.style.backgroundColor = color;
  return square;
}

export function clusterChip(cluster, colors) {
  const known = cluster !== null && cluster !== undefined && cluster >= 0;
  return el("span", { class: "cluster" }, known ? swatch(colors[cluster] ?? "") : null, known ? String(cluster) : cluster === -1 ? "none" : NONE);
}

export function isDark() { return matchMedia("(prefers-color-scheme: dark)").matches; }
