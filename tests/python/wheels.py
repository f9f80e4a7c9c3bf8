"""Checks that what is packed into a wheel (cmake/wheel.py) is all there, under its checksum.

python3 -m unittest wheels: with this folder and cmake/ in PYTHONPATH.
"""

import base64
import hashlib
import tempfile
import unittest
import zipfile
from pathlib import Path

import wheel as wheels

WHEEL = "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp311-cp311-linux_x86_64\n"


class Pack(unittest.TestCase):
    def test_records_are_those_of_the_files(self):
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / "made"
            contents = {"own/__init__.py": "x = 1\n", "own/a/b.txt": "", "own-1.0.dist-info/WHEEL": WHEEL}
            for name, content in contents.items():
                (made / name).parent.mkdir(parents=True, exist_ok=True)
                (made / name).write_text(content)
            path = wheels.pack(made, folder)
            self.assertEqual(path.name, "own-1.0-cp311-cp311-linux_x86_64.whl")
            first = path.read_bytes()
            with zipfile.ZipFile(path) as packed:
                records = packed.read("own-1.0.dist-info/RECORD").decode().splitlines()
                self.assertEqual(len(packed.namelist()), len(records))
                self.assertEqual(records.pop(), "own-1.0.dist-info/RECORD,,")
                for record in records:
                    name, digest, size = record.split(",")
                    content = packed.read(name)
                    self.assertEqual(content.decode(), contents[name])
                    self.assertEqual(int(size), len(content))
                    own = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                    self.assertEqual(digest, "sha256=" + own)
            self.assertEqual(wheels.pack(made, folder).read_bytes(), first)


if __name__ == "__main__":
    unittest.main()
