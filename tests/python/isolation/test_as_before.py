# SPDX-License-Identifier: Apache-2.0
"""trace(), measure() and op plans leave everything as it was: what a model, its loss and its optimizer keep, wherever they keep it."""

import argparse
import array
import collections
import contextlib
import dataclasses
import functools
import gc
import random
import threading
import types
import unittest.mock
import weakref

import numpy
import plimsoll
import pytest
import torch
from helpers.graph_rules import assert_sound
from helpers.op_plans import plan_of, region
from plimsoll.isolation import keeping, reach
from plimsoll.isolation.reach import Reach
from plimsoll.record.tracing import trace_graph
from torch import nn

COUNT = 0
SEEN = {"calls": []}
HEAD = nn.Linear(4, 2)


class Slotted:
    __slots__ = ("count", "later", "owner")

    def __init__(self):
        self.count = 0


class Slower(Slotted):
    __slots__ = ()


@dataclasses.dataclass(frozen=True)
class Frozen:
    table: dict
    pair: tuple


class Stubborn(dict):
    """Nothing can be put back by its own methods."""

    def update(self, *_, **__):
        raise RuntimeError

    clear = __setitem__ = update


class Helper:
    def __init__(self, name):
        self.name, self.calls, self.tensor, self.me = name, [], torch.zeros(4), self
        self.config = argparse.Namespace(depth=[1])
        self.space = types.SimpleNamespace(last=None)

    def __setattr__(self, name, value):
        if getattr(self, "frozen", False):
            raise AttributeError(name)
        super().__setattr__(name, value)

    def __deepcopy__(self, memory):
        raise TypeError("can't be copied")

    def note(self, y):
        self.calls.append(y)
        vars(self)["total"] = y.sum()
        self.tensor.add_(1)
        self.config.depth.append(y)
        self.space.last = y
        vars(self)["frozen"] = True


class Keeper(nn.Module):
    """Changes all that it has, in every step the same."""

    steps = 0
    table = {"calls": []}

    def __init__(self):
        super().__init__()
        self.a, self.drop = nn.Linear(4, 4), nn.Dropout(0.5)
        self.lists, self.default, self.recent = {"deep": [[1], {"x": {2}}]}, collections.defaultdict(list), collections.deque([1, 2], 3)
        self.ordered = collections.OrderedDict(a=1, b=2)
        self.lists["deep"].append(self.lists)
        self.shared = self.lists["deep"][0]
        self.stubborn = Stubborn(a=1)
        self.helper, self.slotted = Helper("it"), Slotted()
        self.slotted.owner = self
        self.frozen = Frozen({1: 2}, (torch.ones(4), [3]))
        self.scale, self.inside = torch.ones(4), [(torch.ones(4), torch.full((4,), 2.0))]
        self.generator, self.numbers, self.own_random = torch.Generator(), numpy.random.default_rng(0), random.Random(0)
        self.counts = numpy.zeros(3)
        self.chain, self.weak = collections.ChainMap({}), weakref.WeakKeyDictionary()
        self.bytes, self.row = bytearray(b"a"), array.array("i", [1])
        self.hooked = []
        self.a.register_forward_hook(functools.partial(lambda seen, *_: seen.append(1), self.hooked))

    def forward(self, x):
        y = self.drop(self.a(x))
        self.lists["deep"][0].append(y)
        self.lists["deep"][1]["x"].add(4)
        self.lists["new"] = self.lists.pop("new", 0)
        self.default[len(self.default)].append(y)
        self.recent.append(y)
        self.ordered.move_to_end("a")
        dict.update(self.stubborn, b=y)
        self.helper.note(y)
        self.slotted.count, self.slotted.later = self.slotted.count + 1, y
        self.frozen.table[3] = y
        self.frozen.pair[0].mul_(2)
        self.scale.mul_(0.5)
        self.inside[0][1].add_(1)
        self.scale = self.scale + 1
        torch.rand(3, generator=self.generator)
        self.counts[1] += self.numbers.random() + self.own_random.random()
        SEEN["calls"].append(y)
        Keeper.steps, Keeper.last = Keeper.steps + 1, y
        self.table["calls"].append(y)
        self.chain["new"] = y
        self.weak[self.a] = y
        self.bytes.append(1)
        self.row.append(2)
        self.slotted.__class__ = Slower
        return y * self.scale.sum() + self.inside[0][1] + self.frozen.pair[0]


