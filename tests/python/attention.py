"""Checks attention of the Python package against its definition, its gradients against differences.

python3 tests/python/attention.py: with the folder of the package in PYTHONPATH.
"""

import pickle
import unittest
import warnings

import numpy
import rfbench
from rfbench import attention

B, H, L, D, E = 2, 3, 11, 4, 5
TIGHT = 1e-12  # sums of some dozens of terms of order one, in double precision


def heads(seed=0, length=L, keys=L, dtype=float):
    rng = numpy.random.default_rng(seed)
    q, k = (0.5 * rng.standard_normal((B, H, n, D)) for n in (length, keys))
    return tuple(a.astype(dtype) for a in (q, k, rng.standard_normal((B, H, keys, E))))


def weights_of(scores, causal=False, mask=None):
    seen = numpy.ones(scores.shape, bool)
    if causal:
        seen &= numpy.tril(numpy.ones(scores.shape[-2:], bool))
    if mask is not None:
        seen = seen & mask[..., None, :]
    weights = numpy.where(seen, scores, 0)
    return weights / weights.sum(-1, keepdims=True)


def softmax_scores(q, k):
    return numpy.exp(q @ k.swapaxes(-1, -2) / numpy.sqrt(D))


def estimated_scores(drawn, q, k):
    """The map's estimates of the softmax kernel, head by head, in their definition."""
    out = numpy.empty((B, H, q.shape[2], k.shape[2]))
    for b in range(B):
        for h in range(H):
            x, y = q[b, h] * D**-0.25, k[b, h] * D**-0.25
            norms = 0.5 * ((x**2).sum(1)[:, None] + (y**2).sum(1)[None, :])
            out[b, h] = drawn.estimate(x, y) * numpy.exp(norms)
    return out


def drawn_for(q, k, name="optimal-positive", count=32):
    return attention.fit(name, q, k).draw(count, "orthogonal", 5)


