// What was understood of a file, and how to correct it.
import { announce, bytes, button, choice, count, counted, el, field, messagePlace, percent, sentence } from "./dom.js";
import { get, post } from "./api.js";
import { runForm } from "./run_form.js";

const SEPARATORS = { ",": "comma  ,", "\t": "tab", ";": "semicolon  ;", "|": "bar  |", " ": "blanks" };
const ENCODINGS = ["utf-8", "utf-16", "cp1252", "latin-1", "cp1250", "cp1251", "shift_jis", "gb18030"];
const NOISE = [["missing", "not labelled (missing)"], ["singleton", "each such object is a cluster of its own"], ["cluster", "one cluster like any other"]];
const ROLES = { clustering: "a clustering", feature: "a feature", id: "names of the objects", annotation: "annotation", dropped: "left out" };

export async function showReading(page, id) {
  const state = { dataset: await get(`datasets/${id}`), asked: Promise.resolve() };
  const message = messagePlace();
  const parts = { facts: el("div"), changed: el("p", { class: "changed", hidden: true }), controls: el("div"), roles: el("div"), preview: el("div") };
  const form = el("div");
  page.main.replaceChildren(
    el("div", { class: "opening" }, el("div", {}, el("h1", { tabindex: "-1" }, state.dataset.name), parts.facts), form),
    message.element, parts.changed,
    el("div", { class: "reading" },
      el("section", { "aria-labelledby": "how-head", class: "how" }, el("h2", { id: "how-head" }, "How it was read"), parts.controls),
      el("section", { "aria-labelledby": "preview-head" }, el("h2", { id: "preview-head" }, "First rows"), parts.preview, parts.roles)),
  );
  page.title(state.dataset.name, [["Start", "#"], ["What was understood"]]);
  const view = { page, state, message, parts, form };
  draw(view);
  page.main.querySelector("h1").focus({ preventScroll: true });
  return {};
}

/** Read again with a correction, after those before it; `changes` are made of the dataset as it is then. */
function correct(view, changes) {
  view.state.asked = view.state.asked.then(() => readAgain(view, changes));
  return view.state.asked;
}

/** A correction that cannot work is said, and the reading stays as it was. */
async function readAgain(view, changes) {
  const { state, message, parts } = view;
  message.clear();
  parts.controls.setAttribute("aria-busy", "true");
  const before = state.dataset;
  try {
    state.dataset = await post(`datasets/${before.id}/reading`, changes(before));
    tellChange(view, before, state.dataset);
  } catch (error) {
    message.show(`${error.message} The reading stays as it was.`);
    parts.changed.hidden = true;
  } finally {
    parts.controls.removeAttribute("aria-busy");
    draw(view);
  }
}

