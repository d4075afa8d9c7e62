# SPDX-License-Identifier: Apache-2.0
"""What users do with a model that has an op plan: odd outputs, other shapes, other modes, copies; and what is refused, with its sentence."""

import collections
import copy
import dataclasses
import io
import random

import plimsoll
import pytest
import torch
import torch.nn.functional as F
from helpers import EXHAUSTIVE
from helpers.once import once
from helpers.op_plans import count_of, graph, made, plan_between, plan_of, random_regions, record, region, results, same, seeded
from helpers.plans import plan_file
from helpers.plans import region as calls
from helpers.small import Doubled
from plimsoll import PlanMismatch
from plimsoll.record.tracing import trace_graph
from torch.utils.checkpoint import checkpoint

DAMAGED = 150 if EXHAUSTIVE else 50  # plans
Pair = collections.namedtuple("Pair", "first second")


@dataclasses.dataclass
class Output:
    scores: torch.Tensor
    hidden: tuple
    name: str = "made"


class Base(torch.nn.Module):
    """Forward ops: 0 t, 1 addmm, 2 tanh, 3 t, 4 addmm, then what `end` does with the hidden and the last values."""

    def __init__(self, end=lambda hidden, last, x, module: last):
        super().__init__()
        self.a, self.b = torch.nn.Linear(8, 16), torch.nn.Linear(16, 8)
        self.register_buffer("seen", torch.zeros(8))
        self.end = end
        self.steps = 0

    def forward(self, x, *, scale=1.0):
        hidden = torch.tanh(self.a(x))
        last = self.b(hidden)
        return self.end(hidden, last if scale == 1.0 else last * scale, x, self)


def model(end=None, **more):
    torch.manual_seed(0)
    return (Base(end) if end else Base()).train(**more)


X = torch.linspace(-1, 1, 32).view(4, 8)
FIRST = [region(1, 2)]


@once
def traced():
    return trace_graph(model(), (X,), target="cpu")


def plan_for(made_model, regions=FIRST, x=X, **changes):
    """A plan whose sequence is what the model does, without a trace: also for models that none takes."""
    return {**plan_between(record(made_model, (x,)), regions), **changes}


ENDS = {
    "dict": lambda hidden, last, x, m: {"last": last, "more": [hidden, None, 3, "text"]},
    "dataclass": lambda hidden, last, x, m: Output(last, (hidden, last)),
    "named tuple": lambda hidden, last, x, m: Pair(last, {"x": x}),
    "ordered dict": lambda hidden, last, x, m: collections.OrderedDict(b=last, a=hidden),
    "a parameter": lambda hidden, last, x, m: (last, m.a.weight, m.seen),
    "the same twice": lambda hidden, last, x, m: [last, last, last.detach()],
    "views": lambda hidden, last, x, m: (last.t(), *last.chunk(2), last.detach()[0]),
    "in place": lambda hidden, last, x, m: last.mul_(2).add_(hidden[:, :8]),
    "no gradients": lambda hidden, last, x, m: (last, _without(hidden)),
    "a constant": lambda hidden, last, x, m: last * torch.tensor([1.0, 2.0] * 4) + 1.0,
    "a buffer": lambda hidden, last, x, m: last + _counted(m, last),
    "an unused value": lambda hidden, last, x, m: (hidden.exp(), last)[1],
    "other dtypes": lambda hidden, last, x, m: (last.double(), last.argmax(-1), last > 0),
}


def _without(hidden):
    with torch.no_grad():
        return hidden * 2 + 1


def _counted(module, last):
    module.seen += 1
    return last.detach() * module.seen


def leaves(value):
    if isinstance(value, (torch.Tensor, str, int, float, type(None))):
        return [value]
    items = vars(value) if isinstance(value, Output) else value
    items = items.values() if isinstance(items, dict) else items
    return [leaf for item in items for leaf in leaves(item)]


def outcome(made_model, *args, **kwargs):
    torch.manual_seed(3)
    made_model.zero_grad(set_to_none=True)
    found = made_model(*args, **kwargs)
    tensors = [t for t in leaves(found) if isinstance(t, torch.Tensor)]
    sum(t.float().square().sum() for t in tensors if t.requires_grad).backward()
    return found, [*tensors, *(p.grad for p in made_model.parameters()), *made_model.buffers()]


@pytest.mark.parametrize("name", ENDS)
def test_outputs_are_built_anew(name):
    plain, planned = model(ENDS[name]), model(ENDS[name])
    handle = plimsoll.apply(planned, plan_for(planned))
    for x in (X, X * 2):
        (mine, tensors), (its, expected) = outcome(planned, x), outcome(plain, x)
        assert type(mine) is type(its) and len(tensors) == len(expected)
        assert all(torch.equal(a, b) and a.requires_grad == b.requires_grad for a, b in zip(tensors, expected))
        assert [leaf for leaf in leaves(mine) if not isinstance(leaf, torch.Tensor)] == [
            leaf for leaf in leaves(its) if not isinstance(leaf, torch.Tensor)
        ]
    assert handle.source.count("checkpoint(region_0") == 1


