#pragma once
// How the page of results looks: light and dark as the reader's system is, at any width.

namespace rfbench::report {

// Figures are drawn for paper, so that they stand on white sheets in the dark too. A sheet scrolls by itself.
inline constexpr const char* page_style = R"(
:root { color-scheme: light dark; --ink: #222; --soft: #555; --ground: #fff; --line: #ccc; --link: #005f99;
  --alarm: #a40000; --alarm-ground: #fdecea; --badge: #7a4b00; --badge-ground: #fff1d6; --code: #f5f5f5; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e4e4; --soft: #b0b0b0; --ground: #16181b; --line: #4a4d52; --link: #7cc4f5;
    --alarm: #ffb4ab; --alarm-ground: #4a1512; --badge: #ffd591; --badge-ground: #4a3510; --code: #222529; }
  .sheet img { filter: brightness(0.92); }
}
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 62rem; margin: 1.5rem auto; padding: 0 1rem;
  color: var(--ink); background: var(--ground); overflow-wrap: break-word; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; }
section { border-top: 1px solid var(--line); margin-top: 2.5rem; }
nav ul { padding-left: 1.2rem; columns: 20rem auto; }
nav li { break-inside: avoid; }
small, figcaption, .note { color: var(--soft); }
figure { margin: 1.8rem 0; }
figcaption, .note { max-width: 46rem; font-size: 0.92rem; margin: 0.5rem 0; }
figcaption b { color: var(--ink); }
.sheet { background: #fff; border-radius: 4px; overflow-x: auto; width: fit-content; max-width: 100%; }
.sheet img { display: block; max-width: 100%; height: auto; }
table { border-collapse: collapse; border-top: 2px solid var(--ink); border-bottom: 2px solid var(--ink); }
thead th { border-bottom: 1px solid var(--ink); font-weight: 600; vertical-align: bottom; }
th, td { padding: 0.15rem 0.7rem; }
td { white-space: nowrap; }
td { font-variant-numeric: tabular-nums; }
tr.group td { border-top: 1px solid var(--line); }
.table, pre { overflow-x: auto; }
.table { width: fit-content; max-width: max(100%, calc(50% + min(50vw - 1.5rem, 42rem))); }
th button { all: unset; cursor: pointer; } th button:hover { text-decoration: underline; }
th button:focus-visible { outline: 2px solid var(--link); }
th[aria-sort=ascending] button::after { content: " ▲"; } th[aria-sort=descending] button::after { content: " ▼"; }
table.sorted tr.group td { border-top: none; }
.numbers { font-size: 0.85rem; } .numbers .table { max-height: 50vh; overflow: auto; }
.numbers th { text-align: left; } .numbers td:nth-child(n + 3) { text-align: right; }
pre { background: var(--code); padding: 0.7rem; border-radius: 4px; font-size: 0.85rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; font-size: 0.92rem; }
dt { color: var(--soft); } dd { margin: 0; min-width: 0; }
.filters { display: flex; flex-wrap: wrap; gap: 0.4rem 1rem; align-items: baseline; margin: 0.8rem 0; }
.filters select, .filters input { font: inherit; color: inherit; background: var(--code); border: 1px solid var(--soft);
  border-radius: 4px; padding: 0.15rem 0.4rem; }
.filtered { max-height: 45vh; overflow: auto; border-bottom: 1px solid var(--line);
  width: min(100vw - 3rem, 84rem); max-width: none; margin-left: calc(50% - min(50vw - 1.5rem, 42rem)); }
.filtered table { width: 100%; font-size: 0.9rem; }
.filtered td { white-space: normal; vertical-align: top; border-top: 1px solid var(--line); padding: 0.25rem 0.5rem; }
.filtered td:nth-child(3) { min-width: 16rem; }
.filtered tr[hidden] { display: none; }
.filtered thead th { position: sticky; top: 0; background: var(--ground); padding: 0.25rem 0.5rem; }
@media screen and (max-width: 30rem) {
  th, td { padding: 0.15rem 0.35rem; } .table { font-size: 0.88rem; } .sheet { border: 1px solid var(--line); }
}
@media screen and (max-width: 55rem) {
  .filtered thead { display: none; }
  .filtered :is(table, tbody, tr, td) { display: block; }
  .filtered tr { border-top: 1px solid var(--soft); padding: 0.4rem 0; }
  .filtered td { border: none; padding: 0 0.2rem; }
  .filtered td:empty { display: none; }
  .filtered td::before { content: attr(data-title) ": "; color: var(--soft); }
}
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
@media print {
  body { max-width: none; margin: 0; font-size: 10pt; }
  .filters, .numbers, summary { display: none; }
  .table, .sheet, pre { overflow: visible; max-width: 100%; }
  .filtered { max-height: none; width: auto; margin-left: 0; }
  .sheet img { min-width: 0 !important; }
  th, td { white-space: normal; padding: 0.1rem 0.3rem; font-size: 7.5pt; } .filtered td:nth-child(3) { min-width: 0; }
  figure, tr, dl { break-inside: avoid; } h2 { break-after: avoid; }
}
.left { text-align: left; } .right { text-align: right; } .centre { text-align: center; }
.banner, .alarm { border-radius: 4px; padding: 0.7rem 1rem; }
.banner { background: var(--badge-ground); color: var(--badge); border: 2px solid currentColor; }
.alarm { background: var(--alarm-ground); color: var(--alarm); }
.badge { background: var(--badge-ground); color: var(--badge); border-radius: 3px; padding: 0 0.4rem; font-size: 0.8rem;
  font-weight: 600; white-space: nowrap; }
a { color: var(--link); }
)";

}  // namespace rfbench::report
