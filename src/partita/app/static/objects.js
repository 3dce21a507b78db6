// The table of objects: the server sorts, searches and pages, so that it is as fast with 100,000 of them.
import { NONE, button, clusterChip, count, decimal, el, percent } from "./dom.js";
import { address, get } from "./api.js";
import { sortHead } from "./tables.js";

const PAGE = 50;
const COLUMNS = [
  { name: "id", title: "Object" },
  { name: "cluster", title: "Cluster" },
  { name: "confidence", title: "Confidence", numeric: true, help: "Log-odds of its cluster against the best other one; 0 or less: doubt." },
  { name: "vote", title: "Vote", numeric: true, help: "Share of its labels' votes that goes to its own cluster." },
  { name: "second", title: "Second", help: "The best other cluster." },
];

export class Objects {
  constructor(store) {
    this.store = store;
    this.asked = { sort: "confidence", descending: false, offset: 0, search: "", filter: "all" };
    this.rows = [];
    this.total = 0;
    this.annotations = [];
    this.at = 0; // row of the page that the keys are on
    this.anchor = null;
    this.#build();
    store.on("selection", (source) => this.#follow(source));
    store.on("current", () => this.#mark());
  }

  #build() {
    const set = (changes) => { Object.assign(this.asked, { offset: 0 }, changes); this.load(); };
    this.search = el("input", { type: "search", placeholder: "Search names", "aria-label": "Search the names of the objects", spellcheck: "false", on: { input: () => set({ search: this.search.value }) } });
    this.filters = ["all", "doubt", "selected"].map((filter) => button("", () => set({ filter }), { "aria-pressed": "false", "data-filter": filter }));
    this.selectAll = button("Select all of these", () => this.#selectAll(), { class: "quiet" });
    this.place = el("span", { class: "note", role: "status" });
    this.earlier = button("Earlier", () => { this.asked.offset -= PAGE; this.load(); }, { class: "quiet", "aria-label": "Earlier objects" });
    this.later = button("Later", () => { this.asked.offset += PAGE; this.load(); }, { class: "quiet", "aria-label": "Later objects" });
    this.head = el("tr", {});
    this.body = el("tbody", { on: { keydown: (event) => this.#key(event) } });
    this.failed = el("p", { class: "failed", role: "alert", hidden: true });
    const table = el("table", { role: "grid", "aria-multiselectable": "true", "aria-label": "Objects" }, el("thead", {}, this.head), this.body);
    this.element = el("div", { class: "objects" },
      el("div", { class: "tools" }, el("div", { class: "segments", role: "group", "aria-label": "Which objects" }, this.filters), this.search),
      this.failed,
      el("div", { class: "scroll rows" }, table),
      el("div", { class: "tools foot" }, this.place, this.earlier, this.later, this.selectAll),
      el("p", { class: "note keys" }, "Click a row for its details; Shift-click for a range, Ctrl-click to add."));
  }

  #query() {
    const { sort, descending, offset, search, filter } = this.asked;
    const selection = this.store.selection?.id;
    return {
      k: this.store.k, sort, descending: descending ? 1 : 0, offset, limit: PAGE, search, doubt: filter === "doubt" ? 1 : "",
      selection: filter === "selected" ? selection : "", mark: selection,
    };
  }

  /** Ask for the page that is wanted; an answer that comes too late is left. */
  async load() {
    this.running?.abort();
    const mine = this.running = new AbortController();
    if (this.asked.filter === "selected" && !this.store.selection) this.asked.filter = "all";
    this.#labels();
    try {
      const answer = await get(this.store.path("objects"), this.#query(), mine.signal);
      if (mine.signal.aborted) return;
      this.failed.hidden = true;
      Object.assign(this, { rows: answer.rows, total: answer.total, annotations: answer.annotations ?? [] });
      this.at = Math.min(this.at, Math.max(0, this.rows.length - 1));
      this.#draw();
    } catch (error) {
      if (error.name === "AbortError") return;
      this.failed.textContent = error.message;
      this.failed.hidden = false;
    }
  }

  #follow(source) {
    if (source === "table") { this.load(); return; }
    this.asked.filter = this.store.selection ? "selected" : this.asked.filter === "selected" ? "all" : this.asked.filter;
    this.asked.offset = 0;
    this.at = 0;
    this.load();
  }

  #labels() {
    const { summary, selection } = this.store;
    const texts = { all: `All ${count(summary.n_objects)}`, doubt: `In doubt ${count(summary.n_in_doubt)}`, selected: `Selected ${count(selection?.n ?? 0)}` };
    for (const one of this.filters) {
      one.textContent = texts[one.dataset.filter];
      one.setAttribute("aria-pressed", String(one.dataset.filter === this.asked.filter));
      one.disabled = one.dataset.filter === "selected" && !selection;
    }
  }

  // ----------------------------------------------------------------------------------------------------------- drawing
  #draw() {
    const extra = this.annotations.map((name) => ({ name: `annotation:${name}`, title: name }));
    const focused = this.head.contains(document.activeElement) ? [...this.head.querySelectorAll("button")].indexOf(document.activeElement) : -1;
    this.head.replaceChildren(...[...COLUMNS, ...extra].map((column) => {
      const state = this.asked.sort !== column.name ? null : this.asked.descending ? "descending" : "ascending";
      return sortHead(column.title, column.help, state, () => this.#sort(column.name), column.numeric);
    }));
    if (focused >= 0) this.head.querySelectorAll("button")[focused]?.focus();
    const inBody = this.body.contains(document.activeElement);
    this.body.replaceChildren(...this.rows.map((row, place) => this.#line(row, place)));
    if (!this.rows.length) this.body.append(el("tr", {}, el("td", { colspan: String(COLUMNS.length + extra.length), class: "note" }, this.#nothing())));
    if (inBody) this.body.rows[this.at]?.focus({ preventScroll: true });
    const last = this.asked.offset + this.rows.length;
    this.place.textContent = this.total ? `${count(this.asked.offset + 1)}–${count(last)} of ${count(this.total)}` : "0 objects";
    this.earlier.disabled = this.asked.offset === 0;
    this.later.disabled = last >= this.total;
    this.selectAll.hidden = this.asked.filter === "selected" || this.total === 0;
    this.selectAll.textContent = this.total === 1 ? "Select it" : `Select all ${count(this.total)}`;
    this.#mark();
  }

  #nothing() {
    if (this.asked.search) return "No name contains these words.";
    return this.asked.filter === "doubt" ? "No object is in doubt." : "No objects.";
  }

  #line(row, place) {
    const doubt = row.in_doubt;
    return el("tr", { role: "row", tabindex: place === this.at ? "0" : "-1", "aria-selected": String(Boolean(row.selected)), on: { click: (event) => this.#click(event, place), focus: () => { this.at = place; this.#rove(); } } },
      el("th", { scope: "row", role: "rowheader", class: "id", title: row.id }, row.id),
      el("td", { role: "gridcell" }, clusterChip(row.cluster, this.store.summary.colors)),
      el("td", { role: "gridcell", class: doubt ? "n doubt" : "n" }, decimal(row.confidence)),
      el("td", { role: "gridcell", class: "n" }, percent(row.vote)),
      el("td", { role: "gridcell" }, clusterChip(row.second, this.store.summary.colors)),
      this.annotations.map((name) => this.#annotation(row.annotations?.[name])));
  }

  #annotation(value) {
    const number = typeof value === "number";
    return el("td", { role: "gridcell", class: number ? "n" : "id", title: value ?? null }, number ? String(value).replace("-", "−") : value ?? NONE);
  }

  #rove() {
    [...this.body.rows].forEach((line, place) => { line.tabIndex = place === this.at ? 0 : -1; });
  }

  #mark() {
    this.rows.forEach((row, place) => this.body.rows[place]?.classList.toggle("current", row.row === this.store.current));
  }

  #sort(name) {
    this.asked.descending = this.asked.sort === name ? !this.asked.descending : false;
    this.asked.sort = name;
    this.asked.offset = 0;
    this.load();
  }

  // --------------------------------------------------------------------------------------------------------- selecting
  #click(event, place) {
    if (event.shiftKey) { window.getSelection()?.removeAllRanges(); this.#range(place); }
    else if (event.ctrlKey || event.metaKey) this.#toggle(place);
    else this.#open(place);
  }

  #open(place) {
    this.at = this.anchor = place;
    // among the selected objects, looking at one keeps the others selected
    if (this.asked.filter !== "selected") this.store.select({ rows: [this.rows[place].row] }, "replace", "table");
    this.store.look(this.rows[place].row);
  }

  #toggle(place) {
    this.at = this.anchor = place;
    this.store.select({ rows: [this.rows[place].row] }, "toggle", "table");
  }

  #range(place) {
    const from = this.anchor ?? this.at;
    const rows = this.rows.slice(Math.min(from, place), Math.max(from, place) + 1).map((row) => row.row);
    this.anchor = from;
    this.at = place;
    this.store.select({ rows }, "replace", "table");
  }

  #selectAll() {
    const { search, filter } = this.asked;
    this.store.select({ where: { search, doubt: filter === "doubt" } }, "replace", "table");
  }

  #key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.#step(step, event.shiftKey);
    else if (event.key === "Enter") this.#open(this.at);
    else if (event.key === " ") this.#toggle(this.at);
    else if (event.key === "Home") this.#step(-this.at, false);
    else if (event.key === "End") this.#step(this.rows.length - 1 - this.at, false);
    else return;
    event.preventDefault();
  }

  #step(step, extend) {
    const next = Math.max(0, Math.min(this.rows.length - 1, this.at + step));
    if (extend) { this.anchor ??= this.at; this.#range(next); }
    else this.anchor = null;
    this.at = next;
    this.#rove();
    this.body.rows[next]?.focus();
  }
}

/** Where the rows of the selection can be fetched as a file. */
export function selectionFile(store) {
  return address(store.path("download/objects"), { k: store.k, selection: store.selection.id, format: "csv" });
}
