"""Drawn mechanisms: features of rows."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from . import _core

if TYPE_CHECKING:
    import numpy
    from numpy.typing import ArrayLike, DTypeLike

    from .mechanisms import Mechanism


class Features(NamedTuple):
    """Features of n rows: row i of the feature matrix is exp(log_scales[i]) * values[i], and |values| <= 1 up to rounding.

    So nothing overflows, and nothing is scaled in silence. numpy.asarray() is the feature matrix itself.
    """

    values: numpy.ndarray  #: (n, R), of the rows' precision
    log_scales: numpy.ndarray  #: (n,), float64
    vanished: int  #: rows whose features are all exactly zero

    def dense(self) -> numpy.ndarray:
        """The feature matrix, (n, R). Raises OverflowError where a scale leaves the range of its precision."""
        import numpy

        scales = self.log_scales
        limits = numpy.finfo(self.values.dtype)
        out = (scales < numpy.log(limits.tiny)) | (scales > numpy.log(limits.max))
        if out.any():
            row = int(out.argmax())
            raise OverflowError(
                f"row {row} has the scale exp({scales[row]:.6g}), which leaves the range of {self.values.dtype}; "
                "values and log_scales together do not"
            )
        return numpy.exp(scales).astype(self.values.dtype)[:, None] * self.values

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> numpy.ndarray:
        dense = self.dense()
        return dense if dtype is None else dense.astype(dtype)


class Map:
    """A drawn mechanism: the estimator K^(x, y) = exp(s(x) + t(y)) sum_r P_r(x) Q_r(y).

    P are queries(), Q keys(), s and t their log scales, in which the factor 1 / M is. It is immutable and can be pickled.
    """

    __slots__ = ("_drawn",)

    def __init__(self, drawn: _core.Map) -> None:
        self._drawn = drawn

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that was drawn."""
        from .mechanisms import Mechanism

        return Mechanism(self._drawn.mechanism)

    @property
    def dimension(self) -> int:
        """d of the rows."""
        return self._drawn.dimension

    @property
    def columns(self) -> int:
        """R, the real columns of features."""
        return self._drawn.columns

    @property
    def count(self) -> int:
        """M, the draws."""
        return self._drawn.count

    @property
    def sampling(self) -> str:
        """Name of the sampling."""
        return self._drawn.sampling

    @property
    def seed(self) -> int:
        """The seed."""
        return self._drawn.seed

    @property
    def differentiable(self) -> bool:
        """Whether its features have gradients, which those of attention need."""
        return self._drawn.differentiable

    @property
    def omega(self) -> numpy.ndarray:
        """What was drawn, (d, M): a projection a column."""
        return self._drawn.omega

    @property
    def phase(self) -> numpy.ndarray | None:
        """M phases in (0, 2 pi), or None."""
        return self._drawn.phase

    @property
    def products(self) -> str:
        """What forms products of float32: "vectors", "matrix-units" or "emulated"."""
        return self._drawn.products

    @property
    def parts(self) -> int:
        """Parts of bfloat16 of every entry, where matrix units form products."""
        return self._drawn.parts

    def with_products(self, products: str, parts: int = 3) -> Map:
        """The same draw, whose products of float32, and those of linear attention through it, are formed by `products`.

        "vectors": vector registers, the default. "matrix-units": matrix units (Intel AMX) on 1, 2 or 3 parts of bfloat16
        of every entry, with relative errors of about 2^-8, 2^-16 and 2^-24. "emulated": the same bits on any processor,
        slowly. float64 stays on vector registers. A file (save()) does not keep it. Raises ValueError for mechanisms
        without such products, and where the processor has no matrix units.
        """
        return Map(self._drawn.with_products(products, parts))

    def queries(self, x: ArrayLike, out: numpy.ndarray | None = None) -> Features:
        """Features f1 of rows x, (n, d) -> (n, R). float32 stays float32; rows of any stride are not copied.

        out: an array that the values are written into, (n, R) of x's precision, C-contiguous: called again and again, with
        one array, no time is spent on memory. It may not share memory with x. Raises ValueError for another array, for rows
        of another dimension, and for entries that are not finite or too large.
        """
        return Features(*self._drawn._queries(x, out))

    def keys(self, y: ArrayLike, out: numpy.ndarray | None = None) -> Features:
        """Features f2 of rows y, (n', d) -> (n', R), as queries(); out likewise."""
        return Features(*self._drawn._keys(y, out))

    def estimate(self, x: ArrayLike, y: ArrayLike) -> numpy.ndarray:
        """K^(x_i, y_j) of all rows of x, (n, d), and y, (n', d), as (n, n') in float64. Raises OverflowError where it leaves the range of float64."""
        import numpy

        p, q = self.queries(x), self.keys(y)
        sums = p.values.astype(float) @ q.values.astype(float).T
        with numpy.errstate(over="ignore", divide="ignore"):
            logs = numpy.log(numpy.abs(sums)) + (p.log_scales[:, None] + q.log_scales[None, :])
            estimates = numpy.sign(sums) * numpy.exp(logs)
        if not numpy.isfinite(estimates).all():
            raise OverflowError("an estimate leaves the range of float64; queries() and keys() do not")
        return estimates

    def save(self, path: str | os.PathLike) -> None:
        """Writes the map to the HDF5 file `path`, which rfbench.load_map() and `rfbench features --map` read (needs h5py).

        It is written whole or not at all. Raises ValueError for a mechanism of functions, which no file holds.
        """
        from .files import save_map

        save_map(self, path)

    def __reduce__(self):
        return _redrawn, (self.mechanism, self.count, self.sampling, self.seed, self.products, self.parts)

    def __repr__(self) -> str:
        return (
            f"rfbench.Map({self.mechanism.name!r}, count={self.count}, sampling={self.sampling!r}, seed={self.seed}, "
            f"dimension={self.dimension}, columns={self.columns})"
        )


def _redrawn(mechanism, count, sampling, seed, products="vectors", parts=3):
    drawn = Map(_core.Map(mechanism._fitted, count, sampling, seed))
    return drawn if products == "vectors" else drawn.with_products(products, parts)
