"""rfbench.heads writes the heads of a small Transformer, and the program reads these.

pytorch.py PROGRAM: checks that the arrays are the projections' outputs, and that log tr S of every layer and head
(dof/layers, which looks at all queries and keys) is that of the head."""
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy
import torch

import rfbench

LAYERS, HEADS, D, VALUES, SEQUENCES, TOKENS = 3, 2, 4, 4, 3, 5
WIDTH = HEADS * D


class Attention(torch.nn.Module):
    """As in a model of Hugging Face's: three projections, heads side by side."""

    def __init__(self):
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (torch.nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, x, mask):
        def split(rows):
            return rows.view(SEQUENCES, TOKENS, HEADS, D).transpose(1, 2)

        q, k, v = split(self.q_proj(x)), split(self.k_proj(x)), split(self.v_proj(x))
        self.kept = [part.detach().clone() for part in (q, k, v)]
        scores = (q @ k.transpose(-1, -2) / D**0.5).masked_fill(mask[:, None, None, :] == 0, -1e9)
        return self.out_proj((scores.softmax(-1) @ v).transpose(1, 2).reshape(SEQUENCES, TOKENS, WIDTH))


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.self_attn, self.norm = Attention(), torch.nn.LayerNorm(WIDTH)

    def forward(self, x, mask):
        return self.norm(x + self.self_attn(x, mask))


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(11, WIDTH)
        self.layers = torch.nn.ModuleList(Layer() for _ in range(LAYERS))

    def forward(self, input_ids, attention_mask):
        x = self.embed(input_ids)
        for layer in self.layers:
            x = layer(x, attention_mask)
        return x


def computed(program, heads, folder, points):
    """log tr S by layer and head."""
    subprocess.run(
        [program, "run", "dof/layers", "--set", f"heads={{use: file, file: {heads}}}", "--set", f"points={points}",
         "--set", "lambdas=0.1", "--results", folder, "--as", "heads", "--no-figures", "--quiet"],
        check=True, stdout=subprocess.DEVNULL)
    with h5py.File(pathlib.Path(folder) / "dof" / "heads.h5") as results:
        return results["log_trace"][...].reshape(LAYERS, HEADS)


def main(program):
    torch.manual_seed(1)
    model = Model()
    tokens = torch.randint(11, (SEQUENCES, TOKENS))
    mask = torch.ones(SEQUENCES, TOKENS, dtype=torch.int64)
    mask[1, 3:] = 0
    mask[2, :2] = 0
    with tempfile.TemporaryDirectory() as folder:
        heads = pathlib.Path(folder) / "heads.npz"
        rfbench.heads(model, {"input_ids": tokens, "attention_mask": mask}, heads, num_heads=HEADS)
        stored = numpy.load(heads)
        for name, part in (("queries", 0), ("keys", 1), ("values", 2)):
            # [sequence, head, token, d] of each layer
            wanted = torch.stack([layer.self_attn.kept[part] for layer in model.layers]).transpose(1, 2)
            assert stored[name].shape == (LAYERS, HEADS, SEQUENCES, TOKENS, D), stored[name].shape
            assert numpy.array_equal(stored[name], wanted.numpy()), f"{name} are not the projections' outputs"

        kept = mask.numpy().astype(bool)
        points = numpy.concatenate([stored["queries"][:, :, kept], stored["keys"][:, :, kept]], axis=2).astype(float)
        # tr S, the mean of K(x, x) = exp(|x|^2 / sqrt d) over all queries and keys that are no padding
        wanted = numpy.log(numpy.exp((points**2).sum(-1) / D**0.5).mean(-1))
        read = computed(program, heads, folder, points.shape[2])
        # A sum of some 22 exponentials of sums of 4 squares below 100: 1e-13 relative.
        assert numpy.allclose(read, wanted, rtol=0, atol=1e-12), (read, wanted)
    print(f"{LAYERS} layers of {HEADS} heads are read as they were computed")


if __name__ == "__main__":
    main(*sys.argv[1:])
