"""Checks mechanisms of Python files that the program takes: `--plugin`.

python3 -m unittest plugins: with this folder, that of the package and cmake in PYTHONPATH, and the program in
RFBENCH_PROGRAM.
"""

import hashlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import code_digests
import numpy
import rfbench
from rfbench import plugin

PROGRAM = os.environ.get("RFBENCH_PROGRAM", "rfbench")
#: Positive features by their formulas, under another name.
MINE = """
import numpy, rfbench

def features(x, omega):
    return numpy.exp(x @ omega - (x**2).sum(1)[:, None])

def log_second_moment(x, y):
    norms = (x**2).sum(1)[:, None] + (y**2).sum(1)
    return 2 * (norms + 2 * x @ y.T) - 2 * norms

mine = rfbench.mechanism("mine", features, log_second_moment=log_second_moment, positive=True)
"""
#: A law of omega of its own: Poisson features with lambda = 1 (Likhosherstov 2022, 6.4.1).
COUNTS = """
import numpy, rfbench
from scipy.stats import poisson

def features(x, omega):
    powers = numpy.prod(x[:, :, None] ** omega[None], 1)
    return powers * numpy.exp(x.shape[1] / 2 - (x**2).sum(1)[:, None] / 2)

mine = rfbench.mechanism("counts", features, law=lambda l, u: float(poisson.ppf(u, 1.0)))
"""


