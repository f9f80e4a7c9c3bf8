#!/usr/bin/python3
"""Writes reference.json, which tests/networks/reference.cpp compares framework/networks with: losses of two-layer
Transformers and the gradients of all their parameters, by torch's automatic differentiation in double precision.
Nothing here is shared with the C++ code.

    /usr/bin/python3 tests/networks/reference.py      (Debian: python3-torch)
"""
import json
import math
import pathlib
import textwrap

import torch
import torch.nn.functional as F

WIDTH, HEADS, INNER, LAYERS, POSITIONS, EPSILON = 4, 2, 6, 2, 5, 1e-5
VOCABULARY, INPUTS, CLASSES = 7, 3, 3

# Two sequences of tokens, or of rows of numbers of which this is the first column; targets are pairs of token and value.
CASES = {
    "decoder": {"norm": "before", "gelu": "tanh", "read_out": "tied", "causal": True,
                "tokens": [[3, 1, 4, 1, 5], [2, 6, 0]], "targets": [[[0, 1], [2, 1], [4, 6]], [[0, 6], [1, 0]]]},
    "convolved": {"norm": "before", "gelu": "tanh", "read_out": "tied", "causal": True, "convolution": 3,
                  "tokens": [[3, 1, 4, 1, 5], [2, 6]], "targets": [[[0, 1], [2, 1], [4, 6]], [[1, 0]]]},
    "encoder": {"norm": "after", "gelu": "none", "read_out": "class_token", "causal": False,
                "lengths": [5, 3], "targets": [[[0, 2]], [[0, 0]]]},
    "printed": {"norm": "as_printed", "gelu": "none", "read_out": "mean", "causal": False,
                "lengths": [4, 5], "targets": [[[0, 1]], [[0, 2]]]},
}


class Numbers:
    """A linear congruential generator whose high bits are a number in [-1, 1)."""

    def __init__(self):
        self.state = 1

    def draw(self, *shape):
        entries = []
        for _ in range(math.prod(shape)):
            self.state = (self.state * 1664525 + 1013904223) % 2**32
            entries.append(((self.state >> 16) - 32768) / 32768)
        return torch.tensor(entries, dtype=torch.float64).reshape(shape)


def parameters(case):
    """Name -> tensor, in the order of the vector of all parameters."""
    numbers, model = Numbers(), {}

    def affine(name, rows, columns):
        model[name + ".weight"] = 0.5 * numbers.draw(rows, columns)
        model[name + ".bias"] = 0.5 * numbers.draw(columns)

    def norm(name):
        model[name + ".weight"] = 1 + 0.5 * numbers.draw(WIDTH)
        model[name + ".bias"] = 0.5 * numbers.draw(WIDTH)

    class_token = case["read_out"] == "class_token"
    if "tokens" in case:
        model["wte.weight"] = 0.5 * numbers.draw(VOCABULARY, WIDTH)
    else:
        affine("wie", INPUTS, WIDTH)
    model["wpe.weight"] = 0.5 * numbers.draw(POSITIONS + class_token, WIDTH)
    if class_token:
        model["cls.weight"] = 0.5 * numbers.draw(1, WIDTH)
    if "convolution" in case:
        model["conv.weight"] = 0.5 * numbers.draw(case["convolution"], WIDTH)
    for layer in range(LAYERS):
        norm(f"h.{layer}.ln_1")
        affine(f"h.{layer}.attn.c_attn", WIDTH, 3 * WIDTH)
        affine(f"h.{layer}.attn.c_proj", WIDTH, WIDTH)
        norm(f"h.{layer}.ln_2")
        affine(f"h.{layer}.mlp.c_fc", WIDTH, INNER)
        affine(f"h.{layer}.mlp.c_proj", INNER, WIDTH)
    if case["norm"] == "before":
        norm("ln_f")
    if case["read_out"] != "tied":
        affine("lm_head", WIDTH, CLASSES)
    for tensor in model.values():
        tensor.requires_grad_()
    return model


