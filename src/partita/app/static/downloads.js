// All that can be taken away: tables, figures, the report, and how to do the same in Python.
import { announce, button, el, sentence } from "./dom.js";
import { address, get } from "./api.js";

const NAMES = { csv: "CSV", tsv: "TSV", xlsx: "Excel", parquet: "Parquet", svg: "SVG", png: "PNG", html: "HTML", zip: "ZIP", py: "Python", sh: "Text", txt: "Text" };

export function downloadsPanel(store) {
  const place = el("div", { class: "downloads" }, el("p", { class: "note" }, "Loading …"));
  get(store.path("downloads"), { k: store.k }).then((known) => {
    const others = known.others ?? [];
    const first = el("div", { class: "first-downloads" });
    const mark = (safe) => first.replaceChildren(...["all", "report"].flatMap((what) => others.filter((one) => one.what === what)).map((one) => link(store, one.what, one.formats[0], one.title, "button main", one.what === "all" ? { spreadsheet_safe: safe } : {})));
    mark(null);
    place.replaceChildren(...[
      el("p", { class: "note" }, `Everything is of the result with ${store.k} clusters. A large figure may take some seconds.`),
      first,
      tables(store, known.tables, mark),
      group(store, "Figures", (known.figures ?? []).map(({ words, ...figure }) => ({ ...figure, title: sentence(words) || figure.title }))),
      group(store, "Other files", others.filter((one) => !["all", "report", "script", "command"].includes(one.what))),
      code("The same in Python", store.summary.python, link(store, "script", "py", "Download", "button")),
      code("The same in the terminal", store.summary.command, null),
    ].filter(Boolean));
  }).catch((error) => place.replaceChildren(el("p", { class: "failed", role: "alert" }, error.message)));
  return place;
}

function link(store, what, format, text, kind = null, more = {}) {
  return el("a", { class: kind, href: address(store.path(`download/${what}`), { k: store.k, format, ...more }), download: "" }, text);
}

/** Tables, with names and labels as they are or marked where a spreadsheet would compute them; `told` hears which. */
function tables(store, items, told) {
  const place = el("div");
  const safe = el("input", { type: "checkbox", id: "safe", on: { change: () => draw() } });
  const draw = () => {
    const marked = safe.checked ? 1 : null;
    place.replaceChildren(group(store, "Tables", items, { spreadsheet_safe: marked }));
    told(marked);
  };
  draw();
  return el("section", {}, place, el("div", { class: "check" }, safe, el("label", { for: "safe" }, "CSV and TSV for a spreadsheet: text that it would compute, such as =1+1, gets an apostrophe")));
}

function group(store, title, items, more = {}) {
  if (!items?.length) return null;
  return el("section", {}, el("h3", {}, title), el("ul", { class: "files" }, items.map((item) => el("li", {},
    el("span", {}, item.title),
    el("span", { class: "formats" }, item.formats.map((format) => {
      const made = link(store, item.what, format, NAMES[format] ?? format, null, more);
      made.setAttribute("aria-label", `${item.title} as ${NAMES[format] ?? format}`);
      return made;
    }))))));
}

function code(title, text, more) {
  if (!text) return null;
  const copy = button("Copy", async () => {
    try { await navigator.clipboard.writeText(text); copy.textContent = "Copied"; announce("Copied"); }
    catch { copy.textContent = "Select the text and copy it"; }
  });
  return el("section", {}, el("div", { class: "code-head" }, el("h3", {}, title), copy, more), el("pre", { tabindex: "0" }, text));
}
