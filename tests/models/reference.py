#!/usr/bin/python3
"""Writes what the tests of framework/models are compared with: vocab.json and merges.txt of a small vocabulary, and
reference.json with tokens of difficult texts and with a forward pass. Nothing here is shared with the C++ code: pieces
are found by scanning with Python's Unicode data, pairs are joined as in Sennrich et al. 2016, and the forward pass is
torch's in double precision.

    /usr/bin/python3 tests/models/reference.py      (Debian: python3-torch)
"""
import json
import math
import pathlib
import textwrap
import unicodedata

import torch
import torch.nn.functional as F

HERE = pathlib.Path(__file__).parent

# --- Bytes and pieces -----------------------------------------------------------------------------


def alphabet():
    """The character of each byte, in the order of GPT-2's vocabulary."""
    printing = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printing]
    return {byte: chr(byte) for byte in printing} | {byte: chr(256 + n) for n, byte in enumerate(others)}


CHARACTER = alphabet()


def kind(character):
    category = unicodedata.category(character)
    if category[0] == "Z" or character in "\t\n\v\f\r\x85":
        return "space"
    return {"L": "letter", "N": "number"}.get(category[0], "sign")


def pieces(text):
    at = 0
    while at < len(text):
        contraction = next((c for c in ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d") if text.startswith(c, at)), None)
        if contraction:
            end = at + len(contraction)
        else:
            first = at + 1 if text[at] == " " and at + 1 < len(text) and kind(text[at + 1]) != "space" else at
            end = first + 1
            while end < len(text) and kind(text[end]) == kind(text[first]):
                end += 1
            # The last of many spaces is left to what follows.
            if kind(text[first]) == "space" and end < len(text) and end - at > 1:
                end -= 1
        yield text[at:end]
        at = end


def symbols(piece):
    return [CHARACTER[byte] for byte in piece.encode()]


def joined(word, pair):
    out, at = [], 0
    while at < len(word):
        step = 2 if tuple(word[at : at + 2]) == pair else 1
        out.append("".join(word[at : at + step]))
        at += step
    return out


def encoded(text, merges, vocabulary):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for piece in pieces(text):
        word = symbols(piece)
        while True:
            present = [pair for pair in zip(word, word[1:]) if pair in ranks]
            if not present:
                break
            word = joined(word, min(present, key=ranks.get))
        tokens += [vocabulary[symbol] for symbol in word]
    return tokens


# --- The vocabulary -------------------------------------------------------------------------------

CORPUS = (
    "It's the theory of the thing that they'll think they've heard: there, then, the other. 1234 2023 20 naïve café "
    "cafés Straße 中文中文 中 日本 привет привет мир 🙂🙂 👩‍👩‍👧 e\u0301e\u0301   \n\n\n\t\t    the end... !!! ??? don't "
)


def trained(count):
    words = [symbols(piece) for piece in pieces(CORPUS)]
    merges = []
    for _ in range(count):
        pairs = {}
        for word in words:
            for pair in zip(word, word[1:]):
                pairs[pair] = pairs.get(pair, 0) + 1
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        words = [joined(word, best) for word in words]
    # Pairs whose order matters. All of "Q Z" are joined before the pair that this makes, which has a lower rank. Once "V W"
    # is joined there is no "K V" any more, and "K VW" comes after "VW X".
    return merges + [("QZ", "Q"), ("Q", "Z"), ("V", "W"), ("K", "V"), ("VW", "X"), ("K", "VW")]


TEXTS = [
    "",
    "the",
    "It's they'll they've don't I'm he'd we're IT'S 's 'S ''s 'tis",
    "'' 'll'll x'revel",
    "20 2023 1234x ½ ² Ⅷ ٣٤ 1,234.5e-6",
    " leading and trailing ",
    "   three spaces   then \n\n\n lines \t\t tabs\r\n and the end   ",
    "\n\n\nthe",
    "a\u00a0b\u2003 c\u3000\u3000d\u180ee\u0085f\u200bg\u2028h\u001ci",
    "a \u00a0b \u1680c \u2003d \u180ee \u0085f \u200bg \u2028h \u001ci \u202fj \u205fk \u3000l \ufeffm",
    "🙂 👩‍👩‍👧 🙂🙂the 🇨🇭",
    "e\u0301 cafe\u0301 café naïve \u0301the Z\u0351\u036b\u0343",
    "中文中文日本 中 文，。 привет, мир! שלום عالم हिन्दी ไทย 한국어 ǅ ª ʰ",
    "...!!! ?? the-the_the (the) <|endoftex|> #the \\ / ~",
    "QZQZ QZQ ZQZQZ QQZZ KVWX KVW KVX",
    "eeeee ee e\u0000the \u007f\u0080\u00ad\u009f",
    "\U0010ffff\ue000\ufeff\uffffthe",
    "      x",
    " \t the \n",
]

# --- The forward pass -----------------------------------------------------------------------------

SHAPE = {"n_layer": 2, "n_head": 3, "n_embd": 12, "n_inner": 20, "n_positions": 16, "layer_norm_epsilon": 1e-5}
SEQUENCE = {"text": "It's the café, the 中文 café they've heard of.\n", "most": 10}


def weights(vocabulary):
    """(name, tensor) of every weight, by a rule that the C++ test follows too: a linear congruential generator whose
    high bits are a number v in [-1, 1), entry by entry and tensor by tensor; then offset + scale v."""
    state = 1

    def draw(shape, scale, offset=0.0):
        nonlocal state
        entries = []
        for _ in range(math.prod(shape)):
            state = (state * 1664525 + 1013904223) % 2**32
            entries.append(offset + scale * ((state >> 16) - 32768) / 32768)
        return torch.tensor(entries, dtype=torch.float64).reshape(shape)

    width, inner = SHAPE["n_embd"], SHAPE["n_inner"]

    def affine(name, rows, columns):
        yield name + ".weight", draw((rows, columns), 0.5)
        yield name + ".bias", draw((columns,), 0.25)

    def norm(name):
        yield name + ".weight", draw((width,), 0.25, 1.0)
        yield name + ".bias", draw((width,), 0.25)

    yield "wte.weight", draw((vocabulary, width), 1.0)
    yield "wpe.weight", draw((SHAPE["n_positions"], width), 1.0)
    for layer in range(SHAPE["n_layer"]):
        yield from norm(f"h.{layer}.ln_1")
        yield from affine(f"h.{layer}.attn.c_attn", width, 3 * width)
        yield from affine(f"h.{layer}.attn.c_proj", width, width)
        yield from norm(f"h.{layer}.ln_2")
        yield from affine(f"h.{layer}.mlp.c_fc", width, inner)
        yield from affine(f"h.{layer}.mlp.c_proj", inner, width)
    yield from norm("ln_f")


def forward(tokens, model):
    """The rows of Q, K and V of each layer, and the logits."""
    length, heads = len(tokens), SHAPE["n_head"]

    def affine(x, name):
        return F.linear(x, model[name + ".weight"].T, model[name + ".bias"])

    def norm(x, name):
        return F.layer_norm(x, (SHAPE["n_embd"],), model[name + ".weight"], model[name + ".bias"],
                            SHAPE["layer_norm_epsilon"])

    def split(x):
        return x.reshape(length, heads, -1).transpose(0, 1)  # heads x length x columns

    collected = []
    x = model["wte.weight"][torch.tensor(tokens)] + model["wpe.weight"][:length]
    unseen = torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)
    for layer in range(SHAPE["n_layer"]):
        q, k, v = affine(norm(x, f"h.{layer}.ln_1"), f"h.{layer}.attn.c_attn").chunk(3, dim=-1)
        collected.append({"queries": q, "keys": k, "values": v})
        q, k, v = split(q), split(k), split(v)
        scores = (q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])).masked_fill(unseen, -math.inf)
        attended = (torch.softmax(scores, dim=-1) @ v).transpose(0, 1).reshape(length, -1)
        x = x + affine(attended, f"h.{layer}.attn.c_proj")
        inner = F.gelu(affine(norm(x, f"h.{layer}.ln_2"), f"h.{layer}.mlp.c_fc"), approximate="tanh")
        x = x + affine(inner, f"h.{layer}.mlp.c_proj")
    return collected, norm(x, "ln_f") @ model["wte.weight"].T


