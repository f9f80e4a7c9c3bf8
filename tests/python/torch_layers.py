"""Checks the functions and the module for PyTorch.

python3 -m unittest torch_layers: with this folder and that of the package in PYTHONPATH.
"""

import inspect
import io
import tempfile
import unittest
from pathlib import Path

import numpy
import rfbench
import rfbench.torch
import torch
from rfbench import attention
from torch.autograd import gradcheck

B, H, L, D, E = 2, 2, 5, 3, 4


def tensors(seed=0, dtype=torch.double):
    made = torch.Generator().manual_seed(seed)
    return [torch.randn(B, H, L, n, generator=made, dtype=torch.double).mul(0.5).to(dtype).requires_grad_() for n in (D, D, E)]


def softmax_attention(q, k, v, mask=None, causal=False):
    """PyTorch's own scaled_dot_product_attention, which 1.13 has under a private name and with weights beside the output."""
    own = getattr(torch.nn.functional, "scaled_dot_product_attention", None)
    if own is not None:
        return own(q, k, v, attn_mask=mask, is_causal=causal)
    return torch.nn.functional._scaled_dot_product_attention(q, k, v, mask, 0.0, False, causal)[0]


def drawn_for(q, k):
    return attention.fit("optimal-positive", q.detach().numpy(), k.detach().numpy()).draw(8, "orthogonal", 2)


class Functions(unittest.TestCase):
    def test_gradients_pass_gradcheck(self):
        q, k, v = tensors()
        drawn, mask = drawn_for(q, k), torch.arange(L) != 3
        for causal in (False, True):
            self.assertTrue(gradcheck(lambda *a: rfbench.torch.exact(*a, causal=causal, mask=mask), (q, k, v)))
            self.assertTrue(gradcheck(lambda *a: rfbench.torch.linear(*a, drawn, causal=causal, mask=mask), (q, k, v)))
        numbers = torch.from_numpy(attention.decaying_mask([L], 0.2).numbers).requires_grad_()
        for own in (None, drawn):
            self.assertTrue(gradcheck(lambda q, k, v, n: rfbench.torch.masked(q, k, v, [L], n, own), (q, k, v, numbers)))

    def test_gradients_pass_through_states(self):
        q, k, v = tensors(7)
        drawn, mask = drawn_for(q, k), torch.arange(L) != 1

        def pieces(q, k, v):
            state, outs = None, []
            for part in (slice(0, 2), slice(2, 3), slice(3, L)):
                out, state = rfbench.torch.causal(*(a[..., part, :] for a in (q, k, v)), drawn, mask=mask[part], state=state)
                outs.append(out)
            return torch.cat(outs, -2)

        whole = rfbench.torch.linear(q, k, v, drawn, causal=True, mask=mask)
        # Sums of some dozens of terms, in another order.
        torch.testing.assert_close(pieces(q, k, v), whole, rtol=1e-12, atol=1e-12)
        self.assertTrue(gradcheck(pieces, (q, k, v)))
        _, state = rfbench.torch.causal(q.detach(), k.detach(), v.detach(), drawn)
        sums = state.sums.clone().requires_grad_()
        # By the state that goes in, of the one that comes out; its exponents stay as they are.
        after = lambda q, k, v, sums: tuple(rfbench.torch.causal(q, k, v, drawn, state=(sums, state.exponents)))  # noqa: E731
        self.assertTrue(gradcheck(lambda *a: (after(*a)[0], after(*a)[1].sums), (q, k, v, sums)))

    def test_states_have_the_precision_of_sums(self):
        q, k, v = tensors(8, torch.bfloat16)
        _, state = rfbench.torch.causal(q, k, v, drawn_for(q.double(), k.double()))
        self.assertEqual((state.sums.dtype, state.exponents.dtype), (torch.float32, torch.int64))
        self.assertEqual((tuple(state.sums.shape), tuple(state.exponents.shape)), ((B, H, 8, E + 1), (B, H)))

    def test_exact_attention_is_that_of_torch(self):
        q, k, v = tensors(1)
        kept = torch.arange(L) != 3
        for causal, mask in ((False, None), (True, None), (False, kept)):
            want = softmax_attention(q, k, v, None if mask is None else mask.expand(L, L), causal)
            got = rfbench.torch.exact(q, k, v, causal=causal, mask=mask)
            torch.testing.assert_close(got, want, rtol=1e-12, atol=1e-12)
            upstream = torch.randn(want.shape, generator=torch.Generator().manual_seed(2), dtype=want.dtype)
            for ours, theirs in zip(*(torch.autograd.grad(out, (q, k, v), upstream) for out in (got, want))):
                torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)

    def test_half_precision_comes_back_as_it_was(self):
        q, k, v = tensors(2, torch.bfloat16)
        out = rfbench.torch.exact(q, k, v)
        out.sum().backward()
        self.assertEqual((out.dtype, q.grad.dtype), (torch.bfloat16, torch.bfloat16))