def changes_modes(model):
    """What torch, Python and the modules are set to."""
    global COUNT
    COUNT += 1
    torch.set_default_dtype(torch.float64)
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.set_autocast_enabled("cpu", True)
    torch.set_autocast_dtype("cpu", torch.float16)
    torch.set_autocast_cache_enabled(False)
    torch.set_float32_matmul_precision("medium")
    torch.backends.cudnn.benchmark = True
    torch.manual_seed(7)
    random.seed(7)
    numpy.random.seed(7)
    model.drop.eval()
    model.a.bias.requires_grad_(False)
    model.a.register_forward_hook(lambda *_: None)
    model.a.weight.register_hook(lambda gradient: gradient)
    nn.modules.module.register_module_forward_hook(lambda *_: None)


MODES = (
    torch.is_grad_enabled, torch.get_default_dtype, torch.are_deterministic_algorithms_enabled, torch.is_autocast_cache_enabled,
    torch.is_deterministic_algorithms_warn_only_enabled, torch.get_float32_matmul_precision, random.getstate,
    lambda: torch.is_autocast_enabled("cpu"), lambda: torch.get_autocast_dtype("cpu"), lambda: torch.backends.cudnn.benchmark,
    lambda: torch.get_rng_state().tolist(), lambda: numpy.random.get_state()[1].tolist(), lambda: COUNT,
    lambda: list(nn.modules.module._global_forward_hooks),
    lambda: (Keeper.steps, hasattr(Keeper, "last"), list(map(id, Keeper.table["calls"]))),
)  # fmt: skip


class Trouble(Exception):
    pass


class Stepper(torch.optim.SGD):
    """A wrapper's habits: it changes groups and itself, and keeps things for parameters."""

    def __init__(self, parameters, fails):
        super().__init__(parameters, lr=0.1, momentum=0.9)
        self.fails, self.history, self.steps = fails, {"lr": [0.1]}, 0

    def step(self, closure=None):
        super().step(closure)
        self.steps += 1
        for group in self.param_groups:
            group["lr"] = group["lr"] * 0.5
            group["steps"] = group.get("steps", 0) + 1
            for parameter in group["params"]:
                self.state[parameter]["old"] = parameter.detach().clone()
        self.history["lr"].append(group["lr"])
        if self.fails:
            raise Trouble("optimizer")


def seen_of(thing, held, known):
    """A description of everything inside: types, identities, values. What is described is held, so that identities stay theirs."""
    if id(thing) in known:
        return known[id(thing)]
    known[id(thing)] = f"<{len(known)}>"
    held.append(thing)
    inside = lambda items: [seen_of(item, held, known) for item in items]  # noqa: E731
    if isinstance(thing, (bool, int, float, str, type(None))):
        return thing
    row = [type(thing).__name__, id(thing)]
    if isinstance(thing, torch.Tensor):
        grad = thing.grad if thing.is_leaf else None
        return [*row, thing.tolist(), thing.requires_grad, id(grad), None if grad is None else grad.tolist(),
                list(thing._backward_hooks or {})]  # fmt: skip
    if isinstance(thing, dict):
        row += [[seen_of(k, held, known), seen_of(v, held, known)] for k, v in dict.items(thing)]
    elif isinstance(thing, (list, tuple, collections.deque)):
        row += inside(thing)
    elif isinstance(thing, set):
        row += sorted(thing)
    elif isinstance(thing, numpy.ndarray):
        row += thing.tolist()
    elif isinstance(thing, (bytearray, array.array)):
        row += list(thing)
    elif isinstance(thing, (collections.ChainMap, weakref.WeakKeyDictionary)):
        row += [str(list(thing.items()))]
    elif isinstance(thing, torch.Generator):
        row += thing.get_state().tolist()
    elif isinstance(thing, random.Random):
        row.append(thing.getstate())
    elif isinstance(thing, numpy.random.Generator):
        row.append(repr(thing.bit_generator.state))
    elif isinstance(thing, functools.partial):
        row += inside([thing.args, thing.keywords])
    elif isinstance(thing, types.FunctionType):
        row += inside([cell.cell_contents for cell in thing.__closure__ or ()])
    elif isinstance(thing, Slotted):
        row += [hasattr(thing, "later"), thing.count, seen_of(thing.owner, held, known)]
    if isinstance(getattr(thing, "__dict__", None), dict):
        row += inside([vars(thing)])
    return row


