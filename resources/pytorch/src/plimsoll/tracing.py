# SPDX-License-Identifier: Apache-2.0
"""trace(): a model and its arguments in, a graph file out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Callable, Optional, Union

import torch

from .environment import prepared, variant_of
from .finish import finish
from .kinds import Recording
from .progress import Choice, Progress
from .questions import translate
from .record import record_with_python_frees, warm_up
from .step import Step
from .version import VERSION
from .writer import graph_of, write

_PASSES = 3  # the warm-up step and two recordings


def _batch(step: Step) -> str:
    seen: dict[int, str] = {}
    for _, tensor in step.inputs():
        shape = "x".join(str(n) for n in tensor.shape) or "1"
        seen.setdefault(id(tensor), f"{shape} {str(tensor.dtype).removeprefix('torch.')}")
    return ", ".join(seen.values())


def _header(step: Step, recording: Recording, target: str, name: str) -> dict[str, Any]:
    optimizer = None
    if step.optimizer is not None:
        parameters = [p for group in step.optimizer.param_groups for p in group["params"]]
        optimizer = {
            "class": type(step.optimizer).__name__,
            "variant": variant_of(step.optimizer),
            "dtype": str(parameters[0].dtype).removeprefix("torch.") if parameters else "",
        }
    return {
        "exporter": VERSION,
        "torch": torch.__version__.partition("+")[0],
        "execution": "eager",
        "mode": step.mode,
        "model": name,
        "model_class": type(step.model).__name__,
        "batch": _batch(step),
        "target": target,
        "optimizer": optimizer,
        "autocast": recording.autocast,
        "assumed": [*recording.assumed, *step.assumed],
    }


def trace_graph(
    model: torch.nn.Module, args: Any = (), kwargs: Optional[dict] = None, *, loss: Optional[Callable] = None,
    optimizer: Any = None, mode: str = "train", target: str = "cuda", name: Optional[str] = None, progress: Choice = False,
) -> dict[str, Any]:  # fmt: skip
    """The graph as it would be written."""
    told_progress = Progress(progress, _PASSES)
    try:
        with prepared(model, args, kwargs, loss, optimizer, mode, target) as step:
            step.progress = told_progress
            warm_up(step, target)
            recording = finish(record_with_python_frees(step, target))
            return graph_of(recording, _header(step, recording, target, name or type(model).__name__))
    except (RuntimeError, NotImplementedError) as error:
        told = translate(error)
        if told is None:
            raise
        raise told from error
    finally:
        told_progress.end()


def trace(
    model: torch.nn.Module, args: Any = (), kwargs: Optional[dict] = None, *, loss: Optional[Callable] = None,
    optimizer: Any = None, mode: str = "train", target: str = "cuda", name: Optional[str] = None,
    out: Union[str, Path, None] = None, progress: Choice = None,
) -> Path:  # fmt: skip
    """Records one step of `model` without running it, and returns the path of the graph file that it wrote.

    `args` (a tuple, or one tensor) and `kwargs` are the model's; their shapes are those of one batch. Tensors may be real, on any
    device, or made inside `building()`. `loss` maps the model's output to a tensor with one element; without one the output's
    `.loss` is taken, else the sum. `optimizer` is an optimizer, or a function that makes one from parameters. `mode` "inference"
    records a forward without gradients. `target` says whose kernels are recorded: "cuda" or "cpu". Sizes in the file are bytes.
    `name` stands in the file's header (default: the model's class); `out` is the file (default: <name>.plimsoll.json.gz in this
    folder). `progress`: True shows a line on standard error, None only on a terminal, False none; a function is called with
    (fraction done, what is being done).
    Raises TraceError with a sentence when the step can't be recorded; model, optimizer and random numbers are as before either way.
    """
    name = name or type(model).__name__
    path = Path(out) if out is not None else Path(re.sub(r"[^\w.-]+", "-", name) + ".plimsoll.json.gz")
    graph = trace_graph(
        model, args, kwargs, loss=loss, optimizer=optimizer, mode=mode, target=target, name=name, progress=progress
    )
    write(graph, path)
    return path
