# SPDX-License-Identifier: Apache-2.0
"""Changed attributes of a model, of what it holds and of what its loss names: the next compiled step is eager's with them."""

import argparse
import collections
import dataclasses
import functools
import types
import warnings

import plimsoll
import pytest
import torch
import torch.nn.functional as F
from helpers.step_training import assert_same_bits
from plimsoll import TraceError
from plimsoll.isolation.watch import Watch

X = torch.randn(6, 8, generator=torch.Generator().manual_seed(0))


@dataclasses.dataclass
class Inner:
    slope: float = 0.1


@dataclasses.dataclass
class Config:
    inner: Inner = dataclasses.field(default_factory=Inner)
    shift: float = 0.5
    parent: object = None


class Slotted:
    __slots__ = ("factor", "__hidden")

    def __init__(self):
        self.factor, self.__hidden = 2.0, 1.0

    def hide(self, value):
        self.__hidden = value

    def seen(self):
        return self.__hidden


class Holder:
    """A module-like namespace of values, as scripts have them."""

    power = 2.0


POWER = 1.0
OPTIONS = {"offset": [0.0, 1.0]}
LABELS = torch.zeros(6, 4)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = torch.nn.Linear(8, 8), torch.nn.Linear(8, 4)
        self.norm, self.drop = torch.nn.BatchNorm1d(8), torch.nn.Dropout(0.2)
        self.act = F.gelu
        self.deep = False
        self.config = Config()
        self.config.parent = self.config  # in a cycle
        self.scales = {"all": [1.0, (2.0, [3.0])]}
        self.queue = collections.deque([1.0])
        self.skipped = set()
        self.args = argparse.Namespace(rate=0.5)
        self.slots = Slotted()
        self.extra = functools.partial(lambda x, by: x * by, by=1.5)
        self.table = torch.ones(8)

    def forward(self, x):
        x = self.act(self.norm(self.first(x)))
        x = F.leaky_relu(x, self.config.inner.slope) + self.config.parent.parent.shift
        x = x * self.scales["all"][1][1][0] * self.queue[0] * self.args.rate * self.slots.factor * self.slots.seen() * self.table
        x = x if "drop" in self.skipped else self.drop(x)
        x = self.extra(x) * Holder.power + POWER
        return self.last(torch.tanh(x) if self.deep else x)


def _hook(model):
    model.first.register_forward_hook(lambda module, args, output: output * 2)


def _method(model):
    model.forward = types.MethodType(lambda self, x: self.last(x), model)


def _holder(model):
    Holder.power += 1.0


def _global(model):
    global POWER
    POWER += 1.0


CHANGES = {
    "dropout's share": lambda m: setattr(m.drop, "p", 0.7),
    "batch norm's momentum": lambda m: setattr(m.norm, "momentum", 0.5),
    "a flag": lambda m: setattr(m, "deep", True),
    "a function": lambda m: setattr(m, "act", F.relu),
    "a nested dataclass": lambda m: setattr(m.config.inner, "slope", 0.9),
    "an object in a cycle": lambda m: setattr(m.config, "shift", -1.0),
    "another object": lambda m: setattr(m.config, "inner", Inner(0.3)),
    "a nested container": lambda m: m.scales["all"][1][1].__setitem__(0, 5.0),
    "a deque": lambda m: m.queue.appendleft(4.0),
    "an empty set": lambda m: m.skipped.add("drop"),
    "a namespace": lambda m: setattr(m.args, "rate", 3.0),
    "a slot": lambda m: setattr(m.slots, "factor", 7.0),
    "a private slot": lambda m: m.slots.hide(7.0),
    "a partial argument": lambda m: m.extra.keywords.update(by=4.0),
    "a plain tensor": lambda m: setattr(m, "table", torch.full((8,), 3.0)),
    "the data of a plain tensor": lambda m: m.table.fill_(3.0),
    "one that a method gets": _method,
    "a hook": _hook,
    "a class in a global": _holder,
    "a global of a method": _global,
    "a module": lambda m: setattr(m, "drop", torch.nn.Identity()),
    "no bias": lambda m: setattr(m.last, "bias", None),
    "other memory": lambda m: setattr(m.last.weight, "data", torch.ones(8, 4).t()),
    "a frozen parameter": lambda m: m.first.weight.requires_grad_(False),
}