class Outputs(unittest.TestCase):
    def setUp(self):
        self.q, self.k, self.v = heads()
        self.mask = numpy.random.default_rng(1).random((B, 1, L)) > 0.3
        self.mask[..., 0] = True

    def test_exact_attention_is_softmax(self):
        scores = softmax_scores(self.q, self.k)
        for causal in (False, True):
            for mask in (None, self.mask):
                got = attention.exact(self.q, self.k, self.v, causal=causal, mask=mask)
                numpy.testing.assert_allclose(got, weights_of(scores, causal, mask) @ self.v, rtol=TIGHT, atol=TIGHT)

    def test_linear_attention_is_its_definition(self):
        drawn = drawn_for(self.q, self.k)
        scores = estimated_scores(drawn, self.q, self.k)
        for causal in (False, True):
            for mask in (None, self.mask):
                got = attention.linear(self.q, self.k, self.v, drawn, causal=causal, mask=mask)
                numpy.testing.assert_allclose(got, weights_of(scores, causal, mask) @ self.v, rtol=TIGHT, atol=TIGHT)

    def test_keys_of_another_length(self):
        q, k, v = heads(2, 4, 9)
        numpy.testing.assert_allclose(
            attention.exact(q, k, v), weights_of(softmax_scores(q, k)) @ v, rtol=TIGHT, atol=TIGHT
        )
        self.assertEqual(attention.linear(q, k, v, drawn_for(q, k)).shape, (B, H, 4, E))

    def test_axes_of_any_order_give_the_same_bits(self):
        drawn = drawn_for(self.q, self.k)
        want = attention.linear(self.q, self.k, self.v, drawn)
        # (batch, length, heads, d) in memory, as most frameworks have it.
        turned = [numpy.ascontiguousarray(a.swapaxes(1, 2)).swapaxes(1, 2) for a in (self.q, self.k, self.v)]
        self.assertTrue(numpy.array_equal(attention.linear(*turned, drawn), want))
        one = attention.linear(self.q[1, 2], self.k[1, 2], self.v[1, 2], drawn)
        self.assertTrue(numpy.array_equal(one, want[1, 2]))

    def test_single_precision_stays_single(self):
        single = heads(dtype=numpy.float32)
        self.assertEqual(attention.exact(*single).dtype, numpy.float32)
        self.assertEqual(attention.linear(*single, drawn_for(*single[:2])).dtype, numpy.float32)

    def test_a_state_goes_on(self):
        drawn = drawn_for(self.q, self.k)
        whole = attention.linear(self.q, self.k, self.v, drawn, causal=True)
        state, pieces = None, []
        for first, end in ((0, 4), (4, 5), (5, L)):
            part = (a[..., first:end, :] for a in (self.q, self.k, self.v))
            if state is not None:
                state = pickle.loads(pickle.dumps(state))
            out, after = attention.causal(*part, drawn, state=state)
            pieces.append(out)
            state = after
        numpy.testing.assert_allclose(numpy.concatenate(pieces, -2), whole, rtol=TIGHT, atol=TIGHT)
        self.assertEqual(state.nbytes, B * H * drawn.columns * (E + 1) * 8)
        # A given state stays as it is.
        again = [attention.causal(self.q, self.k, self.v, drawn, state=after)[0] for _ in range(2)]
        self.assertTrue(numpy.array_equal(*again))

    def test_masks_of_relative_positions(self):
        toeplitz = attention.decaying_mask([L], 0.3)
        for mask in (toeplitz, attention.causal_mask(toeplitz)):
            relative = mask.dense()
            drawn = drawn_for(self.q, self.k)
            for scores, own in ((softmax_scores(self.q, self.k), None), (estimated_scores(drawn, self.q, self.k), drawn)):
                got = attention.masked(self.q, self.k, self.v, mask, own)
                numpy.testing.assert_allclose(got, weights_of(scores * relative) @ self.v, rtol=TIGHT, atol=TIGHT)
        i, j = numpy.indices((L, L))
        numpy.testing.assert_allclose(toeplitz.dense(), numpy.exp(-0.3 * abs(i - j)), rtol=TIGHT)
        again = attention.ToeplitzMask([L], toeplitz.numbers)
        self.assertTrue(numpy.array_equal(again.dense(), toeplitz.dense()))

    def test_a_class_token_keeps_its_weight(self):
        numbers = numpy.append(attention.decaying_mask([L - 1], 0.3).numbers, 0.7)
        mask = attention.ToeplitzMask([L - 1], numbers, class_token=True)
        self.assertTrue(numpy.array_equal(mask.numbers, numbers))
        self.assertTrue(numpy.array_equal(pickle.loads(pickle.dumps(mask)).dense(), mask.dense()))

    def test_each_head_has_its_own_padding(self):
        kept = numpy.random.default_rng(7).random((B, H, L)) < 0.6
        kept[..., 0] = True
        out = attention.exact(self.q, self.k, self.v, mask=kept)
        for b, h in numpy.ndindex(B, H):
            of_head = (a[b, h] for a in (self.q, self.k, self.v))
            self.assertTrue(numpy.array_equal(out[b, h], attention.exact(*of_head, mask=kept[b, h])))

    def test_a_state_of_other_heads_is_refused(self):
        drawn = drawn_for(self.q, self.k)
        state = attention.causal(self.q[:, :1], self.k[:, :1], self.v[:, :1], drawn)[1]
        with self.assertRaisesRegex(ValueError, r"state: it is of heads along \(2, 1\)"):
            attention.causal(self.q, self.k, self.v, drawn, state=state)

    def test_bad_denominators_are_told(self):
        q, k, v = heads(3)
        drawn = attention.fit("trigonometric", 4 * q, 4 * k).draw(2)
        with self.assertWarnsRegex(attention.NonPositiveDenominator, rf"of {B * H * L} rows"):
            attention.linear(4 * q, 4 * k, v, drawn)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            attention.linear(q, k, v, drawn_for(q, k))

    def test_shapes_are_refused_in_sentences(self):
        q, k, v = self.q, self.k, self.v
        drawn = drawn_for(q, k)
        bad = k.copy()
        bad[1, 2, 3, 0] = numpy.nan
        for call, said in (
            (lambda: attention.exact(q, k[:1], v), r"k has the leading axes \(1, 3\) and q \(2, 3\)"),
            (lambda: attention.exact(q, bad, v), r"head \(1, 2\): attention: keys have nan at row 3"),
            (lambda: attention.exact(q, k, v, mask=numpy.ones(L)), "bool is taken"),
            (lambda: attention.exact(q, k, v, mask=numpy.ones(3, bool)), "must broadcast"),
            (lambda: attention.linear(q[..., :2], k[..., :2], v, drawn), "the map was drawn for 4"),
            (lambda: attention.exact_gradients(q, k, v, v[..., :2]), "that of the output"),
            (lambda: attention.masked(q, k, v, attention.decaying_mask([L + 1], 0.3)), "head"),
        ):
            with self.assertRaisesRegex(ValueError, said):
                call()


