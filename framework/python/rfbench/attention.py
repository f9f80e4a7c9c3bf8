"""Softmax attention and its approximation by random features, with gradients.

Arrays are (..., L, d): queries q, keys k, and values v of (..., L', e) have the same leading axes (batch, heads), which are
attended one by one; rows are tokens. float32 stays float32; arrays of different precisions are computed in float64. `mask`
says which keys are kept, True, and which are padding, False: an array of (L',) or (..., L') that broadcasts over the leading
axes. With causal=True query i sees keys 0 .. i.

Nothing mends a bad denominator: rows whose denominator is not positive are counted and warned of
(NonPositiveDenominator). Shapes that do not fit and entries that are not finite raise ValueError.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NamedTuple

import numpy

from . import _core
from ._core import State, ToeplitzMask, causal_mask, decaying_mask
from .functions import Functions
from .mechanisms import Mechanism, _fit

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from .maps import Map

__all__ = [
    "Gradients",
    "MaskedGradients",
    "NonPositiveDenominator",
    "State",
    "ToeplitzMask",
    "causal",
    "causal_gradients",
    "causal_mask",
    "decaying_mask",
    "exact",
    "exact_gradients",
    "fit",
    "linear",
    "linear_gradients",
    "masked",
    "masked_gradients",
]


class NonPositiveDenominator(RuntimeWarning):
    """Rows of attention whose estimated weights add up to nothing or less: features without signs have none."""


class Gradients(NamedTuple):
    """Gradients by q, k and v, of their shapes."""

    q: numpy.ndarray
    k: numpy.ndarray
    v: numpy.ndarray
    left_out: int  #: rows whose denominator is zero, or so small that its inverse overflows: they sent nothing


class MaskedGradients(NamedTuple):
    """Gradients by q, k and v, of their shapes, and by the mask's numbers, a row for each head."""

    q: numpy.ndarray
    k: numpy.ndarray
    v: numpy.ndarray
    numbers: numpy.ndarray
    left_out: int  #: as Gradients.left_out


def fit(name: str | Functions, q: ArrayLike, k: ArrayLike, **parameters: object) -> Mechanism:
    """A mechanism fitted to queries and keys of all heads: to q d^(-1/4) and k d^(-1/4), the points whose Gaussian kernel
    the softmax kernel exp(q.k / sqrt d) is, but for factors of one row (Likhosherstov 2022, (3.3)).

    Its maps are what linear(), causal() and masked() take. name, parameters and errors: as rfbench.fit().
    """
    return _fit(name, _rows(q), _rows(k), True, parameters)


def exact(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    causal: bool = False,
    mask: ArrayLike | None = None,
    products: str = "vectors",
    parts: int = 3,
) -> numpy.ndarray:
    """Softmax attention, softmax(q k' / sqrt d) v (Vaswani et al. 2017), in memory linear in L. Returns (..., L, e).

    products, parts: what forms products of float32, as Map.with_products().
    """
    return _counted(*_core.attention_exact(q, k, v, causal, _kept(mask, k), products, parts))


def linear(
    q: ArrayLike, k: ArrayLike, v: ArrayLike, map: Map, *, causal: bool = False, mask: ArrayLike | None = None
) -> numpy.ndarray:
    """Linear attention: out_i = sum_j K^(q_i, k_j) v_j / sum_j K^(q_i, k_j), K^ the map's estimate of exp(q.k / sqrt d)
    (Choromanski et al. 2021; Likhosherstov 2022, chapter 6). Returns (..., L, e) in time linear in L.
    """
    return _counted(*_core.attention_linear(map._drawn, q, k, v, causal, _kept(mask, k)))


def causal(
    q: ArrayLike, k: ArrayLike, v: ArrayLike, map: Map, *, mask: ArrayLike | None = None, state: State | None = None
) -> tuple[numpy.ndarray, State]:
    """Causal linear attention, through the features of a map, of tokens after those that `state` has seen: linear() with
    causal=True over both. Returns the output, (..., L, e), and the state after these tokens.

    So decoding token by token, or in pieces of any length, is attention over the whole, to rounding. The state that is
    given stays as it is; without one, these tokens are the first.
    """
    out, nonpositive, after = _core.attention_causal(map._drawn, q, k, v, _kept(mask, k), state)
    return _counted(out, nonpositive), after


