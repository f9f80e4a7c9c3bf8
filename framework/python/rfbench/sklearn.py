"""Random features as a transformer of scikit-learn, beside its RBFSampler and Nystroem."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING

import numpy
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .functions import Functions
from .mechanisms import _TRAINED, fit

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["RandomFeatures"]


class RandomFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Features whose products estimate the kernel exp(-gamma |x - y|^2), as those of RBFSampler.

    mechanism, sampling: names, as rfbench.mechanisms() and rfbench.samplings(); the mechanism is fitted to the rows that
    fit() is given, and must have the same features for both arguments of the kernel. n_components: columns at most; a
    mechanism whose draws cost several takes whole draws. gamma: 1 / (2 bandwidth^2), or "scale", which is 1 / (d variance
    of all entries of fit()'s rows), and 1 if these are equal. random_state: the seed, an integer, or where it comes from.
    parameters: values of the mechanism's parameters that are then not fitted.

    Attributes: mechanism_ and map_, the fitted and the drawn mechanism; gamma_, the number. float32 stays float32. Raises
    ValueError for names and values that are not allowed, and where features leave the range of their type, which a smaller
    gamma mends.
    """

    def __init__(
        self,
        mechanism: str | Functions = "optimal-positive",
        sampling: str = "orthogonal",
        n_components: int = 100,
        gamma: float | str = 1.0,
        random_state: int | numpy.random.RandomState | None = None,
        parameters: dict[str, object] | None = None,
    ) -> None:
        self.mechanism = mechanism
        self.sampling = sampling
        self.n_components = n_components
        self.gamma = gamma
        self.random_state = random_state
        self.parameters = parameters

    def fit(self, X: ArrayLike, y: object = None) -> RandomFeatures:
        """Fits the mechanism to the rows of X, (n, d), and draws it."""
        X = self._validated(X, reset=True)
        if not (isinstance(self.n_components, numbers.Integral) and self.n_components > 0):
            raise ValueError(f"n_components: {self.n_components!r} is given; a positive integer is taken")
        self.gamma_ = self._gamma_for(X)
        X = self._scaled(X)
        if self.mechanism in _TRAINED:
            raise ValueError(
                f"mechanism '{self.mechanism}' is what a training of attention leaves behind: it is not fitted to rows, and its "
                "features need not estimate the kernel; 'optimal-positive' and 'positive-weighted' are fitted and do"
            )
        mechanism = fit(self.mechanism, X, **(self.parameters or {}))
        drawn = mechanism.draw(columns=self.n_components, sampling=self.sampling, seed=self._seed())
        # The longest rows: those of zeros have the same features for both, whatever the mechanism.
        some = X[numpy.argsort(-numpy.abs(X).sum(axis=1), kind="stable")[:16]]
        queries, keys = drawn.queries(some), drawn.keys(some)
        if not (numpy.array_equal(queries.values, keys.values) and numpy.array_equal(queries.log_scales, keys.log_scales)):
            raise ValueError(
                f"mechanism '{self.mechanism}' has other features for x than for y in K(x, y), and a transformer makes one "
                "of them; 'trigonometric', 'positive' and 'optimal-positive' have the same for both"
            )
        self.mechanism_, self.map_ = mechanism, drawn
        self._n_features_out = drawn.columns
        return self

    def transform(self, X: ArrayLike) -> numpy.ndarray:
        """Features of the rows of X, (n, columns)."""
        check_is_fitted(self)
        try:
            return self.map_.queries(self._scaled(self._validated(X, reset=False))).dense()
        except OverflowError as error:
            raise ValueError(f"{error}; a smaller gamma than {self.gamma_} may") from None

    def _gamma_for(self, X):
        if isinstance(self.gamma, str) and self.gamma == "scale":
            variance = float(X.var())
            return 1 / (X.shape[1] * variance) if variance > 0 else 1.0
        if not (isinstance(self.gamma, numbers.Real) and 0 < self.gamma < numpy.inf):
            raise ValueError(f"gamma: {self.gamma!r} is given; a positive number or 'scale' is taken")
        return float(self.gamma)

    def _scaled(self, X):
        return X * X.dtype.type(numpy.sqrt(2 * self.gamma_))

    def _validated(self, X, reset):
        checks = dict(reset=reset, dtype=(numpy.float64, numpy.float32))
        try:
            from sklearn.utils.validation import validate_data  # 1.6 and later
        except ImportError:
            return self._validate_data(X, **checks)
        return validate_data(self, X, **checks)

    def _seed(self):
        if isinstance(self.random_state, numbers.Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _more_tags(self):
        return {"preserves_dtype": [numpy.float64, numpy.float32]}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
