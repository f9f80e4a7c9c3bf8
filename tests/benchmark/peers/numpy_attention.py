"""Attention in numpy, written as in numpy_rows.py: float32, tiles that stay in the cache, Python threads over them, no
shifts against overflow. One head, d = 64, positive features."""
import numpy

from numpy_rows import in_blocks

WIDTH = 64
CHUNK = 256  # tokens; of 64, 128, 256, 512 the fastest or within a tenth of it


def tokens(length, count=3):
    generator = numpy.random.default_rng(3)
    return [0.5 * generator.standard_normal((length, WIDTH), dtype=numpy.float32) for _ in range(count)]


class Features:
    """exp(w.x - |x|^2 / 2) of x = row / d^(1/4), as one product."""

    def __init__(self, count):
        generator = numpy.random.default_rng(4)
        self.scale = numpy.float32(WIDTH**-0.25)
        self.omega = self.scale * generator.standard_normal((WIDTH, count), dtype=numpy.float32)
        self.count = count

    def __call__(self, rows, out):
        squares = numpy.einsum("ij,ij->i", rows, rows)
        squares *= numpy.float32(0.5) * self.scale**2
        numpy.matmul(rows, self.omega, out=out)
        numpy.subtract(out, squares[:, None], out=out)
        return numpy.exp(out, out=out)

    def pullback(self, rows, values, gradient):
        gradient *= values
        return gradient @ self.omega.T - self.scale**2 * gradient.sum(1, keepdims=True) * rows


def exact(threads):
    length, key_tile = 16384, 2048
    q, k, v = tokens(length)
    q *= numpy.float32(WIDTH**-0.5)
    out = numpy.empty_like(v)

    def block(rows):
        scores = numpy.empty((rows.stop - rows.start, key_tile), numpy.float32)
        sums = numpy.zeros((len(scores), 1), numpy.float32)
        result = numpy.zeros((len(scores), WIDTH), numpy.float32)
        for first in range(0, length, key_tile):
            keys = slice(first, first + key_tile)
            numpy.matmul(q[rows], k[keys].T, out=scores)
            numpy.exp(scores, out=scores)
            sums += scores.sum(1, keepdims=True)
            result += scores @ v[keys]
        numpy.divide(result, sums, out=out[rows])

    return in_blocks(length, threads, block, CHUNK)


