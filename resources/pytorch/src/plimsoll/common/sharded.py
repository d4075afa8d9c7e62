# SPDX-License-Identifier: Apache-2.0
"""Models that several processes hold in parts: fully_shard() and tensor parallelism."""


def is_dtensor(tensor):
    """Whether each process holds a part of it; recognised by its class's name, since importing torch.distributed.tensor takes a while."""
    return any(kind.__name__ == "DTensor" and kind.__module__.startswith("torch.") for kind in type(tensor).__mro__)


def sharded_in(model):
    """What of the model is sharded, as the beginning of a sentence; None if nothing is."""
    for path, module in model.named_modules():
        if any(kind.__name__ == "FSDPModule" and kind.__module__.startswith("torch.") for kind in type(module).__mro__):
            return f"the module '{path}' is sharded by fully_shard()" if path else "the model is sharded by fully_shard()"
    for name, tensor in (*model.named_parameters(), *model.named_buffers()):
        if is_dtensor(tensor):
            return f"{name} is a DTensor, of which each process holds a part"
    return None
