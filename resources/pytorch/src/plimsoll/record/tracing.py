# SPDX-License-Identifier: Apache-2.0
"""trace(): a model and its arguments in, a graph file out."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any, Callable, Iterator, Literal, Mapping, Optional, Sequence, Union

import torch

from ..common.graph_rows import Recording
from ..common.paths import file_to_write
from ..common.progress import Choice, Progress
from ..common.real_values import answering
from ..isolation.answers import assuming
from ..isolation.data_dependent import translated
from ..isolation.preserve import older_objects_spared
from ..kernels.cuda_scratch import scratch_of
from ..shapes.axes import Axis, Dims, axes_of
from ..shapes.varied import Sample
from ..shapes.vary import recordings_of, vary_of
from ..training_step.environment import MicroSteps, prepared, variant_of
from ..training_step.step import Step
from ..version import VERSION
from .finish import finish
from .real_step import Values, check_values, values_of_steps
from .record import SavedTensors, record, record_with_python_frees, warm_up
from .scratch import set_scratch
from .writer import graph_of, write

Mode = Literal["train", "inference"]
Target = Literal["cuda", "cpu"]
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
    model: torch.nn.Module, args: Any = (), kwargs: Optional[dict] = None, *, loss: Optional[Callable] = None, targets: int = 0,
    optimizer: Any = None, mode: Mode = "train", target: Target = "cuda", name: Optional[str] = None, progress: Choice = False,
    vary: Optional[Mapping[str, Sequence[int]]] = None, vary_dims: Optional[Dims] = None, micro_steps: MicroSteps = 1,
    autocast: Optional[torch.dtype] = None, assume: Optional[Mapping[str, Any]] = None, values: Optional[Values] = None, keep_output: Optional[bool] = None,
) -> dict[str, Any]:  # fmt: skip
    """The graph in the form in which it would be written."""
    check_values(values, vary)
    told_progress = Progress(progress, _PASSES + (values is not None))
    options = {"micro_steps": micro_steps, "autocast": autocast, "targets": targets, "keep_output": keep_output}

    @contextlib.contextmanager
    def prepare(resize: Optional[Callable[[Step], None]] = None) -> Iterator[Step]:
        with prepared(model, args, kwargs, loss, optimizer, mode, target, resize=resize, **options) as step:
            step.progress = told_progress
            yield step

    try:
        with translated(), assuming(assume), older_objects_spared():
            real = None
            if values is not None:
                real = values_of_steps(model, args, kwargs, loss, optimizer, mode, target, told_progress, **options)
            with answering(real), translated(), prepare() as step:
                axes = axes_of(step, vary, vary_dims)
                if axes:
                    told_progress.expect(_PASSES + 2 * recordings_of(axes))
                warm_up(step, target)
                recording = finish(record_with_python_frees(step, target))
                if real is not None:
                    step.assumed += real.assumed()
                header = _header(step, recording, target, name or type(model).__name__)
                header |= {"values": "real"} if real is not None and real.assumed() else {}
            laws = {"vary": _vary(axes, Sample(recording, header["batch"]), prepare, target)} if axes else {}
            graph = {**graph_of(recording, header), **laws}
            if target == "cuda":
                set_scratch(graph, [[nbytes] if (nbytes := scratch_of(op, recording.tensors)) else [] for op in recording.ops])
            return graph
    finally:
        told_progress.end()


def trace(
    model: torch.nn.Module, args: Any = (), kwargs: Optional[dict] = None, *, loss: Optional[Callable] = None, targets: int = 0,
    optimizer: Any = None, mode: Mode = "train", target: Target = "cuda", name: Optional[str] = None,
    out: Union[str, Path, None] = None, progress: Choice = None, vary: Optional[Mapping[str, Sequence[int]]] = None,
    vary_dims: Optional[Dims] = None, micro_steps: MicroSteps = 1, autocast: Optional[torch.dtype] = None,
    assume: Optional[Mapping[str, Any]] = None, values: Optional[Values] = None, keep_output: Optional[bool] = None,
) -> Path:  # fmt: skip
    """Records one step of a model without running it, and writes it as a graph file, in which sizes are bytes.

    Afterwards everything is restored, also if the step can't be recorded: random numbers, torch's modes, caches, and what model, arguments,
    loss and optimizer hold (attributes, containers, closures, own classes, module-level variables that own functions name); not classes
    and variables of installed packages, iterators, and entries of containers with more than 10,000.

    Args:
        model (torch.nn.Module): Its tensors may be real, on any device, or made inside :func:`building`; only their shapes matter.
        args (tuple or torch.Tensor): Positional arguments of the model (a tuple, or one tensor), with the shapes of one batch.
        kwargs (dict, optional): Keyword arguments of the model.
        loss (callable, optional): Maps the output, followed by the `targets`, to a tensor with one element. Parameters of modules that it
            brings along are recorded like the model's. Default: the output's ``.loss``, else the sum of the output.
        targets (int): How many of `args`, the last ones, go to `loss` after the output instead of to the model. Default: 0.
        optimizer (torch.optim.Optimizer or callable, optional): An optimizer, or a function that makes one from parameters.
        mode (str): "train", or "inference" for a forward without gradients. Default: "train".
        target (str): Whose kernels are recorded: "cuda" or "cpu". Default: "cuda".
        name (str, optional): Name of the model in the file. Default: its class.
        out (str or Path, optional): The file to write. Default: <name>.plimsoll.json.gz in this folder.
        progress (bool or callable, optional): True shows a line on standard error, None only on a terminal, False none; a function is
            called with (fraction done, description of the current work).
        vary (dict, optional): ``{"batch": [8, 16, 24], "sequence": [512, 1024, 2048]}``, either or both, records the step at these sizes,
            one of which is the arguments' own; the file then has formulas for other sizes, too.
        vary_dims (dict, optional): ``{"batch": {"args[0]": 0}}`` names the dimensions for `vary` where sizes alone are ambiguous.
        micro_steps (int or list): k records gradient accumulation: forward, loss and backward k times, then the optimizer; a list of k
            tuples (positional arguments with targets) or dicts (keyword arguments) gives each its own batch in place of `args` and
            `kwargs`. The model's own loss and the sum are divided by k; a `loss` function must divide by itself.
        autocast (torch.dtype, optional): Forward and loss run under torch.autocast with this dtype, backward and optimizer outside. Losses
            are not scaled. Default: autocast stays as it is around this call.
        assume (dict, optional): ``{"model.py:41": True}`` answers a question about a value (.item(), bool()) by the line that asks it.
        values (str, optional): "real" runs forward, loss and backward twice on the given tensors, and answers such questions, and those
            about sizes that depend on values (indexing by a mask), as these did. Everything is restored afterwards.
        keep_output (bool, optional): Whether the training loop holds the model's output until the step ends, or lets it go once the loss
            is computed. Default: it holds it, unless the loss is the output's own ``.loss``.

    Raises:
        TraceError: The step can't be recorded; one sentence names the line and what to do. The three kinds below are TraceErrors, too.
        TypeError, ValueError: An argument isn't taken.
        FileNotFoundError: The folder of `out` doesn't exist, which is checked first.

    Example::

        >>> model, images, labels = torch.nn.Linear(16, 4), torch.zeros(8, 16), torch.zeros(8, dtype=torch.long)
        >>> str(plimsoll.trace(model, (images, labels), loss=torch.nn.CrossEntropyLoss(), targets=1, name="tiny"))
        'tiny.plimsoll.json.gz'
    """
    name = name or type(model).__name__
    path = file_to_write(out, name, ".plimsoll.json.gz")
    graph = trace_graph(
        model, args, kwargs, loss=loss, targets=targets, optimizer=optimizer, mode=mode, target=target, name=name, progress=progress,
        vary=vary, vary_dims=vary_dims, micro_steps=micro_steps, autocast=autocast, assume=assume, values=values, keep_output=keep_output,
    )
    write(graph, path)
    return path