def outcome(model, run):
    model.zero_grad(set_to_none=True)
    buffers = [b.clone() for b in model.buffers()]
    torch.manual_seed(1)
    loss = run()
    result = {
        "loss": loss.detach(), "random": torch.get_rng_state(), **{n: b.clone() for n, b in model.named_buffers()},
        **{f"{n}.grad": p.grad for n, p in model.named_parameters() if p.grad is not None},
    }  # fmt: skip
    for buffer, before in zip(model.buffers(), buffers):
        buffer.copy_(before)
    return result


def assert_eagers(model, step, loss, x=X):
    def eager():
        value = loss(model(x))
        value.backward()
        return value

    expected = outcome(model, eager)
    assert_same_bits(expected, outcome(model, lambda: step(x)))
    return expected


def made():
    torch.manual_seed(0)
    model = Model()
    return model, plimsoll.compile_step(model, loss=torch.sum)


RUN = (  # of the others it is enough that they are seen
    "dropout's share", "batch norm's momentum", "a nested dataclass", "an object in a cycle", "a plain tensor", "the data of a plain tensor",
    "one that a method gets", "a hook", "a class in a global", "a global of a method", "no bias", "other memory",
)  # fmt: skip


@pytest.mark.parametrize("name", RUN)
def test_a_change_of_the_model_is_followed(name):
    model, step = made()
    first = assert_eagers(model, step, torch.sum)
    CHANGES[name](model)
    second = assert_eagers(model, step, torch.sum)
    assert any(not torch.equal(first[key], second[key]) for key in ("loss", "norm.running_mean"))


def test_what_was_there_before_is_not_recorded_again():
    model, step = made()
    for share in (0.2, 0.7, 0.2, 0.7):
        model.drop.p = share
        model.config.inner = Inner(0.1)  # equal to the one before
        assert_eagers(model, step, torch.sum)
    assert len(step._programs) == 2


def losses():
    """(loss, change) for what a loss takes from around it."""
    weight, labels, options = 1.0, torch.ones(6, 4), Config()

    def closed(output):
        return (output * weight * options.inner.slope - labels).square().sum()

    def rebind():
        nonlocal weight, labels
        weight, labels = 3.0, torch.full((6, 4), 2.0)

    def helped(output):
        return _helper(output) * sum(POWER * x for x in output.flatten()[:2])

    def configured(output):
        return (output * OPTIONS["offset"][1] * Holder.power).square().sum()

    def labelled(output):
        return F.mse_loss(output, LABELS)

    def bring():
        global LABELS
        LABELS = torch.randn(6, 4)

    class Loss:
        factor = 1.0

        def __init__(self):
            self.config = Config()

        def __call__(self, output):
            return (output * self.config.shift * self.factor).sum()

        def method(self, output):
            return self(output) * 2

    bound, called, smooth = Loss(), Loss(), torch.nn.SmoothL1Loss()
    partial = functools.partial(lambda output, target, beta: F.smooth_l1_loss(output, target, beta=beta), target=labels, beta=1.0)
    with_default = lambda output, by=[1.0]: (output * by[0]).sum()  # noqa: E731, B006
    wrapped = lambda output: smooth(output, labels)  # noqa: E731
    return {
        "rebound closure": (closed, rebind),
        "object of the closure": (closed, lambda: setattr(options.inner, "slope", 5.0)),
        "a global of a helper and of nested code": (helped, lambda: _global(None)),
        "a container in a global": (configured, lambda: OPTIONS["offset"].__setitem__(1, 4.0)),
        "a class in a global": (configured, lambda: _holder(None)),
        "a tensor in a global": (labelled, bring),
        "a bound object": (bound.method, lambda: setattr(bound.config, "shift", 9.0)),
        "a called object's class": (called, lambda: setattr(Loss, "factor", 9.0)),
        "a partial": (partial, lambda: partial.keywords.update(beta=0.01)),
        "a default": (with_default, lambda: with_default.__defaults__[0].__setitem__(0, 6.0)),
        "other defaults": (with_default, lambda: setattr(with_default, "__defaults__", ([8.0],))),
        "a module of the closure": (wrapped, lambda: setattr(smooth, "beta", 0.01)),
    }


