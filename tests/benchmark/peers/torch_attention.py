"""Attention in torch, on the CPU: the same care as in numpy_attention.py, torch's own threads within an operation."""
import torch

WIDTH = 64
TILE = 1024
CHUNK = 256


def tokens(length, count=3):
    torch.manual_seed(3)
    return [0.5 * torch.randn(length, WIDTH) for _ in range(count)]


class Features:
    def __init__(self, count):
        self.scale = WIDTH**-0.25
        self.omega = self.scale * torch.randn(WIDTH, count)

    def __call__(self, rows, out=None):
        squares = rows.square().sum(1, keepdim=True)
        return torch.addmm(squares, rows, self.omega, beta=-0.5 * self.scale**2, out=out).exp_()

    def pullback(self, rows, values, gradient):
        gradient *= values
        return gradient @ self.omega.T - self.scale**2 * gradient.sum(1, keepdim=True) * rows


def tiles(length, size):
    return [slice(first, first + size) for first in range(0, length, size)]


def exact(threads):
    torch.set_num_threads(threads)
    length = 16384
    q, k, v = tokens(length)
    q *= WIDTH**-0.5
    scores, out = torch.empty(TILE, TILE), torch.empty_like(v)

    @torch.no_grad()
    def run():
        for rows in tiles(length, TILE):
            sums, result = torch.zeros(TILE, 1), torch.zeros(TILE, WIDTH)
            for keys in tiles(length, TILE):
                torch.mm(q[rows], k[keys].T, out=scores).exp_()
                sums += scores.sum(1, keepdim=True)
                result.addmm_(scores, v[keys])
            torch.div(result, sums, out=out[rows])

    return run


def exact_gradient(threads):
    """Tiles in both passes: weights are made again in the second, from the logarithms of their sums."""
    torch.set_num_threads(threads)
    length, tile = 8192, 512
    q, k, v, slope = tokens(length, 4)
    scale = WIDTH**-0.5
    scores, of_scores = torch.empty(tile, tile), torch.empty(tile, tile)
    out, g_q, g_k, g_v = (torch.empty_like(v) for _ in range(4))

    @torch.no_grad()
    def run():
        scaled = q * scale
        g_k.zero_()
        g_v.zero_()
        for rows in tiles(length, tile):
            sums, result = torch.zeros(tile, 1), torch.zeros(tile, WIDTH)
            for keys in tiles(length, tile):
                torch.mm(scaled[rows], k[keys].T, out=scores).exp_()
                sums += scores.sum(1, keepdim=True)
                result.addmm_(scores, v[keys])
            torch.div(result, sums, out=out[rows])
            logs, dots = sums.log_(), (slope[rows] * out[rows]).sum(1, keepdim=True)
            gradient = torch.zeros(tile, WIDTH)
            for keys in tiles(length, tile):
                torch.addmm(logs, scaled[rows], k[keys].T, beta=-1, out=scores).exp_()
                g_v[keys].addmm_(scores.T, slope[rows])
                torch.addmm(dots, slope[rows], v[keys].T, beta=-1, out=of_scores).mul_(scores)
                gradient.addmm_(of_scores, k[keys])
                g_k[keys].addmm_(of_scores.T, scaled[rows])
            torch.mul(gradient, scale, out=g_q[rows])

    return run


def exact_gradient_plain(threads):
    """As one writes it for a paper: the whole matrix, and torch's own gradient."""
    torch.set_num_threads(threads)
    q, k, v, slope = (rows.requires_grad_() for rows in tokens(8192, 4))

    def run():
        out = torch.softmax(q @ k.T * WIDTH**-0.5, dim=-1) @ v
        return torch.autograd.grad(out, (q, k, v), slope)

    return run


def linear(threads):
    torch.set_num_threads(threads)
    length = 65536
    features, (q, k, v) = Features(256), tokens(length)
    values, out = torch.empty(TILE, 256), torch.empty_like(v)

    @torch.no_grad()
    def run():
        numerators, denominators = torch.zeros(256, WIDTH), torch.zeros(256)
        for rows in tiles(length, TILE):
            features(k[rows], values)
            numerators.addmm_(values.T, v[rows])
            denominators += values.sum(0)
        for rows in tiles(length, TILE):
            features(q[rows], values)
            torch.div(values @ numerators, (values @ denominators)[:, None], out=out[rows])

    return run


