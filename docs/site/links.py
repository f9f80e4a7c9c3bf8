"""Checks that every link of the site in the folder named leads to a file of it and, after '#', to a name there. Links
to other sites are not opened."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The names that a page defines, and where its links lead."""

    def __init__(self, file):
        super().__init__()
        self.names, self.links = set(), []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for key, value in attributes:
            if key == "id" or (tag == "a" and key == "name"):
                self.names.add(value)
            elif key in ("href", "src", "data") and value:
                self.links.append((self.getpos()[0], value))


root = Path(sys.argv[1])
pages = {file.name: Page(file) for file in root.glob("*.html")}
broken = []
for name, page in pages.items():
    for line, link in page.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        file, anchor = unquote(parts.path) or name, unquote(parts.fragment)
        if not (root / file).exists() or (anchor and file in pages and anchor not in pages[file].names):
            broken.append(f"{root / name}:{line}: link to {link}, which is not there")
print("\n".join(sorted(broken)), file=sys.stderr, end="\n" if broken else "")
print(f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links, {len(broken)} of them broken")
sys.exit(bool(broken))
