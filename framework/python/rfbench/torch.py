"""Attention for PyTorch: functions with gradients, and a module in the place of scaled_dot_product_attention.

They compute on the processor whatever device tensors are on, in float32 or float64; half precision is computed in float32.
Results come back on the device and in the type of the queries. Shapes, masks and errors are those of rfbench.attention: q
is (..., L, d), k (..., L', d), v (..., L', e), and `mask` is bool, True where a key is kept.
"""

from __future__ import annotations

import math
import pickle
from typing import NamedTuple

import numpy
import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from . import attention
from .attention import ToeplitzMask
from .functions import Functions
from .maps import Map
from .mechanisms import mechanisms

__all__ = ["LinearAttention", "State", "causal", "exact", "linear", "masked"]


def exact(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, causal: bool = False, mask: torch.Tensor | None = None
) -> torch.Tensor:
    """Softmax attention, softmax(q k' / sqrt d) v, as rfbench.attention.exact(), with gradients by q, k and v."""
    return _Exact.apply(q, k, v, causal, _mask(mask))


def linear(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    map: Map,
    *,
    causal: bool = False,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Linear attention through the features of a map, as rfbench.attention.linear(), with gradients by q, k and v."""
    return _Linear.apply(q, k, v, map, causal, _mask(mask))


class State(NamedTuple):
    """What causal linear attention remembers of the tokens so far, R (e + 1) numbers a head: 2^exponents times `sums`, over
    all keys, of their features times (v, 1). Gradients pass through `sums`; detach() it to end them there.
    """

    sums: torch.Tensor  #: (..., R, e + 1), float32 or float64
    exponents: torch.Tensor  #: (...,), int64: powers of two that are taken out, so that nothing overflows


def causal(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    map: Map,
    *,
    mask: torch.Tensor | None = None,
    state: State | None = None,
) -> tuple[torch.Tensor, State]:
    """Causal linear attention through the features of a map, of tokens after those that `state` has seen, as
    rfbench.attention.causal(): the output and the state after these tokens, with gradients by q, k, v and both states.
    """
    sums, exponents = (None, None) if state is None else state
    out, *after = _Causal.apply(q, k, v, sums, exponents, map, _mask(mask))
    return out, State(*after)


def masked(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    shape: tuple[int, ...],
    numbers: torch.Tensor,
    map: Map | None = None,
    *,
    class_token: bool = False,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Attention with a mask of relative positions, as rfbench.attention.masked(), with gradients by q, k, v and by the mask's
    `numbers`, so that positions can be learned.

    shape, numbers, class_token: of rfbench.attention.ToeplitzMask. map: features, or None for softmax attention.
    """
    return _Masked.apply(q, k, v, numbers, tuple(shape), class_token, map, _mask(mask))


class LinearAttention(torch.nn.Module):
    """Linear attention in the place of torch.nn.functional.scaled_dot_product_attention.

    The mechanism is fitted to the queries and keys of the first call, or of fit(), and drawn with the seed. redraw() draws
    again with another one. Both are kept in state_dict(). mechanism, parameters: as rfbench.fit(). columns: real columns of
    features at most. Raises ValueError for a mechanism whose features have no gradients.
    """

    def __init__(
        self,
        mechanism: str | Functions = "optimal-positive",
        columns: int = 256,
        sampling: str = "orthogonal",
        seed: int = 1,
        **parameters: object,
    ) -> None:
        super().__init__()
        if isinstance(mechanism, str) and mechanism not in mechanisms():
            raise ValueError(f"there is no mechanism '{mechanism}'; rfbench.mechanisms() has them all")
        self.name, self.columns, self.sampling, self.seed = mechanism, columns, sampling, seed
        self.parameters_given = parameters
        self.mechanism = self.map = None

    def fit(self, query: torch.Tensor, key: torch.Tensor) -> LinearAttention:
        """Fits the mechanism to these queries and keys of all heads, and draws it."""
        self.mechanism = attention.fit(self.name, _array(query), _array(key), **self.parameters_given)
        return self.redraw(self.seed)

    def redraw(self, seed: int) -> LinearAttention:
        """Draws the features again with this seed (Choromanski et al. 2021, section 4.2, redrawing)."""
        self.seed = seed
        if self.mechanism is not None:
            drawn = self.mechanism.draw(columns=self.columns, sampling=self.sampling, seed=seed)
            if not drawn.differentiable:
                raise ValueError(f"mechanism '{self.name}' has no gradients; 'optimal-positive' and 'trigonometric' have some")
            self.map = drawn
        return self

    def forward(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        attn_mask: torch.Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> torch.Tensor:
        """query (..., L, d), key (..., L', d), value (..., L', e) -> (..., L, e).

        scale: of q.k in place of 1 / sqrt(d); a positive number. enable_gqa: heads of keys and values, at axis -3, are each
        for as many heads of queries. decode() has neither. attn_mask: bool, True where a key takes part, the same for all
        queries: (..., 1, L') or (L',). Weights of linear attention are never there one by one: dropout of them, and other
        masks, raise ValueError.
        """
        if dropout_p:
            raise ValueError(f"dropout_p: {dropout_p} is given; linear attention has no weights to leave out, 0 is taken")
        if scale is not None:
            if not 0 < scale < math.inf:
                raise ValueError(f"scale: {scale!r} is given; a positive number is taken")
            query = query * (scale * math.sqrt(query.shape[-1]))
        if enable_gqa:
            key, value = (_for_heads(name, of, query) for name, of in (("key", key), ("value", value)))
        if self.map is None:
            self.fit(query, key)
        return linear(query, key, value, self.map, causal=is_causal, mask=_of_keys(attn_mask))

    def decode(
        self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, state: State | None = None
    ) -> tuple[torch.Tensor, State]:
        """forward(is_causal=True) of tokens after those that `state` has seen, as causal(): the output, and the state after
        them. query, key, value: as forward() takes them; one token or many."""
        if self.map is None:
            self.fit(query, key)
        return causal(query, key, value, self.map, state=state)

    def get_extra_state(self) -> bytes:
        """The fitted mechanism and how it is drawn, which state_dict() keeps."""
        return pickle.dumps((self.mechanism, self.seed, self.columns, self.sampling))

    def set_extra_state(self, state: bytes) -> None:
        """The same features as those whose state this is, to the bit: its columns and sampling take the place of ours."""
        self.mechanism, seed, *drawn = pickle.loads(state)
        if drawn:  # a state of version 0.2.0 has neither
            self.columns, self.sampling = drawn
        self.map = None  # of a layer that was not fitted, the next call fits
        self.redraw(seed)

    def extra_repr(self) -> str:
        """How it was made, for repr()."""
        return f"{self.name!r}, columns={self.columns}, sampling={self.sampling!r}, seed={self.seed}"


def _for_heads(name, of, query):
    """Each head as often as it has heads of queries."""
    if min(of.dim(), query.dim()) < 3 or query.shape[-3] % of.shape[-3]:
        raise ValueError(
            f"{name}: shape {tuple(of.shape)} is given; with enable_gqa its heads must divide those of query, {tuple(query.shape)}"
        )
    return of.repeat_interleave(query.shape[-3] // of.shape[-3], -3)


def _of_keys(mask):
    if mask is None:
        return None
    if mask.dtype != torch.bool or (mask.dim() > 1 and mask.shape[-2] != 1):
        raise ValueError(
            f"attn_mask: {mask.dtype} of shape {tuple(mask.shape)} is given; linear attention takes bool, the same for all "
            "queries: (..., 1, L'). is_causal=True hides later keys"
        )
    return mask.squeeze(-2) if mask.dim() > 1 else mask


def _array(tensor):
    tensor = tensor.detach()
    if tensor.dtype in (torch.float16, torch.bfloat16):
        tensor = tensor.float()
    return tensor.cpu().numpy()


def _mask(mask):
    return _array(mask) if isinstance(mask, torch.Tensor) else mask


def _tensors(arrays, like):
    """The arrays as tensors, each of the type and on the device of its own tensor."""
    return tuple(torch.from_numpy(array).to(device=own.device, dtype=own.dtype) for array, own in zip(arrays, like))


class _Exact(Function):
    @staticmethod
    def forward(ctx, q, k, v, causal, mask):
        ctx.save_for_backward(q, k, v)
        ctx.options = dict(causal=causal, mask=mask)
        return _tensors([attention.exact(*map(_array, (q, k, v)), **ctx.options)], [q])[0]

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient):
        inputs = ctx.saved_tensors
        found = attention.exact_gradients(*map(_array, (*inputs, gradient)), **ctx.options)
        return (*_tensors(found[:3], inputs), None, None)


class _Linear(Function):
    @staticmethod
    def forward(ctx, q, k, v, drawn, causal, mask):
        ctx.save_for_backward(q, k, v)
        ctx.drawn, ctx.options = drawn, dict(causal=causal, mask=mask)
        return _tensors([attention.linear(*map(_array, (q, k, v)), drawn, **ctx.options)], [q])[0]

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient):
        inputs = ctx.saved_tensors
        found = attention.linear_gradients(*map(_array, inputs), ctx.drawn, _array(gradient), **ctx.options)
        return (*_tensors(found[:3], inputs), None, None, None)


def _state(numbers, exponents):
    """An attention.State of 2^exponents times these numbers, (..., R, e + 1)."""
    numbers, exponents = _array(numbers), exponents.cpu().numpy()
    heads = numbers.reshape(-1, *numbers.shape[-2:])
    made = attention.State.__new__(attention.State)
    made.__setstate__((list(exponents.shape), heads[..., :-1], heads[..., -1:], exponents.reshape(-1).tolist()))
    return made


def _numbers(state):
    """(numbers, exponents) of an attention.State, the other way round."""
    leading, numerators, denominators, exponents = state.__getstate__()
    numbers = numpy.concatenate([numerators, denominators], -1)
    return numbers.reshape(*leading, *numbers.shape[-2:]), numpy.array(exponents, numpy.int64).reshape(leading)


class _Causal(Function):
    @staticmethod
    def forward(ctx, q, k, v, sums, exponents, drawn, mask):
        ctx.set_materialize_grads(False)
        before = None if sums is None else _state(sums, exponents)
        out, after = attention.causal(*map(_array, (q, k, v)), drawn, mask=mask, state=before)
        after_sums, after_exponents = (torch.from_numpy(array).to(q.device) for array in _numbers(after))
        ctx.mark_non_differentiable(after_exponents)
        ctx.save_for_backward(q, k, v, sums, exponents, after_exponents)
        ctx.drawn, ctx.mask = drawn, mask
        return _tensors([out], [q])[0], after_sums, after_exponents

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient, by_after, _):
        q, k, v, sums, exponents, after_exponents = ctx.saved_tensors
        before = None if sums is None else _state(sums, exponents)
        # A gradient by sums is one by 2^exponents sums, over 2^exponents.
        later = None if by_after is None else _state(by_after, -after_exponents)
        if gradient is None:
            gradient = q.new_zeros(*q.shape[:-1], v.shape[-1])
        found, earlier = attention.causal_gradients(
            *map(_array, (q, k, v)), ctx.drawn, _array(gradient), mask=ctx.mask, state=before, later=later
        )
        by_before = None
        if sums is not None:
            numbers, powers = _numbers(earlier)
            powers = (powers + exponents.cpu().numpy())[..., None, None]
            by_before = torch.from_numpy(numpy.ldexp(numbers, powers)).to(sums.device)
        return (*_tensors(found[:3], (q, k, v)), by_before, None, None, None)


class _Masked(Function):
    @staticmethod
    def forward(ctx, q, k, v, numbers, shape, class_token, drawn, mask):
        ctx.save_for_backward(q, k, v, numbers)
        ctx.toeplitz, ctx.drawn, ctx.mask = ToeplitzMask(shape, _array(numbers), class_token), drawn, mask
        return _tensors([attention.masked(*map(_array, (q, k, v)), ctx.toeplitz, drawn, mask=mask)], [q])[0]

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient):
        inputs = ctx.saved_tensors
        found = attention.masked_gradients(
            *map(_array, inputs[:3]), ctx.toeplitz, _array(gradient), ctx.drawn, mask=ctx.mask
        )
        numbers = found.numbers.reshape(-1, found.numbers.shape[-1]).sum(0)
        return (*_tensors((*found[:3], numbers), inputs), None, None, None, None)
