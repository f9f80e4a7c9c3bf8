"""Runs the scripts of docs/python.md as they stand there, and compares what they print with what the page says.

python3 -m unittest scripts: with this folder and that of the package in PYTHONPATH, and the program in RFBENCH_PROGRAM.
"""

import importlib.util
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "python.md"
NUMBER = r"-?\d+(?:\.\d+)?"


def scripts():
    """(script, output) of each script of the page."""
    return re.findall(r"```python\n([^`]*)```\n\n```text\n([^`]*)```", PAGE.read_text())


def same(printed, said):
    """Whether two outputs are the same but for a unit in the last digit of their numbers: sums in another order may round
    the other way."""
    if re.split(NUMBER, printed) != re.split(NUMBER, said):
        return False
    for a, b in zip(re.findall(NUMBER, printed), re.findall(NUMBER, said)):
        unit = 10.0 ** -len(b.partition(".")[2]) if "." in b else 0
        if len(a.partition(".")[2]) != len(b.partition(".")[2]) or abs(float(a) - float(b)) > 1.001 * unit:
            return False
    return True


class Scripts(unittest.TestCase):
    def test_they_print_what_the_page_says(self):
        found = scripts()
        self.assertEqual(len(found), 4)
        for number, (script, said) in enumerate(found, 1):
            needed = {name for name in re.findall(r"^(?:import|from) (\w+)", script, re.MULTILINE)}
            missing = sorted(name for name in needed if not importlib.util.find_spec(name))
            if missing:
                print(f"script {number} of {PAGE.name} is left out: there is no {', '.join(missing)}")
                continue
            with self.subTest(script=number), tempfile.TemporaryDirectory() as folder:
                Path(folder, "script.py").write_text(script)
                done = subprocess.run([sys.executable, "script.py"], cwd=folder, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(same(done.stdout, said), f"it prints\n{done.stdout}and the page says\n{said}")


if __name__ == "__main__":
    unittest.main()
