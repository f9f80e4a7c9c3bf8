"""Random features of the Gaussian and softmax kernels, their exact variances, and linear attention.

K(x, y) = exp(-|x - y|^2 / 2) is estimated by (1 / M) sum_m f1(omega_m, x) f2(omega_m, y). A mechanism is the pair of
functions and the law of omega; it is fitted to points, drawn by a sampling, and evaluated on rows:

    mechanism = rfbench.fit("optimal-positive", x, y)
    drawn = mechanism.draw(256, sampling="orthogonal", seed=1)
    queries, keys = drawn.queries(x), drawn.keys(y)

Randomness is keyed by the seed alone: the same seed gives the same bits on any number of threads, and those of the
program `rfbench features`. What is not allowed raises ValueError, files OSError, with a sentence that says what is.
OMP_NUM_THREADS is the number of threads; Python's other threads run while these compute. instruction_set names
the instruction set that this package computes with; bits are the same within one.
"""

import importlib

from . import _levels

__path__ += _levels.folders(__path__[0])

from ._core import __instruction_set__ as instruction_set
from ._core import __version__
from .files import load_map
from .functions import Functions, mechanism
from .maps import Features, Map
from .mechanisms import DrawnMoments, Mechanism, Moments, fit, mechanisms, samplings
from .results import heads, load, plot, run

_levels.require(instruction_set)

__all__ = ["DrawnMoments", "Features", "Functions", "Map", "Mechanism", "Moments", "__version__", "attention", "fit", "heads"]
__all__ += ["instruction_set", "load", "load_map", "mechanism", "mechanisms", "plot", "run", "samplings"]

_SUBMODULES = ("attention", "sklearn", "torch")


def __getattr__(name):
    # Modules that need more than numpy are imported when they are asked for.
    if name in _SUBMODULES:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module 'rfbench' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_SUBMODULES})
