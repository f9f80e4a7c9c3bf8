"""Maps in files: what a mechanism was fitted to, what was drawn, and how. `rfbench features --out FILE.h5` writes such files,
with features beside, and `--map FILE.h5` reads them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile

from . import _core
from .maps import Map
from .mechanisms import Mechanism

_SEAL = b"\nrfbench sha256 "  # the sha256 of all before it follows, and ends the file
_STATISTICS = ("mean", "mean_absolute", "minimum", "second_moment")


def save_map(drawn: Map, path: str | os.PathLike) -> None:
    """Writes a map, whole or not at all. Raises ValueError for a mechanism of functions, which no file holds."""
    state = drawn.mechanism._fitted.__getstate__()
    if len(state) == 2:
        raise ValueError(f"the mechanism '{drawn.mechanism.name}' is functions of Python; pickle its map instead")
    name, settings, statistics = state
    entry = {"use": name, **{key: _text(value) for key, value in settings.items()}, "sampling": drawn.sampling}
    attributes = {
        "method": "{" + ", ".join(f"{key}: {value}" for key, value in entry.items()) + "}",
        "mechanism": name,
        "parameters": json.dumps(drawn.mechanism.parameters, default=lambda z: {"re": z.real, "im": z.imag}),
        "sampling": drawn.sampling,
        "seed": str(drawn.seed),
        "draws": str(drawn.count),
        "trained": "true" if any(isinstance(value, (list, tuple)) for value in settings.values()) else "false",
        "code": "",
        "version": _core.__version__,
    }
    _replace(path, lambda file: _write(file, drawn, statistics, attributes))


def load_map(path: str | os.PathLike) -> Map:
    """The map of the file `path`, drawn again to the same bits. Raises OSError where the file is damaged or holds no map, or where
    this version of rfbench draws another one.
    """
    import h5py
    import numpy

    with open(path, "rb") as file:
        content = file.read()
    sealed, _, seal = content.rpartition(_SEAL)
    if seal.strip().decode(errors="replace") != hashlib.sha256(sealed).hexdigest():
        raise OSError(f"{path}: its bytes do not match the sha256 at its end, or it is no file of rfbench")
    with h5py.File(path) as file:
        try:
            said = dict(file.attrs)
            info = _core.mechanisms()[said["mechanism"]]
            statistics = tuple(_statistics(file, of) for of in "xy")
            seed, count, omega = int(said["seed"]) % 2**64, int(said["draws"]), file["omega"][...]
            settings = json.loads(said["parameters"]) if said["trained"] == "true" else _settings(said["method"], info)
            sampling = said["sampling"]
        except (KeyError, ValueError):
            raise OSError(f"{path}: holds no map; Map.save() and 'rfbench features' write some") from None
    mechanism = Mechanism(_core.unpickled(info.name, settings, statistics))
    drawn = Map(_core.Map(mechanism._fitted, count, sampling, seed))
    if not numpy.array_equal(drawn.omega, omega):
        raise OSError(f"{path}: was written by another version of rfbench, and this one draws another map")
    return drawn


def _text(value):
    """A parameter as YAML has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, complex):
        return f"{value.real!r}{'+' if value.imag >= 0 else '-'}{abs(value.imag)!r}i"
    return value if isinstance(value, str) else json.dumps(value)


def _settings(entry, info):
    """Parameters of "{use: NAME, KEY: VALUE, ...}", as texts."""
    known = {parameter.name for parameter in info.parameters}
    pairs = (part.split(":", 1) for part in re.split(r",(?![^\[]*\])", entry.strip("{} ")))
    return {key.strip(): value.strip(" []") for key, value in pairs if key.strip() in known}


def _statistics(file, of):
    """Statistics of one set in the order of their state: rows, then arrays, then Poisson moments of each coordinate."""
    import numpy

    arrays = [file[f"{of}_{name}"][...].T for name in _STATISTICS]  # the matrix is there column by column
    poisson = file[f"{of}_log_poisson_moments"][...] if f"{of}_log_poisson_moments" in file else ()
    ends = [int(numpy.flatnonzero(~numpy.isnan(row))[-1]) + 1 for row in poisson]
    return (int(file.attrs[f"{of}_rows"]), *arrays, [row[:end] for row, end in zip(poisson, ends)])


def _write(path, drawn, statistics, attributes):
    import h5py
    import numpy

    with h5py.File(path, "w", track_order=True) as file:
        for key, value in attributes.items():
            file.attrs[key] = value

        def add(name, axes, values):
            file[name] = numpy.asarray(values, float)
            for place, axis in enumerate(axes):
                if axis not in file:
                    file[axis] = numpy.arange(file[name].shape[place], dtype=float)
                    file[axis].make_scale(axis)
                file[name].dims[place].label = axis
                file[name].dims[place].attach_scale(file[axis])

        add("omega", ("coordinate", "draw"), drawn.omega)
        if drawn.phase is not None:
            add("phase", ("draw",), drawn.phase)
        for of, (rows, *arrays, poisson) in zip("xy", statistics):
            file.attrs[f"{of}_rows"] = str(rows)
            for name, values in zip(_STATISTICS, arrays):
                values = numpy.asarray(values).T
                add(f"{of}_{name}", ("coordinate", "other_coordinate")[: values.ndim], values)
            if poisson:
                padded = numpy.full((len(poisson), max(map(len, poisson))), numpy.nan)
                for row, values in zip(padded, poisson):
                    row[: len(values)] = values
                add(f"{of}_log_poisson_moments", ("coordinate", f"{of}_power"), padded)


def _replace(path, write):
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"{path}: there is no folder {folder}")
    number, unfinished = tempfile.mkstemp(dir=folder, suffix=".unfinished")
    os.close(number)
    try:
        write(unfinished)
        with open(unfinished, "r+b") as file:
            seal = hashlib.sha256(file.read()).hexdigest()
            file.write(_SEAL + seal.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        os.chmod(unfinished, 0o644)
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise
