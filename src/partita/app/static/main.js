// The address names what is shown (#data=ID, #run=ID&k=3&tab=clusters), so that reload, back and two tabs just work.
import { el, messagePlace } from "./dom.js";
import { showStart } from "./start.js";
import { showReading } from "./reading.js";
import { showRun } from "./run.js";

const main = document.getElementById("main");
const trail = document.getElementById("trail");
let view = null;
let shown = "";

export function place(parts) {
  return `#${new URLSearchParams(Object.entries(parts).filter(([, value]) => value !== null && value !== undefined))}`;
}

const page = {
  main,
  /** Go somewhere: adds to the history, so that "back" comes back here. */
  go(parts) { location.hash = place(parts); },
  /** The same place under another address (another tab of it): no new entry of the history. */
  settle(parts) { history.replaceState(null, "", place(parts)); },
  title(text, crumbs = []) {
    document.title = text ? `${text} – partita` : "partita";
    trail.replaceChildren(...crumbs.map(([words, href]) => (href ? el("a", { href }, words) : el("span", { "aria-current": "page" }, words))));
  },
  place,
};

function wanted() {
  const parts = new URLSearchParams(location.hash.slice(1));
  if (parts.get("run")) return ["run", parts.get("run"), parts];
  if (parts.get("data")) return ["data", parts.get("data"), parts];
  return ["start", "", parts];
}

async function show() {
  const [kind, id, parts] = wanted();
  if (shown === `${kind} ${id}` && view?.change) { view.change(parts); return; }
  view?.close?.();
  view = null;
  shown = `${kind} ${id}`;
  const made = { start: showStart, data: showReading, run: showRun }[kind];
  const mine = shown;
  main.replaceChildren(el("p", { class: "note" }, "Loading …"));
  try {
    const opened = await made(page, id, parts);
    if (mine !== shown) { opened?.close?.(); return; }
    view = opened;
  } catch (error) {
    if (mine === shown) fail(error);
  }
}

function fail(error) {
  const message = messagePlace();
  message.show(error.message);
  main.replaceChildren(el("h1", {}, "That is not here"), message.element, el("p", {}, el("a", { href: "#" }, "Back to the start")));
  page.title("Not found");
  view = null;
}

document.getElementById("skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
// a file that is dropped where none is expected would replace the page
for (const name of ["dragover", "drop"]) {
  window.addEventListener(name, (event) => {
    if (main.querySelector(".drop")) return; // which takes it
    event.preventDefault();
    if (name === "dragover") event.dataTransfer.dropEffect = "none";
  });
}
window.addEventListener("hashchange", show);
show();