def outputs(case, model, embedded):
    def affine(x, name):
        return x @ model[name + ".weight"] + model[name + ".bias"]

    def norm(x, name):
        return F.layer_norm(x, (WIDTH,), model[name + ".weight"], model[name + ".bias"], EPSILON)

    def attend(x, layer):
        q, k, v = (part.reshape(len(x), HEADS, -1).transpose(0, 1)
                   for part in affine(x, f"h.{layer}.attn.c_attn").chunk(3, dim=-1))
        scores = q @ k.transpose(1, 2) / math.sqrt(WIDTH / HEADS)
        if case["causal"]:
            scores = scores.masked_fill(torch.triu(torch.ones(len(x), len(x), dtype=torch.bool), 1), -math.inf)
        joined = (torch.softmax(scores, dim=-1) @ v).transpose(0, 1).reshape(len(x), WIDTH)
        return affine(joined, f"h.{layer}.attn.c_proj")

    def inner(x, layer):
        return affine(F.gelu(affine(x, f"h.{layer}.mlp.c_fc"), approximate=case["gelu"]), f"h.{layer}.mlp.c_proj")

    x = embedded
    if case["read_out"] == "class_token":
        x = torch.cat([model["cls.weight"], x])
    x = x + model["wpe.weight"][: len(x)]
    if "convolution" in case:  # torch's kernels have the weight of the earliest token first
        kernels = model["conv.weight"].flip(0).T.unsqueeze(1)
        x = F.conv1d(F.pad(x.T, (case["convolution"] - 1, 0)), kernels, groups=WIDTH).T
    for layer in range(LAYERS):
        if case["norm"] == "before":
            x = x + attend(norm(x, f"h.{layer}.ln_1"), layer)
            x = x + inner(norm(x, f"h.{layer}.ln_2"), layer)
            continue
        y = norm(attend(x, layer) + x, f"h.{layer}.ln_1")
        if case["norm"] == "after":
            x = norm(inner(y, layer) + y, f"h.{layer}.ln_2")
        else:
            x = norm(inner(y, layer), f"h.{layer}.ln_2") + y
    if case["norm"] == "before":
        x = norm(x, "ln_f")
    if case["read_out"] == "tied":
        return x @ model["wte.weight"].T
    pooled = x[:1] if case["read_out"] == "class_token" else x.mean(dim=0, keepdim=True)
    return affine(pooled, "lm_head")


def rows(lengths):
    numbers = Numbers()
    return [numbers.draw(length, INPUTS) for length in lengths]


def loss_and_gradients(case):
    model = parameters(case)
    if "tokens" in case:
        embedded = [model["wte.weight"][torch.tensor(tokens)] for tokens in case["tokens"]]
    else:
        embedded = [x @ model["wie.weight"] + model["wie.bias"] for x in rows(case["lengths"])]
    losses = []
    for x, targets in zip(embedded, case["targets"]):
        z = outputs(case, model, x)
        losses += [F.cross_entropy(z[token], torch.tensor(value)) for token, value in targets]
    loss = torch.stack(losses).mean()
    loss.backward()
    return loss.item(), {name: tensor.grad.flatten().tolist() for name, tensor in model.items()}


def listed(values):
    return "[\n" + "\n".join(textwrap.wrap(", ".join(map(repr, values)), 120)) + "]"


def main():
    texts = []
    for name, case in CASES.items():
        loss, gradients = loss_and_gradients(case)
        by_name = ",\n".join(f'"{parameter}": {listed(values)}' for parameter, values in gradients.items())
        texts.append(f'"{name}": {{"case": {json.dumps(case)},\n"loss": {loss!r},\n"gradients": {{\n{by_name}}}}}')
    shape = {"width": WIDTH, "heads": HEADS, "inner": INNER, "layers": LAYERS, "positions": POSITIONS,
             "epsilon": EPSILON, "vocabulary": VOCABULARY, "inputs": INPUTS, "classes": CLASSES}
    (pathlib.Path(__file__).parent / "reference.json").write_text(
        '{"shape": ' + json.dumps(shape) + ',\n"cases": {\n' + ",\n".join(texts) + "}}\n")


if __name__ == "__main__":
    main()
