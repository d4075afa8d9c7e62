# SPDX-License-Identifier: Apache-2.0
"""Models that ask for values of tensors while they are built without memory: numbers follow from numbers, the rest has a sentence."""

import plimsoll
import pytest
import torch
from plimsoll.record.tracing import trace_graph

torchvision = pytest.importorskip("torchvision")


def test_widths_of_layers_may_come_from_tensors():
    build = torchvision.models.regnet_y_400mf
    with plimsoll.building():
        fake = build()
    assert {n: t.shape for n, t in fake.state_dict().items()} == {n: t.shape for n, t in build().state_dict().items()}


ASKED = {
    "rates": lambda: [x.item() for x in torch.linspace(0, 0.1, 5)],
    "a list": lambda: torch.round(torch.arange(6) * 2.7 + 24).int().tolist(),
    "nested": lambda: (torch.eye(2) * 3).tolist(),
    "literals": lambda: torch.diff(torch.tensor([0, 1, 4, 9])).tolist(),
    "written": lambda: torch.full((3,), 2.0).mul_(torch.tensor(0.1)).cumsum(0)[1:].tolist(),
    "a truth": lambda: bool(torch.ones(4, dtype=torch.bool).all()),
}


@pytest.mark.parametrize("name", ASKED)
def test_what_is_computed_from_numbers_has_its_value(name):
    expected = ASKED[name]()
    with plimsoll.building():
        assert ASKED[name]() == expected


UNKNOWN = {
    "weights": lambda: torch.nn.Linear(2, 2).weight.sum().item(),
    "random": lambda: torch.rand(3).tolist(),
    "initialised": lambda: torch.nn.init.constant_(torch.zeros(2), 3.0).tolist(),
    "a view of what was initialised": lambda: (t := torch.zeros(4), torch.nn.init.normal_(t[:2]), t.sum().item()),
    "large": lambda: torch.zeros(1 << 17).sum().item(),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_nobody_knows_is_told_with_the_line(name):
    with pytest.raises(plimsoll.TraceError, match=r"test_building.py:\d+: it asks for the value of a tensor .* while it is built without memory"):
        with plimsoll.building():
            UNKNOWN[name]()


class Tied(torch.nn.Module):
    """Has a known parameter, as norms of language models have, a buffer of values, and a weight that is another's, too."""

    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(8))
        self.body, self.norm, self.head = torch.nn.Linear(8, 8), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 8, bias=False)
        self.head.weight = self.body.weight
        self.register_buffer("places", torch.arange(8))

    def forward(self, x):
        return self.head(self.norm(self.body(x)) * self.scale)


CONVERTED = {
    "half": lambda model: model.half(),
    "dtype": lambda model: model.to(torch.bfloat16),
    "device": lambda model: model.to("cpu"),
    "device and dtype": lambda model: model.to("cpu", torch.float64),
    "twice": lambda model: model.half().float(),
    "a part": lambda model: (model.head.double(), model)[1],
    "by tensors": lambda model: model.type(torch.float16),
}


def looks(model):
    return {name: (t.shape, t.stride(), t.dtype, t.requires_grad, type(t) is not torch.Tensor) for name, t in model.named_parameters()}


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("name", CONVERTED)
def test_models_without_memory_are_converted_like_any_other(name, inside):
    real = CONVERTED[name](Tied())
    with plimsoll.building():
        fake = Tied()
        parameters = list(fake.parameters())
        if inside:
            assert CONVERTED[name](fake) is fake
    if not inside:
        CONVERTED[name](fake)
    assert looks(fake) == looks(real)
    assert [b.dtype for b in fake.buffers()] == [b.dtype for b in real.buffers()]
    assert all(a is b for a, b in zip(parameters, fake.parameters())) and fake.head.weight is fake.body.weight
    if name == "a part":
        return  # halves of two types don't meet in a step
    graphs = [trace_graph(model, torch.zeros(4, 8, dtype=real.scale.dtype), target="cpu", name="tied") for model in (fake, real)]
    assert graphs[0]["ops"] == graphs[1]["ops"] and graphs[0]["storages"] == graphs[1]["storages"]


def test_large_models_move_to_a_device_that_is_not_there():
    with plimsoll.building():
        model = torch.nn.Linear(1 << 20, 1 << 20).to("cuda", torch.bfloat16)
    assert {(t.device.type, t.dtype) for t in model.parameters()} == {("cuda", torch.bfloat16)}


def test_values_are_known_after_a_conversion_but_not_those_of_weights():
    with plimsoll.building():
        model = Tied().half()
        assert model.places.tolist() == list(range(8)) and torch.arange(3).half().tolist() == [0, 1, 2]
        with pytest.raises(plimsoll.TraceError, match="asks for the value of a tensor"):
            model.scale.tolist()
    assert torch.utils.swap_tensors.__module__ == "torch.utils"