def test_shapes_types_and_arguments_get_code_of_their_own():
    planned, plain = model(), model()
    plimsoll.apply(planned, plan_of(traced(), FIRST))
    codes = planned.forward._codes
    for x in (X, X[:3], X, X.clone().requires_grad_(), X.t().contiguous().t()):
        assert torch.equal(outcome(planned, x)[0], outcome(plain, x)[0])
    assert len(codes) == 4
    planned.double(), plain.double()
    assert torch.equal(outcome(planned, X.double())[0], outcome(plain, X.double())[0])
    assert len(codes) == 5
    for n in range(20):
        outcome(planned, torch.ones(n + 1, 8, dtype=torch.double))
    assert len(codes) == 8


def test_evaluation_runs_the_models_own_forward():
    planned, plain = model(), model()
    handle = plimsoll.apply(planned, plan_of(traced(), FIRST))
    with torch.no_grad():
        assert torch.equal(planned(X), plain(X))
    assert torch.equal(planned.eval()(X), plain.eval()(X))
    assert handle.source == ""


def test_weights_are_read_when_the_code_runs():
    planned, plain = model(), model()
    plimsoll.apply(planned, plan_of(traced(), FIRST))
    outcome(planned, X)
    other = Base().state_dict()
    planned.load_state_dict(other), plain.load_state_dict(other)
    assert torch.equal(outcome(planned, X)[0], outcome(plain, X)[0])
    planned.a.weight = plain.a.weight = torch.nn.Parameter(torch.ones(16, 8))
    assert torch.equal(outcome(planned, X)[0], outcome(plain, X)[0])
    assert list(planned.state_dict()) == list(plain.state_dict())
    assert all(map(torch.equal, planned.state_dict().values(), plain.state_dict().values()))


def test_copies_and_pickles_take_the_plan_along():
    planned = model()
    plimsoll.apply(planned, plan_of(traced(), FIRST))
    expected = outcome(planned, X)[0]
    file = io.BytesIO()
    end, planned.end = planned.end, None
    torch.save(planned, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=False)
    planned.end = loaded.end = end
    for other in (copy.deepcopy(planned), loaded):
        assert other.forward is not planned.forward and torch.equal(outcome(other, X)[0], expected)
        assert other.a.weight.grad is not None and "checkpoint(" in other.forward.source
        plimsoll.remove(other)
        assert "forward" not in vars(other) and torch.equal(outcome(other, X)[0], expected)
    assert "forward" in vars(planned)


