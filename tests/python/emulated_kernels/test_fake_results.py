# SPDX-License-Identifier: Apache-2.0
"""Fake results have dtype, shape, strides and bytes of the results of CPU kernels, half precision and autocast included."""

import functools
import itertools

import pytest
import torch
import torch.nn.functional as F
from helpers import EXHAUSTIVE
from helpers.beside import NoKernel, OnFakesToo
from helpers.proof import prove
from helpers.zoo import ZOO, some
from plimsoll.record.tracing import trace_graph
from torch import nn

aten = torch.ops.aten
HALF = (torch.bfloat16, torch.float16)
SINGLE = torch.float32
TYPES = (SINGLE, *HALF) if EXHAUSTIVE else (SINGLE, torch.bfloat16)  # of those of half precision both have the same sizes


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
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("norms", [_layer_norms, _group_norms, _batch_norms, _rms_norms])
def test_norms_of_every_mix_of_types(norms, dtype):
    with OnFakesToo() as beside:
        norms(dtype)
    assert beside.differences == []
    assert beside.ops > 10


CAST = [name for name in some("unet", "vit_b_16", "llama", "mixture", "lstm") if name != "densenet121"]  # the longest, of ResNet-18's ops


@pytest.mark.parametrize("name", CAST)
def test_all_ops_of_a_step_under_autocast(name):
    torch.manual_seed(0)
    made = ZOO[name].lean()
    model = made["model"].train()
    with OnFakesToo() as beside:
        try:
            with torch.autocast("cpu", dtype=torch.bfloat16):
                output = model(*made.get("args", ()), **made.get("kwargs", {}))
                loss = made["loss"](output) if "loss" in made else output.loss
        except NoKernel:
            assert name == "lstm"  # in half precision: only newer CPUs have a kernel
            return
        loss.backward()
    assert beside.differences == []
    assert beside.ops > 100 and "aten._to_copy.default" in beside.seen
    assert all(p.grad is None or p.grad.dtype == SINGLE for p in model.parameters())


def _images():
    return torch.rand(2, 8, 12, 12)


def _rows():
    return torch.rand(4, 6)


def _tokens():
    return torch.arange(20).view(4, 5) % 7


def _spatial(make, channels=4):
    """The layer for one, two and three dimensions."""
    return [(make(dims), torch.rand(2, channels, *[6] * dims)) for dims in (1, 2, 3)]


def _named(name, *args, **options):
    return lambda dims: getattr(nn, f"{name}{dims}d")(*args, **options)


ACTIVATIONS = (
    nn.ReLU(), nn.GELU(), nn.SiLU(), nn.Mish(), nn.Hardswish(), nn.Hardsigmoid(), nn.Hardtanh(), nn.ELU(), nn.LeakyReLU(), nn.PReLU(), nn.RReLU(), nn.Softplus(), nn.LogSigmoid(),
    nn.Softmax(1), nn.LogSoftmax(-1), nn.GLU(1), nn.Dropout(0.3), nn.Dropout2d(0.3), nn.ChannelShuffle(2), nn.PixelShuffle(2), nn.MaxPool2d(3, 2, 1),
    nn.AvgPool2d(3), nn.Unfold(3, padding=1), nn.ReflectionPad2d(1), nn.ReplicationPad2d(1), nn.LocalResponseNorm(2), nn.LayerNorm(12), nn.RMSNorm(12), nn.GroupNorm(2, 8),
    *(nn.Upsample(scale_factor=2, mode=mode) for mode in ("nearest", "bilinear", "bicubic")),
)  # fmt: skip
class Rolled(nn.Module):
    def forward(self, x):
        return x.roll((1, 2), (1, 3))


