// Other methods on the same clusterings: started here, run by the server.
import { announce, button, el, messagePlace, seconds } from "./dom.js";
import { get, pause, post } from "./api.js";
import { scaleColors } from "./scale.js";
import { dataTable, matrix } from "./tables.js";

export function comparePanel(store) {
  const message = messagePlace();
  const place = el("div", {}, el("p", { class: "note" }, "Loading …"));
  const panel = { open: true, element: el("div", { class: "compare" }, el("h3", {}, "Compare methods"), el("p", {}, "Do other methods find the same clusters? Each of them is run on the same clusterings."), message.element, place), close() { panel.open = false; } };
  const path = store.path("compare");

  async function follow() {
    for (let look = 0; panel.open; look += 1) {
      const state = await get(path);
      if (!panel.open) return;
      if (state.state !== "running" && state.state !== "waiting") { draw(state); return; }
      progress(state, look === 0);
      await pause(look < 10 ? 250 : 1000);
    }
  }

  function attempt(work) { work().catch((error) => message.show(error.message)); }

  async function start(methods) {
    message.clear();
    await post(path, { methods });
    announce("Comparing methods");
    await follow();
  }

  const bar = el("progress", { max: "1", "aria-label": "Progress of the comparison" });
  const stage = el("p", { class: "note", role: "status" });
  const cancel = button("Cancel", () => { cancel.disabled = true; attempt(() => post(`${path}/cancel`)); });

  function progress({ progress: now }, first) {
    if (first) { cancel.disabled = false; place.replaceChildren(bar, stage, cancel); }
    if (now?.share === null || now?.share === undefined) bar.removeAttribute("value");
    else bar.value = now.share;
    stage.textContent = `${now?.stage ?? "Working"} – ${seconds(now?.seconds ?? 0)}`;
  }

  function draw(state) {
    const parts = [];
    if (state.state === "failed") message.show(state.error ?? "The comparison failed.");
    if (state.state === "cancelled") parts.push(el("p", { class: "note" }, "The comparison was cancelled."));
    if (state.table) {
      announce("The comparison is ready.");
      parts.push(dataTable(state.table, store.summary.colors, "Methods compared"));
      if (state.agreement) parts.push(el("h3", {}, `Agreement of the methods (${state.agreement.measure ?? "adjusted Rand index"})`), matrix(state.agreement.methods, state.agreement.values, shade));
    }
    parts.push(chooser(state));
    place.replaceChildren(...parts);
  }

  function chooser(state) {
    const methods = state.methods ?? [];
    const boxes = methods.map((method) => [method, el("input", { type: "checkbox", id: `compare-${method.name}`, checked: method.default ?? false })]);
    const chosen = () => boxes.filter(([, box]) => box.checked).map(([method]) => method.name);
    const go = button(state.table ? "Compare again" : "Compare", () => attempt(() => start(chosen().length ? chosen() : null)), { class: "main" });
    return el("div", {},
      el("p", {}, go),
      el("details", {}, el("summary", {}, "Which methods"), el("p", { class: "note" }, "With none marked, a usual handful is compared."),
        el("div", { class: "checks" }, boxes.map(([method, box]) => el("div", { class: "check" }, box, el("label", { for: box.id }, method.name, method.title && method.title !== method.name ? el("small", {}, ` ${method.title}`) : null))))));
  }

  attempt(follow);
  return panel;
}

function shade(value) {
  const [red, green, blue] = scaleColors()[Math.round(Math.max(0, Math.min(1, value)) * 254)];
  const light = 0.2126 * (red / 255) ** 2.2 + 0.7152 * (green / 255) ** 2.2 + 0.0722 * (blue / 255) ** 2.2;
  return [`rgb(${red} ${green} ${blue})`, light > 0.18 ? "#000000" : "#ffffff"];
}

