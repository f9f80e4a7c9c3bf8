#!/usr/bin/env python3
"""Quantiles of the studentized range and Friedman's test by scipy: writes critical_difference_reference.hpp."""

import pathlib

import numpy
from scipy import stats

ACCURACIES = [[0.9, 0.8, 0.7, 0.8], [0.5, 0.6, 0.4, 0.4], [0.31, 0.3, 0.2, 0.25], [0.7, 0.7, 0.7, 0.6],
              [0.99, 0.9, 0.8, 0.85], [0.6, 0.5, 0.55, 0.45]]


def main():
    lines = ["#pragma once", "// Written by critical_difference_reference.py with scipy.",
             "struct RangeQuantile {", "    int k;", "    double probability, q;", "};",
             "constexpr RangeQuantile range_quantiles[] = {"]
    for k in (2, 3, 5, 10, 15, 40):
        for probability in (0.9, 0.95, 0.99):
            lines.append(f"    {{{k}, {probability}, {stats.studentized_range.ppf(probability, k, numpy.inf):.12g}}},")
    lines[-1] = lines[-1].rstrip(",")
    lines += ["};", "constexpr double friedman_values[6][4] = {"]
    lines += ["    {" + ", ".join(map(str, row)) + "}," for row in ACCURACIES]
    lines[-1] = lines[-1].rstrip(",")
    friedman = stats.friedmanchisquare(*numpy.transpose(ACCURACIES))
    lines += ["};", f"constexpr double friedman_chi_squared = {friedman.statistic:.15g}, "
                    f"friedman_p = {friedman.pvalue:.15g};", ""]
    pathlib.Path(__file__).with_suffix(".hpp").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
