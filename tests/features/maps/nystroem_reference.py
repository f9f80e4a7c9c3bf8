#!/usr/bin/env python3
"""Features of scikit-learn's Nystroem for points of a rule that the test shares: writes nystroem_reference.hpp."""

import pathlib

import numpy
from sklearn.kernel_approximation import Nystroem


def points(rows, columns, phase):
    """Entry i, j is sin(phase + 3 i + 7 j)."""
    return numpy.sin(phase + 3.0 * numpy.arange(rows)[:, None] + 7.0 * numpy.arange(columns)[None, :])


def main():
    landmarks, rows = points(5, 3, 1.0), points(4, 3, 2.0)
    # RBF's gamma of 1/2 is the kernel exp(-|x - y|^2 / 2).
    fitted = Nystroem(kernel="rbf", gamma=0.5, n_components=5, random_state=0).fit(landmarks)
    features = numpy.empty((4, 5))
    # scikit-learn takes landmarks in a random order; column j belongs to landmark component_indices_[j].
    features[:, fitted.component_indices_] = fitted.transform(rows)
    lines = ",\n".join("    {" + ", ".join(f"{value:.17g}" for value in row) + "}" for row in features)
    pathlib.Path(__file__).with_suffix(".hpp").write_text(
        "#pragma once\n"
        "// Written by nystroem_reference.py with scikit-learn: features of four rows for five landmarks.\n"
        "constexpr double nystroem_reference[4][5] = {\n" + lines + "};\n")


if __name__ == "__main__":
    main()
