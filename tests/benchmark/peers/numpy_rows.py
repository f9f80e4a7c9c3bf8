"""The rows in numpy, but for the plain ones written as well as numpy allows: float32, preallocated outputs, blocks of rows
that stay in the cache, shared among Python threads (numpy releases the interpreter lock), exponents scaled before, not
after. No row keeps more factors than its answer needs: no shifts against overflow, so that large gammas are not even
right."""
from concurrent.futures import ThreadPoolExecutor

import numpy

BLOCK = 1024  # rows; of 256, 512, 1024, 2048, 4096 the fastest or within a tenth of it


def in_blocks(rows, threads, body, size=BLOCK):
    """body(slice) for all blocks of rows, on `threads` threads."""
    slices = [slice(first, min(first + size, rows)) for first in range(0, rows, size)]
    if threads == 1:
        return lambda: [body(block) for block in slices]
    pool = ThreadPoolExecutor(threads)
    return lambda: list(pool.map(body, slices))


def features(threads):
    generator = numpy.random.default_rng(1)
    x = 0.2 * generator.standard_normal((65536, 64), dtype=numpy.float32)
    omega = generator.standard_normal((64, 256), dtype=numpy.float32)
    out = numpy.empty((65536, 256), numpy.float32)

    def block(rows):
        own, result = x[rows], out[rows]
        squares = numpy.einsum("ij,ij->i", own, own)
        numpy.matmul(own, omega, out=result)
        numpy.subtract(result, squares[:, None], out=result)
        numpy.exp(result, out=result)

    return in_blocks(len(x), threads, block)


def orthogonal(threads):
    del threads  # LAPACK works on one block after the other
    generator = numpy.random.Generator(numpy.random.SFC64(1))
    gaussian = numpy.empty((64, 64, 64))

    def run():
        generator.standard_normal(out=gaussian)
        q, r = numpy.linalg.qr(gaussian)
        # Haar only with the signs of the diagonal; rows of q are as long as independent Gaussian vectors.
        q *= numpy.sign(numpy.diagonal(r, axis1=1, axis2=2))[:, None, :]
        q *= numpy.sqrt(generator.chisquare(64, size=(64, 1, 64)))
        return q

    return run


def features_plain(threads):
    """As one writes it for a paper, in float32."""
    del threads  # its product is BLAS's, which peers.py gives as many threads as ours has
    generator = numpy.random.default_rng(1)
    x = 0.2 * generator.standard_normal((65536, 64), dtype=numpy.float32)
    omega = generator.standard_normal((64, 256), dtype=numpy.float32)
    return lambda: numpy.exp(x @ omega - (x**2).sum(1, keepdims=True)) / numpy.float32(16)


def sweep_data():
    generator = numpy.random.default_rng(2)
    x = generator.standard_normal((25249, 6), dtype=numpy.float32)
    queries = generator.standard_normal((2806, 6), dtype=numpy.float32)
    classes = numpy.sort(numpy.arange(25249) % 18)
    return x, queries, classes, numpy.logspace(-2, 2, 10).astype(numpy.float32)


def sweep_plain(threads):
    """As one writes it for a paper: for each draw and gamma the features of all rows, then a product with the one-hot
    classes. In float32; numpy's default of float64 takes three times as long."""
    del threads  # its products are BLAS's, which peers.py gives as many threads as ours has
    x, queries, classes, gammas = sweep_data()
    one_hot = numpy.eye(18, dtype=numpy.float32)[classes]

    def features(rows, omega):
        return numpy.exp(rows @ omega - (rows**2).sum(1, keepdims=True))

    def run():
        predicted = []
        for seed in range(50):
            omega = numpy.random.default_rng(seed).standard_normal((6, 128), dtype=numpy.float32)
            for gamma in gammas:
                sums = features(gamma * x, omega).T @ one_hot
                predicted.append((features(gamma * queries, omega) @ sums).argmax(1))
        return predicted

    return run


def sweep(threads):
    x, queries, classes, gammas = sweep_data()

    # w.x - |x|^2 as one product: a seventh column.
    def extended(rows):
        return numpy.hstack([rows, -(rows**2).sum(1, keepdims=True)])

    keys, queries = extended(x), extended(queries)
    one_hot = (classes[None, :] == numpy.arange(18)[:, None]).astype(numpy.float32)

    def draw(seed):
        # A draw's work, in blocks: all gammas on one block of rows while it is in the cache.
        scaled = numpy.empty((10, 7, 128), numpy.float32)
        omega = numpy.random.default_rng(seed).standard_normal((6, 128), dtype=numpy.float32)
        scaled[:, :6] = gammas[:, None, None] * omega
        scaled[:, 6] = gammas[:, None] ** 2
        sums = numpy.zeros((10, 18, 128), numpy.float32)
        block = numpy.empty((BLOCK, 128), numpy.float32)
        for first in range(0, len(keys), BLOCK):
            rows = keys[first : first + BLOCK]
            result = block[: len(rows)]
            low, high = classes[first], classes[first + len(rows) - 1] + 1
            weights = one_hot[low:high, first : first + len(rows)]
            for g in range(10):
                numpy.matmul(rows, scaled[g], out=result)
                numpy.exp(result, out=result)
                sums[g, low:high] += weights @ result
        predicted = []
        for g in range(10):
            result = queries @ scaled[g]
            numpy.exp(result, out=result)
            predicted.append((result @ sums[g].T).argmax(1))
        return predicted

    if threads == 1:
        return lambda: [draw(seed) for seed in range(50)]
    pool = ThreadPoolExecutor(threads)
    return lambda: list(pool.map(draw, range(50)))
