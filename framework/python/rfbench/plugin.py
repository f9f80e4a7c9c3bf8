"""The mechanisms of a Python file, for the program: `rfbench run mine.yaml --plugin my.py` starts `python3 -m rfbench.plugin
my.py` and asks it for features.

A question is a line of JSON, {"call", "mechanism", "shapes", ...}, and after it the entries of its arrays, doubles, rows
first. An answer is a line {"shape"} and the entries of one array, or a line {"error"}. What the file prints goes to the
standard error.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import signal
import sys
import traceback
import types
from pathlib import Path
from typing import BinaryIO

from . import __version__, functions
from .functions import Functions

__all__ = ["load", "serve"]


def load(path: str | os.PathLike) -> tuple[list[Functions], str]:
    """The mechanisms that the Python file `path` makes at its top level, and the sha256 of its source, in which that of modules counts
    that it imports from its own folder.

    Raises whatever the file raises, and ValueError where it makes no mechanism, or two of one name.
    """
    path = Path(path).resolve()
    source, known = path.read_bytes(), set(sys.modules)
    sys.path.insert(0, str(path.parent))
    module = types.ModuleType("plugin")
    module.__file__ = str(path)
    sys.modules["plugin"] = module  # so that what is pickled and inspected is found
    exec(compile(source, str(path), "exec"), module.__dict__)
    found = list({id(value): value for value in vars(module).values() if isinstance(value, Functions)}.values())
    names = [own.name for own in found]
    if not found:
        raise ValueError("it makes no mechanism; rfbench.mechanism(name, features_x) makes one")
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"it makes two mechanisms of the name '{twice[0]}'")
    digest = hashlib.sha256(source)
    for beside in _modules_beside(path, known):
        digest.update(f"{beside.relative_to(path.parent)}:{hashlib.sha256(beside.read_bytes()).hexdigest()}".encode())
    return found, digest.hexdigest()


def _modules_beside(path, known):
    """Files of modules below the file's folder that it has imported, but for those of installed packages."""
    files = {getattr(sys.modules[name], "__file__", None) for name in set(sys.modules) - known - {"plugin"}}
    below = sorted(Path(file) for file in files if file and path.parent in Path(file).parents)
    return [file for file in below if not {"site-packages", "dist-packages"} & set(file.parts)]


def serve(path: str | os.PathLike, questions: BinaryIO, answers: BinaryIO) -> None:
    """Says what the file `path` has, then answers until there are no more questions. Raises nothing: what the file and its functions
    raise is an answer."""
    try:
        found, digest = load(path)
    except BaseException as error:  # SystemExit is the file's as well
        return _answer(answers, {"version": __version__, "error": _sentence(error, path)})
    said = [
        {"name": own.name, "positive": own.positive, "law": own.quantile is not None, "moments": own.log_second_moment is not None}
        for own in found
    ]
    _answer(answers, {"version": __version__, "digest": digest, "mechanisms": said})
    known = set(sys.modules)
    for line in questions:
        asked = json.loads(line)
        arrays = [_array(questions, shape) for shape in asked["shapes"]]
        try:
            answer = _result(found[asked["mechanism"]], asked, arrays)
            _refuse_late_imports(Path(path).resolve(), known)
        except BaseException as error:
            _answer(answers, {"error": _sentence(error, path)})
        else:
            _answer(answers, {"shape": answer.shape}, answer)


def _refuse_late_imports(path, known):
    """Modules that a function imports are not in the digest, which was made before it was called."""
    if late := _modules_beside(path, known):
        raise ValueError(f"{late[0].name} is imported by a function; import it at the top, so that its text counts in the results")


def _result(own, asked, arrays):
    import numpy

    if asked["call"] == "quantile":
        return numpy.full((1, 1), functions.quantile(own, asked["coordinate"], asked["probability"]))
    if asked["call"] == "log_second_moment":
        return functions.log_second_moments(own, *arrays)
    return functions.columns(own, asked["call"], *arrays)


def _array(questions, shape):
    import numpy

    return numpy.frombuffer(questions.read(8 * math.prod(shape))).reshape(shape).copy()


def _answer(answers, said, array=None):
    answers.write(json.dumps(said).encode() + b"\n")
    if array is not None:
        answers.write(array.tobytes())
    answers.flush()


def _sentence(error, path):
    """What an exception says, and the line of the file where it came from."""
    path = os.path.realpath(path)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    if isinstance(error, SyntaxError) and error.filename == path:
        return f"{type(error).__name__}: {error.msg} (line {error.lineno})"
    kind = "" if isinstance(error, ValueError) and not lines else f"{type(error).__name__}: "
    return f"{kind}{error}" + (f" (line {lines[-1]})" if lines else "")


if __name__ == "__main__":
    for told in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(told, signal.SIG_IGN)  # the program is told, too: it finishes its cells, and ends this process
    sys.dont_write_bytecode = True
    own_answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.argv[1], sys.stdin.buffer, own_answers)