def flat(seen):
    return [part for item in seen for part in flat(item)] if isinstance(seen, (list, tuple)) else [seen]


def everything(things):
    held = []
    return flat(seen_of(things, held, {})), [get() for get in MODES], held


def prepared(fails):
    """Model, optimizer, loss with a module of its own, scheduler in a hook; `fails`: where a step raises Trouble."""
    torch.manual_seed(0)
    model, head, count = Keeper(), nn.Linear(4, 2), 0
    optimizer = Stepper([*model.parameters(), *head.parameters()], False)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    optimizer.register_step_post_hook(lambda *_: scheduler.step())
    x = torch.randn(3, 4)

    def loss(output):
        nonlocal count
        count += 1
        changes_modes(model)
        if fails == "loss":
            raise Trouble(fails)
        if fails == "backward":
            output.register_hook(lambda gradient: trouble(fails))
        return (head(output.float()) ** 2).mean()

    head(model(x)).sum().backward()
    optimizer.step()
    optimizer.fails = fails == "optimizer"
    if fails == "forward":
        model.drop.register_forward_hook(lambda *_: trouble(fails))
    return model, optimizer, loss, x, [model, optimizer, loss, scheduler, head, x, SEEN]


def trouble(where):
    raise Trouble(where)


def traced(model, optimizer, loss, x, path):
    trace_graph(model, x, loss=loss, optimizer=optimizer, target="cpu")


def measured(model, optimizer, loss, x, path):
    plimsoll.measure(model, None, x, loss=loss, optimizer=optimizer, steps=1, out=path / "m.json")


@pytest.mark.parametrize("fails", [None, "forward", "loss", "backward", "optimizer"])
@pytest.mark.parametrize("run", [traced, measured])
def test_everything_is_as_before(run, fails, tmp_path):
    model, optimizer, loss, x, things = prepared(fails)
    weight = nn.Parameter(torch.ones(4, 4))
    waiting = (x @ model.a.weight @ weight).sum()  # its graph needs what it has saved
    before = everything(things)
    versions = {id(t): t._version for t in before[2] if isinstance(t, torch.Tensor)}
    try:
        run(model, optimizer, loss, x, tmp_path)
        assert fails is None
    except Trouble as error:
        assert str(error) == fails
    after = everything(things)
    assert {id(t): t._version for t in after[2] if isinstance(t, torch.Tensor)} == versions  # never written, even
    assert after[1] == before[1]
    waiting.backward()
    assert torch.equal(weight.grad, (x @ model.a.weight).sum(0).unsqueeze(1).expand(4, 4))
    differences = [(a, b, before[0][i - 9 : i]) for i, (a, b) in enumerate(zip(before[0], after[0])) if a != b]
    assert not differences and len(after[0]) == len(before[0])


# ---- tensors that a step writes ----