class Causal:
    """Chunks of running sums, one after the other: the state stays in the cache."""

    def __init__(self, length):
        self.length, self.features = length, Features(256)
        self.q, self.k, self.v, self.slope = tokens(length, 4)
        self.phi_q, self.phi_k = torch.empty(length, 256), torch.empty(length, 256)
        self.out, self.g_q, self.g_k, self.g_v = (torch.empty_like(self.v) for _ in range(4))
        self.n_slope, self.d_slope = torch.empty_like(self.v), torch.empty(length, 1)

    @torch.no_grad()
    def forward(self, differentiate=False):
        numerators, denominators = torch.zeros(256, WIDTH), torch.zeros(256, 1)
        for rows in tiles(self.length, CHUNK):
            phi = self.features(self.q[rows], self.phi_q[rows])
            keys = self.features(self.k[rows], self.phi_k[rows])
            weights = (phi @ keys.T).tril_()
            sums = weights.sum(1, keepdim=True).addmm_(phi, denominators)
            result = (weights @ self.v[rows]).addmm_(phi, numerators)
            torch.div(result, sums, out=self.out[rows])
            if differentiate:
                self.differentiate(rows, phi, keys, sums, numerators, denominators)
            numerators.addmm_(keys.T, self.v[rows])
            denominators += keys.sum(0)[:, None]

    def of_weights(self, rows):
        return (self.n_slope[rows] @ self.v[rows].T).add_(self.d_slope[rows]).tril_()

    def differentiate(self, rows, phi, keys, sums, numerators, denominators):
        torch.div(self.slope[rows], sums, out=self.n_slope[rows])
        self.d_slope[rows] = -(self.n_slope[rows] * self.out[rows]).sum(1, keepdim=True)
        gradient = self.of_weights(rows) @ keys
        gradient.addmm_(self.n_slope[rows], numerators.T).addmm_(self.d_slope[rows], denominators.T)
        self.g_q[rows] = self.features.pullback(self.q[rows], phi, gradient)

    @torch.no_grad()
    def backward(self):
        self.forward(differentiate=True)
        of_sums, of_ones = torch.zeros(256, WIDTH), torch.zeros(256)
        for rows in reversed(tiles(self.length, CHUNK)):
            phi, keys = self.phi_q[rows], self.phi_k[rows]
            weights = (phi @ keys.T).tril_()
            torch.mm(weights.T, self.n_slope[rows], out=self.g_v[rows]).addmm_(keys, of_sums)
            gradient = (self.of_weights(rows).T @ phi).addmm_(self.v[rows], of_sums.T).add_(of_ones)
            self.g_k[rows] = self.features.pullback(self.k[rows], keys, gradient)
            of_sums.addmm_(phi.T, self.n_slope[rows])
            of_ones += (phi * self.d_slope[rows]).sum(0)


def causal(threads):
    torch.set_num_threads(threads)
    return Causal(65536).forward


def backward(threads):
    torch.set_num_threads(threads)
    return Causal(16384).backward


def masked(length, threads):
    torch.set_num_threads(threads)
    features, (q, k, v) = Features(64), tokens(length)
    entries = torch.exp(-8 / length * torch.arange(length - 1, -length, -1).abs())
    # Row r of the reversed tile begins one entry before that of row r + 1: views with positive strides are enough when
    # the queries are taken from the last to the first.
    backwards = q.flip(0).contiguous()
    phi_q, phi_k = torch.empty(length, 64), torch.empty(length, 64)
    weights, out = torch.empty(TILE, TILE), torch.empty_like(v)

    @torch.no_grad()
    def run():
        for rows in tiles(length, TILE):
            features(backwards[rows], phi_q[rows])
            features(k[rows], phi_k[rows])
        for rows in tiles(length, TILE):
            sums, result = torch.zeros(TILE, 1), torch.zeros(TILE, WIDTH)
            for keys in tiles(length, TILE):
                mask = torch.as_strided(entries, (TILE, TILE), (1, 1), rows.start + keys.start)
                torch.mm(phi_q[rows], phi_k[keys].T, out=weights).mul_(mask)
                sums += weights.sum(1, keepdim=True)
                result.addmm_(weights, v[keys])
            torch.div(result, sums, out=out[rows])
        return out.flip(0)

    return run


def mask_4096(threads):
    return masked(4096, threads)


def mask_16384(threads):
    return masked(16384, threads)


def masked_by_ffts(length, threads):
    """As it is written for a paper: a product with the mask is a convolution, here of a few features at a time."""
    torch.set_num_threads(threads)
    group = 4
    features, (q, k, v) = Features(64), tokens(length)
    entries = torch.exp(-8 / length * torch.arange(length).abs())
    spectrum = torch.fft.rfft(torch.cat([entries, torch.zeros(1), entries[1:].flip(0)]))
    values = torch.cat([v, torch.ones(length, 1)], 1).T.contiguous()

    @torch.no_grad()
    def run():
        phi_q, phi_k = features(q).T.contiguous(), features(k).T.contiguous()
        result = torch.zeros(WIDTH + 1, length)
        for first in range(0, 64, group):
            part = slice(first, first + group)
            transformed = torch.fft.rfft(phi_k[part, None, :] * values, 2 * length).mul_(spectrum)
            sums = torch.fft.irfft(transformed, 2 * length)[..., :length]
            result += sums.mul_(phi_q[part, None, :]).sum(0)
        return (result[:WIDTH] / result[WIDTH]).T

    return run


def mask_fft_4096(threads):
    return masked_by_ffts(4096, threads)


def mask_fft_16384(threads):
    return masked_by_ffts(16384, threads)
