"""Checks mechanisms, maps and features of the Python package, and that their values are those of the program.

python3 tests/python/features.py: with the folder of the package in PYTHONPATH and the program in RFBENCH_PROGRAM.
"""

import copy
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import h5py
import numpy
import rfbench
from rfbench import files
from scipy.sparse import csr_matrix

PROGRAM = os.environ.get("RFBENCH_PROGRAM", "rfbench")
N, D = 24, 5
TRAINED = ("learned-points", "luna")  # what a training left behind


def points(seed=0, n=N, scale=0.5):
    return scale * numpy.random.default_rng(seed).standard_normal((n, D))


def of_the_program(folder, name, x, y, sampling, seed, columns):
    """What `rfbench features` writes for these points."""
    for file, rows in (("x.npy", x), ("y.npy", y)):
        numpy.save(folder / file, rows)
    subprocess.run(
        [PROGRAM, "features", name, "--x", "x.npy", "--y", "y.npy", "--out", "f.h5", "--sampling", sampling]
        + ["--seed", str(seed), "--columns", str(columns)],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    with h5py.File(folder / "f.h5") as file:
        return {key: file[key][...] for key in ("queries", "keys", "query_log_scale", "key_log_scale", "omega")}


class Catalogue(unittest.TestCase):
    def test_every_mechanism_is_described(self):
        self.assertIn("optimal-positive", rfbench.mechanisms())
        self.assertIn("orthogonal", rfbench.samplings())
        for name, info in rfbench.mechanisms().items():
            self.assertEqual(info.name, name)
            self.assertTrue(info.features and info.reference)

    def test_names_and_values_are_refused_in_sentences(self):
        x, with_nan = points(), points()
        with_nan[7, 2] = numpy.nan
        for call, said in (
            (lambda: rfbench.fit("optimal-positiv", x), "optimal-positive"),
            (lambda: rfbench.fit("hybrid", x, A=1), "has no parameter 'A'"),
            (lambda: rfbench.fit("generalized-exponential", x, A="no"), "'no' is not allowed"),
            (lambda: rfbench.fit("positive", x, points()[:, :3]), "dimension"),
            (lambda: rfbench.fit("luna", x), "no features before it is trained: give its head_parameters"),
            (lambda: rfbench.fit("learned-points", x), "give its points"),
            (lambda: rfbench.fit("positive", csr_matrix(x)), "an array of object is given"),
            (lambda: rfbench.fit("positive", x[0]), r"x: an array of shape \(5,\)"),
            (lambda: rfbench.fit("positive", x + 1j), "complex128"),
            (lambda: rfbench.fit("positive", numpy.full((2, 2), numpy.nan)), "nan"),
            (lambda: rfbench.fit("positive", x).draw(0), "at least 1 draw"),
            (lambda: rfbench.fit("positive", x).draw(4, "orthogonl"), "orthogonal"),
            (lambda: rfbench.fit("positive", x).draw(4, seed=-1), "seed: -1"),
            (lambda: rfbench.fit("positive", x).draw(4).queries(x[:, :2]), "x has 2 columns; the map was drawn for 5"),
            (lambda: rfbench.fit("positive", x).draw(4).keys(numpy.full((2, D), numpy.inf)), "y has inf at row 0"),
            (lambda: rfbench.fit("positive", x).draw(4).keys(with_nan), "y has nan at row 7"),
            (lambda: rfbench.fit("positive", x).draw(4).keys(numpy.full((2, D), 1e200)), "finite for entries up to"),
        ):
            with self.assertRaisesRegex(ValueError, said):
                call()


class Values(unittest.TestCase):
    def test_features_are_those_of_the_program(self):
        x, y = points(1), points(2)
        with tempfile.TemporaryDirectory() as folder:
            for name in rfbench.mechanisms():
                if name in TRAINED:
                    continue
                with self.subTest(name=name):
                    want = of_the_program(Path(folder), name, x, y, "sobol", 7, 40)
                    drawn = rfbench.fit(name, x, y).draw(columns=40, sampling="sobol", seed=7)
                    queries, keys = drawn.queries(x), drawn.keys(y)
                    for got, key in (
                        (queries.values, "queries"),
                        (queries.log_scales, "query_log_scale"),
                        (keys.values, "keys"),
                        (keys.log_scales, "key_log_scale"),
                        (drawn.omega, "omega"),
                    ):
                        self.assertTrue(numpy.array_equal(got, want[key]), key)

    def test_any_layout_gives_the_same_bits(self):
        x = points(3)
        drawn = rfbench.fit("optimal-positive", x).draw(17)
        want = drawn.queries(x).values
        wide = numpy.zeros((2 * N, D + 3))
        wide[::2, 1 : D + 1] = x
        backwards = numpy.ascontiguousarray(x[::-1])[::-1]
        for same in (numpy.asfortranarray(x), wide[::2, 1 : D + 1], backwards, x.astype(">f8"), x.tolist()):
            self.assertTrue(numpy.array_equal(drawn.queries(same).values, want))

    def test_values_are_written_into_an_array_with_the_same_bits(self):
        x = points(22, 1000)
        for precision in (numpy.float32, numpy.float64):
            rows = x.astype(precision)
            for name in ("positive", "trigonometric", "poisson", rfbench.mechanism("mine", positive_feature)):
                drawn = rfbench.fit(name, x).draw(columns=40, sampling="sobol")
                want, out = drawn.keys(rows), numpy.empty((1000, drawn.columns), precision)
                found = drawn.keys(rows, out)
                self.assertIs(found.values, out)
                self.assertTrue(numpy.array_equal(out, want.values))
                self.assertTrue(numpy.array_equal(found.log_scales, want.log_scales))
                self.assertEqual(found.vanished, want.vanished)

    def test_an_array_to_write_into_is_refused_in_sentences(self):
        x = points(23, 40)
        drawn = rfbench.fit("positive", x).draw(D)
        fixed = numpy.empty((40, D))
        fixed.flags.writeable = False
        for out, said in (
            (numpy.empty((40, D), numpy.float32), r"of float32 of shape \(40, 5\) is given; one of float64"),
            (numpy.empty((39, D)), r"of shape \(39, 5\) is given"),
            (numpy.empty((D, 40)).T, "C-contiguous"),
            (fixed, "may be written"),
            (x, "it shares memory with x"),
            ([1, 2], r"out: \[1, 2\] is given; an array of NumPy"),
        ):
            with self.assertRaisesRegex(ValueError, said):
                drawn.queries(x, out)

    def test_memory_of_arrays_that_are_gone_serves_no_other_that_lives(self):
        x = points(24, 12000)
        drawn = rfbench.fit("positive", x).draw(64)  # 6 MB each, which is kept
        first, second = drawn.queries(x), drawn.queries(2 * x)
        wanted, part = [first.values.copy(), second.values.copy()], first.values[1:3]
        del first
        third = drawn.queries(3 * x)  # the part keeps the first alive
        self.assertTrue(numpy.array_equal(part, wanted[0][1:3]))
        self.assertTrue(numpy.array_equal(second.values, wanted[1]))
        del third
        self.assertTrue(numpy.array_equal(drawn.queries(2 * x).values, wanted[1]))
        self.assertTrue(numpy.array_equal(second.values, wanted[1]))

    def test_single_precision_stays_single(self):
        x = points(4)
        drawn = rfbench.fit("positive", x).draw(16)
        single = drawn.queries(x.astype(numpy.float32))
        self.assertEqual(single.values.dtype, numpy.float32)
        # Sums of D products and an exponential: some ulps of terms below 10.
        numpy.testing.assert_allclose(single.dense(), drawn.queries(x).dense(), rtol=100 * numpy.finfo("f4").eps)

    def test_moments_are_those_of_many_draws(self):
        x, y = points(5, 1)[0], points(6, 1)[0]
        mechanism = rfbench.fit("positive", x[None], y[None])
        moments = mechanism.moments(x, y)
        self.assertEqual(numpy.shape(moments.log_variance), ())
        self.assertAlmostEqual(float(moments.log_mean), -0.5 * ((x - y) ** 2).sum(), places=12)
        # Positive features: Var = exp(-|x|^2 - |y|^2 + 2|x + y|^2 - |x|^2 - |y|^2) - K^2 (Likhosherstov 2022, 6.2).
        plus, s = ((x + y) ** 2).sum(), (x**2).sum() + (y**2).sum()
        exact = numpy.exp(2 * plus - 2 * s) - numpy.exp(-((x - y) ** 2).sum())
        self.assertAlmostEqual(float(mechanism.variance(x, y, 10)), exact / 10, places=12)

    def test_moments_have_the_shape_of_the_pairs(self):
        x, y = points(5, 3), points(6, 4)
        mechanism = rfbench.fit("positive", x, y)
        self.assertEqual(mechanism.moments(x, y).log_mean.shape, (3, 4))
        self.assertEqual(mechanism.log_variance(x[0], y, 8, "orthogonal").shape, (4,))
        with self.assertRaisesRegex(ValueError, "no closed form"):
            mechanism.variance(x, y, 8, "sobol")

    def test_what_leaves_the_range_is_said(self):
        drawn = rfbench.fit("positive", points()).draw(4)
        far = numpy.full((1, D), 30.0)
        with self.assertRaisesRegex(OverflowError, "row 0"):
            numpy.asarray(drawn.queries(far))

    def test_pickles_are_the_same_to_the_bit(self):
        x, y = points(7), points(8, scale=0.9)
        drawn = rfbench.fit("dense-symmetric", x, y).draw(9, "orthogonal", 3)
        again = pickle.loads(pickle.dumps(drawn))
        self.assertTrue(numpy.array_equal(again.queries(x).values, drawn.queries(x).values))
        self.assertEqual(repr(copy.deepcopy(drawn)), repr(drawn))

    def test_other_threads_run_meanwhile(self):
        x = points(8, 2000)
        drawn = rfbench.fit("positive", x).draw(64)
        begun, ran = threading.Event(), []
        other = threading.Thread(target=lambda: (begun.wait(), ran.append(True)))
        other.start()
        sys.setswitchinterval(1000)  # no thread is made to let go of the lock: only features do
        begun.set()
        for _ in range(1000):
            drawn.queries(x)
            if ran:
                break
        found = list(ran)
        sys.setswitchinterval(0.005)
        other.join()
        self.assertEqual(found, [True])


def positive_feature(x, omega):
    """exp(w.x - |x|^2), positive features by their formula."""
    return numpy.exp(x @ omega - (x**2).sum(1)[:, None])


def wave(x, omega):
    return numpy.exp(1j * (x @ omega))


def conjugate_wave(y, omega):
    return numpy.exp(-1j * (y @ omega))


class OwnMechanisms(unittest.TestCase):
    def test_functions_are_the_catalogue_s_where_the_formulas_are(self):
        x, y = points(9), points(10)
        for own, name in (
            (rfbench.mechanism("mine", positive_feature), "positive"),
            (rfbench.mechanism("waves", wave, conjugate_wave), "trigonometric"),
        ):
            drawn = rfbench.fit(own, x, y).draw(12, "orthogonal", 4)
            want = rfbench.fit(name, x, y).draw(12, "orthogonal", 4)
            self.assertEqual(drawn.columns, want.columns)
            # The same sums of some dozens of terms, in another order.
            numpy.testing.assert_allclose(drawn.estimate(x, y), want.estimate(x, y), rtol=1e-12, atol=1e-14)
            single = x.astype(numpy.float32)
            self.assertEqual(drawn.queries(single).values.dtype, numpy.float32)

    def test_a_law_is_its_quantile(self):
        x = points(11)
        uniform = rfbench.mechanism("uniform", lambda x, omega: x @ omega, law=lambda l, u: l + u)
        omega = rfbench.fit(uniform, x).draw(500, seed=2).omega
        self.assertTrue(((omega > numpy.arange(D)[:, None]) & (omega < numpy.arange(1, D + 1)[:, None])).all())

    def test_drawn_moments_stand_for_exact_ones(self):
        x, y = points(12, 1)[0], points(13, 1)[0]
        exact = rfbench.fit("positive", x[None], y[None])
        own = rfbench.fit(rfbench.mechanism("mine", positive_feature), x[None], y[None])
        found = own.drawn_moments(x, y, 4, repeats=400)
        self.assertLess(abs(found.mean - numpy.exp(-0.5 * ((x - y) ** 2).sum())), 6 * found.mean_error)
        self.assertLess(abs(found.variance - exact.variance(x, y, 4)), 6 * found.variance_error)
        with self.assertRaisesRegex(ValueError, "'mine' states no mean and variance"):
            own.moments(x, y)

    def test_a_second_moment_of_ones_own_gives_exact_variances(self):
        x, y = points(25, 3), points(26, 4)

        def second_moment(x, y):
            norms = (x**2).sum(1)[:, None] + (y**2).sum(1)
            return 2 * (norms + 2 * x @ y.T) - 2 * norms

        own = rfbench.fit(rfbench.mechanism("mine", positive_feature, log_second_moment=second_moment), x, y)
        # Logarithms of sums of some terms of order one, in another order.
        numpy.testing.assert_allclose(own.log_variance(x, y, 6), rfbench.fit("positive", x, y).log_variance(x, y, 6), rtol=1e-11)
        again = pickle.loads(pickle.dumps(rfbench.fit(rfbench.mechanism("mine", positive_feature, positive=True), x)))
        self.assertTrue(again.info.positive)
        for wrong, said in ((lambda x, y: x, "an entry for each pair"), (lambda x, y: x @ y.T - 99, "never below K")):
            with self.assertRaisesRegex(ValueError, said):
                rfbench.fit(rfbench.mechanism("mine", positive_feature, log_second_moment=wrong), x).variance(x, y, 6)

    def test_attention_takes_them_on_all_threads(self):
        q, k, v = (points(seed).reshape(2, 3, 4, D) for seed in (14, 15, 16))
        own = rfbench.mechanism("mine", positive_feature)
        outs = []
        for name in (own, "positive"):
            drawn = rfbench.attention.fit(name, q, k).draw(16, "orthogonal")
            outs.append(rfbench.attention.linear(q, k, v, drawn))
        numpy.testing.assert_allclose(*outs, rtol=1e-11)

    def test_faults_of_functions_are_told(self):
        x = points(17)

        def fails(x, omega):
            raise KeyError("mine")

        for function, error, said in (
            (fails, KeyError, "mine"),
            (lambda x, omega: omega, ValueError, "'bad' gives an array of shape"),
            (lambda x, omega: x @ omega + numpy.inf, ValueError, "not finite"),
            (lambda x, omega: (x @ omega).astype(object), ValueError, "object"),
        ):
            with self.assertRaisesRegex(error, said):
                rfbench.fit(rfbench.mechanism("bad", function), x).draw(4).queries(x)
        with self.assertRaisesRegex(ValueError, "law: 'gauss'"):
            rfbench.mechanism("bad", fails, law="gauss")

    def test_they_pickle_as_their_functions_do(self):
        x = points(18)
        drawn = rfbench.fit(rfbench.mechanism("mine", positive_feature), x).draw(4)
        again = pickle.loads(pickle.dumps(drawn))
        self.assertTrue(numpy.array_equal(again.queries(x).values, drawn.queries(x).values))
        with self.assertRaisesRegex(ValueError, "functions of Python"):
            drawn.save("nowhere.h5")


class Files(unittest.TestCase):
    def test_a_map_is_kept_to_the_bit(self):
        x, y = points(19), points(20)
        given = {"generalized-exponential": dict(A=-0.1 + 0.05j), "poisson": {"lambda": 1.5}, "cosine-phase": {}}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "map.h5"
            for name in rfbench.mechanisms():
                if name in TRAINED:
                    continue
                with self.subTest(name=name):
                    drawn = rfbench.fit(name, x, y, **given.get(name, {})).draw(6, "sobol", 2**63 + 1)
                    drawn.save(path)
                    again = rfbench.load_map(path)
                    self.assertEqual(again.mechanism.parameters, drawn.mechanism.parameters)
                    self.assertTrue(numpy.array_equal(again.keys(y).values, drawn.keys(y).values))

    def test_the_program_reads_what_the_package_writes_and_the_other_way_round(self):
        x = points(21)
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            of_the_program(folder, "poisson-shifted", x, x, "sobol", 3, 20)
            drawn = rfbench.load_map(folder / "f.h5")
            want = rfbench.fit("poisson-shifted", x).draw(columns=20, sampling="sobol", seed=3).queries(x).values
            self.assertTrue(numpy.array_equal(drawn.queries(x).values, want))
            drawn.save(folder / "map.h5")
            command = [PROGRAM, "features", "--map", "map.h5", "--x", "x.npy", "--out", "again.h5"]
            said = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
            self.assertEqual(said.stderr, "")
            with h5py.File(folder / "again.h5") as file:
                self.assertTrue(numpy.array_equal(file["queries"][...], want))

    def test_a_map_that_would_be_another_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "map.h5"
            rfbench.fit("positive", points()).draw(4, seed=1).save(path)
            content = path.read_bytes()

            def other_seed(file):
                Path(file).write_bytes(content[: content.rindex(files._SEAL)])
                with h5py.File(file, "r+") as opened:
                    opened.attrs["seed"] = "2"

            files._replace(path, other_seed)
            with self.assertRaisesRegex(OSError, "draws another map"):
                rfbench.load_map(path)

            def no_sampling(file):
                Path(file).write_bytes(content[: content.rindex(files._SEAL)])
                with h5py.File(file, "r+") as opened:
                    del opened.attrs["sampling"]

            files._replace(path, no_sampling)
            with self.assertRaisesRegex(OSError, "holds no map"):
                rfbench.load_map(path)

    def test_damage_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "map.h5"
            rfbench.fit("positive", points()).draw(4).save(path)
            content = bytearray(path.read_bytes())
            content[len(content) // 2] ^= 1
            path.write_bytes(content)
            with self.assertRaisesRegex(OSError, "do not match the sha256"):
                rfbench.load_map(path)
            with self.assertRaises(FileNotFoundError):
                rfbench.load_map(Path(folder) / "none.h5")


if __name__ == "__main__":
    unittest.main()
