"""Reads the file that test_python.cpp wrote, with h5py or xarray, and compares it with what was written."""

import math
import sys

PACKAGES = {name: f"python3-{name}" for name in ("h5py", "xarray", "h5netcdf", "numpy")}

AXES = {
    "mechanism": (["positive", "", "trigonométrique γ→∞"], None, "Mechanismus für √x"),
    "gamma": ([0.1, 1 / 3, -0.0, 1e-310], "1/m", "bandwidth γ"),
    "repeat": ([0.0], None, None),
    "nothing": ([], None, "no labels"),
    "no words": ([], None, None),
    "dimension": ([2.0, 64.0], None, None),
}

NAN, INF = math.nan, math.inf
VARIABLES = {
    "variance": (
        ["mechanism", "gamma"],
        [[1, 2, NAN, NAN], [INF, -INF, 0, -0.0], [5e-324, 1.5, 2.5, 3.5]],
        "nat",
        "log variance",
    ),
    "alone": ([], 0.1, "s", "a single number"),
    "undefined": ([], NAN, None, None),
    "along": (["gamma"], [4, 3, 2, 1], None, None),
    "cube": (["dimension", "repeat", "gamma"], [[[1, 2, 3, 4]], [[5, 6, 7, 8]]], None, None),
    "void": (["nothing", "gamma"], [], None, None),
    "wordless": (["no words"], [], "m", None),
}

ATTRIBUTES = {
    "config": 'seed: 1\nname: "größe"\n',
    "empty": "",
    "long": "x" * 200000,
    **{f"attribute {letter}": letter for letter in "abcdefghijklmnopqrstuvwxyz"},
}


def package(module):
    """Imports a module, or ends with the Debian package that has it."""
    try:
        return __import__(module)
    except ImportError as problem:
        sys.exit(f"{module} is missing ({problem}): apt-get install {PACKAGES[module]}, or 'make setup'")


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: found {found!r}, but {wanted!r} was written")


def expect_numbers(what, found, wanted):
    numpy = package("numpy")
    wanted = numpy.array(wanted, dtype=float).reshape(found.shape)
    if found.dtype != numpy.float64 or not numpy.array_equal(found, wanted, equal_nan=True):
        sys.exit(f"{what}: found {found!r}, but {wanted!r} was written")


def expect_description(what, attributes, unit, description):
    expect(f"units of {what}", attributes.get("units"), unit)
    expect(f"long_name of {what}", attributes.get("long_name"), description)


def check_h5py(path):
    h5py = package("h5py")
    with h5py.File(path, "r") as file:
        expect("names", set(file), set(AXES) | set(VARIABLES))
        expect("attributes", dict(file.attrs), ATTRIBUTES)
        for name, (labels, unit, description) in AXES.items():
            axis = file[name]
            expect(f"whether {name} is a scale", h5py.h5ds.is_scale(axis.id), True)
            expect_description(name, axis.attrs, unit, description)
            if h5py.check_string_dtype(axis.dtype):
                expect(f"labels of {name}", list(axis.asstr()[:]), labels)
            else:
                expect_numbers(f"labels of {name}", axis[:], labels)
        for name, (dims, values, unit, description) in VARIABLES.items():
            variable = file[name]
            expect(f"axes of {name}", [list(dim.keys()) for dim in variable.dims], [[dim] for dim in dims])
            expect(f"shape of {name}", variable.shape, tuple(len(AXES[dim][0]) for dim in dims))
            expect_numbers(name, package("numpy").asarray(variable[()]), values)
            expect_description(name, variable.attrs, unit, description)
            if variable.chunks:
                expect(f"checksums of {name}", variable.fletcher32, True)


def check_xarray(path):
    package("h5py")
    package("h5netcdf")
    with package("xarray").open_dataset(path) as data:
        expect("sizes", dict(data.sizes), {name: len(labels) for name, (labels, _, _) in AXES.items()})
        expect("variables", set(data.data_vars), set(VARIABLES))
        expect("coordinates", set(data.coords), set(AXES))
        expect("attributes", dict(data.attrs), ATTRIBUTES)
        for name, (labels, unit, description) in AXES.items():
            expect(f"labels of {name}", data[name].values.tolist(), labels)
            expect_description(name, data[name].attrs, unit, description)
        for name, (dims, values, unit, description) in VARIABLES.items():
            expect(f"axes of {name}", list(data[name].dims), dims)
            expect_numbers(name, data[name].values, values)
            expect_description(name, data[name].attrs, unit, description)
        chosen = data["variance"].sel(mechanism="positive", gamma=0.1)
        expect("a value chosen by its labels", float(chosen), 1.0)


if __name__ == "__main__":
    reader, path = sys.argv[1:]
    {"h5py": check_h5py, "xarray": check_xarray}[reader](path)
    print(f"{reader}: all as written")
