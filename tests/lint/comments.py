"""Checks that no comment of the files named as arguments begins with What, Of, Whose, Where or That: a comment begins with
its subject or its verb. Prints those that do, by file and line."""

import re
import sys
from pathlib import Path

COMMENT = re.compile(r"\s*(///?<?|#(?!pragma|include|if|endif|else|define))\s*(.*)")
BEGINNING = re.compile(r"(What|Of|Whose|Where|That)\b")


def odd_lines(text):
    """Numbers of the lines on which a block of whole-line comments begins so."""
    within = False
    for number, line in enumerate(text.splitlines(), 1):
        comment = COMMENT.match(line)
        if comment and not within and BEGINNING.match(comment[2]):
            yield number
        within = comment is not None


def main():
    odd = [f"{name}:{number}" for name in sys.argv[1:] for number in odd_lines(Path(name).read_text(encoding="utf-8"))]
    for place in odd:
        print(f"{place}: a comment begins with its subject or its verb, not with What, Of, Whose, Where or That")
    sys.exit(1 if odd else 0)


if __name__ == "__main__":
    main()
