"""Minutes of `make help` against the sums of those that configurations state: a fifth of the sum, or
two minutes, may lie between."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]


def stated(configuration):
    """Minutes of a configuration, 0 where it states none."""
    found = re.search(r"^minutes: ([\d.]+)", configuration.read_text(encoding="utf-8"), re.MULTILINE)
    return float(found[1]) if found else 0


def differing(text, pattern, place):
    """Experiments whose minutes in a text are not those of their configurations, a sentence each."""
    for name, number, unit in re.findall(pattern, text):
        if not (root / "configs" / name).is_dir():
            continue
        said = float(number) * (60 if unit == "hours" else 1)
        total = sum(map(stated, (root / "configs" / name).glob("*.yaml")))
        if abs(said - total) > max(2, total / 5):
            yield f"{place}: make {name}: {said:g} minutes, but its configurations state {total:g}"


HELP = r"make (\w+) +(\d+) (minutes|hours)"
mistakes = list(differing((root / "Makefile").read_text(encoding="utf-8"), HELP, "Makefile"))
print("\n".join(mistakes), end="\n" if mistakes else "")
sys.exit(bool(mistakes))
