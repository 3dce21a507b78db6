// A run while it goes on, and what became of it.
import { announce, button, el, seconds, sentence } from "./dom.js";
import { get, pause, post } from "./api.js";
import { showExplore } from "./explore.js";

const SLOW = 1000, FAST = 250; // milliseconds between two looks

export async function showRun(page, id, parts) {
  const run = await get(`runs/${id}`);
  if (run.result_ready) return showExplore(page, run, parts);
  const view = { open: true, inner: null };
  const progress = progressPanel(page, run);
  progress.draw(run);
  follow(page, id, view, progress);
  return {
    close() { view.open = false; view.inner?.close(); },
    change(changed) { view.inner?.change(changed); },
  };
}

async function follow(page, id, view, progress) {
  let failures = 0;
  for (let look = 0; view.open; look += 1) {
    await pause(look < 12 ? FAST : SLOW);
    if (!view.open) return;
    let run;
    try {
      run = await get(`runs/${id}`);
      failures = 0;
    } catch (error) {
      failures += 1;
      if (failures >= 3) { progress.fail(error.message); return; }
      continue;
    }
    if (!view.open) return;
    if (run.result_ready) {
      announce("The consensus is ready.");
      view.inner = await showExplore(page, run, new URLSearchParams(location.hash.slice(1)));
      if (!view.open) view.inner.close();
      return;
    }
    progress.draw(run);
    if (run.state !== "running" && run.state !== "waiting") return;
  }
}

function progressPanel(page, first) {
  const bar = el("progress", { max: "1", "aria-label": "Progress of the run" });
  const stage = el("p", { class: "stage" });
  const time = el("p", { class: "note time" });
  const head = el("h1", { tabindex: "-1" });
  const actions = el("p", { class: "actions" });
  const after = el("div");
  const crumbs = [["Start", "#"], [first.dataset_name, page.place({ data: first.dataset })]];
  page.main.replaceChildren(el("div", { class: "running" }, head, bar, stage, time, actions, after));
  page.title(first.dataset_name, [...crumbs, ["Run"]]);
  let told = "";
  let state = "";

  const cancel = button("Cancel", async () => {
    cancel.disabled = true;
    cancel.textContent = "Stopping …";
    try { await post(`runs/${first.id}/cancel`); } catch (error) { after.replaceChildren(el("p", { class: "failed", role: "alert" }, error.message)); }
  });

  function again(run) {
    return [el("a", { class: "button main", href: page.place({ data: run.dataset }) }, "Back to the file and its settings"), " ", el("a", { class: "button", href: "#" }, "Start")];
  }

  function draw(run) {
    const { progress } = run;
    const waiting = run.state === "waiting";
    if (run.state === "running" || waiting) {
      head.textContent = waiting ? "Waiting for another run to end" : "Finding the consensus";
      if (progress?.share === null || progress?.share === undefined) bar.removeAttribute("value");
      else bar.value = progress.share;
      const words = progress?.stage || (waiting ? "It starts by itself." : "Beginning");
      const steps = progress?.total ? ` (${Math.min(progress.done, progress.total)} of ${progress.total})` : "";
      stage.textContent = words + steps;
      time.textContent = `${seconds(progress?.seconds ?? 0)}. You may close this tab: the run goes on and is listed at the start.`;
      if (words !== told) announce(words);
      told = words;
      if (state !== run.state) actions.replaceChildren(cancel);
    } else {
      end(run);
    }
    if (state === "") head.focus({ preventScroll: true });
    state = run.state;
  }

  function end(run) {
    bar.hidden = true;
    const after_seconds = run.progress?.seconds ? ` after ${seconds(run.progress.seconds)}` : "";
    const heads = { cancelled: "Cancelled", stopped: "Stopped at the time limit", failed: "The run failed" };
    head.textContent = heads[run.state] ?? run.state;
    time.textContent = "";
    if (run.state === "failed") {
      stage.replaceChildren();
      after.replaceChildren(el("p", { class: "failed", role: "alert" }, sentence(run.error) || "No reason is known."));
    } else {
      stage.textContent = run.state === "stopped" ? `The time limit was reached${after_seconds} before there was a result. Give it more time, or choose a cheaper method.` : `The run was stopped${after_seconds}, and nothing of it was kept. The file is still here.`;
      if (run.error) after.replaceChildren(el("p", { class: "note" }, run.error));
    }
    actions.replaceChildren(...again(run));
    announce(head.textContent);
    head.focus({ preventScroll: true });
  }

  return { draw, fail(text) { after.replaceChildren(el("p", { class: "failed", role: "alert" }, text)); } };
}