# --- Files ----------------------------------------------------------------------------------------


def listed(values):
    return "[\n" + "\n".join(textwrap.wrap(", ".join(map(repr, values)), 120)) + "]"


def main():
    merges = trained(70)
    names = [*CHARACTER.values(), *("".join(pair) for pair in merges), "<|endoftext|>"]
    assert len(set(names)) == len(names)
    vocabulary = {name: number for number, name in enumerate(names)}
    (HERE / "vocab.json").write_text(json.dumps(vocabulary, separators=(",\n", ": ")) + "\n")
    (HERE / "merges.txt").write_text("#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in merges), encoding="utf-8")

    texts = [json.dumps({"pieces": list(pieces(text)), "tokens": encoded(text, merges, vocabulary)}) for text in TEXTS]
    tokens = encoded(SEQUENCE["text"], merges, vocabulary)[: SEQUENCE["most"]]
    layers, logits = forward(tokens, dict(weights(len(vocabulary))))
    rows = ["{" + ",\n".join(f'"{name}": {listed(x.flatten().tolist())}' for name, x in layer.items()) + "}"
            for layer in layers]
    (HERE / "reference.json").write_text(
        '{"texts": [\n' + ",\n".join(texts) + '],\n"shape": ' + json.dumps(SHAPE | {"vocab_size": len(vocabulary)})
        + ',\n"sequence": ' + json.dumps(SEQUENCE) + ',\n"tokens": ' + json.dumps(tokens)
        + ',\n"layers": [\n' + ",\n".join(rows) + '],\n"last_logits": ' + listed(logits[-1].tolist()) + "}\n")


if __name__ == "__main__":
    main()
