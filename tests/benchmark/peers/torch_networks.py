"""A step of training in torch, on the CPU, as one writes it with care: batched products, one call for all heads, Adam
over all tensors at once, targets of all tokens in one cross-entropy."""
import math

import torch
import torch.nn.functional as F

LAYERS, HEADS, WIDTH, INNER, LENGTH, BATCH, VOCABULARY = 4, 4, 128, 512, 256, 16, 256


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = torch.nn.LayerNorm(WIDTH), torch.nn.LayerNorm(WIDTH)
        self.project, self.output = torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(WIDTH, WIDTH)
        self.widen, self.narrow = torch.nn.Linear(WIDTH, INNER), torch.nn.Linear(INNER, WIDTH)

    def forward(self, x, mask):
        q, k, v = (part.reshape(BATCH, LENGTH, HEADS, -1).transpose(1, 2).reshape(BATCH * HEADS, LENGTH, -1)
                   for part in self.project(self.norm1(x)).chunk(3, dim=-1))
        scores = torch.baddbmm(mask, q, k.transpose(1, 2), alpha=1 / math.sqrt(WIDTH / HEADS))
        attended = torch.bmm(torch.softmax(scores, dim=-1), v).reshape(BATCH, HEADS, LENGTH, -1)
        x = x + self.output(attended.transpose(1, 2).reshape(BATCH, LENGTH, WIDTH))
        return x + self.narrow(F.gelu(self.widen(self.norm2(x)), approximate="tanh"))


class Gpt(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.positions = torch.nn.Embedding(VOCABULARY, WIDTH), torch.nn.Embedding(LENGTH, WIDTH)
        self.blocks = torch.nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = torch.nn.LayerNorm(WIDTH)
        unseen = torch.triu(torch.ones(LENGTH, LENGTH, dtype=torch.bool), diagonal=1)
        self.register_buffer("mask", torch.zeros(1, LENGTH, LENGTH).masked_fill(unseen, -math.inf))

    def forward(self, tokens, targets):
        x = self.tokens(tokens) + self.positions.weight
        for block in self.blocks:
            x = block(x, self.mask)
        return F.cross_entropy((self.norm(x) @ self.tokens.weight.T).reshape(-1, VOCABULARY), targets.reshape(-1))


def gpt_step(threads):
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    model = Gpt()
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-4, foreach=True)
    tokens, targets = (torch.randint(VOCABULARY, (BATCH, LENGTH)) for _ in range(2))

    def run():
        optimiser.zero_grad(set_to_none=True)
        model(tokens, targets).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()

    return run
