# SPDX-License-Identifier: Apache-2.0
"""Which kernels a CUDA trace takes: PyTorch's rules of eligibility, and what the kernels keep."""

import pytest
import torch
import torch.nn.functional as F
from helpers.graph_rules import assert_sound
from plimsoll.kernels.cuda_attention import EFFICIENT_GROUPS
from plimsoll.kernels.cuda_recurrent import reserve_bytes
from plimsoll.record.tracing import trace_graph

HALF, SINGLE = torch.bfloat16, torch.float32


class Attends(torch.nn.Module):
    """Self-attention over (batch, length, width) whose mask, scale and grouping are arguments of scaled_dot_product_attention."""

    def __init__(self, heads=4, size=16, groups=None, dtype=SINGLE, length=28, keys=None, mask=None, **options):
        super().__init__()
        self.heads, self.size, self.groups = heads, size, groups or heads
        self.query = torch.nn.Linear(32, heads * size, dtype=dtype)
        self.both = torch.nn.Linear(32, 2 * self.groups * size, dtype=dtype)
        self.keys, self.mask, self.options = keys or length, mask, options

    def forward(self, x):
        q = self.query(x).unflatten(2, (self.heads, self.size)).transpose(1, 2)
        k, v = self.both(x[:, : self.keys]).unflatten(2, (2, self.groups, self.size)).permute(2, 0, 3, 1, 4)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=self.mask, **self.options)


def traced(length=28, dtype=SINGLE, **options):
    graph = trace_graph(Attends(dtype=dtype, length=length, **options), torch.zeros(2, length, 32, dtype=dtype))
    assert_sound(graph)
    return graph


def op(graph, target):
    return next(row for row in graph["ops"] if graph["targets"][row[0]] == target)


CASES = {
    "half precision": (dict(dtype=HALF), "flash"),
    "single precision": ({}, "efficient"),
    "double precision": (dict(dtype=torch.float64), "math"),
    "half precision with a mask": (dict(dtype=HALF, mask=torch.ones(28, 28, dtype=torch.bool)), "efficient"),
    "half precision, heads of 20": (dict(dtype=HALF, size=20), "flash"),
    "single precision, heads of 20": (dict(size=20), "efficient"),
    "single precision, heads of 18": (dict(size=18), "math"),
    "half precision, heads of 20, with a mask": (dict(dtype=HALF, size=20, mask=torch.zeros(28, 28, dtype=HALF)), "math"),
    "half precision, heads of 256": (dict(dtype=HALF, size=256), "flash"),
    "half precision, heads of 264": (dict(dtype=HALF, size=264), "efficient"),
    "causal": (dict(dtype=HALF, is_causal=True), "flash"),
    "causal, other lengths": (dict(dtype=HALF, is_causal=True, keys=12), "efficient"),
    "other lengths": (dict(dtype=HALF, keys=12), "flash"),
    "grouped": (dict(dtype=HALF, groups=2, enable_gqa=True), "flash"),
    "grouped, single precision": (dict(groups=2, enable_gqa=True), "efficient" if EFFICIENT_GROUPS else "math"),
    "grouped, single precision, heads of 18": (dict(groups=2, enable_gqa=True, size=18), "math"),
    "dropout": (dict(dtype=HALF, dropout_p=0.1), "flash"),
    "a mask that learns": (dict(mask=torch.nn.Parameter(torch.zeros(28, 28))), "efficient"),
}


@pytest.mark.parametrize("name", CASES)
def test_attention_takes_the_first_eligible_kernel(name):
    options, kernel = CASES[name]
    graph = traced(**options)
    assert graph["kernels"]["attention"] == {kernel: 1}
    square = {tuple(t[1]) for t in graph["tensors"] if t[1][-2:] == (28, options.get("keys", 28)) and len(t[1]) == 4}
    given_mask = "mask" in options
    assert bool(square) == (kernel == "math" or given_mask)
    if kernel == "math":
        assert any("attention runs as separate operators" in sentence for sentence in graph["assumed"])


def test_the_efficient_kernel_pads_what_it_keeps_and_leaves_random_numbers_of_dropout_on_the_host():
    for dropout, on_gpu, kept in ((0.1, [], "host"), (0.0, [(), ()], "t")):
        graph = traced(length=40, dropout_p=dropout)
        row = op(graph, "aten._scaled_dot_product_efficient_attention.default")
        shapes = [tuple(graph["tensors"][t][1]) for t in row[7]]
        assert shapes == [(2, 4, 40, 16), (2, 4, 64), *on_gpu]  # rows of 32 queries, seed and offset
        backward = op(graph, "aten._scaled_dot_product_efficient_attention_backward.default")
        assert [list(argument) for argument in backward[16][7:9]] == [[kept], [kept]]


