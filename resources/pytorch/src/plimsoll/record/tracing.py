# SPDX-License-Identifier: Apache-2.0
"""trace(): a model and its arguments in, a graph file out."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

import torch

from ..common.graph_rows import Recording
from ..common.progress import Choice, Progress
from ..isolation.data_dependent import translated
from ..isolation.preserve import older_objects_spared
from ..shapes.axes import Axis, Dims, axes_of
from ..shapes.varied import Sample
from ..shapes.vary import recordings_of, vary_of
from ..training_step.environment import MicroSteps, prepared, variant_of
from ..training_step.step import Step
from ..version import VERSION
from .finish import finish
from .record import SavedTensors, record, record_with_python_frees, warm_up
from .writer import graph_of, write

_PASSES = 3  # the warm-up step and two recordings


def batch_of(step: Step) -> str:
    """The shapes and dtypes of the tensors in a batch: "64x3x224x224 float32, 64 int64"."""
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
        **({"micro_steps": step.micro_steps} if step.micro_steps > 1 else {}),
        "model": name,
        "model_class": type(step.model).__name__,
        "batch": batch_of(step),
        "target": target,
        "optimizer": optimizer,
        "autocast": recording.autocast,
        "kernels": {**recording.kernels, **({"optimizer": {optimizer["variant"]: 1}} if optimizer else {})},
        "assumed": [*recording.assumed, *step.kernels.assumed, *step.assumed],
    }


def _vary(axes: list[Axis], base: Sample, prepare: Callable[..., Any], target: str) -> dict[str, Any]:
    def record_at(resize: Callable[[Step], None], with_python_frees: bool) -> Sample:
        with prepare(resize=resize) as step:
            warm_up(step, target)
            step.progress.begin("recording at another size")
            recorded = record_with_python_frees(step, target) if with_python_frees else record(step, target, SavedTensors)
            return Sample(finish(recorded), batch_of(step))

    return vary_of(axes, base, record_at)


def trace_graph(
    model: torch.nn.Module, args: Any = (), kwargs: Optional[dict] = None, *, loss: Optional[Callable] = None,
    optimizer: Any = None, mode: str = "train", target: str = "cuda", name: Optional[str] = None, progress: Choice = False,
    vary: Optional[Mapping[str, Sequence[int]]] = None, vary_dims: Optional[Dims] = None, micro_steps: MicroSteps = 1,
    autocast: Optional[torch.dtype] = None,
) -> dict[str, Any]:  # fmt: skip
    """The graph in the form in which it would be written."""
    told_progress = Progress(progress, _PASSES)

    @contextlib.contextmanager
    def prepare(resize: Optional[Callable[[Step], None]] = None) -> Iterator[Step]:
        given = (model, args, kwargs, loss, optimizer, mode, target)
        with prepared(*given, micro_steps=micro_steps, resize=resize, autocast=autocast) as step:
            step.progress = told_progress
            yield step

    try:
        with translated(), older_objects_spared():
            with prepare() as step:
                axes = axes_of(step, vary, vary_dims)
                told_progress.expect(_PASSES + 2 * recordings_of(axes))
                warm_up(step, target)
                recording = finish(record_with_python_frees(step, target))
                header = _header(step, recording, target, name or type(model).__name__)
            laws = {"vary": _vary(axes, Sample(recording, header["batch"]), prepare, target)} if axes else {}
            return {**graph_of(recording, header), **laws}
    finally:
        told_progress.end()


def trace(
    model: torch.nn.Module, args: Any = (), kwargs: Optional[dict] = None, *, loss: Optional[Callable] = None,
    optimizer: Any = None, mode: str = "train", target: str = "cuda", name: Optional[str] = None,
    out: Union[str, Path, None] = None, progress: Choice = None, vary: Optional[Mapping[str, Sequence[int]]] = None,
    vary_dims: Optional[Dims] = None, micro_steps: MicroSteps = 1, autocast: Optional[torch.dtype] = None,
) -> Path:  # fmt: skip
    """Records one step of `model` without running it, and returns the path of the graph file that it wrote.

    `args` (a tuple, or one tensor) and `kwargs` are the model's; their shapes are those of one batch. Tensors may be real, on any
    device, or made inside `building()`. `loss` maps the model's output to a tensor with one element; without it, the output's `.loss` is
    used, else the sum. `optimizer` is an optimizer, or a function that makes one from parameters. `mode` "inference" records a forward
    without gradients. `target` says whose kernels are recorded: "cuda" or "cpu". Sizes in the file are bytes. `name` is written to the
    file's header (default: the model's class); `out` is the file (default: <name>.plimsoll.json.gz in this folder). `progress`: True
    shows a line on standard error, None only on a terminal, False none; a function is called with (fraction done, description of the
    current work).
    Parameters of modules that the loss or the optimizer brings along are recorded like the model's and named by where they were found.

    Raises TraceError with a one-sentence message if the step can't be recorded. Either way, everything is restored: random numbers and
    torch's modes, and the contents of model, arguments, loss and optimizer, down to the objects in their containers, attributes and
    closures, the user's own classes, and the module-level variables that the user's own functions name. Not covered are classes and
    variables of installed packages, objects of most of the standard library's classes (iterators, threads' and contexts' own variables),
    and the entries of containers with more than 10,000. A step that writes into a tensor there is refused; caches (functools.lru_cache)
    that receive tensors of the trace are cleared.

    `vary={"batch": [8, 16, 24], "sequence": [512, 1024, 2048]}` (either or both) records the step at these sizes, one of which must be
    the arguments' own, and writes formulas for its bytes and flops, so that the file serves other sizes, too. The dimensions varied are
    those of the arguments, and of the tensors that the loss brings along, that have one of the sizes; if that is ambiguous,
    `vary_dims={"batch": {"args[0]": 0, "target": 0}}` selects them by the names that the arguments have in the file. A model whose step
    differs at another size raises TraceError.

    `micro_steps=k` records gradient accumulation: forward, loss and backward k times, then the optimizer. All micro-steps have the same
    arguments, or each its own: a list of k tuples (positional arguments) or dicts (keyword arguments), which replaces `args` and
    `kwargs`. The model's own loss and the sum are divided by k; a `loss` function must divide by itself.

    `autocast=torch.bfloat16` (or torch.float16) runs forward and loss under torch.autocast of the target, backward and optimizer
    outside, as PyTorch advises; None: autocast stays as it is around this call. Losses are not scaled.
    """
    name = name or type(model).__name__
    path = Path(out) if out is not None else Path(re.sub(r"[^\w.-]+", "-", name) + ".plimsoll.json.gz")
    graph = trace_graph(
        model, args, kwargs, loss=loss, optimizer=optimizer, mode=mode, target=target, name=name, progress=progress, vary=vary,
        vary_dims=vary_dims, micro_steps=micro_steps, autocast=autocast,
    )
    write(graph, path)
    return path
