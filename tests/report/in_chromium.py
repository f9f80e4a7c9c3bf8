"""The page of results in headless Chromium: no message on the console, every figure drawn, filters that filter, tables
that sort, numbers under figures, nothing wider than the window or out of a keyboard's reach, and in light and in dark
text whose contrast is that of WCAG 2.1 AA, 4.5 to 1. Arguments: rfbench, chromium, a folder of result files."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

rfbench, chromium, reference = sys.argv[1:]

# Runs in the page; the title takes what was seen.
SCRIPT = """<script>addEventListener("load", () => {
  const form = document.querySelector(".filters"), [, verdict, method] = form.querySelectorAll("select");
  const shown = () => [...document.querySelectorAll(".filtered tbody tr")].filter(row => !row.hidden);
  const choose = (menu, value) => { menu.value = value; form.dispatchEvent(new Event("input")); return shown(); };
  const judged = shown();
  const all = choose(verdict, ""), fails = choose(verdict, "fails");
  choose(verdict, "");
  const of_method = choose(method, "optimal-positive");
  const table = [...document.querySelectorAll("figure > .table table")].find(one => one.tBodies[0].rows.length > 4);
  const sorted = (c, sign) => {
    const head = table.tHead.rows[0].cells[c];
    head.querySelector("button").click();
    const numbers = [...table.tBodies[0].rows].map(row => parseFloat(row.cells[c].textContent)).filter(x => !isNaN(x));
    return head.ariaSort === (sign > 0 ? "ascending" : "descending") &&
        numbers.every((x, i) => i === 0 || sign * (x - numbers[i - 1]) >= 0);
  };
  const last = table.tHead.rows[0].cells.length - 1, sorts = sorted(1, 1) && sorted(1, -1) && sorted(last, 1);
  for (const part of document.querySelectorAll("details")) part.open = true;
  const numbers = document.querySelectorAll("details.numbers tbody tr").length;
  const out_of_reach = [...document.querySelectorAll(".table, .sheet")]
      .filter(part => part.scrollWidth > part.clientWidth && part.tabIndex !== 0).length;
  const list = document.querySelector(".filtered").getBoundingClientRect();
  const off_middle = Math.abs((list.left + list.right - document.documentElement.clientWidth) / 2);
  const luminance = colour => {
    const [r, g, b] = colour.match(/[0-9.]+/g).slice(0, 3).map(one => one / 255)
        .map(one => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = part => {
    const own = getComputedStyle(part).backgroundColor;
    return own !== "rgba(0, 0, 0, 0)" ? own : ground(part.parentElement);
  };
  const contrast = part => {
    const [dark, light] = [getComputedStyle(part).color, ground(part)].map(luminance).sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const written = [...document.body.querySelectorAll("*")].filter(part => part.checkVisibility() &&
      [...part.childNodes].some(one => one.nodeType === Node.TEXT_NODE && one.data.trim()));
  const contrasts = written.map(contrast), dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const images = [...document.images];
  const wide = document.documentElement.scrollWidth > innerWidth;
  document.body.innerHTML = "<pre id=seen></pre>";
  document.querySelector("#seen").textContent = JSON.stringify({
    judged: judged.length, not_judged_shown: judged.some(row => row.textContent.includes("not judged")),
    all: all.length, fails: fails.length, others: fails.some(row => !row.dataset.filter1.includes("|fails|")),
    of_method: of_method.length, images: images.length,
    sorts, numbers, out_of_reach, off_middle, wide, dark, contrast: Math.min(...contrasts), written: written.length,
    drawn: images.filter(image => image.complete && image.naturalWidth > 0).length});
});</script></body>"""


def seen(page, width, dark):
    """What the script saw, and the messages of the console."""
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                               "--enable-logging=stderr", f"--window-size={width},900", "--dump-dom",
                               f"--blink-settings=preferredColorScheme={0 if dark else 1}", page.as_uri()], capture_output=True, text=True, timeout=120, check=True,
                              env={**os.environ, "HOME": profile})
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout)
    assert found, "the script did not end: " + done.stderr[-2000:]
    return json.loads(found[1]), [line for line in done.stderr.splitlines() if "CONSOLE" in line]


with tempfile.TemporaryDirectory() as folder:
    results = pathlib.Path(folder) / "results"
    (results / "variance").mkdir(parents=True)
    for name in ("gain", "bias"):
        shutil.copy(pathlib.Path(reference) / "variance" / f"{name}.h5", results / "variance")
    subprocess.run([rfbench, "plot", "--results", results], check=True, capture_output=True)
    page = results / "index.html"
    page.write_text(page.read_text(encoding="utf-8").replace("</body>", SCRIPT), encoding="utf-8")
    for width, dark in ((1280, False), (500, True)):
        what, console = seen(page, width, dark)
        print(width, what)
        assert not console, console
        assert what["images"] == what["drawn"] >= 2, "a figure is not drawn"
        assert 0 < what["judged"] < what["all"] and not what["not_judged_shown"], "what no result judges is shown"
        assert 0 < what["fails"] < what["all"] and not what["others"], "the menu of verdicts does not filter"
        assert 0 < what["of_method"] < what["all"], "the menu of methods does not filter"
        assert what["sorts"], "a table does not sort"
        assert what["numbers"] > 0, "figures do not give their numbers"
        assert what["out_of_reach"] == 0, "a part that scrolls cannot be reached by keyboard"
        assert what["off_middle"] < 1, "the list of claims is not in the middle"
        assert what["dark"] == dark, "the browser has not the theme that was asked for"
        assert what["written"] > 100 and what["contrast"] >= 4.5, "text is too faint"
        assert not what["wide"], "the page is wider than the window"
