// The tables and tools beside the pictures, one at a time.
import { el } from "./dom.js";
import { get } from "./api.js";
import { comparePanel } from "./compare.js";
import { downloadsPanel } from "./downloads.js";
import { dataTable } from "./tables.js";

const TITLES = { objects: "Objects", clusters: "Clusters", clusterings: "Clusterings", annotations: "Annotations", compare: "Compare", downloads: "Downloads" };

export function tabs(store, objects, details, first, opened) {
  const names = Object.keys(TITLES);
  const list = el("div", { class: "tabs", role: "tablist", "aria-label": "Tables and tools", on: { keydown: (event) => key(event) } });
  const panel = el("div", { class: "panel", role: "tabpanel", tabindex: "-1" });
  const makers = { objects: () => el("div", {}, objects.element, details.element), clusters: () => tablePanel(store, "clusters"), clusterings: () => tablePanel(store, "clusterings"), annotations: () => tablePanel(store, "annotations"), compare: () => comparePanel(store), downloads: () => downloadsPanel(store) };
  let current = null;
  let shown = null; // what the panel holds
  for (const name of names) list.append(el("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "panel", on: { click: () => open(name) } }, TITLES[name]));
  panel.id = "panel";

  function open(name) {
    const wanted = names.includes(name) ? name : "objects";
    if (wanted === current) return;
    current = wanted;
    shown?.close?.();
    shown = makers[wanted]();
    panel.replaceChildren(shown.element ?? shown);
    panel.setAttribute("aria-labelledby", `tab-${wanted}`);
    for (const one of list.children) {
      const chosen = one.id === `tab-${wanted}`;
      one.setAttribute("aria-selected", String(chosen));
      one.tabIndex = chosen ? 0 : -1;
    }
    opened(wanted === "objects" ? null : wanted);
  }

  function key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -names.length, End: names.length }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = names.indexOf(current);
    const next = Math.abs(step) > 1 ? (step < 0 ? 0 : names.length - 1) : (at + step + names.length) % names.length;
    open(names[next]);
    list.children[next].focus();
  }

  // a table in the panel belongs to a number of clusters
  store.on("number", () => { if (["clusters", "clusterings", "annotations", "downloads"].includes(current)) { const again = current; current = null; open(again); } });
  store.on("selection", (source) => { if (store.selection && source !== "number" && source !== "table") open("objects"); });
  open(first ?? "objects");
  return { element: el("section", { class: "side", "aria-label": "Tables and tools" }, list, panel), open };
}

function tablePanel(store, what) {
  const place = el("div", {}, el("p", { class: "note", role: "status" }, "Working …"));
  get(store.path(what), { k: store.k }).then((table) => {
    place.replaceChildren(...[
      table.note ? el("p", { class: "note" }, table.note) : null,
      table.rows.length ? dataTable(table, store.summary.colors, TITLES[what]) : null,
      what === "clusters" && store.selection === null ? el("p", { class: "note" }, "Press a cluster above the pictures to select its objects.") : null,
    ].filter(Boolean));
  }).catch((error) => place.replaceChildren(el("p", { class: "failed", role: "alert" }, error.message)));
  return place;
}