@pytest.mark.parametrize("name", ["gpt2", "resnet18", *(["llama"] if EXHAUSTIVE else [])])
def test_autocast(name):
    step = made(name)
    keys = {"optimizer": step["optimizer"], "loss": step.get("loss")}

    class Cast(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = copy.deepcopy(step["model"])

        def forward(self, *args, **kwargs):
            with torch.autocast("cpu", torch.bfloat16):
                return self.inner(*args, **kwargs)

    own, planned = Cast().train(), Cast().train()
    forward = record(own, step.get("args", ()), step.get("kwargs"))
    regions = random_regions(forward, seeded(0), depth=1)
    assert count_of(regions) > 4
    plan = plan_between(forward, regions)
    arguments = {**{k: v for k, v in keys.items() if v}, "args": step.get("args", ()), "kwargs": step.get("kwargs", {})}
    plimsoll.apply(planned, plan)
    assert same(results(arguments, planned), results(arguments, own))
    outside, expected = copy.deepcopy(step["model"]), copy.deepcopy(step["model"])
    plimsoll.apply(outside, plan)
    with torch.autocast("cpu", torch.bfloat16):  # one step: its cache of cast weights outlives an optimizer's step
        assert same(results(arguments, outside, 1), results(arguments, expected, 1))


def _grad_inside(hidden, last, x, m):
    y = last.detach().requires_grad_()
    return last + torch.autograd.grad(y.square().sum(), y)[0]


def _sets(hidden, last, x, m):
    m.steps += 1
    return last


def _hooked(hidden, last, x, m):
    hidden.register_hook(lambda gradient: gradient * 2)
    return last


def _under(mode, function):
    with mode:
        return function()


OUTSIDE = torch.ones(8)
REFUSED = {
    "function": (lambda h, y, x, m: Doubled.apply(y), "custom autograd function Doubled"),
    "checkpoint": (lambda h, y, x, m: checkpoint(torch.exp, y, use_reentrant=False), "checkpoints a part of itself"),
    "reentrant": (lambda h, y, x, m: checkpoint(torch.exp, y, use_reentrant=True), "checkpoints a part of itself"),
    "saved hooks": (
        lambda h, y, x, m: _under(torch.autograd.graph.save_on_cpu(), lambda: y.exp()), "uses saved_tensors_hooks"
    ),
    "inner gradient": (_grad_inside, "gradients are computed inside of the forward"),
    "state": (_sets, "changes its attribute 'steps'"),
    "hook": (_hooked, "waits for the gradient of a tensor"),
    "retained": (lambda h, y, x, m: (h.retain_grad(), y)[1], "waits for the gradient of a tensor"),
    "requires_grad_": (lambda h, y, x, m: y + h.detach().requires_grad_()[:, :8], "can't reproduce the gradients|result looks different"),
    "item": (lambda h, y, x, m: y * y.sum().item(), "depends on the value of a tensor"),
    "bool": (lambda h, y, x, m: y if y.sum() > 0 else -y, "depends on the value of a tensor"),
    "nonzero": (lambda h, y, x, m: y[y[:, 0] > 0], "depends on values"),
    "numpy": (lambda h, y, x, m: y * float(h.detach().numpy().sum()), "asks for the values"),
    "outside": (lambda h, y, x, m: y * OUTSIDE, "neither an argument nor a parameter"),
    "set": (lambda h, y, x, m: {y}, "returns a set"),
    "random": (lambda h, y, x, m: y * random.random(), "draws random numbers in Python"),
    "generator": (lambda h, y, x, m: y * torch.rand(8, generator=torch.Generator()), "takes a Generator"),
    "inference": (lambda h, y, x, m: y + _under(torch.inference_mode(), lambda: h.detach().clone())[:, :8], "inference mode"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_code_would_lose_is_refused(name):
    end, words = REFUSED[name]
    planned = model(end)
    state = copy.deepcopy(planned.state_dict())
    plan = plan_for(planned) if name in ("generator", "requires_grad_") else plan_of(traced(), FIRST, graph={})
    with plimsoll.apply(planned, plan), pytest.raises(PlanMismatch, match=words):
        planned(X)
    assert planned.steps == 0 and "forward" not in vars(planned)
    assert all(map(torch.equal, planned.state_dict().values(), state.values()))


class Masked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(8, 8)

    def forward(self, x, mask):
        y = self.a(x)
        return y if mask.all() else y * mask.to(y.dtype).unsqueeze(-1)


def test_a_decision_by_a_known_value_is_looked_at_again_in_every_step():
    planned, whole = Masked().train(), torch.ones(4, dtype=torch.bool)
    forward = record(planned, (X, whole))
    plimsoll.apply(planned, plan_between(forward, [region(0, 1)]))
    assert torch.equal(planned(X, whole), planned.a(X))
    assert torch.equal(planned(X * 3, whole.clone()), planned.a(X * 3))
    with pytest.raises(PlanMismatch, match="decides by the value of a tensor .*was True when it was retraced and is False now"):
        planned(X, torch.tensor([True, False, True, True]))


def test_hooks_of_modules_are_refused_until_they_are_gone():
    planned = model()
    plimsoll.apply(planned, plan_of(traced(), FIRST))
    handle = planned.a.register_forward_hook(lambda *_: None)
    with pytest.raises(PlanMismatch, match="'a' has hooks"):
        planned(X)
    handle.remove()
    assert torch.equal(planned(X), model()(X))
    planned.b.register_forward_pre_hook(lambda *_: None)
    plimsoll.remove(planned)
    with pytest.raises(PlanMismatch, match="'b' has hooks"):
        plimsoll.apply(planned, plan_of(traced(), FIRST))


OVERWRITING = {
    "cut in front": (lambda h, y, x, m: F.relu_(y), [region(5, 5)], "cuts in front of an op in place: op 5 .aten.relu_"),
    "overwritten later": (lambda h, y, x, m: (y.exp(), h.mul_(2))[0], [region(3, 4)], "that op 6 .aten.mul_.Tensor.* overwrites afterwards"),
    "input": (lambda h, y, x, m: (x.mul_(0.5), y)[1], [region(0, 2)], "reads in op 1 .* what op 5 .aten.mul_.Tensor"),
    "buffer": (lambda h, y, x, m: (y * m.seen, m.seen.add_(1))[0], [region(5, 5)], "reads in op 5 .* what op 6 .aten.add_"),
}


@pytest.mark.parametrize("name", OVERWRITING)
def test_regions_that_would_find_overwritten_values_are_refused(name):
    end, regions, words = OVERWRITING[name]
    planned = model(end)
    plimsoll.apply(planned, plan_for(planned, regions, X.clone()))
    with pytest.raises(PlanMismatch, match=words):
        planned(X.clone())


def test_a_plan_for_cuda_names_the_first_other_kernel_on_the_cpu():
    step = made("gpt2")
    cuda = trace_graph(copy.deepcopy(step["model"]), kwargs=step["kwargs"], target="cuda")
    planned = copy.deepcopy(step["model"])
    plimsoll.apply(planned, plan_of(cuda, [region(3, 9)]))
    with pytest.raises(PlanMismatch, match=r'Op \d+ .* made for aten.native_dropout.default. .*target="cpu"'):
        planned(**step["kwargs"])


@pytest.mark.parametrize("granularity", ["op", "module"])
def test_compiled_models_are_refused(granularity):
    plan = plan_of(traced(), FIRST) if granularity == "op" else plan_file([calls(("a", "Linear"))])
    with pytest.raises(PlanMismatch, match="The model is compiled"):
        plimsoll.apply(torch.compile(model(), backend="eager"), plan)
    inside = model()
    inside.compile(backend="eager")
    with pytest.raises(PlanMismatch, match="The model is compiled"):
        plimsoll.apply(inside, plan)
    planned = model()
    plimsoll.apply(planned, plan)
    compiled = torch.compile(planned, backend="eager")
    with pytest.raises(PlanMismatch, match="torch.compile makes another program"):
        compiled(X)
    assert torch.equal(planned(X), model()(X))


def damaged(plan, rng):
    """The plan with one thing changed, anywhere."""
    plan = copy.deepcopy(plan)
    places = []

    def walk(value):
        items = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
        for key, item in items[: 200 if isinstance(value, dict) else 12]:
            places.append((value, key))
            if isinstance(item, (dict, list)):
                walk(item)

    walk(plan)
    container, key = rng.choice(places)
    how = rng.randrange(3)
    if how == 0:
        del container[key]
    else:
        container[key] = rng.choice([None, -1, 10**6, "text", 1.5, [], {}, [[]], True, 3]) if how == 1 else rng.randrange(6)
    return plan


@pytest.mark.filterwarnings("ignore:The plan was made with torch")
@pytest.mark.parametrize("granularity", ["op", "module"])
def test_damaged_plans_are_refused_or_change_nothing(granularity):
    plan = plan_of(traced(), [region(0, 3, [region(1, 2, save=[1])]), region(4, 4)])
    if granularity == "module":
        rows = [{**calls(("a", "Linear")), "first": 0, "last": 1, "save": [1]}, {**calls(("b", "Linear")), "first": 3, "last": 4}]
        plan = plan_of(traced(), rows, granularity="module")
    expected, refused, ran = outcome(model(), X)[1], 0, 0
    for seed in range(DAMAGED):
        planned = model()
        try:
            plimsoll.apply(planned, damaged(plan, random.Random(seed)))
        except PlanMismatch:
            refused += 1
            assert "forward" not in vars(planned)
            continue
        try:
            found = outcome(planned, X)[1]
        except PlanMismatch:
            refused += 1
            continue
        ran += 1
        assert all(map(torch.equal, found, expected))
    assert refused > DAMAGED // 4 and ran > DAMAGED // 8


def test_a_transformer_with_existing_checkpoints_is_told():
    step = made("gpt2")
    planned = copy.deepcopy(step["model"])
    planned.gradient_checkpointing_enable({"use_reentrant": False})
    with pytest.raises(PlanMismatch, match="has hooks|checkpoints a part of itself"):
        plimsoll.apply(planned, plan_of(graph("gpt2"), [region(3, 9)]))
        planned(**step["kwargs"])


class Nest(torch.nn.Module):
    """Two blocks, of which `inner` checkpoints itself in one of the two ways."""

    def __init__(self, reentrant):
        super().__init__()
        self.inner, self.outer = torch.nn.Linear(8, 8), torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Tanh())
        self.reentrant = reentrant

    def forward(self, x):
        return self.outer(checkpoint(self.inner, x, use_reentrant=self.reentrant))


@pytest.mark.parametrize("reentrant", [False, True])
def test_module_regions_may_stand_beside_existing_checkpoints_but_not_around_them(reentrant):
    torch.manual_seed(0)
    plain, x = Nest(reentrant), X.clone().requires_grad_()
    beside, around = copy.deepcopy(plain), copy.deepcopy(plain)
    plimsoll.apply(beside, plan_file([calls(("outer", "Sequential"))]))
    assert all(map(torch.equal, outcome(beside, x)[1], outcome(plain, x)[1]))
    plimsoll.apply(around, plan_file([calls(("", "Nest"))]))
    with pytest.raises(PlanMismatch, match="checkpoints a part of itself inside of the region from call 0 of the model"):
        around(x)