class Differences(unittest.TestCase):
    """Gradients against central differences: errors h^2 / 6 times third derivatives, and eps / h of rounding."""

    def check(self, function, gradients, arrays):
        step = 1e-5
        for number, (array, gradient) in enumerate(zip(arrays, gradients)):
            index = tuple(numpy.array(array.shape) // 2)
            moved = []
            for sign in (1, -1):
                other = [a.copy() for a in arrays]
                other[number][index] += sign * step
                moved.append(function(*other))
            self.assertAlmostEqual((moved[0] - moved[1]) / (2 * step), gradient[index], delta=1e-7)

    def test_gradients_are_those_of_the_output(self):
        q, k, v = heads(4)
        mask = numpy.arange(L) != 2
        sent = numpy.random.default_rng(5).standard_normal((B, H, L, E))
        drawn = drawn_for(q, k)
        toeplitz = attention.decaying_mask([L], 0.2)
        for causal in (False, True):
            self.check(
                lambda *a: (sent * attention.exact(*a, causal=causal, mask=mask)).sum(),
                attention.exact_gradients(q, k, v, sent, causal=causal, mask=mask),
                (q, k, v),
            )
            self.check(
                lambda *a: (sent * attention.linear(*a, drawn, causal=causal, mask=mask)).sum(),
                attention.linear_gradients(q, k, v, drawn, sent, causal=causal, mask=mask),
                (q, k, v),
            )
        for own in (None, drawn):
            found = attention.masked_gradients(q, k, v, toeplitz, sent, own)
            self.check(
                lambda q, k, v, n: (sent * attention.masked(q, k, v, attention.ToeplitzMask([L], n), own)).sum(),
                (*found[:3], found.numbers.sum((0, 1))),
                (q, k, v, toeplitz.numbers),
            )

    def test_gradients_go_through_a_state(self):
        q, k, v = heads(6)
        mask = numpy.arange(L) != 5
        drawn = drawn_for(q, k)
        sent = numpy.random.default_rng(7).standard_normal((B, H, L, E))
        whole = attention.linear_gradients(q, k, v, drawn, sent, causal=True, mask=mask)
        pieces, states, state = [(0, 4), (4, 5), (5, L)], [], None
        for first, end in pieces:
            states.append(state)
            part = (a[..., first:end, :] for a in (q, k, v))
            state = attention.causal(*part, drawn, mask=mask[first:end], state=state)[1]
        # From the last piece to the first, each given what those after it sent to the state between them.
        later, found = None, []
        for (first, end), state in list(zip(pieces, states))[::-1]:
            q_, k_, v_, g_ = (a[..., first:end, :] for a in (q, k, v, sent))
            own, later = attention.causal_gradients(
                q_, k_, v_, drawn, g_, mask=mask[first:end], state=state, later=later
            )
            found.insert(0, own)
        for name in ("q", "k", "v"):
            joined = numpy.concatenate([getattr(each, name) for each in found], -2)
            numpy.testing.assert_allclose(joined, getattr(whole, name), rtol=TIGHT, atol=TIGHT)
        with self.assertRaisesRegex(ValueError, r"later: it is of heads along \(2, 3\)"):
            attention.causal_gradients(q[0], k[0], v[0], drawn, sent[0], later=later)


class Products(unittest.TestCase):
    """Products of float32 by an emulation of matrix units: 8 bits more with each part of bfloat16."""

    def errors(self, computed, expected):
        return [numpy.linalg.norm(computed(parts).astype(float) - expected) / numpy.linalg.norm(expected) for parts in (1, 2, 3)]

    def check(self, computed, expected):
        one, two, three = self.errors(computed, expected)
        # One part is off by 2^-8 of each entry; sums of some dozens of terms may be off by less and by more.
        self.assertGreater(one, 2**-14)
        self.assertLess(one, 2**-4)
        self.assertLess(two, one / 16)
        self.assertLess(three, two / 8)

    def test_each_part_brings_eight_bits(self):
        q, k, v = heads(7, dtype=numpy.float32)
        wide = tuple(a.astype(float) for a in (q, k, v))
        gradient = heads(8, dtype=numpy.float32)[2]
        drawn = drawn_for(q, k)
        for causal in (False, True):
            self.check(
                lambda parts: attention.exact(q, k, v, causal=causal, products="emulated", parts=parts),
                attention.exact(*wide, causal=causal),
            )
            self.check(
                lambda parts: attention.exact_gradients(
                    q, k, v, gradient, causal=causal, products="emulated", parts=parts
                ).q,
                attention.exact_gradients(*wide, gradient.astype(float), causal=causal).q,
            )
            self.check(
                lambda parts: attention.linear(q, k, v, drawn.with_products("emulated", parts), causal=causal),
                attention.linear(*wide, drawn, causal=causal),
            )

    def test_maps_say_how_and_pickles_keep_it(self):
        q, k, v = heads(9, dtype=numpy.float32)
        drawn = drawn_for(q, k)
        own = drawn.with_products("emulated", 2)
        self.assertEqual((drawn.products, own.products, own.parts), ("vectors", "emulated", 2))
        x = q[0, 0]
        values = own.queries(x).values
        self.assertTrue((pickle.loads(pickle.dumps(own)).queries(x).values == values).all())
        self.assertTrue((own.with_products("vectors").queries(x).values == drawn.queries(x).values).all())
        self.assertFalse((values == drawn.queries(x).values).all())
        # float64 is left to vector registers.
        self.assertTrue((own.queries(x.astype(float)).values == drawn.queries(x.astype(float)).values).all())

    def test_what_cannot_be_is_refused(self):
        q, k, v = heads(10)
        drawn = drawn_for(q, k)
        with self.assertRaisesRegex(ValueError, "'tensor' is given; it is vectors, matrix-units or emulated"):
            attention.exact(q, k, v, products="tensor")
        with self.assertRaisesRegex(ValueError, "4 parts of bfloat16; there are 1, 2 or 3"):
            drawn.with_products("emulated", 4)
        with self.assertRaisesRegex(ValueError, "features of 'poisson' have no products that"):
            attention.fit("poisson", q, k).draw(8, "iid", 5).with_products("emulated")


if __name__ == "__main__":
    unittest.main()