def exact_gradient(threads):
    """Tiles in both passes: weights are made again in the second, from the logarithms of their sums. Each thread has
    tiles of queries and sums of its own for keys and values."""
    length, tile = 8192, 512
    scale = numpy.float32(WIDTH**-0.5)
    q, k, v, slope = tokens(length, 4)
    out, g_q = numpy.empty_like(v), numpy.empty_like(q)
    of_keys, of_values = (numpy.empty((threads, length, WIDTH), numpy.float32) for _ in range(2))

    def share(part):
        thread = part.start * threads // length
        g_k, g_v = of_keys[thread], of_values[thread]
        g_k.fill(0)
        g_v.fill(0)
        scores, of_scores = (numpy.empty((tile, tile), numpy.float32) for _ in range(2))
        for first in range(part.start, part.stop, tile):
            rows = slice(first, first + tile)
            scaled = q[rows] * scale
            sums, result = numpy.zeros((tile, 1), numpy.float32), numpy.zeros((tile, WIDTH), numpy.float32)
            for start in range(0, length, tile):
                keys = slice(start, start + tile)
                numpy.matmul(scaled, k[keys].T, out=scores)
                numpy.exp(scores, out=scores)
                sums += scores.sum(1, keepdims=True)
                result += scores @ v[keys]
            numpy.divide(result, sums, out=out[rows])
            numpy.log(sums, out=sums)
            dots = numpy.einsum("ij,ij->i", slope[rows], out[rows])[:, None]
            gradient = numpy.zeros((tile, WIDTH), numpy.float32)
            for start in range(0, length, tile):
                keys = slice(start, start + tile)
                numpy.matmul(scaled, k[keys].T, out=scores)
                numpy.subtract(scores, sums, out=scores)
                numpy.exp(scores, out=scores)
                g_v[keys] += scores.T @ slope[rows]
                numpy.matmul(slope[rows], v[keys].T, out=of_scores)
                numpy.subtract(of_scores, dots, out=of_scores)
                numpy.multiply(of_scores, scores, out=of_scores)
                gradient += of_scores @ k[keys]
                g_k[keys] += of_scores.T @ scaled
            numpy.multiply(gradient, scale, out=g_q[rows])

    sharing = in_blocks(length, threads, share, length // threads)

    def run():
        sharing()
        return of_keys.sum(0), of_values.sum(0)

    return run


def linear(threads):
    length = 65536
    features, (q, k, v) = Features(256), tokens(length)
    out = numpy.empty_like(v)
    sums = numpy.empty((length // CHUNK, 256, WIDTH + 1), numpy.float32)

    def add(rows):
        values = features(k[rows], numpy.empty((CHUNK, 256), numpy.float32))
        own = sums[rows.start // CHUNK]
        own[:, :WIDTH] = values.T @ v[rows]
        own[:, WIDTH] = values.sum(0)

    def attend(rows):
        values = features(q[rows], numpy.empty((CHUNK, 256), numpy.float32))
        result = values @ state[0]
        numpy.divide(result[:, :WIDTH], result[:, WIDTH:], out=out[rows])

    state = [None]
    adding, attending = in_blocks(length, threads, add, CHUNK), in_blocks(length, threads, attend, CHUNK)

    def run():
        adding()
        state[0] = sums.sum(0)
        attending()

    return run


class Causal:
    """Chunks of running sums: those of all chunks at once, so that threads share them."""

    def __init__(self, length, threads):
        self.features, (self.q, self.k, self.v, self.slope) = Features(256), tokens(length, 4)
        chunks = length // CHUNK
        self.phi_q, self.phi_k = (numpy.empty((length, 256), numpy.float32) for _ in range(2))
        self.sums, self.slopes = (numpy.empty((chunks + 1, 256, WIDTH + 1), numpy.float32) for _ in range(2))
        self.out, self.g_q, self.g_k, self.g_v = (numpy.empty_like(self.v) for _ in range(4))
        self.n_slope = numpy.empty((length, WIDTH + 1), numpy.float32)
        self.ones = numpy.ones((CHUNK, 1), numpy.float32)
        self.passes = [in_blocks(length, threads, body, CHUNK) for body in (self.add, self.attend, self.send)]

    def add(self, rows):
        values = self.features(self.k[rows], self.phi_k[rows])
        own = self.sums[rows.start // CHUNK + 1]
        own[:, :WIDTH] = values.T @ self.v[rows]
        own[:, WIDTH] = values.sum(0)

    def attend(self, rows):
        before = self.sums[rows.start // CHUNK]
        phi = self.features(self.q[rows], self.phi_q[rows])
        weights = numpy.tril(phi @ self.phi_k[rows].T)
        result = phi @ before
        result[:, :WIDTH] += weights @ self.v[rows]
        result[:, WIDTH] += weights.sum(1)
        numpy.divide(result[:, :WIDTH], result[:, WIDTH:], out=self.out[rows])
        return phi, before, result[:, WIDTH:]

    def attend_and_differentiate(self, rows):
        phi, before, sums = self.attend(rows)
        slope = self.n_slope[rows]
        numpy.divide(self.slope[rows], sums, out=slope[:, :WIDTH])
        slope[:, WIDTH] = -numpy.einsum("ij,ij->i", slope[:, :WIDTH], self.out[rows])
        of_weights = numpy.tril(slope[:, :WIDTH] @ self.v[rows].T + slope[:, WIDTH:])
        gradient = of_weights @ self.phi_k[rows]
        gradient += slope @ before.T
        self.g_q[rows] = self.features.pullback(self.q[rows], phi, gradient)
        self.slopes[rows.start // CHUNK] = phi.T @ slope

    def send(self, rows):
        after = self.slopes[rows.start // CHUNK + 1]
        phi, slope = self.phi_k[rows], self.n_slope[rows]
        of_weights = numpy.tril(slope[:, :WIDTH] @ self.v[rows].T + slope[:, WIDTH:])
        weights = numpy.tril(self.phi_q[rows] @ phi.T)
        self.g_v[rows] = weights.T @ slope[:, :WIDTH] + phi @ after[:, :WIDTH]
        gradient = of_weights.T @ self.phi_q[rows]
        gradient += self.v[rows] @ after[:, :WIDTH].T
        gradient += after[:, WIDTH]
        self.g_k[rows] = self.features.pullback(self.k[rows], phi, gradient)

    def forward(self):
        self.sums[0] = 0
        self.passes[0]()
        numpy.cumsum(self.sums, axis=0, out=self.sums)
        self.passes[1]()

    def backward(self):
        self.forward()
        self.slopes[-1] = 0
        reversed_slopes = self.slopes[::-1]
        numpy.cumsum(reversed_slopes, axis=0, out=reversed_slopes)
        self.passes[2]()


def causal(threads):
    return Causal(65536, threads).forward


def backward(threads):
    own = Causal(16384, threads)
    own.passes[1] = in_blocks(16384, threads, own.attend_and_differentiate, CHUNK)
    return own.backward


def masked(length, threads):
    """Tiles of the mask are views of its 2 L - 1 entries. (numpy's FFTs of all 64 x 65 columns take longer.)"""
    key_tile = 2048
    features, (q, k, v) = Features(64), tokens(length)
    offsets = numpy.abs(numpy.arange(length - 1, -length, -1))
    entries = numpy.exp(numpy.float32(-8 / length) * offsets.astype(numpy.float32))
    step = entries.strides[0]
    out, phi_q, phi_k = numpy.empty_like(v), *(numpy.empty((length, 64), numpy.float32) for _ in range(2))

    def make(rows):
        features(q[rows], phi_q[rows])
        features(k[rows], phi_k[rows])

    def attend(rows):
        n = rows.stop - rows.start
        weights = numpy.empty((n, key_tile), numpy.float32)
        sums = numpy.zeros((n, 1), numpy.float32)
        result = numpy.zeros((n, WIDTH), numpy.float32)
        for first in range(0, length, key_tile):
            keys = slice(first, first + key_tile)
            # entry (i, j) is that of the offset i - j, at place L - 1 - (i - j).
            corner = entries[length - 1 - (rows.start - first) - (n - 1) :]
            mask = numpy.lib.stride_tricks.as_strided(corner, (n, key_tile), (step, step))[::-1]
            numpy.matmul(phi_q[rows], phi_k[keys].T, out=weights)
            numpy.multiply(weights, mask, out=weights)
            sums += weights.sum(1, keepdims=True)
            result += weights @ v[keys]
        numpy.divide(result, sums, out=out[rows])

    making, attending = in_blocks(length, threads, make, CHUNK), in_blocks(length, threads, attend, CHUNK)

    def run():
        making()
        attending()

    return run


def mask_4096(threads):
    return masked(4096, threads)


def mask_16384(threads):
    return masked(16384, threads)