def _helper(output):
    return output.sum() * POWER


@pytest.mark.parametrize("name", losses())
def test_a_change_behind_the_loss_is_followed(name):
    loss, change = losses()[name]
    torch.manual_seed(0)
    model = Model()
    step = plimsoll.compile_step(model, loss=loss)
    first = assert_eagers(model, step, loss)
    change()
    second = assert_eagers(model, step, loss)
    assert not torch.equal(first["loss"], second["loss"])


def test_a_loss_that_changes_what_it_holds_is_refused():
    class Centred:
        center = torch.zeros(4)

        def __call__(self, output):
            loss = (output - self.center).square().sum()
            self.center = 0.9 * self.center + 0.1 * output.detach().mean(0)
            return loss

    model = Model()
    with pytest.raises(TraceError, match="the step changes 'loss.center'"):
        plimsoll.compile_step(model, loss=Centred())(X)


def test_a_model_that_counts_its_steps_is_refused():
    class Counts(Model):
        def forward(self, x):
            self.config.shift += 0
            self.config.inner.slope = self.config.inner.slope * 1.5
            return super().forward(x)

    with pytest.raises(TraceError, match="the step changes 'config.inner.slope'"):
        plimsoll.compile_step(Counts(), loss=torch.sum)(X)


def test_large_containers_are_known_by_their_length():
    model = Model()
    model.names = ["x"] * 5000
    model.library = types.SimpleNamespace(x=types)
    watch = Watch((("", model),))
    model.names[17] = "y"
    assert watch.unchanged()
    model.names.append("z")
    assert not watch.unchanged()
    assert watch.key.difference(Watch((("", model),)).key) == "names"


NAMES = {
    "dropout's share": "drop.p", "batch norm's momentum": "norm.momentum", "a flag": "deep", "a function": "act",
    "a nested dataclass": "config.inner.slope", "an object in a cycle": "config.shift", "another object": "config.inner.slope",
    "a nested container": "scales['all'][1][1][0]", "a deque": "queue[0]", "an empty set": "skipped", "a namespace": "args.rate",
    "a slot": "slots.factor", "a private slot": "slots._Slotted__hidden", "a partial argument": "by", "a plain tensor": "table",
    "one that a method gets": "forward", "a hook": "first._forward_hooks", "a class in a global": "Holder.power",
    "a global of a method": "POWER", "a module": "drop", "no bias": "last.bias", "other memory": "last.weight",
    "a frozen parameter": "first.weight",
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_is_seen_in_a_step_and_named(name):
    model = Model()
    watch = Watch((("", model),), same_tensors=True)
    assert watch.unchanged() and watch.key.difference(Watch((("", model),), same_tensors=True).key) is None
    CHANGES[name](model)
    if name == "the data of a plain tensor":  # a step is bound to the tensor itself
        assert watch.unchanged()
        return
    assert not watch.unchanged()
    assert watch.key.difference(Watch((("", model),), same_tensors=True).key) == NAMES.get(name, name)


def test_what_changes_in_every_step_is_told():
    model = torch.nn.Linear(8, 4)
    step = plimsoll.compile_step(model, loss=torch.sum)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for number in range(8):
            model.number = number
            step(X)
    model.number = 8
    with pytest.warns(UserWarning, match="re-records the step for the 8th time .*'number'.* give what changes") as told:
        step(X)
    assert told[0].filename == __file__
    step(X)
