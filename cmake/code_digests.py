"""Digests of the code that values come from, written as C++ for experiments/study/code.hpp at every build.

    python3 code_digests.py FOLDER LIST OUTPUT      LIST: a file that names the sources, relative to FOLDER, one a line

The digest of a study, a method or a mechanism covers its file, the project's headers that it includes, recursively, and
what implements these: the .cpp beside a header that has its name, and each .cpp beside it without a header of its own
that includes it. Comments and layout do not count, nor where files lie. tests/code/digests.py tests it.
"""

import functools
import hashlib
import re
import sys
from pathlib import Path, PurePosixPath

# cli, engine: how cells are run and offered; any order and number of threads gives the same bits, which tests hold.
# launcher: which of several programs runs; instruction sets are in a cell's identity. python: the package, which no study
# stands on. report, drawing, claims, comparison, decisions: what is made of values
# that are there. text: words of messages. config: what it reads is in a cell's identity. process: what it fetches is
# known by its hash, which is there too. store: what it writes it reads again to the bit, which checksums and tests hold.
LEFT_OUT = re.compile(
    r"framework/(claims|cli|comparison|config|decisions|drawing|engine|launcher|process|python|report|store|text)/"
    r"|experiments/report/|.*_report\.[ch]pp$"
    # A list stands on all that is in it: who compares one of them stands on its file, without the list.
    r"|framework/features/(catalogue\.cpp|mechanisms\.hpp)$|experiments/(methods|studies)\.[ch]pp$"
)
# Files in these folders implement no header: each is a method or a mechanism.
ONE_A_FILE = ("experiments/methods", "framework/features/mechanisms")

TOKEN = re.compile(
    r"""(?P<blank> (?: [ \t\r\v\f] | \\\r?\n | //(?:\\\r?\n|[^\n])* | /\*(?:.*?\*/|.*) )+ )
    |(?P<line>\n)
    |(?P<raw> (?:u8|[uUL])? R"([^()\s\\]*)\( (?: .*?\)\4" | .* ) )
    |(?P<literal> (?:u8|[uUL])? (?: "(?:\\.|[^"\\])*(?:"|\\?\Z) | '(?:\\.|[^'\\])*(?:'|\\?\Z) ) )
    |(?P<number> \.?[0-9] (?: (?<=[eEpP])[+-] | '\w | [\w.] )* )
    |(?P<word> \w+ )
    |(?P<mark> [-+*/<>=!&|^%]= | \+\+ | -- | << | >> | && | \|\| | -> | :: | . )""",
    re.VERBOSE | re.DOTALL,
)


def tokens(source):
    """The words, numbers, literals and marks of C++. A directive ends with the token "\\n", and blanks inside it are the
    token " ", since both have a meaning there."""
    found, directive, begins = [], False, True
    for match in TOKEN.finditer(source):
        kind, text = match.lastgroup, match[0]
        if kind == "line":
            if directive and found[-1] == " ":
                found[-1] = "\n"
            elif directive:
                found.append("\n")
            directive, begins = False, True
        elif kind != "blank":
            directive = directive or (begins and text == "#")
            found.append(text)
            begins = False
        elif directive:
            found.append(" ")
    if directive:
        found.append("\n")
    return found


def study_part(found):
    """The tokens of a study's file up to the end of `Sweep prepare(...) {...}`: what is drawn and tabulated of cells
    stands below. All of them if there is no such function, or if what is declared above may be defined below."""
    begin = next((t for t in range(len(found)) if found[t : t + 3] == ["Sweep", "prepare", "("]), None)
    if begin is None:
        return found
    end = after_braces(found, begin)
    # Functions that the lower part defines, and those that the upper part declares, defines or calls.
    below = {one for one, depth in functions(found[end:]) if depth <= 0}
    above = {one for one, _ in functions(found[:begin])}
    return found if "extern" in found[:begin] or above & below else found[:end]


def functions(found):
    """Names before parentheses that are not those of a member, with the depth of braces that they stand in."""
    depth = 0
    for before, token, behind in zip([""] + found, found, found[1:]):
        depth += (token == "{") - (token == "}")
        if behind == "(" and before not in (".", "->"):
            yield token, depth


def after_braces(found, begin):
    """The place behind the brace that closes the first one from `begin` on."""
    depth = 0
    for t in range(begin, len(found)):
        depth += (found[t] == "{") - (found[t] == "}")
        if found[t] == "}" and depth == 0:
            return t + 1
    return len(found)


