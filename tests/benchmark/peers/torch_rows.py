"""The rows in torch, on the CPU: the same care as in numpy_rows.py, torch's own threads within an operation."""
import torch

BLOCK = 4096


def features(threads):
    torch.set_num_threads(threads)
    x = 0.2 * torch.randn(65536, 64)
    omega = torch.randn(64, 256)
    out = torch.empty(65536, 256)

    @torch.no_grad()
    def run():
        for first in range(0, len(x), BLOCK):
            rows, result = x[first : first + BLOCK], out[first : first + BLOCK]
            torch.addmm(rows.square().sum(1, keepdim=True), rows, omega, beta=-1, out=result)
            result.exp_()

    return run


def orthogonal(threads):
    torch.set_num_threads(threads)

    @torch.no_grad()
    def run():
        q, r = torch.linalg.qr(torch.randn(64, 64, 64, dtype=torch.float64))
        q *= r.diagonal(dim1=1, dim2=2).sign()[:, None, :]
        q *= torch.randn(64, 64, 64, dtype=torch.float64).norm(dim=1, keepdim=True)
        return q

    return run


def sweep(threads):
    torch.set_num_threads(threads)
    x, queries = torch.randn(25249, 6), torch.randn(2806, 6)
    classes = torch.arange(25249).remainder(18).sort().values
    one_hot = torch.nn.functional.one_hot(classes, 18).T.float().contiguous()
    gammas = torch.logspace(-2, 2, 10)

    def extended(rows):
        return torch.cat([rows, -rows.square().sum(1, keepdim=True)], 1)

    keys, queries = extended(x), extended(queries)
    block = torch.empty(BLOCK, 128)

    @torch.no_grad()
    def run():
        predicted = []
        for _ in range(50):
            omega = torch.randn(6, 128)
            for gamma in gammas:
                scaled = torch.cat([gamma * omega, torch.full((1, 128), float(gamma) ** 2)])
                sums = torch.zeros(18, 128)
                for first in range(0, len(keys), BLOCK):
                    rows = keys[first : first + BLOCK]
                    result = torch.mm(rows, scaled, out=block[: len(rows)]).exp_()
                    sums.addmm_(one_hot[:, first : first + len(rows)], result)
                predicted.append((torch.mm(queries, scaled).exp_() @ sums.T).argmax(1))
        return predicted

    return run
