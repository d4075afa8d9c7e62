# SPDX-License-Identifier: Apache-2.0
"""Fake results have dtype, shape, strides and bytes of the results of CPU kernels, half precision and autocast included."""

import itertools

import pytest
import torch
from beside import OnFakesToo
from zoo import ZOO

aten = torch.ops.aten
HALF = (torch.bfloat16, torch.float16)
SINGLE = torch.float32


def _filled(shape, dtype, channels_last=False):
    if dtype is None:
        return None
    layout = torch.channels_last if channels_last else torch.contiguous_format
    return torch.rand(shape).to(dtype).contiguous(memory_format=layout)


def _parameters(dtype):
    """dtypes of weight and bias that the CPU takes beside an input of this one."""
    return [(None, None), (SINGLE, SINGLE), (dtype, dtype), (SINGLE, None), (dtype, None), (None, SINGLE)]


def _masks(*wanted):
    """What gradients a backward may be asked for: that of the input or not, those of the parameters that there are."""
    return [[x, *wanted] for x in (True, False) if x or any(wanted)]


def _layer_norms(dtype):
    for (weight, bias), turned in itertools.product(_parameters(dtype), (False, True)):
        new = lambda: _filled((2, 8, 4), dtype).transpose(1, 2) if turned else _filled((2, 4, 8), dtype)  # noqa: E731,B023
        x, w, b = new(), _filled((8,), weight), _filled((8,), bias)
        _, mean, deviation = aten.native_layer_norm(x, [8], w, b, 1e-5)
        if weight is None and bias is not None:
            continue  # the CPU's backward takes no bias without a weight
        for mask in _masks(w is not None, b is not None):
            aten.native_layer_norm_backward(new(), x, [8], mean, deviation, w, b, mask)


def _group_norms(dtype):
    for (weight, bias), last, g_last in itertools.product(_parameters(dtype), (False, True), (False, True)):
        x, w, b = _filled((2, 8, 4, 4), dtype, last), _filled((8,), weight), _filled((8,), bias)
        _, mean, deviation = aten.native_group_norm(x, w, b, 2, 8, 16, 2, 1e-5)
        if weight is None and bias is not None:
            continue  # likewise
        for mask in _masks(w is not None, b is not None):
            aten.native_group_norm_backward(_filled((2, 8, 4, 4), dtype, g_last), x, mean, deviation, w, 2, 8, 16, 2, mask)


def _batch_norms(dtype):
    for (weight, bias), last, training in itertools.product(_parameters(dtype), (False, True), (False, True)):
        for running in {None, dtype, SINGLE} - ({SINGLE} if dtype in (weight, bias) else set()):
            if (running is None and not training) or (running == dtype != SINGLE and SINGLE in (weight, bias)):
                continue  # the CPU refuses both
            x, w, b = _filled((2, 8, 4, 4), dtype, last), _filled((8,), weight), _filled((8,), bias)
            statistics = _filled((8,), running), _filled((8,), running)
            _, mean, deviation = aten.native_batch_norm(x, w, b, *statistics, training, 0.1, 1e-5)
            for mask in _masks(w is not None, w is not None):
                gradient = _filled((2, 8, 4, 4), dtype, last)
                aten.native_batch_norm_backward(gradient, x, w, *statistics, mean, deviation, training, 1e-5, mask)


def _rms_norms(dtype):
    for weight in (None, dtype, SINGLE):
        torch.nn.functional.rms_norm(_filled((2, 4, 8), dtype), [8], _filled((8,), weight), 1e-5)


@pytest.mark.filterwarnings("ignore:Mismatch dtype between input and weight")
@pytest.mark.parametrize("dtype", [SINGLE, *HALF])
@pytest.mark.parametrize("norms", [_layer_norms, _group_norms, _batch_norms, _rms_norms])
def test_norms_of_every_mix_of_types(norms, dtype):
    with OnFakesToo() as beside:
        norms(dtype)
    assert beside.differences == []
    assert beside.ops > 10


@pytest.mark.parametrize("name", [name for name in ZOO if name != "densenet121"])  # the longest, of ResNet-18's ops
def test_all_ops_of_a_step_under_autocast(name):
    torch.manual_seed(0)
    made = ZOO[name].lean()
    model = made["model"].train()
    with OnFakesToo() as beside:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            output = model(*made.get("args", ()), **made.get("kwargs", {}))
            loss = made["loss"](output) if "loss" in made else output.loss
        loss.backward()
    assert beside.differences == []
    assert beside.ops > 100 and "aten._to_copy.default" in beside.seen
    assert all(p.grad is None or p.grad.dtype == SINGLE for p in model.parameters())
