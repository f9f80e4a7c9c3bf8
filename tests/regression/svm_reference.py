#!/usr/bin/env python3
"""Support vector machines of scikit-learn (libsvm, liblinear) for rows of a rule that the test shares: writes
svm_reference.hpp."""

import pathlib

import numpy
from sklearn.svm import SVC, LinearSVC

ROWS, COLUMNS = 60, 3


def rows(phase):
    """Entry i, j is sin(phase + 3 i + 7 j), with the same label for row i of both phases, some of them wrong."""
    return numpy.sin(phase + 3.0 * numpy.arange(ROWS)[:, None] + 7.0 * numpy.arange(COLUMNS)[None, :])


def hinge(labels, values):
    return numpy.maximum(0, 1 - labels * values).sum()


def main():
    points = rows(1.0)
    labels = numpy.where(points[:, 0] + points[:, 1] * points[:, 2] > 0, 1.0, -1.0)
    labels[::11] *= -1
    kernel = numpy.exp(-0.5 * ((points[:, None] - points[None]) ** 2).sum(-1))
    lines = []
    for bound in (0.1, 1.0, 10.0):
        # RBF's gamma of 1/2 is the kernel exp(-|x - y|^2 / 2).
        exact = SVC(C=bound, kernel="rbf", gamma=0.5, tol=1e-9).fit(points, labels)
        signed = numpy.zeros(ROWS)
        signed[exact.support_] = exact.dual_coef_[0]
        primal = 0.5 * signed @ kernel @ signed + bound * hinge(labels, kernel @ signed + exact.intercept_[0])
        dual = numpy.abs(signed).sum() - 0.5 * signed @ kernel @ signed
        assert primal - dual < 1e-5 * primal
        # Its intercept is the weight of a column of ones.
        linear = LinearSVC(C=bound, loss="hinge", tol=1e-9, max_iter=1_000_000, random_state=0).fit(points, labels)
        weights = numpy.append(linear.coef_[0], linear.intercept_[0])
        values = points @ weights[:COLUMNS] + weights[COLUMNS]
        of_linear = 0.5 * weights @ weights + bound * hinge(labels, values)
        numbers = [bound, dual, primal, exact.intercept_[0], len(exact.support_), of_linear, *weights]
        lines.append("    {" + ", ".join(f"{number:.17g}" for number in numbers) + "}")
    pathlib.Path(__file__).with_suffix(".hpp").write_text(
        "#pragma once\n"
        "// Written by svm_reference.py with scikit-learn: C; both objectives, offset and support vectors of SVC; objective\n"
        "// and weights of LinearSVC, the last that of the constant.\n"
        f"constexpr double svm_reference[3][{6 + COLUMNS + 1}] = {{\n" + ",\n".join(lines) + "};\n")


if __name__ == "__main__":
    main()
