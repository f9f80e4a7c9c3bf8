"""Sets all tables of reference results with pdflatex, in one article: no error, no label twice, none wider or higher than
the page. Usage: in_latex.py RFBENCH PDFLATEX REFERENCE"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ARTICLE = r"""\documentclass{article}
\usepackage{booktabs}
\usepackage{graphicx}
\begin{document}
%s
\end{document}
"""
NARROW = r"\setlength{\hsize}{252pt}\setlength{\linewidth}{252pt}\setlength{\columnwidth}{252pt}" + "\n"
LINE_TOLERANCE = 1.0  # points: rounding of a scaled box
WARNINGS = ("multiply defined", "Float too large", "Missing character")


def faults(log):
    """What an author would have to mend, by pdflatex's log."""
    for line in log.splitlines():
        wide = re.match(r"Overfull \\hbox \(([\d.]+)pt too wide", line)
        if line.startswith("!") or any(word in line for word in WARNINGS) or wide and float(wide[1]) > LINE_TOLERANCE:
            yield line


def pages(pdflatex, folder, tables, before):
    """The log of one document that has all of these tables."""
    inputs = "\n".join(f"\\typeout{{table {table}}}\n\\input{{{table}}}\n\\clearpage" for table in tables)
    (folder / "article.tex").write_text(ARTICLE % (before + inputs), encoding="utf-8")
    command = [pdflatex, "-interaction=nonstopmode", "article.tex"]
    for _ in range(2):  # labels are compared in the second run
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=300, check=False)
    log = (folder / "article.log").read_text(encoding="latin-1")
    # TeX breaks lines of its log at 79 characters.
    return done.returncode, re.sub(r"(?<=^.{79})\n", "", log, flags=re.MULTILINE)


def main(rfbench, pdflatex, reference):
    bad = 0
    for option, before in ((), ""), (("--narrow",), NARROW):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            shutil.copytree(reference, folder / "results", ignore=shutil.ignore_patterns("*.md"))
            subprocess.run([rfbench, "table", *option, "--results", folder / "results"], check=True, capture_output=True,
                           timeout=300)
            tables = sorted(file.relative_to(folder) for file in folder.glob("results/*/*/tables/*.tex"))
            code, log = pages(pdflatex, folder, tables, before)
            found = list(faults(log))
            print(f"{len(tables)} tables {' '.join(option)}: pdflatex ended with {code}, {len(found)} faults")
            print("\n".join(found[:40]))
            bad += code != 0 or bool(found) or len(tables) < 50
    return bad != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