class Writes(nn.Module):
    """Its forward writes into what `of` finds."""

    shared = torch.zeros(4)

    def __init__(self, of):
        super().__init__()
        self.a, self.plain, self.held, self.helper = nn.Linear(4, 4), torch.zeros(4), {"deep": [torch.zeros(4)]}, Helper("other")
        self.of = of

    def forward(self, x):
        place = self.of(self)
        place.add_(1)  # WRITES
        return self.a(x) * place


PLACES = [lambda m: m.plain, lambda m: m.held["deep"][0], lambda m: m.helper.tensor, lambda m: GLOBAL, lambda m: m.shared]
GLOBAL, HIDDEN = torch.zeros(4), threading.local()
HIDDEN.tensor = torch.zeros(4)
X = torch.randn(3, 4, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("of", PLACES, ids=["attribute", "container", "object", "global", "class"])
def test_a_tensor_that_the_step_writes_is_written_by_real_steps_only(of):
    model = Writes(of)
    graph = trace_graph(model, X, target="cpu")
    assert_sound(graph)
    place = of(model)
    assert type(place) is torch.Tensor and place._version == 0
    writes = [op for op in graph["ops"] if graph["targets"][op[0]] == "aten.add_.Tensor" and op[1] == 0]
    written = graph["storages"][graph["tensors"][writes[0][6][0]][0]]
    assert written[0] == 16 and written[1] == 5 and written[2] < 0  # a constant, older than the step
    step = plimsoll.compile_step(model)
    for count in (1, 2):
        step(X)
        assert torch.equal(place, torch.full((4,), float(count)))
    place.zero_()


def test_an_op_plan_writes_as_often_as_the_model():
    model = Writes(lambda m: m.plain)
    graph = trace_graph(model, X, target="cpu")
    with plimsoll.apply(model, plan_of(graph, [region(2, 3)])):
        model(X)
        assert model.plain.tolist() == [1, 1, 1, 1]
    model.of = lambda m: m.plain.add_(trouble("retraced"))
    with plimsoll.apply(model, plan_of(graph, [region(2, 3)])), pytest.raises(Trouble):
        model(X)
    assert type(model.plain) is torch.Tensor and model.plain.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("run", [trace_graph, lambda model, x: plimsoll.compile_step(model)(x)], ids=["traced", "compiled"])
def test_what_nobody_finds_is_not_written_but_refused(run):
    line = next(number for number, text in enumerate(open(__file__), 1) if text.rstrip().endswith("# WRITES"))
    sentence = rf"test_as_before.py:{line}: aten.add_.Tensor writes into a tensor of shape 4 .*register_buffer"
    with pytest.raises(plimsoll.TraceError, match=sentence):
        run(Writes(lambda m: HIDDEN.tensor), X)
    assert HIDDEN.tensor.tolist() == [0, 0, 0, 0] and HIDDEN.tensor._version == 0


@functools.lru_cache(maxsize=None)
def mask_of(size):
    return torch.ones(size, size).tril()


@functools.lru_cache
def number_of(size):
    return size


class Masks(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)

    def forward(self, x):
        return self.a(x) @ mask_of(x.shape[-1]) * number_of(2)


@pytest.mark.parametrize("vary", [None, {"batch": [3, 5, 7]}])
def test_caches_of_functions_keep_no_fakes(vary):
    mask_of.cache_clear()
    model = Masks()
    trace_graph(model, X, target="cpu", vary=vary)
    assert mask_of.cache_info().currsize == 0 and number_of.cache_info().currsize == 1  # only what held fakes is cleared
    model(X).sum().backward()
    trace_graph(model, X, target="cpu")
    assert type(mask_of(4)) is torch.Tensor and mask_of.cache_info().currsize == 1


@pytest.mark.parametrize("frozen", [False, True])
def test_a_cache_made_since_the_trace_before_keeps_no_fakes(frozen):
    trace_graph(nn.Linear(4, 4), X, target="cpu")  # now all caches are known
    dropped = [functools.lru_cache(lambda: None) for _ in range(3)]
    trace_graph(nn.Linear(4, 4), X, target="cpu")
    del dropped[:2]
    masks = functools.lru_cache(lambda size: torch.ones(size, size))

    class Model(nn.Linear):
        def forward(self, x):
            return super().forward(x) @ masks(4) @ self.own()

        @functools.lru_cache
        def own(self):
            return torch.ones(4, 4)

    if frozen:
        gc.freeze()
    try:
        trace_graph(Model(4, 4), X, target="cpu")
    finally:
        gc.unfreeze()
    assert masks.cache_info().currsize == Model.own.cache_info().currsize == 0 and len(dropped) == 1


def test_a_cache_is_found_that_comes_when_somebody_lets_its_type_go():
    holder = [type(mask_of), unittest.mock.MagicMock(spec=mask_of), collections.Counter(map(type, gc.get_objects()))]
    trace_graph(nn.Linear(4, 4), X, target="cpu")
    trace_graph(nn.Linear(4, 4), X, target="cpu")
    while holder:
        holder.pop()
        gc.collect()
        masks = functools.lru_cache(lambda size: torch.ones(size, size))
        model = nn.Linear(4, 4)
        forward, model.forward = model.forward, lambda x: forward(x) @ masks(4)
        trace_graph(model, X, target="cpu")
        assert type(masks(4)) is torch.Tensor


def test_large_collections_are_put_back_but_not_entered():
    model = nn.Linear(4, 4)
    model.data, model.words = [torch.zeros(1) for _ in range(10_001)], {number: [] for number in range(10_001)}
    found = Reach(model, {})
    assert sum(path.startswith("data") for path, _ in found.tensors) == 0
    with found.kept():
        model.data.append(1)
        model.words.clear()
    assert len(model.data) == len(model.words) == 10_001


def test_memory_that_can_only_be_read_is_left_alone(tmp_path):
    path = tmp_path / "x.bin"
    path.write_bytes(numpy.ones((3, 4), dtype=numpy.float32).tobytes())
    x = torch.from_numpy(numpy.memmap(path, dtype=numpy.float32, mode="r", shape=(3, 4)))  # writing to it ends the process
    plimsoll.measure(nn.Linear(4, 4), None, x, steps=1, out=tmp_path / "m.json")
    assert x.tolist() == [[1.0] * 4] * 3


@pytest.mark.parametrize("most, refused", [(15, True), (16, False)])
def test_what_was_too_large_to_be_kept_is_told(most, refused, monkeypatch, tmp_path):
    monkeypatch.setattr(keeping, "_MOST", most)  # the nearest tensor takes 16 bytes
    model = Writes(lambda m: m.plain)
    context = pytest.raises(plimsoll.TraceError, match="overwritten plain, 0 MiB") if refused else contextlib.nullcontext()
    with context:
        plimsoll.measure(model, None, X, steps=1, out=tmp_path / "m.json")
    assert (model.plain.tolist() == [0, 0, 0, 0]) != refused


def test_modules_and_optimizers_have_no_limit(monkeypatch):
    monkeypatch.setattr(reach, "_MOST_ENTRIES", 2)
    monkeypatch.setattr(reach, "_MOST_THINGS", 60)
    model = nn.Sequential(*(nn.Linear(4, 4) for _ in range(4)))
    model[0].far = [[1], [2], [3]]
    optimizer = torch.optim.Adam(model.parameters())
    model(X).sum().backward()
    optimizer.step()
    states = {p: dict(values) for p, values in optimizer.state.items()}
    graph = trace_graph(model, X, optimizer=optimizer, target="cpu")
    assert len(graph["params"]) == 8 and all(gradient >= 0 and len(states) == 3 for _, _, gradient, states in graph["params"])
    assert sum(storage[1] == 3 for storage in graph["storages"]) == 24
    assert all(optimizer.state[p] == values for p, values in states.items())
