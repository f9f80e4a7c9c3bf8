#!/usr/bin/env python3
"""Whether results are what they were before axes, labels and variables were given other names.

    compare.py OLD NEW [--tolerance 1e-9] [STUDY...]

OLD and NEW are folders of results, each with files <experiment>/<configuration>.h5. Every value of OLD is looked up in
NEW by the labels it has on its axes, which the tables below rename, and the largest relative difference of each
variable is printed. Differences are relative to the larger of both values or, where both are smaller than a billionth
of the variable's largest value, to that. The exit status is 1 where one exceeds the tolerance or a value is not found.

Needs h5py (Debian: python3-h5py) and NumPy.
"""
import argparse
import fnmatch
import itertools
import pathlib
import sys

import h5py
import numpy

# Renamed axes: pairs of a pattern of <experiment>/<study> and names, old to new; all patterns that fit apply.
AXES = [
    ("*", {"mechanism": "method", "real_columns": "columns", "sample": "repeat"}),
    ("attention/causal", {"fit": "method"}),
    ("quasi/*", {"estimator": "method", "count": "draws", "group": "repeat"}),
    ("concentration/*", {"count": "draws", "group": "repeat"}),
    ("variance/orthogonal", {"multiple": "block"}),
]
VARIABLES = []
# By axis, as it is named now.
LABELS = [
    ("learned/*", "method", {"softmax": "exact", "learned": "luna", "learned, elu+1": "luna, elu+1",
                             "learned, signed": "luna, signed"}),
]
# Variables that are not values of a study but of the machine: seconds and the like.
MEASURED = ["seconds*", "*_seconds", "bytes*"]
# Axes that have become one, whose labels are written so.
JOINED = [(pattern, ("dimension", "scale"), "head", "d = {:g}, sd {:g}")
          for pattern in ("attention/error", "attention/negative", "attention/causal", "quasi/attention")]
# Axes whose label has become this one where a value is not found under its own: methods of which nothing is drawn, or
# that name their sampling, are at sampling `own`.
ELSEWHERE = {"sampling": "own"}


def renamed(table, study, name):
    for pattern, names in table:
        if fnmatch.fnmatch(study, pattern) and name in names:
            return names[name]
    return name


def renamed_label(study, axis, label):
    for pattern, of, names in LABELS:
        if of == axis and fnmatch.fnmatch(study, pattern) and label in names:
            return names[label]
    return label


class Results:
    """The axes and variables of one file."""

    def __init__(self, path):
        with h5py.File(path) as file:
            self.study = text(file.attrs["study"])
            self.axes, self.variables = {}, {}
            for name, data in file.items():
                if data.attrs.get("CLASS") == b"DIMENSION_SCALE":
                    self.axes[name] = [text(label) for label in data[()]]
                elif isinstance(data, h5py.Dataset):
                    axes = [text(label) for label in data.attrs.get("DIMENSION_LABELS", [])]
                    self.variables[name] = (axes, numpy.asarray(data[()], dtype=float))


    def join(self):
        """What JOINED says of this study."""
        for pattern, parts, whole, label in JOINED:
            if not fnmatch.fnmatch(self.study, pattern) or any(part not in self.axes for part in parts):
                continue
            labels = [self.axes[part] for part in parts]
            self.axes[whole] = [label.format(*one) for one in itertools.product(*labels)]
            for name, (axes, values) in self.variables.items():
                if not all(part in axes for part in parts):
                    continue
                others = [axis for axis in axes if axis not in parts]
                first = values.transpose([axes.index(axis) for axis in (*parts, *others)])
                joined = first.reshape(len(self.axes[whole]), *first.shape[len(parts):])
                self.variables[name] = ([whole, *others], joined)


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def looked_up(old, new, name):
    """The values of NEW in the order of OLD's variable; not a number where there are none."""
    axes, values = old.variables[name]
    new_axes, found = new.variables[renamed(VARIABLES, old.study, name)]
    for axis in [axis for axis in new_axes if axis not in [renamed(AXES, old.study, one) for one in axes]]:
        # An axis that was not there before: its only label.
        if len(new.axes[axis]) != 1:
            raise LookupError(f"'{name}' has an axis '{axis}' that was not there")
        found, new_axes = found.take(0, new_axes.index(axis)), [one for one in new_axes if one != axis]
    places = []
    for axis in axes:
        now = renamed(AXES, old.study, axis)
        if now not in new_axes:
            raise LookupError(f"'{name}' has no axis '{now}'")
        index = {label: i for i, label in enumerate(new.axes[now])}
        places.append([index.get(renamed_label(old.study, now, label), index.get(label)) for label in old.axes[axis]])
    found = found.transpose([new_axes.index(renamed(AXES, old.study, axis)) for axis in axes])
    result = taken(found, places)
    for i, axis in enumerate(axes):
        there = ELSEWHERE.get(renamed(AXES, old.study, axis))
        if there in new.axes.get(renamed(AXES, old.study, axis), []):
            other = list(places)
            other[i] = [new.axes[renamed(AXES, old.study, axis)].index(there)] * len(places[i])
            result = numpy.where(numpy.isnan(result), taken(found, other), result)
    return result


def taken(values, places):
    padded = numpy.pad(values, [(0, 1)] * values.ndim, constant_values=numpy.nan)
    return padded[numpy.ix_(*[[-1 if i is None else i for i in axis] for axis in places])] if places else values


def difference(old, new):
    """The largest relative one, and how many values were compared and not found."""
    there = ~numpy.isnan(old)
    if not there.any():
        return 0.0, 0, 0
    missing = int((there & numpy.isnan(new)).sum())
    both = there & ~numpy.isnan(new)
    a, b = old[both], new[both]
    same = a == b  # infinities too
    a, b = a[~same], b[~same]
    finite = numpy.abs(old[there & numpy.isfinite(old)])
    floor = 1e-9 * (finite.max() if finite.size else 0)
    scale = numpy.maximum(numpy.maximum(numpy.abs(a), numpy.abs(b)), floor)
    largest = float((numpy.abs(a - b) / scale).max()) if a.size else 0.0
    return largest, int(both.sum()), missing


def compare(name, old, new, tolerance):
    failed = False
    for variable in old.variables:
        if any(fnmatch.fnmatch(variable, pattern) for pattern in MEASURED):
            continue
        try:
            largest, count, missing = difference(old.variables[variable][1], looked_up(old, new, variable))
        except LookupError as error:
            print(f"{name:30} {variable:28} not found: {error}")
            failed = True
            continue
        except KeyError:
            print(f"{name:30} {variable:28} is no longer there")
            failed = True
            continue
        bad = missing > 0 or not largest <= tolerance
        failed |= bad
        print(f"{name:30} {variable:28} {largest:9.2e} of {count} values"
              + (f", {missing} not found" if missing else "") + ("  <--" if bad else ""))
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("studies", nargs="*", help="files to compare, such as learned/match; all unless given")
    parser.add_argument("--tolerance", type=float, default=1e-9)
    given = parser.parse_args()
    failed = False
    for path in sorted(given.old.glob("*/*.h5")):
        name = f"{path.parent.name}/{path.stem}"
        if given.studies and not any(fnmatch.fnmatch(name, pattern) for pattern in given.studies):
            continue
        other = given.new / path.relative_to(given.old)
        if not other.exists():
            print(f"{name:30} is not in {given.new}")
            failed = True
            continue
        before = Results(path)
        before.join()
        failed |= compare(name, before, Results(other), given.tolerance)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
