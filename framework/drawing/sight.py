"""Differences of colours as readers see them, colour-blind ones too.

Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB; distances in CIELAB (D65), where 2.3 is just noticed.
"""
import numpy as np

SIGHTS = {
    "normal": np.eye(3),
    "protanope": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                           [-0.003882, -0.048116, 1.051998]]),
    "deuteranope": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                             [-0.011820, 0.042940, 0.968881]]),
}
APART = 20  # of two colours of one family, at least
FROM_WHITE = 28  # of every colour from the page, at least

LINEAR_TO_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
                          [0.0193339, 0.1191920, 0.9503041]])


def seen(colours, sight):
    """CIELAB of colours "#rrggbb" in the eyes of one sight, a row each."""
    srgb = np.array([[int(colour[i:i + 2], 16) for i in (1, 3, 5)] for colour in colours]) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    xyz = np.clip(linear @ SIGHTS[sight].T, 0, 1) @ LINEAR_TO_XYZ.T / np.array([0.95047, 1, 1.08883])
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)


def distances(some, others):
    """From each of some to each of others, in the sight in which the two are nearest."""
    apart = [np.linalg.norm(seen(some, sight)[:, None] - seen(others, sight)[None], axis=2) for sight in SIGHTS]
    return np.min(apart, axis=0)


def distance(a, b):
    return float(distances([a], [b])[0, 0])