LAYERS = {
    "roll": [(Rolled(), _images())],
    **{type(layer).__name__ + getattr(layer, "mode", ""): [(layer, _images())] for layer in ACTIVATIONS},
    "convolution": _spatial(_named("Conv", 4, 6, 3, padding=1)) + _spatial(_named("Conv", 4, 4, 3, groups=4)),
    "transposed": _spatial(_named("ConvTranspose", 4, 6, 3, stride=2, output_padding=1)),
    "batch norm": _spatial(_named("BatchNorm", 4)) + _spatial(_named("InstanceNorm", 4, affine=True)),
    "pooling": _spatial(_named("AdaptiveAvgPool", 3)) + _spatial(_named("AdaptiveMaxPool", 3)),
    "padding": [(pad(1), torch.rand(2, 4, 6, 6, 6)) for pad in (nn.ReflectionPad3d, nn.ReplicationPad3d)],
    "fold": [(nn.Fold((12, 12), 3, padding=1), torch.rand(2, 72, 144))],
    "embeddings": [(nn.Embedding(7, 6), _tokens()), *((nn.EmbeddingBag(7, 6, mode=mode), _tokens()) for mode in ("sum", "mean", "max"))],
    "attention": [(nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), torch.rand(2, 7, 16))],
    "recurrent": [(layer(6, 6, batch_first=True), torch.rand(3, 5, 6)) for layer in (nn.RNN, nn.LSTM, nn.GRU)],
}
LOSSES = {
    **{name: getattr(F, name) for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy_with_logits")},
    **{name: getattr(F, name) for name in ("poisson_nll_loss", "cross_entropy", "cosine_similarity")},
    "kl_div": functools.partial(F.kl_div, reduction="batchmean"), "soft_margin_loss": lambda x, y: F.soft_margin_loss(x, y.detach()),
    "sum of squares": functools.partial(F.mse_loss, reduction="sum"), "no reduction": functools.partial(F.mse_loss, reduction="none"),
    "binary_cross_entropy": lambda x, y: F.binary_cross_entropy(x.float().sigmoid(), y.float()), "triplets": lambda x, y: F.triplet_margin_loss(x, y, x * y),
    "distances": lambda x, y: torch.cdist(x, y) + torch.cdist(x, y, p=1.0)[0], "xlogy": torch.xlogy,
}  # fmt: skip


def _turned(tensor):
    """The same values in another order in memory."""
    if tensor.dim() in (4, 5):
        return tensor.contiguous(memory_format=torch.channels_last if tensor.dim() == 4 else torch.channels_last_3d)
    return tensor.transpose(0, 1).contiguous().transpose(0, 1) if tensor.dim() > 1 else tensor


def _tensors(value):
    return [value] if isinstance(value, torch.Tensor) else [t for item in value for t in _tensors(item)]


def _differences(call, *inputs):
    """In plain layout, in another one, and under autocast; with gradients of the result's layout and of the other."""
    found = []
    for change, cast, turn in itertools.product((torch.clone, _turned), (False, True), (torch.clone, _turned)):
        given = [change(x).requires_grad_() if x.is_floating_point() else x for x in inputs]
        with OnFakesToo() as beside:
            try:
                with torch.autocast("cpu", dtype=torch.bfloat16, enabled=cast):
                    results = [t for t in _tensors(call(*given)) if t.requires_grad]
            except NoKernel:
                assert cast and isinstance(call, nn.LSTM)  # in half precision: only newer CPUs have a kernel
                continue
            torch.autograd.backward(results, [turn(torch.rand(t.shape, dtype=t.dtype)) for t in results])
        found += beside.differences
    return found


@pytest.mark.parametrize("name", LAYERS)
def test_layers(name):
    for layer, x in LAYERS[name]:
        assert _differences(layer, x) == []


def test_bags_in_half_precision():
    with OnFakesToo() as beside:
        for dtype, mode in itertools.product(HALF, ("sum", "mean", "max")):
            nn.EmbeddingBag(7, 6, mode=mode, dtype=dtype)(_tokens()).float().sum().backward()
    assert beside.differences == []


def test_bags_that_end_with_an_offset():
    with OnFakesToo() as beside:
        for dtype, mode in itertools.product((SINGLE, *HALF), ("sum", "mean", "max")):
            layer = nn.EmbeddingBag(7, 6, mode=mode, dtype=dtype, include_last_offset=True)
            layer(_tokens().flatten(), torch.tensor([0, 3, 9, 20])).float().sum().backward()
    assert beside.differences == []


@pytest.mark.parametrize("name", LOSSES)
def test_losses(name):
    assert _differences(LOSSES[name], _rows(), _rows()) == []
    with OnFakesToo() as beside:  # two orders in memory
        LOSSES[name](_rows(), _turned(_rows())).sum()
        LOSSES[name](_turned(_rows()), _rows()).sum()
    assert beside.differences == []


def test_a_reduced_loss_holds_the_memory_of_the_unreduced_one():
    """PyTorch resizes it to one number, which frees nothing: a real step's bytes say so."""

    def builder():
        model, image = nn.Sequential(nn.Conv2d(3, 3, 3, padding=1), nn.Sigmoid()), torch.rand(2, 3, 16, 16)
        return {"model": model, "args": (image,), "loss": functools.partial(F.mse_loss, target=image), "optimizer": functools.partial(torch.optim.SGD, lr=0.1)}

    proof = prove(builder)
    assert proof.differences == [] and proof.held.tensors == proof.predicted
    made = builder()
    for target in ("cpu", "cuda"):
        graph = trace_graph(made["model"], made["args"], loss=made["loss"], target=target)
        loss = next(op for op in graph["ops"] if graph["targets"][op[0]] == "aten.mse_loss.default")
        storage, shape = graph["tensors"][loss[7][0]][:2]
        assert list(shape) == [] and graph["storages"][storage][0] == 4 * 2 * 3 * 16 * 16


def test_variances_are_taken_not_to_be_negative():
    """What torch itself asks to raise a clear error for is no question of the model's."""

    def builder():
        variance = torch.rand(4, 6)
        loss = functools.partial(F.gaussian_nll_loss, target=torch.rand(4, 6), var=variance, full=True)
        return {"model": nn.Linear(6, 6), "args": (torch.rand(4, 6),), "loss": loss, "optimizer": functools.partial(torch.optim.SGD, lr=0.1)}

    proof = prove(builder)
    assert proof.differences == [] and proof.held.tensors == proof.predicted
    assert "gaussian_nll_loss asks whether a variance is negative, and would raise: answered with no" in proof.graph["assumed"]


def test_log_sigmoid_keeps_nothing_beside_its_result_on_cuda():
    for target, count in (("cpu", 2), ("cuda", 1)):
        graph = trace_graph(nn.Sequential(nn.Linear(16, 16), nn.LogSigmoid()), torch.rand(4, 16), target=target)
        made = next(op for op in graph["ops"] if graph["targets"][op[0]] == "aten.log_sigmoid_forward.default")
        assert sum(graph["storages"][graph["tensors"][t][0]][0] for t in made[7]) == count * 4 * 4 * 16


def _orders(dtype):
    """One shape in the orders that tensors of a step have in memory, and expanded as gradients of sums and means are."""
    whole = torch.rand(4, 8, 6, 5).to(dtype)
    return {
        "contiguous": whole, "channels last": whole.contiguous(memory_format=torch.channels_last), "transposed": _turned(whole),
        "of one number": whole[0, 0, 0, 0].expand(4, 8, 6, 5), "of channels": whole[:, :, :1, :1].expand(4, 8, 6, 5),
    }  # fmt: skip


ELEMENTWISE = {
    aten.add.Tensor: (), aten.mul.Tensor: (), aten.div.Tensor: (), aten.maximum.default: (), aten.pow.Tensor_Tensor: (), aten.eq.Tensor: (),
    aten.logaddexp.default: (), aten.copysign.Tensor: (), aten.floor_divide.default: (), aten.heaviside.default: (),
    aten.gelu_backward.default: (), aten.silu_backward.default: (), aten.sigmoid_backward.default: (), aten.tanh_backward.default: (),
    aten.mish_backward.default: (), aten.hardswish_backward.default: (), aten.hardsigmoid_backward.default: (),
    aten.logit_backward.default: (), aten.threshold_backward.default: (0.0,), aten.leaky_relu_backward.default: (0.1, False),
    aten.softplus_backward.default: (1.0, 20.0), aten.hardtanh_backward.default: (-1.0, 1.0),
}  # fmt: skip


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_elementwise_results_are_ordered_as_all_operands_together(dtype):
    found = []
    for a, b in itertools.product(_orders(dtype).values(), repeat=2):
        with OnFakesToo() as beside:
            for op, more in ELEMENTWISE.items():
                op(a, b, *more)
            torch.where(a > 0.5, a, b)
            torch.div(a, b, rounding_mode="floor"), torch.div(a, b, rounding_mode="trunc")
            torch.clamp(a, b, a)
            a.masked_fill(b > 0.5, 0.0)
            aten.log_sigmoid_backward(a, b, aten.log_sigmoid_forward(b)[1])
        found += beside.differences
    assert found == []


def test_operands_that_are_converted_lose_their_order():
    for first, second in itertools.permutations((SINGLE, *HALF), 2):
        with OnFakesToo() as beside:
            for a, b in itertools.product(_orders(first).values(), _orders(second).values()):
                aten.mul.Tensor(a, b)
        assert beside.differences == []


def test_gradients_of_one_place_are_summed_in_place_whatever_their_order():
    """A sum of channels-last tensors with one place has other strides than its operands, which nothing follows from."""

    def builder():
        image = torch.rand(4, 8, 6, 5).contiguous(memory_format=torch.channels_last)
        model = nn.Sequential(nn.Conv2d(8, 8, 1), nn.AdaptiveAvgPool2d(1))
        return {"model": model, "args": (image,), "loss": lambda out: (out * out).sum(), "optimizer": functools.partial(torch.optim.SGD, lr=0.1)}

    proof = prove(builder)
    assert proof.differences == [] and proof.curve == []
    assert proof.counted("add_") == 1 and proof.counted("add") == 0
