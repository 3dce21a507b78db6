// What is to be done with a file that was understood: the button, and the options folded below it.
import { button, choice, el, field, messagePlace } from "./dom.js";
import { post } from "./api.js";

const AUTO = ["auto", "chosen for you"];

export function runForm(page, dataset) {
  const message = messagePlace();
  const fits = dataset.methods ?? [];
  const about = el("small", {}, describe(fits, "auto"));
  const method = choice([AUTO, ...fits.map((one) => [one.name, one.title && one.title !== one.name ? `${one.name} – ${one.title}` : one.name])], "auto", (name) => { about.textContent = describe(fits, name); });
  const number = el("input", { type: "number", min: "1", max: String(dataset.n_objects), step: "1", placeholder: "found by partita" });
  const seed = el("input", { type: "number", min: "0", max: "4294967295", step: "1", value: "0" });
  const limit = el("input", { type: "number", min: "1", step: "1", placeholder: "none" });
  const clusterings = el("input", { type: "number", min: "2", max: "1000", step: "1", placeholder: "usual number" });
  const base = el("input", { type: "text", inputmode: "numeric", pattern: "\\s*\\d+\\s*(-\\s*\\d+\\s*)?", placeholder: "usual range", autocomplete: "off" });
  const settings = el("input", { type: "text", placeholder: "usual ones", autocomplete: "off", spellcheck: "false" });
  const of = (control) => (control.value.trim() === "" ? null : Number(control.value));

  async function start() {
    message.clear();
    const given = settingsOf(settings.value);
    settings.setCustomValidity(given === null ? "write name=value, for instance divergence=l2; several are separated by commas." : "");
    const wrong = [number, seed, limit, clusterings, base, settings].find((control) => !control.checkValidity());
    if (wrong) { message.show(`${wrong.labels[0]?.textContent ?? "A number"}: ${wrong.validationMessage}`); wrong.focus(); return; }
    go.disabled = true;
    const asked = { dataset: dataset.id, method: method.value, n_clusters: of(number) ?? "auto", seed: of(seed) ?? 0, max_time: of(limit), settings: given };
    if (dataset.kind === "features") asked.base = { n_clusterings: of(clusterings), base_clusters: rangeOf(base.value) };
    try {
      const run = await post("runs", asked);
      page.go({ run: run.id });
    } catch (error) {
      message.show(error.message);
      go.disabled = false;
    }
  }

  const go = button("Find the consensus", start, { class: "main large" });
  const methodField = field("Method", method);
  methodField.append(about);
  about.id = `${method.id}-about`;
  method.setAttribute("aria-describedby", about.id);
  return el("section", { class: "go", "aria-label": "Find the consensus" },
    message.element,
    el("p", {}, "Was the file understood? If not, correct it below."),
    el("p", {}, go),
    el("details", {},
      el("summary", {}, "Options"),
      el("div", { class: "fields" },
        methodField,
        field("Number of clusters", number, "Leave empty to have it found; any other can be looked at afterwards."),
        dataset.kind === "features" ? field("Number of clusterings to make", clusterings) : null,
        dataset.kind === "features" ? field("Clusters in each of them", base, "A number, or a range such as 2-10.") : null,
        field("Settings of the method", settings, "By their names in Python, such as divergence=l2, n_init=5."),
        field("Seed", seed, "The same seed gives the same result."),
        field("Time limit in seconds", limit, "The run stops then."))));
}

/** "divergence=l2, n_init=5" as an object, null if it cannot be read; values are JSON, words of Python, or text. */
function settingsOf(text) {
  const parts = text.split(/[,;](?=\s*[A-Za-z_]\w*\s*=)/).filter((part) => part.trim() !== "");
  if (parts.some((part) => !/^\s*[A-Za-z_]\w*\s*=\s*\S/.test(part))) return null;
  return Object.fromEntries(parts.map((part) => {
    const place = part.indexOf("=");
    return [part.slice(0, place).trim(), valueOf(part.slice(place + 1).trim())];
  }));
}

function valueOf(text) {
  const words = { None: null, True: true, False: false };
  if (text in words) return words[text];
  try { return JSON.parse(text); } catch { return text; }
}

function rangeOf(text) {
  const numbers = text.split("-").map((part) => part.trim()).filter((part) => part !== "").map(Number);
  return numbers.length === 0 ? null : numbers.length === 1 ? numbers[0] : numbers;
}

function describe(methods, name) {
  if (name === "auto") return "A good method for this file, and the number of clusters, are chosen; the result says why.";
  const one = methods.find((method) => method.name === name);
  if (!one) return "";
  const facts = [one.finds_k ? "finds the number of clusters" : null, one.soft ? "soft membership" : null, one.cost ? `cost: ${one.cost}` : null].filter(Boolean);
  return [one.words, facts.join("; ")].filter(Boolean).join(" – ");
}
