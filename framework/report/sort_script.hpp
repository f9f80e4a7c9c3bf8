#pragma once
// Tables of the page sort: every head is a button, by mouse and by keyboard.

namespace rfbench::report {

// A row without a first word belongs to the one above it. Numbers come before words, and what is empty last. The
// tables' own order comes back by loading the page again.
inline constexpr const char* sort_script = R"(<script>
for (const table of document.querySelectorAll(".table table")) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells], blocks = [];
  for (const row of body.rows)
    if (row.cells[0].textContent || !blocks.length) blocks.push([row]); else blocks.at(-1).push(row);
  const key = (block, c) => {
    const text = block[0].cells[c].textContent.trim();
    const found = text.match(/^[(<>]?\s*([-+]?(?:\d+\.?\d*|\.\d+|∞)(?:e[-+]?\d+)?)(?:[^)]*\)e([-+]?\d+))?/);
    if (found) return [0, Number(found[1].replace("∞", "Infinity")) * 10 ** (found[2] ?? 0), ""];
    return ["", "-", "–"].includes(text) ? [2, 0, ""] : [1, 0, text];
  };
  const compare = (a, b) => a[1] === b[1] ? a[2].localeCompare(b[2]) : a[1] - b[1];
  heads.forEach((head, c) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const sign = head.ariaSort === "ascending" ? -1 : 1;
      for (const other of heads) other.ariaSort = null;
      head.ariaSort = sign > 0 ? "ascending" : "descending";
      table.classList.add("sorted");
      const keyed = blocks.map(block => [key(block, c), block]);
      keyed.sort(([a], [b]) => a[0] - b[0] || sign * compare(a, b));
      body.append(...keyed.flatMap(([, block]) => block));
    });
  });
}
</script>
)";

}  // namespace rfbench::report