def masked(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    toeplitz: ToeplitzMask,
    map: Map | None = None,
    *,
    mask: ArrayLike | None = None,
) -> numpy.ndarray:
    """Attention with a mask of relative positions: out_i = sum_j m(i, j) w_ij v_j / sum_j m(i, j) w_ij, w_ij the map's
    estimate of exp(q_i.k_j / sqrt d) (Likhosherstov 2022, (4.11)-(4.12)), or itself without a map.

    toeplitz: a ToeplitzMask of as many tokens as there are. Returns (..., L, e).
    """
    return _counted(*_core.attention_masked(toeplitz, _drawn(map), q, k, v, _kept(mask, k)))


def exact_gradients(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    gradient: ArrayLike,
    *,
    causal: bool = False,
    mask: ArrayLike | None = None,
    products: str = "vectors",
    parts: int = 3,
) -> Gradients:
    """Gradients of sum(gradient * exact(q, k, v)) (Dao et al. 2022, Algorithm 4); products and parts as exact()."""
    *found, _, left_out = _core.attention_exact_gradients(
        q, k, v, gradient, causal, _kept(mask, k), products, parts
    )
    return Gradients(*found, left_out)


def linear_gradients(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    map: Map,
    gradient: ArrayLike,
    *,
    causal: bool = False,
    mask: ArrayLike | None = None,
) -> Gradients:
    """Gradients of sum(gradient * linear(q, k, v, map)) in time linear in L (Likhosherstov 2022, Appendix 5.B).

    Raises ValueError for a map without gradients (Map.differentiable).
    """
    *found, _, left_out = _core.attention_linear_gradients(map._drawn, q, k, v, gradient, causal, _kept(mask, k))
    return Gradients(*found, left_out)


def causal_gradients(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    map: Map,
    gradient: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    state: State | None = None,
    later: State | None = None,
) -> tuple[Gradients, State]:
    """Gradients of sum(gradient * causal(q, k, v, map, state=state)[0]), and of what came of the state after these tokens
    (Likhosherstov 2022, Algorithm 6).

    state: as causal() was given it. later: the gradient by the state after these tokens, as this function returned it for
    later tokens; None at the end of the sequence. The second result is the gradient by `state`. So gradients of a
    sequence of any length are had piece by piece from the last to the first. Both gradients by states are sums over
    features, as a State is. Raises ValueError for a map without gradients, and for states of other heads or shapes.
    """
    *found, _, left_out, earlier = _core.attention_causal_gradients(
        map._drawn, q, k, v, gradient, _kept(mask, k), state, later
    )
    return Gradients(*found, left_out), earlier


def masked_gradients(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    toeplitz: ToeplitzMask,
    gradient: ArrayLike,
    map: Map | None = None,
    *,
    mask: ArrayLike | None = None,
) -> MaskedGradients:
    """Gradients of sum(gradient * masked(q, k, v, toeplitz, map)), by the mask's numbers as well."""
    *found, numbers, _, left_out = _core.attention_masked_gradients(
        toeplitz, _drawn(map), q, k, v, gradient, _kept(mask, k)
    )
    return MaskedGradients(*found, numbers[..., 0, :], left_out)


def _drawn(map):
    return None if map is None else map._drawn


def _rows(heads):
    heads = numpy.asarray(heads)
    return heads.reshape(-1, heads.shape[-1]) if heads.ndim > 2 else heads


def _kept(mask, k):
    if mask is None:
        return None
    mask = numpy.asarray(mask)
    if mask.dtype != bool:
        raise ValueError(f"mask: an array of {mask.dtype} is given; bool is taken, True where a key is kept")
    shape = numpy.shape(k)[:-1]
    try:
        return numpy.broadcast_to(mask, shape).astype(numpy.uint8)
    except ValueError:
        raise ValueError(f"mask: an array of shape {mask.shape} is given; it must broadcast to {shape}, a key an entry") from None


def _counted(out, nonpositive):
    if nonpositive:
        rows = out.size // max(out.shape[-1], 1)
        warnings.warn(
            f"{nonpositive} of {rows} rows have a denominator that is not positive", NonPositiveDenominator, stacklevel=3
        )
    return out
