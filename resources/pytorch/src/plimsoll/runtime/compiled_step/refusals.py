# SPDX-License-Identifier: Apache-2.0
"""Steps that can't be compiled, in one table, which the manual shows as well; and models of which that can be said before they run."""

from __future__ import annotations

from typing import Any, Iterable

import torch

from ...common.graph_rows import TraceError
from ...training_step.unsupported import refuse_sharded

_WRAPPERS = ("DistributedDataParallel", "FullyShardedDataParallel", "OptimizedModule")

# Words in braces name what was found in the step.
REFUSALS = {
    "wrapper": "{where} is a {name}, whose work is not ops of the step: compile the step of the module inside of it",
    "device": "a tensor of the step is on {device}: compiled steps run on the CPU or on one GPU, so move model and batch there",
    "devices": "tensors of the step are on {devices}: a compiled step runs on one GPU; compile a step for the part of the model on each, or run "
    "this one without compile_step",
    "other device": "{place} can't be executed from a recording: it runs on {device}, whereas the step's tensors are on {own}",
    "hooks": "the parameter {name} has hooks on its gradient, which a compiled step wouldn't run: change the gradients after the step",
    "gradient": "{name} requires a gradient, which a compiled step would not give it, as it fills those of the model's parameters: detach it, "
    "make it a parameter of the model, or run the step without compile_step",
    "stores": "{place} stores the gradient of {name}: adding to one that is there is not known for it",
    "stored by nobody": "nobody stores the gradient of {name}: the step can't be executed op by op",
    "seeding": "{line}: it sets the state of the random numbers, which a compiled step can't reproduce: seed before the training loop instead",
    "Python's numbers": "the step draws random numbers in Python (random, numpy.random or a generator of theirs), and a compiled one would "
    "decide the same way in every step: draw them with torch, or outside of model and loss, and give them as arguments",
    "changes": "the step changes '{changed}', which a compiled step would leave as it is: write into a tensor that is there (copy_), or change "
    "it outside of the model and the loss, before or after the step",
    "unstable": "two recordings of the same step differ ({what}): the model does something else from step to step (a counter, "
    "random.random(), a cache that is filled); give it as an argument of the step, or do the same in every step",
    "made at first": "the step's first run makes a tensor of shape {shape} that later runs find (a gradient scaler's factor, say): run the "
    "step once without compile_step, so that it is there",
    "not given": "the step reads a tensor of shape {shape} that it is not given and the model doesn't keep",
    "constants": "the step makes {mib} MiB of constants from Python: keep them as buffers of the model (register_buffer)",
    "resize_": "{place} can't be executed from a recording: it changes the size of memory",
    "set_": "{place} can't be executed from a recording: it puts other memory into a tensor",
    "argument": "{place} can't be executed from a recording: it takes a {kind}",
    "values": "{place} can't be executed from a recording: the shape of its result depends on values",
    "other shape": "{place} can't be executed from a recording: it gives a tensor of the model or of the batch another shape in place",
    "output": "the model returns a {name}, which a compiled step can't make again, or which something else holds: return tensors in tuples, "
    "lists, dicts, dataclasses or plain objects (for transformers: use_cache=False)",
    "secret write": "{place} overwrites an argument without saying so in its schema: declare it (mutates_args), so that it can be followed",
    "other result": "{place} returned {found} where {recorded} was recorded: the step can't be executed op by op",
}


def refusal(kind: str, /, **words: Any) -> TraceError:
    return TraceError(REFUSALS[kind].format(**words))


def refuse_model(model: torch.nn.Module) -> None:
    """Raises TraceError with a sentence that says what to do instead."""
    refuse_sharded(model)
    for path, module in model.named_modules():
        name = type(module).__name__
        if name in _WRAPPERS:
            raise refusal("wrapper", where=f"'{path}'" if path else "the model", name=name)


def refuse_hooks(name: str, parameter: torch.Tensor) -> None:
    if parameter._backward_hooks or getattr(parameter, "_post_accumulate_grad_hooks", None):
        raise refusal("hooks", name=name)


def device_of(tensors: Iterable[torch.Tensor]) -> str:
    """The one GPU on which tensors lie, else the CPU. Raises TraceError if they lie elsewhere."""
    devices = sorted(map(str, {tensor.device for tensor in tensors} - {torch.device("cpu")}))
    other = next((device for device in devices if not device.startswith("cuda")), None)
    if other is not None:
        raise refusal("device", device=other)
    if len(devices) > 1:
        raise refusal("devices", devices=" and ".join(devices))
    return devices[0] if devices else "cpu"