class Module(unittest.TestCase):
    def test_it_stands_in_for_softmax_attention(self):
        q, k, v = tensors(3, torch.float32)
        with self.assertRaisesRegex(ValueError, "no mechanism 'FAVOR\\+\\+'; rfbench.mechanisms"):
            rfbench.torch.LinearAttention("FAVOR++")
        layer = rfbench.torch.LinearAttention(columns=4096)
        out = layer(q, k, v, is_causal=True)
        self.assertEqual((out.dtype, tuple(out.shape)), (torch.float32, (B, H, L, E)))
        want = softmax_attention(q, k, v, causal=True)
        # The relative standard deviation of one weight, from the exact variance, times six; weights sum to one.
        x, y = (a.detach().double().reshape(-1, D).numpy() * D**-0.25 for a in (q, k))
        logs = layer.mechanism.log_variance(x, y, 4096) / 2 - layer.mechanism.moments(x, y).log_mean
        bound = 6 * numpy.exp(logs.max()) * 2 * float(v.abs().max())
        self.assertLess(float((out - want).abs().max()), bound)
        self.assertGreater(float((out - want).abs().max()), 0)

    def test_it_decodes_token_by_token(self):
        q, k, v = tensors(9)
        layer, state, words = rfbench.torch.LinearAttention(columns=8), None, []
        whole = layer(q, k, v, is_causal=True)
        for token in range(L):
            word, state = layer.decode(*(a[..., token : token + 1, :] for a in (q, k, v)), state)
            words.append(word)
        torch.testing.assert_close(torch.cat(words, -2), whole, rtol=1e-12, atol=1e-12)

    def test_it_takes_what_torch_s_softmax_attention_takes(self):
        # scaled_dot_product_attention as PyTorch 2.5 has it, which a layer calls by place or by name.
        taken = [("query", None), ("key", None), ("value", None), ("attn_mask", None), ("dropout_p", 0.0), ("is_causal", False)]
        taken += [("scale", None), ("enable_gqa", False)]
        parameters = list(inspect.signature(rfbench.torch.LinearAttention.forward).parameters.values())[1:]
        defaults = [None if each.default is each.empty else each.default for each in parameters]
        self.assertEqual([(each.name, default) for each, default in zip(parameters, defaults)], taken)

    def test_a_scale_is_that_of_products(self):
        q, k, v = tensors(10)
        layer = rfbench.torch.LinearAttention(columns=8).fit(q, k)
        torch.testing.assert_close(layer(q, k, v, scale=D**-0.5), layer(q, k, v), rtol=1e-12, atol=1e-12)
        # exp(scale q.k) = exp(2 q.k / sqrt d), the kernel of queries twice as long.
        torch.testing.assert_close(layer(q, k, v, scale=2 * D**-0.5), layer(2 * q, k, v), rtol=1e-12, atol=1e-12)
        with self.assertRaisesRegex(ValueError, "scale: -1 is given"):
            layer(q, k, v, scale=-1)

    def test_heads_of_keys_serve_several_of_queries(self):
        q, k, v = tensors(11)
        layer = rfbench.torch.LinearAttention(columns=8).fit(q, k)
        one_k, one_v = k[:, :1], v[:, :1]
        whole = layer(q, one_k.expand_as(k), one_v.expand_as(v))
        torch.testing.assert_close(layer(q, one_k, one_v, enable_gqa=True), whole, rtol=1e-12, atol=1e-12)
        with self.assertRaisesRegex(ValueError, "its heads must divide those of query"):
            layer(q, torch.cat([k, k], 1), v, enable_gqa=True)

    def test_features_are_redrawn_by_a_seed(self):
        q, k, v = tensors(4)
        layer = rfbench.torch.LinearAttention(columns=8, seed=1)
        first = layer(q, k, v)
        other = layer.redraw(2)(q, k, v)
        self.assertFalse(torch.equal(first, other))
        self.assertTrue(torch.equal(layer.redraw(1)(q, k, v), first))

    def test_its_state_is_kept(self):
        q, k, v = tensors(5)
        layer = rfbench.torch.LinearAttention(columns=8)
        want = layer(q, k, v)
        file = io.BytesIO()
        torch.save(layer.redraw(3).redraw(1).state_dict(), file)
        file.seek(0)
        again = rfbench.torch.LinearAttention(columns=8)
        again.load_state_dict(torch.load(file))
        self.assertTrue(torch.equal(again(2 * q, k, v), layer(2 * q, k, v)))
        self.assertTrue(torch.equal(again(q, k, v), want))
        # A layer that was made otherwise has the columns and the sampling of the state.
        other = rfbench.torch.LinearAttention(columns=16, sampling="iid")
        other.load_state_dict(layer.state_dict())
        self.assertTrue(torch.equal(other(q, k, v), want))
        self.assertEqual((other.columns, other.sampling), (8, "orthogonal"))
        # The state of a layer that was not fitted: the next call fits.
        new = rfbench.torch.LinearAttention(columns=8, seed=7)
        again.load_state_dict(new.state_dict())
        self.assertTrue(torch.equal(again(2 * q, k, v), new(2 * q, k, v)))

    def test_masks_of_keys_are_taken_and_others_refused(self):
        q, k, v = tensors(6)
        layer = rfbench.torch.LinearAttention(columns=8)
        kept = torch.arange(L) < 3
        out = layer(q, k, v, attn_mask=kept.expand(B, 1, 1, L))
        torch.testing.assert_close(out, layer(q, k[..., :3, :], v[..., :3, :]), rtol=1e-12, atol=1e-12)
        for options, said in (
            (dict(attn_mask=torch.zeros(L, L)), "takes bool"),
            (dict(dropout_p=0.1), "dropout_p: 0.1"),
        ):
            with self.assertRaisesRegex(ValueError, said):
                layer(q, k, v, **options)
        with self.assertRaisesRegex(ValueError, "has no gradients"):
            rfbench.torch.LinearAttention("geometric", sampling="iid")(q, k, v)


