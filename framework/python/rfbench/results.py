"""Results of experiments: run them, read them, draw their figures; heads of models as a source of inputs."""

from __future__ import annotations

import contextlib
import functools
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import matplotlib.axes
    import torch
    import xarray

__all__ = ["heads", "load", "plot", "run"]

_HERE = Path(os.path.abspath(__file__)).parent  # links are not followed: the program is built beside them


def load(path: str | os.PathLike) -> xarray.Dataset:
    """The result file `path` as an xarray.Dataset, in memory: axes, units and attributes as docs/results.md has them.

    Raises OSError where there is no such file, or it is no result file.
    """
    import xarray

    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file; 'rfbench run' writes results/EXPERIMENT/NAME.h5")
    with xarray.open_dataset(path, engine="h5netcdf") as data:
        return data.load()


def run(
    configuration: str | os.PathLike,
    *,
    profile: str | None = None,
    results: str | os.PathLike = "results",
    threads: int | None = None,
    plugin: str | os.PathLike | None = None,
    **overrides: object,
) -> list[Path]:
    """Runs a configuration by the program `rfbench`, and returns the paths of its result files, for load(), after those of
    configurations that it stands on. Ctrl-C stops it when the cells at work are finished.

    configuration: one of configs/ ("variance/regimes"), an experiment, or a YAML file. profile: "smoke" or another one of
    its profiles. results: the folder that files go to. threads: as many as there are cores if they are not given.
    plugin: a Python file whose mechanisms, each made by mechanism(), the configuration may name; this Python computes them.
    overrides: keys of the configuration and their values, as `--set` has them. What was computed before is not computed
    again. The program is the one beside the package, or that of PATH; RFBENCH_PROGRAM names another one.

    Raises ValueError for what the program refuses as the user's mistake, OSError for files, RuntimeError for cells that
    failed, each with the program's own sentence.
    """
    command = [program(), "run", os.fspath(configuration), "--results", os.fspath(results), "--quiet"]
    if profile is not None:
        command += ["--profile", profile]
    if threads is not None:
        command += ["--threads", str(threads)]
    for key, value in overrides.items():
        command += ["--set", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
    environment = None
    if plugin is not None:
        command += ["--plugin", os.fspath(plugin)]
        environment = _with_this_python()
    code, output, errors = _finished(command, environment)
    if code:
        kinds = {1: OSError, 2: ValueError, 4: ValueError, 130: KeyboardInterrupt}
        raise kinds.get(code, RuntimeError)(errors.strip())
    made = [Path(line.split(" ", 1)[1]) for line in output.splitlines() if line.startswith(("figure ", "table "))]
    return list(dict.fromkeys(Path(f"{path.parents[1]}.h5") for path in made))


def _finished(command, environment):
    """Exit code, output and errors of the program. Ctrl-C asks it to stop: it ends when the cells at work are stored, or at once at
    the second. It has a session of its own, since a terminal would tell it as well."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    ) as running:
        told = False
        while True:
            try:
                output, errors = running.communicate()
                break
            except KeyboardInterrupt:
                running.send_signal(signal.SIGINT)
                told = True
    if told:  # even where all was computed before it could stop: what comes after the run is not wanted either
        raise KeyboardInterrupt(errors.strip())
    return running.returncode, output, errors


def _with_this_python():
    """An environment in which the program runs this Python, which finds this package."""
    paths = [str(_HERE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {"RFBENCH_PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join(paths)}


def program() -> str:
    """The path of the program `rfbench`. Raises OSError where there is none."""
    built = _HERE.parents[1] / "rfbench"
    found = os.environ.get("RFBENCH_PROGRAM") or (str(built) if built.is_file() else shutil.which("rfbench"))
    if not found:
        raise FileNotFoundError("the program rfbench is not found in PATH; RFBENCH_PROGRAM may name it")
    return found


def plot(figure_json: str | os.PathLike, ax: matplotlib.axes.Axes | None = None, *, panel: int = 0) -> matplotlib.axes.Axes:
    """Draws one panel of a figure, the file figure_json (figures/NAME.json of a result), on axes of matplotlib, and returns
    these.

    The looks are those of `rfbench plot`: a name has one colour, dashes and mark in all figures. Without ax, new axes are
    made. Raises ValueError for a panel that is not there, OSError where the file cannot be read.
    """
    import matplotlib.pyplot as plt

    panels, looks, legends = _drawing()
    figure = json.loads(Path(figure_json).read_text(encoding="utf-8"))
    if not 0 <= panel < len(figure["panels"]):
        raise ValueError(f"panel: {panel} is given; {figure_json} has {len(figure['panels'])}, counted from 0")
    for series in figure["panels"][panel].get("series", []):
        series.setdefault("style", "line")
    figure["columns"] = 1
    with plt.style.context(str(Path(looks.HERE) / "rfbench.mplstyle")), plt.rc_context({"text.parse_math": False}):
        if ax is None:
            ax = plt.subplots(layout="constrained")[1]
        canvas = ax.figure
        canvas.after_layout = []
        inches = ax.get_window_extent().width / canvas.dpi
        left_out = panels.nothing_left_out()
        entries = panels.draw_panel(canvas, ax, figure, panel, looks.Looks(looks.looks_table(), figure), left_out, inches)
        if entries:
            legends.legend_of(ax, entries)
        if canvas.after_layout:
            canvas.canvas.draw()
            for finish in canvas.after_layout:
                finish()
        del canvas.after_layout
    if unseen := [f"{label} ({count})" for label, count in left_out["unseen"].items() if count]:
        warnings.warn("values of 0 and below are not drawn on logarithmic axes: " + ", ".join(unseen), stacklevel=2)
    return ax


@functools.cache
def _drawing():
    """The modules that draw figures, which find each other by their plain names, and leave none of these behind."""
    folder = _HERE / "drawing"
    names = [path.stem for path in folder.glob("*.py")]
    kept = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    sys.path.insert(0, str(folder))
    try:
        return tuple(importlib.import_module(name) for name in ("panels", "looks", "legends"))
    finally:
        sys.path.remove(str(folder))
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(kept)


def heads(
    model: torch.nn.Module,
    tokens: torch.Tensor | dict[str, torch.Tensor],
    path: str | os.PathLike = "heads.npz",
    *,
    num_heads: int | None = None,
    names: tuple[str, str, str] = ("q_proj", "k_proj", "v_proj"),
) -> Path:
    """Writes queries, keys and values of every layer and head of a PyTorch model, for `heads: {use: file, file: ...}`.

    model: a module whose attention layers have projections of these names, as most of Hugging Face's have. tokens: what it
    reads, a tensor or a dictionary of arguments; an attention_mask among them is written, too. num_heads: heads of a layer,
    of model.config if it is not given. Keys and values that heads share are written for each of them. The arrays are
    (layer, head, sequence, token, d), float32. Returns the path.

    Raises ValueError where the model has no projections of these names, or layers that do not fit together.
    """
    import numpy
    import torch

    if num_heads is None:
        num_heads = getattr(getattr(model, "config", None), "num_attention_heads", None)
    if num_heads is None:
        raise ValueError("num_heads is missing: the model has no config.num_attention_heads")
    seen = {name: [] for name in names}
    with contextlib.ExitStack() as hooks, torch.no_grad():
        for full, module in model.named_modules():
            if (name := full.split(".")[-1]) in seen:
                keep = lambda module, given, out, name=name: seen[name].append(out)  # noqa: E731
                hooks.callback(module.register_forward_hook(keep).remove)
        model(**tokens) if hasattr(tokens, "keys") else model(tokens)
    counts = {name: len(outs) for name, outs in seen.items()}
    if len(set(counts.values())) != 1 or not counts[names[0]]:
        raise ValueError(f"the model ran projections {counts}; as many of each name, and at least one, are taken")
    for name, outs in seen.items():
        if len(shapes := {tuple(out.shape) for out in outs}) > 1:
            raise ValueError(f"layers give {name} of shapes {sorted(shapes)}; those of all layers must be one")
    queries, keys, values = (torch.stack(seen[name]) for name in names)
    # Fewer heads of keys are shared by all, and those of values are as many, whatever their d.
    own = keys.shape[-1] // max(queries.shape[-1] // num_heads, 1)
    arrays = [
        _split(queries, names[0], num_heads, num_heads),
        _split(keys, names[1], num_heads, own, queries.shape[-1] // num_heads),
        _split(values, names[2], num_heads, own),
    ]
    named = tokens if hasattr(tokens, "keys") else {}
    mask = {"attention_mask": named["attention_mask"].cpu().numpy()} if "attention_mask" in named else {}
    with open(path, "wb") as file:  # numpy adds .npz to another name
        numpy.savez(file, queries=arrays[0], keys=arrays[1], values=arrays[2], **mask)
    return Path(path)


def _split(outputs, name, num_heads, own, dimension=None):
    """[layer, sequence, token, own heads times d] as [layer, head, sequence, token, d], each as often as it is shared."""
    width = outputs.shape[-1]
    fits = outputs.dim() == 4 and own > 0 and num_heads % own == 0 and width >= own and width % own == 0
    if not fits or dimension not in (None, width // own):
        raise ValueError(
            f"{name} gives arrays of shape {tuple(outputs.shape[1:])}; (sequence, token, {num_heads} heads times d) is taken"
        )
    split = outputs.reshape(*outputs.shape[:3], own, width // own).repeat_interleave(num_heads // own, 3)
    return split.permute(0, 3, 1, 2, 4).float().cpu().numpy()