class Plugins(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, text, name="my.py"):
        (self.folder / name).write_text(text)
        return str(self.folder / name)

    def program(self, *words, code=0):
        """What the program says, which ends with that exit code."""
        environment = os.environ | {"RFBENCH_PYTHON": sys.executable}
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout + done.stderr

    def run_study(self, study, methods, *words, file=None, results="results", code=0):
        """Runs a small study of these methods, and gives its result."""
        said = self.program(
            "run", study, "--profile", "smoke", "--set", f"methods=[{methods}]", "--plugin", file or self.write(MINE),
            "--results", results, "--no-figures", *words, code=code,
        )  # fmt: skip
        return said, rfbench.load(self.folder / results / "smoke" / f"{study}.h5")

    def test_exact_variances_are_those_of_the_same_mechanism_in_cpp(self):
        said, data = self.run_study("variance/regimes", "positive, mine")
        self.assertIn("note: Python computes mine of ", said)
        ours, mine = data.mean_log_variance.sel(method="positive"), data.mean_log_variance.sel(method="mine")
        # Logarithms of some tens, each a sum of a dozen terms in another order.
        numpy.testing.assert_allclose(mine, ours, rtol=1e-11)
        self.assertTrue((data.positive.sel(method="mine") == 1).all())

    def test_studies_of_draws_and_of_attention_take_it(self):
        for study, variable in (("quasi/rate", None), ("attention/error", None), ("regression/ridge", None)):
            with self.subTest(study=study):
                _, data = self.run_study(study, "positive, mine")
                names = [name for name in data.data_vars if "method" in data[name].dims and data[name].dtype == float]
                for name in names:
                    ours, mine = (data[name].sel(method=method).values for method in ("positive", "mine"))
                    # The same draws: errors differ by rounding of what they are errors of.
                    numpy.testing.assert_allclose(mine, ours, rtol=1e-6, atol=1e-9, err_msg=name)
                self.assertTrue(names)

    def test_a_law_of_omega_is_drawn_and_directions_are_refused(self):
        file = self.write(COUNTS, "counts.py")
        numpy.save(self.folder / "x.npy", 0.5 * numpy.random.default_rng(1).standard_normal((6, 2)))
        draw = ["--x", "x.npy", "--seed", "3", "--columns", "30", "--sampling", "sobol"]
        self.program("features", "counts", "--plugin", file, "--out", "own.h5", *draw)
        self.program("features", "poisson", "--set", "lambda=1", "--out", "ours.h5", *draw)
        own, ours = (rfbench.load(self.folder / name) for name in ("own.h5", "ours.h5"))
        self.assertTrue(numpy.array_equal(own.omega, ours.omega))
        told = self.program("run", "quasi/rate", "--set", "methods=[{use: counts, sampling: orthogonal}]", "--plugin", file, code=2)
        self.assertIn("orthogonal", told)

    def test_any_number_of_threads_gives_the_same_bytes(self):
        file = self.write(MINE)
        for threads in ("1", "3"):
            self.run_study("quasi/rate", "mine", "--threads", threads, file=file, results=threads)
        one, three = ((self.folder / threads / "smoke/quasi/rate.h5").read_bytes() for threads in "13")
        self.assertEqual(one, three)

    def test_an_edit_makes_its_cells_stale_and_no_others(self):
        file = self.write(MINE + "\nimport beside\n")
        self.write("scale = 1\n", "beside.py")
        self.run_study("quasi/rate", "positive, mine", file=file)
        words = ["status", "quasi/rate", "--profile", "smoke", "--set", "methods=[positive, mine]", "--plugin", file, "--json"]
        for name, text, stale in (("none.txt", "", 0), ("beside.py", "scale = 2\n", 1), ("my.py", MINE + "\n#\n", 1)):
            self.write(text, name)
            counts = json.loads(re.search(r"^{.*}$", self.program(*words), re.MULTILINE)[0])
            self.assertEqual(counts["stale"] > 0, bool(stale), name)
            self.assertEqual(counts["stale"] * 2, stale * counts["cells"], name)

    def test_features_name_the_code_that_asks_too(self):
        file = self.write(MINE)
        numpy.save(self.folder / "x.npy", numpy.ones((3, 2)))
        self.program("features", "mine", "--plugin", file, "--x", "x.npy", "--columns", "4", "--out", "mine.h5")
        _, digest = plugin.load(file)
        root = Path(__file__).parents[2]
        sources = [path for top in ("framework", "experiments") for path in (root / top).rglob("*.[ch]pp")]
        tree = code_digests.Tree({str(path.relative_to(root)): path.read_text(encoding="utf-8") for path in sources})
        attributes = rfbench.load(self.folder / "mine.h5").attrs
        code = f"{digest}-{attributes['version']}"
        for asks in ("framework/features/function_mechanism.cpp", "experiments/methods/mechanism.cpp"):
            code = hashlib.sha256((code + tree.digest(asks)).encode()).hexdigest()
        self.assertEqual(attributes["code"], code)

    def test_modules_of_ones_own_are_imported_at_the_top(self):
        # The digest, which decides which cells are stale, is made before a function is called.
        self.write("scale = 1\n", "late.py")
        file = self.write(MINE.replace("(x, omega):\n", "(x, omega):\n    import late\n"))
        said, _ = self.run_study("quasi/rate", "positive, mine", file=file, code=3)
        self.assertRegex(said, "failed: method=mine.*late.py is imported by a function; import it at the top")

    def test_signals_are_left_to_the_program(self):
        with subprocess.Popen(
            [sys.executable, "-m", "rfbench.plugin", self.write(MINE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as running:
            self.assertIn(b"digest", running.stdout.readline())
            for told in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                running.send_signal(told)
            running.stdin.close()
            self.assertEqual(running.wait(), 0)

    def test_what_a_function_raises_fails_its_cells_alone(self):
        late = "def features(x, omega):\n    if x.any():\n        raise KeyError('too far')\n    return x @ omega\n"
        file = self.write(f"import rfbench\n{late}mine = rfbench.mechanism('mine', features)\n")
        said, data = self.run_study("quasi/rate", "positive, mine", file=file, code=3)
        self.assertRegex(said, r"failed: method=mine.*my.py: KeyError: 'too far' \(line 4\)")
        self.assertNotIn("failed: method=positive", said)
        file = self.write("import os, rfbench\nmine = rfbench.mechanism('mine', lambda x, w: x @ w if not x.any() else os._exit(1))\n")
        said, _ = self.run_study("quasi/rate", "positive, mine", file=file, code=3)
        self.assertRegex(said, "failed: method=mine.*my.py: the program '.*' has ended in place of an answer")

    def test_a_variance_below_zero_is_told(self):
        file = self.write(MINE.replace("- 2 * norms\n\nmine", "- 9 * norms\n\nmine"))
        said, _ = self.run_study("variance/regimes", "positive, mine", file=file, code=3)
        self.assertRegex(said, "log_second_moment of 'mine' gives .*: E Z\\^2 is never below K\\^2")

    def test_files_that_are_none_are_refused_in_sentences(self):
        for text, said in (
            ("x = (", r"my.py: SyntaxError: .* \(line 1\)"),
            ("\n1 / 0", r"my.py: ZeroDivisionError: .* \(line 2\)"),
            ("import sys; sys.exit('no')", r"my.py: SystemExit: no \(line 1\)"),
            ("rfbench = 1", "my.py: it makes no mechanism"),
            ("import rfbench\na, b = (rfbench.mechanism('m', f) for f in (min, max))", "two mechanisms of the name 'm'"),
            ("import rfbench; a = rfbench.mechanism('positive', min)", "my.py: there is a mechanism 'positive' already"),
            ("import rfbench; a = rfbench.mechanism('a b', min)", "letters, digits, - and _"),
            ("import rfbench; a = rfbench.mechanism('a', 'min')", "features_x: 'min' is given; a function"),
        ):
            with self.subTest(text=text):
                self.assertRegex(self.program("list", "methods", "--plugin", self.write(text), code=2), said)
        self.assertIn("there is no such file", self.program("list", "methods", "--plugin", "none.py", code=1))

    def test_questions_are_answered_one_after_another(self):
        rows, omega = numpy.arange(6.0).reshape(3, 2), numpy.ones((2, 4))
        question = {"call": "features_x", "mechanism": 0, "shapes": [[3, 2], [2, 4]]}
        asked = json.dumps(question).encode() + b"\n" + rows.tobytes() + omega.tobytes()
        answers = io.BytesIO()
        plugin.serve(self.write("import rfbench\nm = rfbench.mechanism('m', lambda x, w: 1j * (x @ w))"), io.BytesIO(2 * asked), answers)
        greeting, *lines = answers.getvalue().split(b"\n", 2)
        self.assertEqual(json.loads(greeting)["version"], rfbench.__version__)
        self.assertEqual(json.loads(lines[0]), {"shape": [3, 8]})
        found = numpy.frombuffer(lines[1][: 8 * 24]).reshape(3, 8)
        self.assertTrue(numpy.array_equal(found, numpy.hstack([0 * rows @ omega, rows @ omega])))

    def test_the_package_runs_it_with_this_python(self):
        with unittest.mock.patch.dict(os.environ, RFBENCH_PYTHON="/nonexistent/python3"):
            (path,) = rfbench.run(
                "quasi/rate", profile="smoke", results=self.folder / "r", plugin=self.write(MINE), methods=["positive", "mine"]
            )
        self.assertEqual(list(rfbench.load(path).method.values), ["positive", "mine"])


if __name__ == "__main__":
    unittest.main()
