"""A step of training in torch, on the CPU, as one writes it with care: batched products, one call for all heads, Adam
over all tensors at once, targets of all tokens in one cross-entropy."""
import math

import torch
import torch.nn.functional as F

LAYERS, HEADS, WIDTH, INNER, LENGTH, BATCH, VOCABULARY = 4, 4, 128, 512, 256, 16, 256
COLUMNS, CHUNK = 64, 64


class Softmax(torch.nn.Module):
    """Causal softmax attention of all heads at once."""

    def __init__(self):
        super().__init__()
        unseen = torch.triu(torch.ones(LENGTH, LENGTH, dtype=torch.bool), diagonal=1)
        self.register_buffer("mask", torch.zeros(1, LENGTH, LENGTH).masked_fill(unseen, -math.inf))

    def forward(self, q, k, v):
        scores = torch.baddbmm(self.mask, q, k.transpose(1, 2), alpha=1 / math.sqrt(WIDTH / HEADS))
        return torch.bmm(torch.softmax(scores, dim=-1), v)


class Favor(torch.nn.Module):
    """Causal FAVOR+ of all heads at once: within chunks by a triangle of products, before them by sums of all chunks."""

    def __init__(self):
        super().__init__()
        d = WIDTH // HEADS
        self.scale = d**-0.25
        blocks = [torch.linalg.qr(torch.randn(d, d))[0] * torch.randn(d, d).norm(dim=0) for _ in range(COLUMNS // d)]
        self.register_buffer("omega", self.scale * torch.cat(blocks, 1))
        self.register_buffer("seen", torch.tril(torch.ones(CHUNK, CHUNK)))

    def features(self, rows):
        exponents = rows @ self.omega - 0.5 * self.scale**2 * rows.square().sum(-1, keepdim=True)
        return torch.exp(exponents - exponents.detach().amax(dim=(1, 2), keepdim=True))

    def forward(self, q, k, v):
        chunks = (q.shape[0], LENGTH // CHUNK, CHUNK, -1)
        phi, keys = (self.features(rows).reshape(chunks) for rows in (q, k))
        values = torch.cat([v, torch.ones_like(v[..., :1])], -1).reshape(chunks)
        sums = keys.transpose(-1, -2) @ values
        before = torch.cumsum(sums, dim=1) - sums
        out = (phi @ keys.transpose(-1, -2) * self.seen) @ values + phi @ before
        return (out[..., :-1] / out[..., -1:]).reshape(v.shape)


class Block(torch.nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.attention = attention()
        self.norm1, self.norm2 = torch.nn.LayerNorm(WIDTH), torch.nn.LayerNorm(WIDTH)
        self.project, self.output = torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(WIDTH, WIDTH)
        self.widen, self.narrow = torch.nn.Linear(WIDTH, INNER), torch.nn.Linear(INNER, WIDTH)

    def forward(self, x):
        q, k, v = (part.reshape(BATCH, LENGTH, HEADS, -1).transpose(1, 2).reshape(BATCH * HEADS, LENGTH, -1)
                   for part in self.project(self.norm1(x)).chunk(3, dim=-1))
        attended = self.attention(q, k, v).reshape(BATCH, HEADS, LENGTH, -1)
        x = x + self.output(attended.transpose(1, 2).reshape(BATCH, LENGTH, WIDTH))
        return x + self.narrow(F.gelu(self.widen(self.norm2(x)), approximate="tanh"))


class Gpt(torch.nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.tokens, self.positions = torch.nn.Embedding(VOCABULARY, WIDTH), torch.nn.Embedding(LENGTH, WIDTH)
        self.blocks = torch.nn.ModuleList(Block(attention) for _ in range(LAYERS))
        self.norm = torch.nn.LayerNorm(WIDTH)

    def forward(self, tokens, targets):
        x = self.tokens(tokens) + self.positions.weight
        for block in self.blocks:
            x = block(x)
        return F.cross_entropy((self.norm(x) @ self.tokens.weight.T).reshape(-1, VOCABULARY), targets.reshape(-1))


def step_of(attention, threads):
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    model = Gpt(attention)
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-4, foreach=True)
    tokens, targets = (torch.randint(VOCABULARY, (BATCH, LENGTH)) for _ in range(2))

    def run():
        optimiser.zero_grad(set_to_none=True)
        model(tokens, targets).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()

    return run


def gpt_step(threads):
    return step_of(Softmax, threads)


def gpt_step_favor(threads):
    return step_of(Favor, threads)
