"""Checks that every public declaration of the installed headers has a comment of its own: in the line before it, or after
it. Headers that are named as arguments are read in place of those. Prints the declarations that have none.

Public are types, functions, constants and members, in a namespace or public in a class. Not asked are: what overrides,
since its base has the comment; special members that are defaulted or deleted; destructors; friends; names that a class
takes over from a base; types declared ahead; members that are defined outside of their class; specializations."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOKEN = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|\n|[{}();]|::|:|[^\W\d]\w*|\S')
# Declarations are matched as their words with a space between any two.
EXEMPT = re.compile(
    r"\boverride\b|= (default|delete)$|~|^friend |^static_assert |^using [^=]* :: |^using namespace |^namespace \w+ ="
    r"|^(template < .* > )?(class|struct) \w+$|^(extern )?template (?!<)|^template < >"
    r"|^template <[^(]*> (:: )?[^(=]* :: (operator )?\S+ \("
)


def installed():
    """All installed headers: those that CMake's list names, and those that these include."""
    listed = (ROOT / "cmake/PublicHeaders.cmake").read_text(encoding="utf-8")
    waiting = [name + ".hpp" for name in re.search(r"set\(rfbench_public_headers\s+(.*?)\)", listed, re.S)[1].split()]
    found = []
    while waiting:
        header = waiting.pop(0)
        if header not in found:
            found.append(header)
            text = (ROOT / "framework" / header).read_text(encoding="utf-8")
            waiting += re.findall(r'^#include "rfbench/(.*)"', text, re.M)
    return [ROOT / "framework" / header for header in found]


class Header:
    """Public declarations of a header, read word by word: `declared` has the line of each, and its words; `bare` those
    without a comment."""

    def __init__(self, text):
        lines = [re.sub(r"^\s*#.*", "", line) for line in text.splitlines()]
        self.before = {n + 1 for n, line in enumerate(lines, 1) if re.match(r"\s*//", line)}
        self.after = {n for n, line in enumerate(lines, 1) if re.search(r"\S.* ///<", line)}
        self.words, number = [], 1
        for word in TOKEN.findall("\n".join(lines)):
            number += word == "\n"
            if word != "\n" and not word.startswith("//"):
                self.words.append((word, number))
        self.at, self.declared, self.bare = 0, [], []
        self.scope(public=True)

    def scope(self, public):
        """Reads the declarations up to the brace that ends this scope."""
        words, first, depth = [], 0, 0
        while self.at < len(self.words):
            word, line = self.words[self.at]
            self.at += 1
            depth += {"(": 1, ")": -1}.get(word, 0)
            if word == "}":
                return
            if not words:
                first = line
            if depth == 0 and word == ":" and words in (["public"], ["private"], ["protected"]):
                public, words = words == ["public"], []
            elif depth == 0 and word == ";":
                self.declare(public, words, first, line)
                words = []
            elif word == "{" and depth > 0:
                self.skip()
            elif word == "{":
                words = self.brace(public, words, first, line)
            else:
                words.append(word)

    def brace(self, public, words, first, line):
        """Goes into a scope or over a body, after the words before it. Returns the words of a declaration that goes on."""
        said = " ".join(words)
        head = re.match(r"(?:template <.*> )?(namespace|class|struct|enum)\b[^(]*$", said)
        if head and head[1] == "namespace":
            self.scope(len(words) > 1)
            return []
        if head:
            self.declare(public, [*words, "{"], first, line)
            self.skip() if head[1] == "enum" else self.scope(public and head[1] == "struct")
            if self.words[self.at][0] == ";":
                self.at += 1
            return []
        self.skip()
        # A body ends a function; an initialization goes on: of a variable, or of a member in a constructor's list.
        if "(" in words and not re.search(r"\) (noexcept )?: .*\w$|[=,]$", said):
            self.declare(public, words, first, self.words[self.at - 1][1])
            return []
        return [*words, "{}"]

    def skip(self):
        """Goes after the brace that closes the one just read."""
        depth = 1
        while depth:
            depth += {"{": 1, "}": -1}.get(self.words[self.at][0], 0)
            self.at += 1

    def declare(self, public, words, first, last):
        said = " ".join(words)
        if not words or not public or EXEMPT.search(said):
            return
        self.declared.append((first, said))
        if first not in self.before and self.after.isdisjoint(range(first, last + 1)):
            self.bare.append((first, said))


def main():
    paths = [Path(name).resolve() for name in sys.argv[1:]] or installed()
    headers = {path: Header(path.read_text(encoding="utf-8")) for path in paths}
    for path, header in headers.items():
        for line, said in header.bare:
            print(f"{path}:{line}: a public declaration has a comment of its own: {said[:80]}")
    num_bare = sum(len(header.bare) for header in headers.values())
    print(f"{sum(len(h.declared) for h in headers.values())} public declarations in {len(headers)} headers, {num_bare} bare")
    sys.exit(1 if num_bare else 0)


if __name__ == "__main__":
    main()
