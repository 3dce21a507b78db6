// Tables that fit on the page as a whole: sorted here. And their cells, which the table of objects shares.
import { NONE, clusterChip, count, decimal, el } from "./dom.js";

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

function compare(one, two, direction) {
  const empty = (value) => value === null || value === undefined || value === "";
  if (empty(one) || empty(two)) return empty(one) - empty(two); // what is missing stays last
  if (typeof one === "number" && typeof two === "number") return direction * (one - two);
  return direction * collator.compare(String(one), String(two));
}

export function isNumber(column, rows, place) {
  if (column.kind) return column.kind === "number";
  return rows.some((row) => typeof row[place] === "number");
}

export function cell(value, column, colors) {
  if (column.kind === "cluster") return clusterChip(value, colors);
  if (value === null || value === undefined || value === "") return NONE;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return column.whole ? count(value) : decimal(value);
  return String(value);
}

/** A heading that sorts. */
export function sortHead(title, help, state, listener, numeric) {
  return el("th", { scope: "col", class: numeric ? "n" : null, "aria-sort": state, title: help || null },
    el("button", { type: "button", on: { click: listener } }, title));
}

/** `table` is {columns, rows}; gives an element with its own sorting, and what the columns mean below it. */
export function dataTable(table, colors, label) {
  const state = { place: -1, direction: 1 };
  const columns = table.columns.map((column, place) => ({ ...column, whole: table.rows.every((row) => typeof row[place] !== "number" || Number.isInteger(row[place])) }));
  const wrap = el("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": label });

  function sortBy(place) {
    state.direction = state.place === place ? -state.direction : 1;
    state.place = place;
    draw();
    wrap.querySelectorAll("thead button")[place].focus();
  }

  function draw() {
    const rows = [...table.rows];
    if (state.place >= 0) rows.sort((one, two) => compare(one[state.place], two[state.place], state.direction));
    const numeric = table.columns.map((column, place) => isNumber(column, table.rows, place));
    const head = table.columns.map((column, place) => sortHead(column.title ?? column.name, column.help, state.place !== place ? null : state.direction > 0 ? "ascending" : "descending", () => sortBy(place), numeric[place]));
    wrap.replaceChildren(el("table", {}, el("thead", {}, el("tr", {}, head)),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map((value, place) => el(place === 0 ? "th" : "td", { scope: place === 0 ? "row" : null, class: numeric[place] ? "n" : String(value ?? "").length > 40 ? "long" : null }, cell(value, columns[place], colors))))))));
  }

  draw();
  const helped = table.columns.filter((column) => column.help);
  const help = helped.length ? el("details", {}, el("summary", {}, "What the columns mean"), el("dl", { class: "columns" }, helped.map((column) => el("div", {}, el("dt", {}, column.title ?? column.name), el("dd", {}, column.help))))) : null;
  return el("div", { class: "table" }, wrap, help);
}

/** Agreement of all pairs, darker where larger. */
export function matrix(names, values, colorOf) {
  const head = el("tr", {}, el("td"), names.map((name) => el("th", { scope: "col", class: "n" }, name)));
  const rows = values.map((row, place) => el("tr", {}, el("th", { scope: "row" }, names[place]), row.map((value) => {
    const made = el("td", { class: "n" }, decimal(value));
    if (value !== null) [made.style.backgroundColor, made.style.color] = colorOf(value);
    return made;
  })));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Agreement of the methods" }, el("table", { class: "matrix" }, el("thead", {}, head), el("tbody", {}, rows)));
}