class Heads(unittest.TestCase):
    def test_heads_of_a_model_are_its_projections(self):
        class Layer(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.q_proj, self.k_proj, self.v_proj = (torch.nn.Linear(6, 6) for _ in range(3))

            def forward(self, x):
                return self.q_proj(x) + self.k_proj(x) + self.v_proj(x)

        model = torch.nn.Sequential(Layer(), Layer())
        x = torch.randn(4, 5, 6)
        with tempfile.TemporaryDirectory() as folder:
            written = numpy.load(rfbench.heads(model, x, Path(folder) / "h.npz", num_heads=2))
            self.assertEqual(written["queries"].shape, (2, 2, 4, 5, 3))
            want = model[0].k_proj(x).detach().numpy()
            self.assertTrue(numpy.array_equal(written["keys"][0, 1], want[..., 3:]))
            with self.assertRaisesRegex(ValueError, "at least one"):
                rfbench.heads(model, x, num_heads=2, names=("query", "key", "value"))
            # Two heads that share one key and one value, and widths that are no heads.
            for layer in model:
                layer.k_proj, layer.v_proj = (torch.nn.Linear(6, 3) for _ in range(2))
                layer.forward = lambda x, own=layer: own.q_proj(x) + (own.k_proj(x) + own.v_proj(x)).repeat(1, 1, 2)
            written = numpy.load(rfbench.heads(model, x, Path(folder) / "shared", num_heads=2))
            want = model[0].k_proj(x).detach().numpy()
            self.assertTrue(numpy.array_equal(written["keys"][0, 0], want))
            self.assertTrue(numpy.array_equal(written["keys"][0, 1], want))
            self.assertTrue(numpy.array_equal(written["queries"][0, 1], model[0].q_proj(x).detach().numpy()[..., 3:]))
            with self.assertRaisesRegex(ValueError, "q_proj gives arrays of shape"):
                rfbench.heads(model, x, num_heads=4)
            # Values of another d, in as many heads as there are of keys; layers of two widths.
            for layer in model:
                layer.k_proj, layer.v_proj = torch.nn.Linear(6, 6), torch.nn.Linear(6, 2)
                layer.forward = lambda x, own=layer: own.q_proj(x) + own.k_proj(x) + own.v_proj(x).repeat(1, 1, 3)
            written = numpy.load(rfbench.heads(model, x, Path(folder) / "values", num_heads=2))
            self.assertEqual(written["values"].shape, (2, 2, 4, 5, 1))
            self.assertTrue(numpy.array_equal(written["values"][0, 1], model[0].v_proj(x).detach().numpy()[..., 1:]))
            model[1].v_proj = torch.nn.Linear(6, 6)
            model[1].forward = lambda x, own=model[1]: own.q_proj(x) + own.k_proj(x) + own.v_proj(x)
            with self.assertRaisesRegex(ValueError, "layers give v_proj of shapes"):
                rfbench.heads(model, x, num_heads=2)
            with self.assertRaisesRegex(ValueError, "num_heads"):
                rfbench.heads(model, x)


if __name__ == "__main__":
    unittest.main()
