"use strict";
// Sorts and searches the tables. Without it the page shows the same text, in the order in which it was written.
(() => {
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

  function compare(first, second, direction) {
    const empty = (key) => key === "" || key === "–";
    if (empty(first) || empty(second)) return empty(first) - empty(second); // what is missing stays last
    if (typeof first === "number") return direction * (first - second);
    return direction * collator.compare(first, second);
  }

  function keyOf(row, place) {
    const cell = row.cells[place];
    const value = cell.dataset.v;
    if (value === undefined) return cell.textContent.trim();
    return value === "" ? "" : Number(value);
  }

  function sort(table, head, direction) {
    const place = head.cellIndex;
    const body = table.tBodies[0];
    const keyed = Array.from(body.rows, (row) => [keyOf(row, place), row]);
    keyed.sort((first, second) => compare(first[0], second[0], direction));
    body.append(...keyed.map((pair) => pair[1]));
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
  }

  function addSorting(table) {
    for (const head of table.tHead.rows[0].cells) {
      if (!head.textContent.trim()) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        sort(table, head, head.getAttribute("aria-sort") === "ascending" ? -1 : 1);
      });
    }
  }

  function addSearch(tools, table) {
    const field = tools.querySelector("input");
    const count = tools.querySelector("output");
    const rows = Array.from(table.tBodies[0].rows, (row) => [row, row.textContent.toLowerCase()]);
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const [row, text] of rows) {
        row.hidden = !words.every((word) => text.includes(word));
        shown += row.hidden ? 0 : 1;
      }
      count.textContent = words.length ? `${shown} of ${rows.length} rows` : "";
    });
    tools.hidden = false;
  }

  // On paper nothing can be unfolded: what the columns mean is printed with them.
  const folded = Array.from(document.querySelectorAll("details"));
  window.addEventListener("beforeprint", () => folded.forEach((one) => { one.open = true; }));
  window.addEventListener("afterprint", () => folded.forEach((one) => { one.open = false; }));

  for (const table of document.querySelectorAll("table.sortable")) {
    addSorting(table);
    const tools = document.querySelector(`[data-tools="${table.id}"]`);
    if (tools) addSearch(tools, table);
  }
})();
