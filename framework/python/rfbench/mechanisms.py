"""Mechanisms: fitted to points, with exact moments, ready to be drawn."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, NamedTuple

from . import _core
from .functions import Functions
from .maps import Map

if TYPE_CHECKING:
    import numpy
    from numpy.typing import ArrayLike


class Moments(NamedTuple):
    """Exact moments of the estimate Z of one draw, as logarithms; arrays have an entry for each pair of rows."""

    log_mean: numpy.ndarray  #: log E Z; log K for the unbiased mechanisms
    log_second_moment: numpy.ndarray  #: log E Z^2
    log_variance: numpy.ndarray  #: log Var Z; -inf when it is zero


def mechanisms() -> dict[str, _core.MechanismInfo]:
    """All mechanisms: name -> description, with formulas, source and parameters."""
    return _core.mechanisms()


def samplings() -> dict[str, _core.SamplingInfo]:
    """All ways to draw projections: name -> description."""
    return _core.samplings()


def fit(name: str | Functions, x: ArrayLike, y: ArrayLike | None = None, **parameters: object) -> Mechanism:
    """A mechanism fitted to points.

    name: one of mechanisms(), or a mechanism(). x, y: points of shapes (n, d) and (n', d); without y, x are both.
    parameters: values that are then not fitted, as in mechanisms()[name].parameters; a text is read as `rfbench features
    --set` reads it.

    Raises ValueError naming the nearest mechanism or parameter for an unknown name, for a value that is not allowed, for
    points that are not finite or of different dimensions, and for what has no features before it is trained.
    """
    return _fit(name, x, y, False, parameters)


#: Parameters without which a mechanism is what a training begins with.
_TRAINED = {"learned-points": "points", "luna": "head_parameters"}


class DrawnMoments(NamedTuple):
    """Empirical mean and variance of independent estimates of a kernel value, with their standard errors."""

    mean: float
    mean_error: float
    variance: float
    variance_error: float


def _fit(name, x, y, softmax, parameters):
    if not isinstance(name, Functions):
        if (needed := _TRAINED.get(name)) and needed not in parameters:
            raise ValueError(
                f"mechanism '{name}' has no features before it is trained: give its {needed}, which the "
                "result file of a training has"
            )
        return Mechanism(_core.fit(name, x, y, softmax, parameters))
    if parameters:
        raise ValueError(f"mechanism '{name.name}' has no parameter '{next(iter(parameters))}'; one of functions has none")
    return Mechanism(_core.fit_functions(name, x, y, softmax))


class Mechanism:
    """A fitted mechanism. It is immutable and can be pickled, and Python's threads may share it."""

    __slots__ = ("_fitted",)

    def __init__(self, fitted: _core.Mechanism) -> None:
        self._fitted = fitted

    @property
    def name(self) -> str:
        """Name in the catalogue."""
        return self._fitted.name

    @property
    def info(self) -> _core.MechanismInfo:
        """Description in the catalogue, a MechanismInfo: formulas, source, parameters."""
        return self._fitted.info

    @property
    def parameters(self) -> dict[str, object]:
        """Values of its parameters by name, given or fitted."""
        return self._fitted.parameters

    @property
    def dimension(self) -> int:
        """d of the points."""
        return self._fitted.dimension

    def columns(self, count: int) -> int:
        """Real columns that `count` draws cost."""
        return self._fitted.columns(count)

    def moments(self, x: ArrayLike, y: ArrayLike) -> Moments:
        """Exact moments of the estimate of one draw, for all pairs of rows.

        x, y: (n, d) and (n', d); the moments are (n, n') then. The axis of a single point, (d,), is left out. The formula
        and its source are in `info.variance` and `info.reference`. Raises ValueError for a mechanism that states none.
        """
        return Moments(*self._fitted._moments(x, y))

    def log_variance(self, x: ArrayLike, y: ArrayLike, count: int, sampling: str = "iid") -> numpy.ndarray:
        """log Var of the estimator (1 / M) sum Z_m of M = count draws, exactly, for all pairs of rows of x and y as moments().

        Var_M = Var / M + n c / M^2 with the covariance c of n ordered pairs in a block (orthogonal, simplex, antithetic).
        sampling: one of samplings().
        -inf where the variance is zero. Raises ValueError where no closed form is known under this sampling.
        """
        return self._fitted._log_variance(x, y, count, sampling)

    def variance(self, x: ArrayLike, y: ArrayLike, count: int, sampling: str = "iid") -> numpy.ndarray:
        """exp(log_variance(x, y, count, sampling)), the variance of the estimator.

        Raises ValueError as log_variance() does, and OverflowError where it leaves the range of float64, which its
        logarithm does not.
        """
        import numpy

        log = self.log_variance(x, y, count, sampling)
        with numpy.errstate(over="ignore"):
            value = numpy.exp(log)
        if numpy.isinf(value).any() or ((value == 0) & (log > -numpy.inf)).any():
            raise OverflowError("a variance leaves the range of float64; log_variance() has it")
        return value

    def drawn_moments(
        self, x: ArrayLike, y: ArrayLike, count: int, sampling: str = "iid", repeats: int = 1000, seed: int = 1
    ) -> DrawnMoments:
        """Mean and variance of `repeats` independent estimates of K(x, y), each of `count` draws, with standard errors.

        x, y: one point each, (d,). sampling, seed: as draw() takes them. For mechanisms and samplings whose exact variance
        is not known. Raises ValueError for fewer than 2 repeats, and as draw() does.
        """
        return DrawnMoments(*self._fitted._drawn_moments(x, y, count, sampling, repeats, _seed(seed)))

    def draw(self, count: int | None = None, sampling: str = "iid", seed: int = 1, *, columns: int | None = None) -> Map:
        """Features of `count` draws, or of as many as cost at most `columns` real columns (at least one draw).

        sampling: one of samplings(). seed: 0 .. 2^64 - 1, the only key of the randomness. Raises ValueError when the
        sampling cannot serve the mechanism's law, naming those that can.
        """
        if (count is None) == (columns is None):
            raise ValueError("draw() takes either count, the number of draws, or columns, the real columns of features")
        if columns is not None:
            if columns < 1:
                raise ValueError(f"columns: {columns} is given; at least 1 is taken")
            count = max(1, operator.index(columns) // self.columns(1))
        return Map(_core.Map(self._fitted, operator.index(count), sampling, _seed(seed)))

    def __repr__(self) -> str:
        values = "".join(f", {name}={value!r}" for name, value in self.parameters.items())
        return f"rfbench.Mechanism({self.name!r}{values})"


def _seed(seed):
    seed = operator.index(seed)
    if not 0 <= seed < 2**64:
        raise ValueError(f"seed: {seed} is given; 0 to 2^64 - 1 are taken")
    return seed