def test_a_mask_of_odd_width_is_padded_to_rows_of_8():
    graph = traced(length=21, mask=torch.zeros(21, 21))
    assert graph["kernels"]["attention"] == {"efficient": 1}
    padded = op(graph, "aten.constant_pad_nd.default")
    assert [tuple(graph["tensors"][t][1]) for t in padded[7]] == [(21, 24)]


def test_heads_of_odd_size_are_padded_for_flash():
    graph = traced(dtype=HALF, size=20)
    row = op(graph, "aten._scaled_dot_product_flash_attention.default")
    assert [tuple(graph["tensors"][t][1]) for t in row[5]] == [(2, 4, 28, 24)] * 3


def test_kernels_that_the_user_switched_off_are_not_taken():
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.EFFICIENT_ATTENTION):
        assert traced(dtype=HALF)["kernels"]["attention"] == {"efficient": 1}
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        assert traced(dtype=HALF)["kernels"]["attention"] == {"math": 1}


def test_attention_inside_a_library_is_met_too():
    model = torch.nn.MultiheadAttention(32, 4, batch_first=True)
    x = torch.zeros(2, 8, 32)
    graph = trace_graph(model, (x, x, x), {"need_weights": False}, loss=lambda out: out[0].sum())
    assert graph["kernels"]["attention"] == {"efficient": 1}


def test_nothing_is_replaced_once_the_trace_is_over():
    traced()
    x = torch.ones(64, requires_grad=True)
    assert "Mul" in type(F.dropout(x, 0.5).grad_fn).__name__
    norm = torch.nn.BatchNorm2d(3)
    assert type(norm(torch.zeros(2, 3, 4, 4)).grad_fn).__name__ == "NativeBatchNormBackward0"


@pytest.mark.parametrize(
    "norm, shape, dtype, kernel",
    [
        (torch.nn.BatchNorm2d, (2, 8, 4, 4), SINGLE, "cudnn"),
        (torch.nn.BatchNorm1d, (2, 8, 4), SINGLE, "cudnn"),
        (torch.nn.BatchNorm1d, (2, 8), SINGLE, "native"),
        (torch.nn.BatchNorm2d, (2, 8, 4, 4), HALF, "native"),
        (lambda n, dtype: torch.nn.BatchNorm2d(n, affine=False, dtype=dtype), (2, 8, 4, 4), SINGLE, "native"),
    ],
)
def test_batch_norm_takes_cudnn_where_it_is_eligible(norm, shape, dtype, kernel):
    model = torch.nn.Sequential(torch.nn.Linear(shape[-1], shape[-1], dtype=dtype), norm(8, dtype=dtype))
    if len(shape) == 2:
        model = torch.nn.Sequential(torch.nn.Linear(8, 8), norm(8))
    graph = trace_graph(model, torch.zeros(shape, dtype=dtype))
    assert_sound(graph)
    assert graph["kernels"]["batch_norm"] == {kernel: 1}
    assert ("aten.cudnn_batch_norm.default" in graph["targets"]) == (kernel == "cudnn")
    if kernel == "cudnn":
        row = op(graph, "aten.cudnn_batch_norm.default")
        assert [graph["storages"][graph["tensors"][t][0]][0] for t in row[7]][1:] == [32, 32, 0]
        assert len(row[6]) == 2  # running statistics, which no schema names


@pytest.mark.parametrize("norm, op_name", [(torch.nn.LayerNorm, "native_layer_norm"), (torch.nn.BatchNorm1d, "native_batch_norm")])
def test_norms_in_half_precision_keep_statistics_in_single(norm, op_name):
    graph = trace_graph(torch.nn.Sequential(torch.nn.Linear(8, 8, dtype=HALF), norm(8, dtype=HALF)), torch.zeros(4, 8, dtype=HALF))
    assert_sound(graph)
    row = op(graph, f"aten.{op_name}.default")
    assert [graph["dtypes"][graph["tensors"][t][4]] for t in row[7]] == ["bfloat16", "float32", "float32"]


def test_cudnn_batch_norm_under_autocast_keeps_statistics_in_single():
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 1), torch.nn.BatchNorm2d(8))
    graph = trace_graph(model, torch.zeros(2, 3, 4, 4), autocast=torch.float16)
    assert_sound(graph)
    assert graph["kernels"]["batch_norm"] == {"cudnn": 1}
    row = op(graph, "aten.cudnn_batch_norm.default")
    assert [graph["dtypes"][graph["tensors"][t][4]] for t in row[7]] == ["float16", "float32", "float32", "uint8"]


def test_dropout_keeps_a_byte_an_element():
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.5))
    graph = trace_graph(model, torch.zeros(4, 8))
    assert graph["kernels"]["dropout"] == {"native_dropout": 1}
    assert [graph["storages"][graph["tensors"][t][0]][0] for t in op(graph, "aten.native_dropout.default")[7]] == [128, 32]


