"""Chooses the module of C++ that is imported. A package for any processor has one for each of several levels of x86-64,
in levels/: that of the processor is taken, or the one that RFBENCH_INSTRUCTION_SET names. Each is compiled and linked for
its level alone.
"""

import os
import re
from pathlib import Path

_ASKED = os.environ.get("RFBENCH_INSTRUCTION_SET", "")


def folders(package):
    """The folder of the level that is taken, in a list; none where the package has one module, beside it.

    Raises ValueError for a level that is not there, or that the processor lacks.
    """
    levels = Path(package) / "levels"
    if not levels.is_dir():
        return []
    from .levels._choice import chosen_level

    there = sorted(folder.name for folder in levels.iterdir() if re.fullmatch(r"x86-64(-v[2-9])?", folder.name))
    return [str(levels / chosen_level(there, _ASKED))]


def require(instruction_set):
    """Raises ValueError where another instruction set is asked for than that of the module."""
    if _ASKED not in ("", instruction_set):
        raise ValueError(f"RFBENCH_INSTRUCTION_SET is {_ASKED}, and this package is compiled for {instruction_set} alone")
