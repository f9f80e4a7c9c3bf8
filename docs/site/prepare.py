"""prepare.py TARGET: copies the pages and the installed headers to TARGET, as doxygen has to be given them.

Pages: each page and heading gets a name of its own, and links that work on the repository's page, between files, become
links of the site, between pages. Headers: what stands under `#pragma once` in plain comments describes the file, and
the class that has its name, if that has no comment; and no backslash and no angle bracket in comments is a command.
Lines keep their numbers."""

import posixpath
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "lint"))
from markdown import LINK, anchors, lines_of  # noqa: E402

PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "data/README.md", *Path().glob("docs/*.md")]
NOT_INSTALLED = {"cli", "memory", "python"}


def page_name(path):
    """Of a file's page: index for the README, data for data/README.md, else that of the file."""
    path = posixpath.normpath(path)
    if path == "README.md":
        return "index"
    return (posixpath.dirname(path) if path.endswith("/README.md") else Path(path).stem).lower()


def target(link, own):
    """Where a link of the file `own` leads on the site."""
    if re.match(r"[a-z]+:", link):
        return link
    name, _, heading = link.partition("#")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(own), name)) if name else own
    if not path.endswith(".md"):
        return posixpath.basename(path)
    return page_name(path) + ".html" + (f"#{page_name(path)}-{heading}" if heading else "")


def on_site(match, own):
    """A link, or an image, which shrinks with the page only where it is HTML's."""
    text, where = match[1], target(match[2], own)
    return f'<img src="{where}" alt="{text[2:-1]}"/>' if text.startswith("!") else f"{text}({where})"


def page(path):
    name = page_name(str(path))
    headings = anchors(path)
    text = []  # lines that follow each other, whose links may run on from one to the next

    def linked():
        if text:
            yield LINK.sub(lambda link: on_site(link, str(path)), "\n".join(text))
            text.clear()

    for number, (line, code) in enumerate(lines_of(path), 1):
        if number in headings:
            own = f"{name}-{headings[number]}" if number > min(headings) else name if name != "index" else "mainpage"
            # A heading of doxygen's holds no code.
            yield from linked()
            yield line.replace("`", "") + f" {{#{own}}}"
        elif code:
            yield from linked()
            yield line
        else:
            text.append(line)
    yield from linked()


def literal(comment):
    """Outside of `code`, what doxygen would take for a command or a tag stands for itself."""
    parts = comment.split("`")
    parts[::2] = [re.sub(r"([\\<>@])", r"\\\1", part) for part in parts[::2]]
    # The point of "et al." ends no sentence.
    return "`".join(parts).replace("et al. ", "et al.\\ ")


def header(path):
    text = path.read_text(encoding="utf-8")
    opening = re.match(r"#pragma once\n((?://.*\n)+)", text)
    if opening:
        about = re.sub("^//", "", opening[1], flags=re.M)
        text = "///\n" + re.sub("^//", "///", opening[1], flags=re.M) + text[opening.end() :]
        own = path.stem.title().replace("_", "")
        text = re.sub(rf"(?<=\n\n)(class|struct) {own} ", lambda its: f"/**{' '.join(about.split())} */ {its[0]}", text)
    for number, line in enumerate(text.splitlines()):
        code, mark, comment = re.match(r"(.*?)(///<? ?|/\*\*|$)(.*)", line).groups()
        if mark == "/**":
            comment, end, rest = comment.partition("*/")
            yield f"{code}/** {literal(comment)}{end}{rest}"
        else:
            yield "/// @file" if opening and number == 0 else code + mark + literal(comment)


def main(folder):
    headers = [file for file in Path("framework").rglob("*.hpp") if file.parts[1] not in NOT_INSTALLED]
    for file, lines in [(Path(file), page) for file in PAGES] + [(file, header) for file in headers]:
        copy = folder / "rfbench" / file.relative_to("framework") if lines is header else folder / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text("\n".join(lines(file)) + "\n", encoding="utf-8")


main(Path(sys.argv[1]))
