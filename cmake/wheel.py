"""Wheels of the Python package: what pip asks for them (PEP 517), and `wheel.py pack FOLDER DESTINATION`, by which CMake packs
what it has installed into a folder.
"""

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds a wheel for the Python that runs this, and for the processor at hand, in build/pip/; returns its name."""
    build = Path("build/pip")
    shutil.rmtree(build / "python", ignore_errors=True)  # wheels of other versions
    generator = ["-G", "Ninja"] if shutil.which("ninja") and not (build / "CMakeCache.txt").exists() else []
    subprocess.run(
        ["cmake", "-S", ".", "-B", build, *generator, "-DCMAKE_BUILD_TYPE=Release", "-DRFBENCH_TESTS=OFF"]
        + [f"-DPython_EXECUTABLE={sys.executable}"],
        check=True,
    )
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count()))
    subprocess.run(["cmake", "--build", build, "--parallel", jobs, "--target", "rfbench_wheel"], check=True)
    (made,) = (build / "python").glob("*.whl")
    return shutil.copy(made, wheel_directory) and made.name


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("rfbench has no source distribution: the repository is one")


def pack(folder, destination):
    """Packs a folder, in which a *.dist-info has METADATA and WHEEL, and returns the path of the wheel."""
    folder = Path(folder)
    (info,) = folder.glob("*.dist-info")
    tag = next(line.split(": ")[1] for line in (info / "WHEEL").read_text().splitlines() if line.startswith("Tag: "))
    path = Path(destination) / f"{info.stem}-{tag}.whl"
    records = ""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        # Metadata comes last, where tools look for it (PEP 427).
        files = [file for file in folder.rglob("*") if file.is_file()]
        for file in sorted(files, key=lambda file: (info in file.parents, file)):
            name, content = file.relative_to(folder).as_posix(), file.read_bytes()
            wheel.writestr(entry(name), content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            records += f"{name},sha256={digest},{len(content)}\n"
        record = f"{info.name}/RECORD"
        wheel.writestr(entry(record), f"{records}{record},,\n")
    return path


def entry(name):
    """A file of the wheel, readable by all; its time is always the same, so that the same content has the same bytes."""
    made = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    made.compress_type = zipfile.ZIP_DEFLATED
    made.external_attr = 0o100644 << 16
    return made


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] != "pack":
        sys.exit("usage: wheel.py pack FOLDER DESTINATION")
    print(pack(*sys.argv[2:]))
