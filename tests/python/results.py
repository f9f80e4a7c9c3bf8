"""Checks what the Python package does with the program and its results.

python3 -m unittest results: with this folder and that of the package in PYTHONPATH, and the program in RFBENCH_PROGRAM.
"""

import json
import os
import signal
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402
import rfbench  # noqa: E402

SMALL = dict(norms=[0.5, 1], angles=[0, 1], methods=["positive", "trigonometric"])


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.paths = rfbench.run("variance/angle", results=cls.folder.name, **SMALL)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_a_run_is_read_back(self):
        self.assertEqual(self.paths, [Path(self.folder.name) / "variance/angle.h5"])
        data = rfbench.load(self.paths[0])
        self.assertEqual([str(name) for name in data.method.values], SMALL["methods"])
        self.assertEqual(list(data.norm.values), SMALL["norms"])
        self.assertEqual(data.attrs["study"], "variance/angle")

    def test_what_the_program_refuses_is_an_exception(self):
        with self.assertRaisesRegex(ValueError, "there is no such key"):
            rfbench.run("variance/angle", results=self.folder.name, nonsense=1)
        with self.assertRaises(OSError):
            rfbench.load(Path(self.folder.name) / "none.h5")

    def test_a_stop_waits_for_the_cells_at_work(self):
        # The program is told once, has its time, and may even end well.
        program = Path(self.folder.name) / "program"
        waits = "touch ready\nfor i in $(seq 600); do sleep 0.1; done\n"
        program.write_text('#!/bin/sh\ntrap "touch told; sleep 0.5; touch ended; exit 0" INT\n' + waits)
        program.chmod(0o755)
        self.addCleanup(os.chdir, os.getcwd())
        # Where the tests run in the background, SIGINT is ignored.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        os.chdir(self.folder.name)

        def interrupt():
            while not Path("ready").exists():
                time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt, daemon=True).start()
        with unittest.mock.patch.dict(os.environ, RFBENCH_PROGRAM=str(program)), self.assertRaises(KeyboardInterrupt):
            rfbench.run("variance/angle")
        self.assertTrue((program.parent / "told").exists())
        self.assertTrue((program.parent / "ended").exists())

    def test_a_figure_is_drawn_on_axes_of_ones_own(self):
        figure = next((Path(self.folder.name) / "variance/angle/figures").glob("*slices.json"))
        content = json.loads(figure.read_text())
        before = set(sys.modules)
        _, ax = plt.subplots()
        self.assertIs(rfbench.plot(figure, ax), ax)
        self.assertEqual(ax.get_ylabel().split(), content["panels"][0]["y"]["label"].split())
        self.assertGreaterEqual(len(ax.get_lines()), len(content["panels"][0]["series"]))
        self.assertEqual({name for name in set(sys.modules) - before if name in ("axes", "words", "maps")}, set())
        with self.assertRaisesRegex(ValueError, "panel: 99"):
            rfbench.plot(figure, panel=99)
        plt.close("all")


if __name__ == "__main__":
    unittest.main()
