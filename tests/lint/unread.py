#!/usr/bin/env python3
"""unread.py FOLDER FILE...: which of these C++ files clang-tidy has to read, each with the digest that it is known by
once it was read without a find: of itself, of all of this tree that it includes, of the checks, and of clang-tidy's
version. FOLDER has an empty file for each digest."""

import hashlib
import pathlib
import re
import subprocess
import sys

INCLUDE = re.compile(rb'^\s*#include\s+"([^"]+)"', re.MULTILINE)
ROOTS = ["experiments", "tests", "framework/cli"]


def found(name, of):
    """Where an include is: beside the file, in the library, or in a folder that commands name."""
    if name.startswith("rfbench/"):
        places = [pathlib.Path("framework") / name.removeprefix("rfbench/")]
    else:
        places = [of.parent / name, *(pathlib.Path(root) / name for root in ROOTS)]
    return next((place for place in places if place.is_file()), None)


def included(file, texts):
    """The file and all that it includes, with their texts."""
    todo, all_files = [file], set()
    while todo:
        one = todo.pop()
        if one in all_files:
            continue
        all_files.add(one)
        if one not in texts:
            texts[one] = one.read_bytes()
        todo += filter(None, (found(name.decode(), one) for name in INCLUDE.findall(texts[one])))
    return sorted(all_files)


def main():
    folder, files = pathlib.Path(sys.argv[1]), [pathlib.Path(name) for name in sys.argv[2:]]
    checks = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    for settings in sorted([pathlib.Path(".clang-tidy"), *pathlib.Path(".").glob("*/.clang-tidy")]):
        checks += str(settings).encode() + settings.read_bytes()
    texts, digests = {}, {}
    for file in files:
        digest = hashlib.sha256(checks)
        for one in included(file, texts):
            digest.update(f"{one}\n{len(texts[one])}\n".encode() + texts[one])
        digests[file] = digest.hexdigest()
    read = {path.name for path in folder.iterdir()}
    for file, digest in digests.items():
        if digest not in read:
            print(file, digest)


if __name__ == "__main__":
    main()