def test_rms_norm_is_one_op_where_torch_has_it():
    graph = trace_graph(torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.RMSNorm(8)), torch.zeros(4, 8))
    assert_sound(graph)
    if not hasattr(torch.ops.aten, "_fused_rms_norm"):  # torch 2.8 and older
        assert "rms_norm" not in graph["kernels"] and "aten.rsqrt.default" in graph["targets"]
        return
    assert graph["kernels"]["rms_norm"] == {"fused": 1}
    assert [tuple(graph["tensors"][t][1]) for t in op(graph, "aten._fused_rms_norm.default")[7]] == [(4, 8), (4, 1)]
    assert "aten._fused_rms_norm_backward.default" in graph["targets"]


# Bytes that cudnnGetRNNTempSpaceSizes of cuDNN 9.26 gives: mode, hidden, layers, directions, batch, steps, bytes an element, dropout.
RESERVES = [
    ((2, 512, 1, 1, 8, 16, 4, 0.0), 1_310_976),
    ((2, 512, 2, 1, 8, 16, 4, 0.1), 2_892_032),
    ((2, 512, 2, 2, 8, 16, 4, 0.1), 5_800_192),
    ((2, 500, 3, 1, 7, 13, 4, 0.0), 3_094_272),
    ((2, 300, 4, 2, 15, 46, 2, 0.2), 19_354_912),
    ((3, 16, 4, 1, 37, 2, 4, 0.2), 128_608),
    ((0, 17, 2, 2, 34, 33, 2, 0.2), 238_784),
]


@pytest.mark.parametrize("given, expected", RESERVES)
def test_recurrent_layers_keep_cudnns_reserve(given, expected):
    assert reserve_bytes(*given) == expected


@pytest.mark.parametrize("layer, gates", [(torch.nn.LSTM, 4), (torch.nn.GRU, 3), (torch.nn.RNN, 1)])
def test_recurrent_layers_are_one_op_with_gradients_in_one_piece(layer, gates):
    model = layer(8, 16, 2, batch_first=True, bidirectional=True)
    graph = trace_graph(model, torch.zeros(3, 5, 8), loss=lambda out: out[0].sum())
    assert_sound(graph)
    assert graph["kernels"]["recurrent"] == {"cudnn": 1}
    assert len({row[2] for row in graph["params"]}) == 1  # one storage holds all gradients
    elements = sum(p.numel() for p in model.parameters())
    assert graph["storages"][graph["params"][0][2]][0] == 4 * elements
    saved = {graph["tensors"][row[0]][0] for row in graph["saved"]}
    assert {graph["params"][i][1] for i in range(len(graph["params"]))} <= saved
    assert elements == 2 * gates * (16 * (8 + 16 + 2) + 16 * (32 + 16 + 2))


class Casts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(16, 16)
        self.norm = torch.nn.LayerNorm(16)

    def forward(self, x):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            hidden = self.inner(x)
            normed = self.norm(hidden)
            return torch.einsum("bi,bj->bij", hidden, normed).softmax(-1).sum()


def test_autocast_follows_cudas_lists():
    graph = trace_graph(Casts(), torch.zeros(4, 16))
    assert_sound(graph)
    dtype_of = lambda target, place: graph["dtypes"][graph["tensors"][op(graph, target)[place][0]][4]]  # noqa: E731
    assert dtype_of("aten.addmm.default", 7) == "bfloat16"
    assert dtype_of("aten.native_layer_norm.default", 5) == "float32"  # the CPU's autocast leaves it in bfloat16
    assert dtype_of("aten._softmax.default", 5) == "float32"
    assert graph["autocast"] == "bfloat16"
    assert any("autocast" in sentence for sentence in graph["assumed"])


@pytest.mark.parametrize(
    "options, variant",
    [({}, "foreach"), ({"fused": True}, "fused"), ({"foreach": False}, "for-loop"), ({"lr": torch.tensor(0.1)}, "for-loop")],
)
def test_the_optimizer_takes_the_variant_of_a_gpu(options, variant):
    model = torch.nn.Linear(8, 8)
    graph = trace_graph(model, torch.zeros(4, 8), optimizer=torch.optim.AdamW(model.parameters(), **options))
    assert graph["kernels"] == {"optimizer": {variant: 1}} and graph["optimizer"]["variant"] == variant


def test_on_the_cpu_nothing_is_emulated():
    graph = trace_graph(Attends(), torch.zeros(2, 28, 32), target="cpu", optimizer=torch.optim.SGD)
    assert graph["kernels"] == {"optimizer": {"for-loop": 1}}
    assert not any("kernels are chosen" in sentence for sentence in graph["assumed"])
