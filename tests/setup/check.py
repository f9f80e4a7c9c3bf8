"""cmake/setup.sh and targets of the Makefile among programs that only say what they were given; links of build folders.

python3 tests/setup/check.py runs the tests.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent


class Scratch(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "bin").mkdir()

    def program(self, name, script):
        file = self.folder / "bin" / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        return file

    def call(self, *command):
        own = {"PATH": f"{self.folder}/bin:/usr/bin:/bin", "HOME": str(self.folder)}
        return subprocess.run(command, cwd=self.folder, env=own, capture_output=True, text=True, timeout=60)


class Setup(Scratch):
    def test_apt_get_asks_nothing_by_sudo_which_hands_no_variables_on(self):
        self.program("sudo", 'exec env -i PATH="$PATH" "$@"')
        self.program("id", "echo 1000")
        self.program("dpkg-query", "exit 1")
        self.program("apt-get", f'echo "$1 ${{DEBIAN_FRONTEND:-asks}}" >>"{self.folder}/said"')
        done = self.call("sh", SOURCE / "cmake/setup.sh")
        self.assertEqual(done.returncode, 0, done.stderr)
        said = (self.folder / "said").read_text().splitlines()
        self.assertEqual([line.split()[0] for line in said], ["update", "install"])
        self.assertEqual(said[1], "install noninteractive")


class PythonTarget(Scratch):
    """make python, where nothing is built."""

    def setUp(self):
        super().setUp()
        shutil.copy(SOURCE / "Makefile", self.folder)
        shutil.copy(SOURCE / "CMakePresets.json", self.folder)
        (self.folder / "cmake").mkdir()
        (self.folder / "cmake/setup.sh").write_text("exit 0\n")
        self.program("cmake", "exit 0")
        self.site = self.folder / "site"

    def make(self, python):
        return self.call("make", "python", f"PYTHON={self.program('some-python', python)}")

    def test_a_python_finds_the_package_by_a_path_file(self):
        done = self.make(f'echo "{self.site}"')
        self.assertEqual(done.returncode, 0, done.stderr)
        file = self.site / "rfbench.pth"
        self.assertEqual(file.read_text(), f"{os.path.realpath(self.folder)}/build/release/python\n")
        self.assertIn("'import rfbench' finds", done.stdout)

    def test_a_python_that_fails_gets_none_and_a_folder_that_cannot_be_made_is_told(self):
        done = self.make(f'echo "{self.site}"; exit 1')
        self.assertNotEqual(done.returncode, 0)
        self.assertFalse(self.site.exists())
        self.site.write_text("no folder")
        done = self.make(f'echo "{self.site}"')
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("finds", done.stdout)


class ProjectLinks(Scratch):
    """A build folder that is not below the sources."""

    def test_all_that_programs_look_for_is_there(self):
        script = self.folder / "links.cmake"
        script.write_text(f"set(CMAKE_SOURCE_DIR {SOURCE})\nset(CMAKE_CURRENT_SOURCE_DIR {SOURCE})\n"
                          f"set(CMAKE_BINARY_DIR {self.folder}/build)\n"
                          f"include({SOURCE}/cmake/ProjectLinks.cmake)\n")
        done = self.call("cmake", "-P", script)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("configs", "data/manifest.yaml", "framework/drawing", "results/reference"):
            self.assertTrue((self.folder / "build" / name).exists(), name)


if __name__ == "__main__":
    unittest.main()
