// What all views of a run share: the number of clusters, the selection, the object looked at. Views listen to it.
import { clusterName, count, counted, announce } from "./dom.js";
import { get, post } from "./api.js";

export class Store {
  constructor(run) {
    this.run = run;
    this.k = null;
    this.summary = null; // of the number that is shown
    this.own = null; // summary of the run's own number
    this.heat = null; // what is drawn: order, ids, clusters, pixels, tree
    this.selection = null; // {id, n, by_cluster, drawn}
    this.selectedPositions = new Set(); // of the drawn objects
    this.current = null; // row of the object whose details are shown
    this.listeners = new Map();
    this.asked = Promise.resolve(); // selections are made one after the other: each may add to the one before
  }

  on(name, listener) {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
  }

  tell(name, source = null) {
    for (const listener of this.listeners.get(name) ?? []) listener(source);
  }

  path(rest) { return `runs/${this.run.id}/${rest}`; }

  /** Colours of clusters for canvases and squares; grey is for none. */
  color(cluster) { return cluster === null || cluster < 0 ? "#999999" : this.summary.colors[cluster] ?? "#999999"; }

  setHeat(heat) {
    this.heat = heat;
    this.positionOf = new Map(heat.order.map((row, position) => [row, position]));
    this.#place();
    this.tell("heat");
  }

  /** Select; `what` is {rows}, {cluster} or {where}, `mode` replace, add, remove or toggle. */
  select(what, mode = "replace", source = null) {
    this.asked = this.asked.then(async () => {
      const base = mode === "replace" || !this.selection ? {} : { base: this.selection.id, mode };
      if (mode === "remove" && !this.selection) return;
      this.#take(await post(this.path("selections"), { k: this.k, ...what, ...base }), source);
    }).catch((error) => this.tell("failed", error.message));
    return this.asked;
  }

  selectPositions(positions, mode, source) {
    return this.select({ rows: positions.map((position) => this.heat.order[position]) }, mode, source);
  }

  clear() {
    this.asked = this.asked.then(() => { if (this.selection) this.#take(null, "clear"); });
    return this.asked;
  }

  /** The selection stays when the number of clusters changes; its summary does not. */
  async summariseAgain() {
    if (!this.selection) return;
    this.#take(await get(this.path(`selections/${this.selection.id}`), { k: this.k }), "number");
  }

  look(row) {
    this.current = row;
    this.tell("current");
  }

  words() {
    if (!this.selection) return "";
    const { n, by_cluster: parts } = this.selection;
    const named = parts.filter(([, size]) => size > 0).map(([cluster, size]) => (cluster < 0 ? `${count(size)} without a cluster` : `${count(size)} of cluster ${clusterName(cluster)}`));
    const shown = named.length > 6 ? [...named.slice(0, 6), `${named.length - 6} clusters more`] : named;
    return `${counted(n, "object")} selected: ${shown.join(", ")}`;
  }

  #take(selection, source) {
    this.selection = selection && selection.n > 0 ? selection : null;
    this.#place();
    announce(this.selection ? this.words() : "Nothing is selected.");
    this.tell("selection", source);
  }

  #place() {
    const rows = this.heat && this.selection ? this.selection.drawn : [];
    this.selectedPositions = new Set(rows.map((row) => this.positionOf.get(row)).filter((position) => position !== undefined));
  }
}
