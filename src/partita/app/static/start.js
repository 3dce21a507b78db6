// The first view: drop a file, try the example, or go back to a run.
import { bytes, button, counted, el, messagePlace, announce } from "./dom.js";
import { get, post, remove, upload } from "./api.js";

const STATES = { waiting: "waiting", running: "running", done: "done", failed: "failed", cancelled: "cancelled", stopped: "stopped at the time limit" };
const AGAIN = 1500; // milliseconds between looks at the runs, while one of them goes on

export async function showStart(page) {
  const message = messagePlace();
  const drop = dropArea(page, message);
  const runs = el("section", { class: "runs", hidden: true, "aria-labelledby": "runs-head" });
  const files = el("section", { class: "runs", hidden: true, "aria-labelledby": "files-head" });
  page.title("", []);
  page.main.replaceChildren(
    el("div", { class: "start" },
      el("h1", { tabindex: "-1" }, "Many clusterings, one answer"),
      el("p", { class: "lead" }, "You clustered the same objects several times and the results differ. Give them to partita: it finds the clusters that they agree on, and tells you which objects are in doubt."),
      drop.element, message.element, runs, files),
  );
  let open = true;
  const watch = async () => {
    const list = await listRuns(runs, message);
    if (open && list.some((run) => run.state === "running" || run.state === "waiting")) setTimeout(() => open && watch(), AGAIN);
  };
  get("version").then((about) => { drop.limit(about.max_upload); }).catch((error) => message.show(error.message));
  watch().catch((error) => message.show(error.message));
  listFiles(files, message).catch((error) => message.show(error.message));
  return { close() { open = false; drop.close(); } };
}

// -------------------------------------------------------------------------------------------------------- the drop area
function dropArea(page, message) {
  const state = { limit: Infinity, busy: false };
  const input = el("input", { type: "file", id: "file", class: "unseen", on: { change: () => input.files[0] && take(input.files[0]) } });
  const words = el("small", { id: "file-help" });
  const progress = el("progress", { max: "1", hidden: true, "aria-label": "Sending the file" });
  const example = button("Try the example", () => use(() => post("datasets/example")));
  const area = el("div", { class: "drop" },
    el("p", { class: "drop-head" }, "Drop a file here"),
    el("p", {}, input, el("label", { class: "button main", for: "file" }, "Choose a file"), " ", example),
    words, progress);
  input.setAttribute("aria-describedby", "file-help");
  const explain = () => {
    const most = Number.isFinite(state.limit) ? ` Up to ${bytes(state.limit)}.` : "";
    words.textContent = `A table with one row per object and one column per clustering – or measurements (features), of which partita makes the clusterings itself. CSV, TSV, Excel, Parquet or NumPy.${most} The file stays on this computer.`;
  };

  async function use(asked) {
    if (state.busy) return;
    state.busy = true;
    message.clear();
    area.setAttribute("aria-busy", "true");
    example.disabled = true;
    input.disabled = true;
    try {
      const dataset = await asked();
      page.go({ data: dataset.id });
    } catch (error) {
      message.show(error.message);
    } finally {
      state.busy = false;
      area.removeAttribute("aria-busy");
      example.disabled = false;
      input.disabled = false;
      progress.hidden = true;
      input.value = "";
    }
  }

  function take(file) {
    if (file.size > state.limit) {
      message.show(`“${file.name}” has ${bytes(file.size)}; at most ${bytes(state.limit)} can be read here. Start partita app with a larger --max-upload, or use the command line: partita consensus FILE.`);
      return;
    }
    progress.hidden = false;
    progress.removeAttribute("value");
    announce(`Reading ${file.name}`);
    use(() => upload(file, (share) => { if (share !== null && share < 1) progress.value = share; else progress.removeAttribute("value"); }));
  }

  // a file that misses the area would replace the page: the whole window takes it
  const over = (event) => { event.preventDefault(); area.classList.add("over"); };
  const leave = (event) => { if (!event.relatedTarget) area.classList.remove("over"); };
  const dropped = (event) => {
    event.preventDefault();
    area.classList.remove("over");
    const files = event.dataTransfer?.files ?? [];
    if (files.length > 1) message.show(`You dropped ${files.length} files; drop one file that holds all clusterings as columns.`);
    else if (files.length === 1) take(files[0]);
    else message.show("That was not a file. Drop a file of labels, or choose one with the button.");
  };
  const listeners = { dragover: over, dragleave: leave, drop: dropped };
  for (const [name, listener] of Object.entries(listeners)) window.addEventListener(name, listener);
  explain();
  return {
    element: area,
    limit(most) { state.limit = most ?? Infinity; explain(); },
    close() { for (const [name, listener] of Object.entries(listeners)) window.removeEventListener(name, listener); },
  };
}

// ------------------------------------------------------------------------------------------------------------ the runs
async function listRuns(section, message) {
  const runs = await get("runs");
  section.hidden = runs.length === 0;
  const again = () => listRuns(section, message);
  section.replaceChildren(
    el("h2", { id: "runs-head" }, "Your runs"),
    el("ul", { class: "plain" }, [...runs].reverse().map((run) => runLine(run, again, message))),
    el("p", { class: "note" }, "They are kept until partita app ends."),
  );
  return runs;
}

async function listFiles(section, message) {
  const files = await get("datasets");
  section.hidden = files.length === 0;
  section.replaceChildren(
    el("h2", { id: "files-head" }, "Your files"),
    el("ul", { class: "plain" }, [...files].reverse().map((file) => el("li", { class: "run-line" },
      el("a", { href: `#data=${encodeURIComponent(file.id)}` }, file.name),
      el("span", { class: "note" }, `${counted(file.n_objects, "object")}, read as ${file.kind}, ${started(file.created)}`),
      removal(`datasets/${file.id}`, `Remove the file ${file.name}`, () => listFiles(section, message), message)))),
  );
}

function removal(path, label, again, message) {
  return button("Remove", async () => {
    try { await remove(path); await again(); } catch (error) { message.show(error.message); }
  }, { class: "quiet", "aria-label": label });
}

function runLine(run, again, message) {
  const asked = run.n_clusters === "auto" ? "number of clusters found" : counted(run.n_clusters, "cluster");
  return el("li", { class: "run-line" },
    el("a", { href: `#run=${encodeURIComponent(run.id)}` }, run.dataset_name),
    el("span", { class: "note" }, `${run.method === "auto" ? "method chosen for you" : run.method}, ${asked}, ${started(run.created)}`),
    el("span", { class: `state ${run.state}` }, STATES[run.state] ?? run.state),
    removal(`runs/${run.id}`, `Remove the run of ${run.dataset_name}`, again, message));
}

function started(created) {
  const time = new Date(typeof created === "number" ? created * 1000 : created);
  return Number.isNaN(time.getTime()) ? "" : time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}
