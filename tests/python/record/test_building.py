# SPDX-License-Identifier: Apache-2.0
"""Models that ask for values of tensors while they are built without memory: numbers follow from numbers, the rest has a sentence."""

import plimsoll
import pytest
import torch

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
