# SPDX-License-Identifier: Apache-2.0
"""Emulated autocast of CUDA: PyTorch's own lists of ops, and what becomes of cast weights."""

import re
from pathlib import Path

import plimsoll
import pytest
import torch
import torch.nn.functional as F
from plimsoll.kernels import cuda_autocast
from plimsoll.record.tracing import trace_graph

X = torch.rand(4, 16)
# Not in the lists: registered one by one, with the policies that this says.
BESIDE = {"_cudnn_rnn": cuda_autocast._LOWER, "norm.Scalar": cuda_autocast._SET_DTYPE, "norm.ScalarOpt_dim": cuda_autocast._SET_DTYPE}


def listed(name):
    header = (Path(torch.__file__).parent / "include" / "ATen" / "autocast_mode.h").read_text()
    body = re.search(rf"#define AT_FORALL_{name}\(_\)(.*?)\n\n", header, re.S)[1]
    return {re.sub(r",\s*", ".", op) for op in re.findall(r"_\((\w+(?:,\s*\w+)?)\)", body)}


def test_policies_are_those_of_pytorchs_own_lists():
    lower, single, set_dtype, promote = map(listed, ("LOWER_PRECISION_FP", "FP32", "FP32_SET_OPT_DTYPE", "PROMOTE"))
    cuda, cpu = (cuda_autocast._registered(key) for key in ("AutocastCUDA", "AutocastCPU"))
    assert lower | single | set_dtype | promote <= cuda
    mine = cuda - cpu | cuda & cuda_autocast._OTHER_ON_CPU - {cuda_autocast._BANNED}
    assert cuda_autocast._LOWER == lower & mine | {"_cudnn_rnn"}
    assert cuda_autocast._SET_DTYPE == set_dtype | {"norm.Scalar", "norm.ScalarOpt_dim"} and set_dtype <= mine
    assert cuda_autocast._PROMOTE == promote <= mine
    rest = mine - cuda_autocast._LOWER - cuda_autocast._SET_DTYPE - cuda_autocast._PROMOTE
    assert {name for name in rest if not name.startswith("cudnn_")} == single & mine


class Does(torch.nn.Module):
    def __init__(self, way):
        super().__init__()
        self.inner, self.way = torch.nn.Linear(16, 16), way

    def forward(self, x):
        return self.way(self.inner, x)


def rows(way):
    """(target, dtypes of what is read, dtypes of the results) of all ops of forward."""
    graph = trace_graph(Does(way), X, autocast=torch.bfloat16, loss=lambda output: output.float().sum())
    dtypes = lambda tensors: [graph["dtypes"][graph["tensors"][t][4]] for t in tensors]  # noqa: E731
    return [(graph["targets"][op[0]], dtypes(op[5]), dtypes(op[7])) for op in graph["ops"] if op[1] == 0]


# What runs last in forward.
WAYS = {
    "prod in single precision by its argument": (lambda m, x: m(x).prod(1), ("aten.prod.dim_int", ["bfloat16"], ["float32"])),
    "norm by another overload": (lambda m, x: torch.ops.aten.norm.Scalar(m(x)), ("aten.norm.ScalarOpt_dim_dtype", ["bfloat16"], ["float32"])),
    "norm with an exponent": (lambda m, x: torch.ops.aten.norm.ScalarOpt_dim(m(x), 3, [1]), ("aten.norm.ScalarOpt_dim_dtype", ["bfloat16"], ["float32"])),
    "the widest of all": (lambda m, x: torch.addcmul(x, m(x), m(x)), ("aten.addcmul.default", ["float32"] * 3, ["float32"])),
    "cat as it is": (lambda m, x: torch.cat([m(x), m(x)]), ("aten.cat.default", ["bfloat16"] * 2, ["bfloat16"])),
    "losses in single precision": (lambda m, x: F.mse_loss(m(x), x), ("aten.mse_loss.default", ["float32"] * 2, ["float32"])),
}  # fmt: skip


@pytest.mark.parametrize("way, last", WAYS.values(), ids=WAYS)
def test_ops_run_as_cudas_lists_say(way, last):
    assert rows(way)[-1] == last


def test_weights_of_cudas_own_ops_are_cast_once_too():
    def way(inner, x):
        return torch.einsum("bi,oi->bo", torch.einsum("bi,oi->bo", x, inner.weight), inner.weight)

    casts = [row for row in rows(way) if row[0] == "aten._to_copy.default"]
    assert len(casts) == 2  # the input and the weight
    assert torch.clear_autocast_cache.__module__ != "plimsoll.kernels.cuda_kernels"


def test_what_raises_on_cuda_is_refused():
    def way(inner, x):
        return F.binary_cross_entropy(inner(x).sigmoid(), x)

    line = way.__code__.co_firstlineno + 1
    with pytest.raises(plimsoll.TraceError, match=rf"test_cuda_autocast.py:{line}: .*use binary_cross_entropy_with_logits"):
        rows(way)
