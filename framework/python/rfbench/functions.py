"""Mechanisms of NumPy functions, and the checks of what these give."""

from __future__ import annotations

from typing import Callable, NamedTuple


class Functions(NamedTuple):
    """A mechanism of one's own, before it is fitted: see rfbench.mechanism()."""

    name: str
    features_x: Callable
    features_y: Callable
    quantile: Callable[[int, float], float] | None
    log_second_moment: Callable | None = None
    positive: bool = False


def mechanism(
    name: str,
    features_x: Callable,
    features_y: Callable | None = None,
    law: str | Callable[[int, float], float] = "normal",
    *,
    log_second_moment: Callable | None = None,
    positive: bool = False,
) -> Functions:
    """A mechanism of one's own, of NumPy functions: rfbench.fit(), attention.fit() and RandomFeatures take it for a name, and
    `rfbench run --plugin FILE` takes those that FILE makes.

    features_x(x, omega): features f1 of rows x, (n, d), for projections omega, (d, M), as (n, R), real or complex; the mean
    over draws is taken by the map, so that a feature is not divided by sqrt(M). features_y: the same of f2; without it, f1.
    law: "normal" for N(0, I), or the quantile function quantile(l, u) of coordinate l at a probability u.
    log_second_moment(x, y): log E Z^2 of the estimate Z of one draw for all pairs of rows, (n, d) and (n', d) -> (n, n'), for
    functions with E Z = K; by it exact variances are known. Without it the mechanism states none, and
    Mechanism.drawn_moments() stands for them. positive: whether every feature is positive for every input.

    The functions must give the same for the same arguments, drawing nothing themselves. Python's functions run one at a
    time, so that such a mechanism is slower than those of the catalogue; it has no gradients. Raises ValueError for what is
    neither a law nor a function, and for a name that YAML would not take for a word.
    """
    if law != "normal" and not callable(law):
        raise ValueError(f"law: {law!r} is given; 'normal' or a function quantile(l, u) is taken")
    if not (isinstance(name, str) and name[:1].isalpha() and name.replace("-", "").replace("_", "").isalnum()):
        raise ValueError(f"name: {name!r} is given; letters, digits, - and _ after a letter are taken")
    given = {"features_x": features_x, "features_y": features_y, "log_second_moment": log_second_moment}
    for what, function in given.items():
        if not callable(function) and (function is not None or what == "features_x"):
            raise ValueError(f"{what}: {function!r} is given; a function is taken")
    quantile = None if law == "normal" else law
    return Functions(name, features_x, features_y or features_x, quantile, log_second_moment, bool(positive))


def columns(own, which, rows, omega):
    """Features of rows as finite real columns, (n, R): [Re, Im] of complex queries, [Re, -Im] of complex keys."""
    import numpy

    found = _array(own, which, getattr(own, which)(rows, omega))
    if found.ndim != 2 or len(found) != len(rows):
        raise ValueError(
            f"{which} of '{own.name}' gives an array of shape {found.shape} for {len(rows)} rows; (n, R) is taken, a row for each"
        )
    if found.dtype.kind == "c":
        found = numpy.hstack([found.real, found.imag if which == "features_x" else -found.imag])
    return _finite(own, which, found)


def quantile(own, coordinate, probability):
    """The quantile of one coordinate of omega, a finite number."""
    found = _finite(own, "law", _array(own, "law", own.quantile(coordinate, probability)))
    if found.size != 1:
        raise ValueError(f"law of '{own.name}' gives an array of shape {found.shape}; quantile(l, u) is a number")
    return float(found.reshape(()))


def log_second_moments(own, x, y):
    """log E Z^2 for all pairs of rows, (n, n'), finite."""
    found = _array(own, "log_second_moment", own.log_second_moment(x, y))
    if found.shape != (len(x), len(y)):
        raise ValueError(
            f"log_second_moment of '{own.name}' gives an array of shape {found.shape}; ({len(x)}, {len(y)}) is taken, an entry "
            "for each pair of rows"
        )
    return _finite(own, "log_second_moment", found)


def _array(own, which, found):
    import numpy

    found = numpy.asarray(found)
    if found.dtype.kind not in "fciu":
        raise ValueError(f"{which} of '{own.name}' gives an array of {found.dtype}; numbers are taken")
    return found


def _finite(own, which, found):
    import numpy

    found = numpy.ascontiguousarray(found, dtype=float)
    if not numpy.isfinite(found).all():
        raise ValueError(f"{which} of '{own.name}' gives what is not finite; all must be")
    return found