@functools.cache
def summary(text):
    """Of a source: the digest of its tokens, the names in quotes that it includes, whether it is a study's, and whether
    that says that it takes no methods."""
    found = tokens(text)
    joined = " ".join(found)
    is_study, no_methods = "Sweep prepare (" in joined, "MethodKey none { } ;" in joined
    found = study_part(found)
    names = take_included(found)
    return digest_of(found), names, is_study, is_study and no_methods


class Tree:
    """The project's sources, joined by what includes what. `sources`: texts by path from the project's folder."""

    def __init__(self, sources):
        self.own, self.stands_on, self.no_methods = {}, {}, set()
        implementing = []
        for path, text in sources.items():
            if LEFT_OUT.match(path):
                continue
            self.own[path], names, is_study, no_methods = summary(text)
            self.stands_on[path] = [header(name, path, sources) for name in names]
            if no_methods:
                self.no_methods.add(path)
            if path.endswith(".cpp") and not is_study:
                implementing.append(path)
        for path in implementing:
            for implemented in headers_implemented(path, sources, self.stands_on[path]):
                if implemented in self.own:
                    self.stands_on[implemented].append(path)

    def behind(self, path):
        """All that a file stands on, itself among them. A study that says that it takes no methods stands on none that
        study.hpp knows of."""
        reached, open_ends = {path}, [path]
        while open_ends:
            one = open_ends.pop()
            for next_one in self.stands_on[one]:
                cut = (one, next_one) == ("experiments/study/study.hpp", "experiments/study/method_list.hpp")
                if next_one in self.own and next_one not in reached and not (cut and path in self.no_methods):
                    reached.add(next_one)
                    open_ends.append(next_one)
        return reached

    def digest(self, path):
        # In an order that no path decides.
        return digest_of(sorted(self.own[file] for file in self.behind(path)))


def digest_of(words):
    return hashlib.sha256("".join(word + "\0" for word in words).encode()).hexdigest()


def take_included(found):
    """Takes each #include "a/b" out of the tokens, and returns "a/b" of each."""
    names, t = [], 0
    while t + 4 < len(found):
        if found[t : t + 2] == ["#", "include"] and found[t + 3].startswith('"'):
            names.append(found[t + 3][1:-1])
            del found[t : t + 5]
        else:
            t += 1
    return names


def header(name, file, sources):
    """The source that a name in quotes stands for in a file."""
    folder = PurePosixPath(file).parent
    places = [f"framework/{name[8:]}"] if name.startswith("rfbench/") else [f"{folder}/{name}", f"experiments/{name}"]
    for place in places:
        if place in sources:
            return place
    raise ValueError(f'{file} includes "{name}", which is not among the sources')


def headers_implemented(path, sources, includes):
    """The header beside a .cpp that has its name, or all beside it that it includes."""
    own, folder = path[:-3] + "hpp", PurePosixPath(path).parent
    if own in sources:
        return [own]
    return [] if str(folder) in ONE_A_FILE else [name for name in includes if PurePosixPath(name).parent == folder]


def is_asked_for(path):
    asked = r"(experiments/.*|framework/features/mechanisms/.*|framework/features/function_mechanism)\.cpp$"
    return re.match(asked, path) and not LEFT_OUT.match(path)


def table(sources):
    tree = Tree(sources)
    rows = "".join(f'        {{"{path}",\n         "{tree.digest(path)}"}},\n' for path in sorted(sources) if is_asked_for(path))
    return (
        '// Written by cmake/code_digests.py.\n#include "study/code.hpp"\n\n'
        "namespace rfbench::experiments {\n\n"
        "const Digests& digests_by_file() {\n"
        f"    static const Digests all{{\n{rows}    }};\n"
        "    return all;\n}\n\n"
        "}  // namespace rfbench::experiments\n"
    )


def read_all(folder, names):
    return {name: (Path(folder) / name).read_text(encoding="utf-8") for name in Path(names).read_text().split()}


def main(folder, names, output):
    written, output = table(read_all(folder, names)), Path(output)
    # An unchanged file is not written, so that it is not compiled again.
    if not output.exists() or output.read_text() != written:
        output.write_text(written)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (OSError, TypeError, ValueError) as error:
        sys.exit(f"code_digests.py: {error}")
