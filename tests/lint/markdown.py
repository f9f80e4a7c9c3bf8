"""Checks the Markdown files named as arguments: no line ends beyond column 120 but for tables and for links, and every
relative link names a file that is there and, after '#', a heading of it. Prints what is wrong, by file and line. With
--wrap first, paragraphs that have such lines are filled anew."""

import re
import sys
import textwrap
from pathlib import Path

MARK = re.compile(r"<!-- (?:= [^>]*|/) -->")  # around a number that `rfbench pages` fills
NUMBER = re.compile(r"(?<=-->)([^<]+)<!-- / -->")
WIDTH = 120
LINK = re.compile(r"(!?\[[^\]]*\])\(([^)\s]+)\)")
ITEM = re.compile(r"\s*([-*+]|\d+\.) ")


def lines_of(path):
    """Each line, and whether it is code: fenced, or indented after an empty line."""
    fenced = indented = False
    before = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        fence = line.lstrip().startswith("```")
        indented = line.startswith("    ") and (indented or (not before and not ITEM.match(line)))
        yield line, fenced or fence or indented
        fenced ^= fence
        before = line


def links(path):
    """Each link outside of code, [text](target), with the number of the line on which its target ends; the text may run
    on over lines."""
    text = "\n".join("" if code else line for line, code in lines_of(path))
    for link in LINK.finditer(text):
        yield text.count("\n", 0, link.end()) + 1, link[2]


def too_long(line, code):
    """A link's target and the marks of numbers do not count, and tables may be as wide as they are."""
    return not line.lstrip().startswith("|") and len(line if code else LINK.sub(r"\1", MARK.sub("", line))) > WIDTH


def anchor(heading):
    """A heading's name in links, as repository pages make it."""
    heading = LINK.sub(lambda link: link[1].strip("![]"), heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


def anchors(path):
    """The names of a file's headings by their lines' numbers; one that comes again has a number."""
    names, seen = {}, {}
    for number, (line, code) in enumerate(lines_of(path), 1):
        if not code and re.match(r"#{1,6} ", line):
            name = anchor(line.lstrip("#"))
            names[number] = f"{name}-{seen[name]}" if name in seen else name
            seen[name] = seen.get(name, 0) + 1
    return names


def faults(path):
    for number, (line, code) in enumerate(lines_of(path), 1):
        if too_long(line, code):
            yield number, f"ends at column {len(line)}, beyond {WIDTH}"
    for number, target in links(path):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, heading = target.partition("#")
        file = path.parent / name if name else path
        if not file.exists():
            yield number, f"links to {name}, which is not there"
        elif heading and heading not in anchors(file).values():
            yield number, f"links to #{heading}, which is no heading of {file}"


def filled(paragraph):
    """The paragraph or list item in lines of at most WIDTH, none of which begins as a list or a heading does."""
    item = ITEM.match(paragraph[0])
    margin = " " * (item.end() if item else len(paragraph[0]) - len(paragraph[0].lstrip()))
    text = " ".join(line.strip() for line in paragraph)
    # No line may end at a space of a mark or of its number: each mark is one character until lines are made.
    text = NUMBER.sub(lambda number: number[0].replace(number[1], number[1].replace(" ", "\u00a0")), text)
    marks = MARK.findall(text)
    names = iter(range(len(marks)))
    text = MARK.sub(lambda _: chr(0xE000 + next(names)), text)
    first = paragraph[0][: len(paragraph[0]) - len(paragraph[0].lstrip())]
    for width in range(WIDTH, WIDTH - 20, -1):
        lines = textwrap.wrap(text, width, initial_indent=first, subsequent_indent=margin, break_long_words=False,
                              break_on_hyphens=False)
        if not any(ITEM.match(line) or line.lstrip().startswith(("#", ">", "|", "=")) for line in lines[1:]):
            return [re.sub("[\ue000-\uf8ff]", lambda name: marks[ord(name[0]) - 0xE000], line).replace("\u00a0", " ")
                    for line in lines]
    return paragraph


def wrap(path):
    out, paragraph = [], []

    def close():
        out.extend(filled(paragraph) if any(too_long(line, False) for line in paragraph) else paragraph)
        paragraph.clear()

    for line, code in lines_of(path):
        alone = code or not line or line.lstrip().startswith(("|", "#"))
        if alone or ITEM.match(line):
            close()
        (out if alone else paragraph).append(line)
    close()
    path.write_text("\n".join(out) + "\n", encoding="utf-8")


def main(arguments):
    files = [Path(name) for name in arguments if name != "--wrap"]
    if "--wrap" in arguments:
        for file in files:
            wrap(file)
    bad = [f"{file}:{number}: {fault}" for file in files for number, fault in faults(file)]
    print("\n".join(bad), file=sys.stderr, end="\n" if bad else "")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