function draw(view) {
  const focused = document.activeElement?.dataset?.key;
  const { state, parts } = view;
  parts.facts.replaceChildren(...facts(state.dataset));
  parts.controls.replaceChildren(...controls(view));
  parts.preview.replaceChildren(preview(state.dataset));
  parts.roles.replaceChildren(...roles(view));
  view.form.replaceChildren(runForm(view.page, state.dataset));
  if (focused) document.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

// --------------------------------------------------------------------------------------------------------------- words
function facts(dataset) {
  const labels = dataset.kind === "labels";
  const used = dataset.columns.filter((column) => column.role === (labels ? "clustering" : "feature")).length;
  const figures = [
    ["Objects", count(dataset.n_objects), distinct(dataset)],
    [labels ? "Clusterings" : "Features", count(used), labels ? "one column each" : "clusterings are made of them"],
    [labels ? "Missing labels" : "Missing values", count(dataset.n_missing ?? 0), percent(dataset.share_missing ?? 0)],
  ];
  if (dataset.n_unlabelled) figures.push(["Without any label", count(dataset.n_unlabelled), "objects that get no cluster"]);
  return [
    el("p", { class: "lead" }, labels ? "Read as labels: each column is a clustering, and equal entries mean the same cluster." : "Read as measurements: partita makes clusterings of them and combines these."),
    el("p", { class: "note" }, `${bytes(dataset.size)}. ${dataset.kind_reason ?? ""}`),
    el("dl", { class: "figures" }, figures.map(([name, value, words]) => el("div", {}, el("dt", {}, name), el("dd", {}, value, words ? el("small", {}, words) : null)))),
    dataset.warnings.length ? el("ul", { class: "warnings" }, dataset.warnings.map((text) => el("li", {}, sentence(text)))) : null,
  ].filter(Boolean);
}

function distinct(dataset) {
  return dataset.n_distinct_rows ? `${count(dataset.n_distinct_rows)} different rows` : "one row each";
}

function tellChange(view, before, after) {
  const used = (dataset) => dataset.columns.filter((column) => column.role === "clustering" || column.role === "feature").length;
  const values = (dataset) => [["objects", dataset.n_objects], ["columns used", used(dataset)], ["missing", dataset.n_missing ?? 0], ["without any label", dataset.n_unlabelled ?? 0]];
  const then = values(before);
  const changed = values(after).flatMap(([name, now], place) => (now === then[place][1] ? [] : [`${name} ${count(then[place][1])} → ${count(now)}`]));
  if (before.kind !== after.kind) changed.unshift(`now read as ${after.kind}`);
  if (before.id_column !== after.id_column) changed.unshift(after.id_column === null ? "no column of names" : `names from “${after.id_column}”`);
  const text = changed.length ? `Changed: ${changed.join("; ")}.` : "Read again: the counts are the same.";
  const { changed: line } = view.parts;
  line.replaceChildren(text, " ", button("Undo", () => correct(view, () => before.reading), { class: "quiet" }));
  line.hidden = false;
  announce(text);
}

// ------------------------------------------------------------------------------------------------------------ controls
function controls(view) {
  const { dataset } = view.state;
  const { reading } = dataset;
  const say = (changes) => correct(view, () => changes);
  const keyed = (key, control) => { control.dataset.key = key; return control; };
  const missing = el("input", { type: "text", value: (reading.missing ?? []).join(", "), spellcheck: "false", on: { change: () => say({ missing: words(missing.value) }) } });
  const usual = el("input", { type: "checkbox", id: "usual", checked: reading.missing_words !== false, on: { change: () => say({ missing_words: usual.checked }) } });
  const names = dataset.columns.map((column) => column.name);
  const header = choice([["true", "yes"], ["false", "no"]], String(reading.header !== false), (value) => say({ header: value === "true" }));
  const list = [
    field("It holds", keyed("kind", choice([["labels", "labels of clusterings"], ["features", "measurements (features)"]], dataset.kind, (kind) => say({ kind, columns: null, annotations: reading.annotations })))),
    isText(dataset) ? field("Separator", keyed("separator", choice((dataset.separators ?? Object.keys(SEPARATORS)).map((one) => [one, SEPARATORS[one] ?? one]), reading.separator, (separator) => say({ separator, columns: null, drop: null, annotations: null })))) : null,
    isText(dataset) ? field("Encoding", keyed("encoding", choice(encodings(reading.encoding), reading.encoding ?? "", (encoding) => say({ encoding: encoding || null })))) : null,
    field("The first row holds names of columns", keyed("header", header)),
    field("Names of the objects", keyed("id", choice([["", "none: they are numbered"], ...names.map((name) => [`=${name}`, name])], dataset.id_column === null ? "" : `=${dataset.id_column}`, (value) => say({ id_column: value ? value.slice(1) : null, columns: null })))),
    field("Missing is written as", keyed("missing", missing), "Words, with commas between them; empty fields are always missing."),
    el("div", { class: "check" }, keyed("usual", usual), el("label", { for: "usual" }, "NA, nan, null, ? and the like are missing too")),
    dataset.kind === "labels" ? field("The label −1 means", keyed("noise", choice(NOISE, reading.noise ?? "missing", (noise) => say({ noise })))) : null,
  ];
  return list.filter(Boolean);
}

function isText(dataset) { return dataset.reading.separator !== null && dataset.reading.separator !== undefined; }

function encodings(current) {
  const known = current && !ENCODINGS.includes(current) ? [current, ...ENCODINGS] : ENCODINGS;
  return [["", "recognised"], ...known.map((name) => [name, name])];
}

function words(text) { return text.split(",").map((word) => word.trim()).filter(Boolean); }

// --------------------------------------------------------------------------------------------------------------- tables
function preview(dataset) {
  const { columns, rows } = dataset.preview;
  const role = Object.fromEntries(dataset.columns.map((column) => [column.name, column.role]));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "First rows of the file" },
    el("table", { class: "preview" },
      el("thead", {}, el("tr", {}, columns.map((name) => el("th", { scope: "col", class: role[name] ?? null }, name)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, place) => el("td", { class: role[columns[place]] ?? null }, cell === null || cell === "" ? el("span", { class: "hole" }, "missing") : cell)))))));
}

function roles(view) {
  const { dataset } = view.state;
  const own = dataset.kind === "labels" ? "clustering" : "feature";
  const options = [own, "annotation", "id", "dropped"].map((role) => [role, ROLES[role]]);
  const rows = dataset.columns.map((column) => {
    const select = choice(options, column.role, (role) => correct(view, (now) => withRole(now, column.name, role, own)));
    select.dataset.key = `role ${column.name}`;
    select.setAttribute("aria-label", `Use of column ${column.name}`);
    return el("tr", {}, el("th", { scope: "row" }, column.name), el("td", {}, select), el("td", { class: "n" }, count(column.n_values)), el("td", { class: "n" }, count(column.n_missing)), el("td", { class: "examples" }, (column.examples ?? []).join(", ")));
  });
  const head = ["Column", "Use as", "Values", "Missing", "Examples"].map((text, place) => el("th", { scope: "col", class: place === 2 || place === 3 ? "n" : null }, text));
  return [
    el("h2", {}, counted(dataset.columns.length, "column")),
    el("p", { class: "note" }, "An annotation is not clustered: it is shown with the objects and compared with the clusters afterwards, such as a known class or an age."),
    el("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": "Columns and their use" },
      el("table", { class: "roles" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows))),
  ];
}

/** The lists of the reading after one column has got another use. */
function withRole(dataset, name, role, own) {
  const now = dataset.columns.map((column) => [column.name, column.name === name ? role : role === "id" && column.role === "id" ? "dropped" : column.role]);
  const having = (wanted) => now.filter(([, one]) => one === wanted).map(([column]) => column);
  return { id_column: having("id")[0] ?? null, columns: having(own), drop: having("dropped"), annotations: having("annotation") };
}
