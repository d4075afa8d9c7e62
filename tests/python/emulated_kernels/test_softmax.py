# SPDX-License-Identifier: Apache-2.0
"""Softmax of float16 into float32: CUDA has one kernel for it, a CPU converts first. On the stand-in GPU PyTorch itself chose so (test_streams.py)."""

import pytest
import torch
from plimsoll.record.tracing import trace_graph
from torch import nn


class Soft(nn.Module):
    def __init__(self, function, dtype):
        super().__init__()
        self.body, self.function, self.dtype = nn.Linear(8, 8), function, dtype

    def forward(self, x):
        return self.function(self.body(x), dim=-1, dtype=self.dtype).sum()


def ops_of(function, dtype, target, autocast):
    graph = trace_graph(Soft(function, dtype), torch.ones(4, 8), target=target, autocast=autocast)
    names = [graph["targets"][op[0]] for op in graph["ops"]]
    forward, backward = (next(i for i, name in enumerate(names) if part in name) for part in ("softmax", "softmax_backward"))
    return names[forward - 1 : forward + 1], names[backward : backward + 2]


@pytest.mark.parametrize("function", [torch.softmax, torch.log_softmax])
@pytest.mark.parametrize("dtype", [None, torch.float32])
def test_half_precision_is_converted_by_the_kernel(function, dtype):
    name = f"aten._{function.__name__}"
    forward, backward = ops_of(function, dtype, "cuda", torch.float16)
    assert forward == ["aten.addmm.default", f"{name}.default"]
    assert backward[0] == f"{name}_backward_data.default" and backward[1] != "aten._to_copy.default"


@pytest.mark.parametrize("function", [torch.softmax, torch.log_softmax])
@pytest.mark.parametrize("target, autocast", [("cuda", torch.bfloat16), ("cpu", torch.bfloat16)])
def test_others_are_converted_before(function, target, autocast):
    name = f"aten._{function.__name__}"
    forward, backward = ops_of(function, torch.float32, target, autocast)
    assert forward == ["aten._to_copy.default", f"{name}.default"]
    assert backward == [f"{name}_backward_data.default", "aten._to_copy.default"]
