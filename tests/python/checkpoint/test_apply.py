# SPDX-License-Identifier: Apache-2.0
"""apply() on real tensors: losses and gradients stay the same bit for bit, and what doesn't fit is refused with a sentence."""

import copy
import functools
import inspect
import io
import json
import os
import runpy
import subprocess
import sys
import tempfile
import types

import make
import plimsoll
import pytest
import torch
import torch.nn.functional as F
from helpers.once import once
from helpers.outcomes import assert_same, results
from helpers.plans import CASES, PLANS, plan_file, region
from plimsoll import PlanMismatch


@once
def small(sample):
    """The sample's modules with few and small tensors, dropout on; a step's arguments and loss."""
    torch.manual_seed(0)
    if sample == "gpt2":
        from transformers import GPT2Config, GPT2LMHeadModel

        config = GPT2Config(vocab_size=61, n_embd=24, n_head=2, n_positions=16, use_cache=False)
        tokens = torch.randint(0, 61, (2, 16))
        return GPT2LMHeadModel(config).train(), functools.partial(_language_loss, tokens=tokens)
    import torchvision

    more = {"drop_rate": 0.1} if sample == "densenet121" else {}
    images, labels = torch.randn(2, 3, 64, 64), torch.tensor([1, 2])
    model = getattr(torchvision.models, sample)(num_classes=5, **more)
    return model, functools.partial(_class_loss, images=images, labels=labels)


def _language_loss(model, tokens):
    return model(input_ids=tokens, labels=tokens).loss


def _class_loss(model, images, labels):
    return F.cross_entropy(model(images), labels)


def forwards(model):
    return [path for path, module in model.named_modules() if "forward" in vars(module)]


@once
def plain(sample):
    model, loss = small(sample)
    return results(copy.deepcopy(model), loss)


def planned(sample, apply):
    model, loss = small(sample)
    model = copy.deepcopy(model)
    apply(model)
    assert forwards(model)
    return results(model, loss)


@pytest.mark.parametrize("sample, name", CASES)
def test_losses_and_gradients_stay_the_same_bit_for_bit(sample, name):
    plan = plan_file(PLANS[sample][name])
    assert_same(planned(sample, functools.partial(plimsoll.apply, plan=plan)), plain(sample))


@pytest.mark.parametrize("sample, name", CASES)
def test_exported_python_does_the_same(sample, name, tmp_path):
    check = os.environ.get("PLIMSOLL_LOOP_CHECK")
    assert check, "PLIMSOLL_LOOP_CHECK must name the built program; CTest sets it"
    plan, module, snippet = tmp_path / "plan.json", tmp_path / "plan.py", tmp_path / "snippet.py"
    plan.write_text(json.dumps(plan_file(PLANS[sample][name])))
    subprocess.run([check, "--write", str(make.sample_path(sample)), str(plan), str(module), str(snippet)], check=True)
    exported = types.SimpleNamespace(**runpy.run_path(str(module)))
    assert "plimsoll" not in exported.__dict__
    assert_same(planned(sample, exported.apply), plain(sample))
    if "import plan" not in snippet.read_text():
        code = compile(snippet.read_text(), str(snippet), "exec")
        assert_same(planned(sample, lambda model: exec(code, {"model": model})), plain(sample))


def export(*files):
    cli = os.environ.get("PLIMSOLL_CLI")
    assert cli, "PLIMSOLL_CLI must name the built program; CTest sets it"
    exports = [argument for file in files for argument in ("--export", str(file))]
    subprocess.run([cli, "plan", str(make.sample_path("resnet18")), "--budget", "2100MiB", *exports], check=True, capture_output=True)


def test_plans_of_the_planner_hold_at_any_batch(tmp_path):
    export(tmp_path / "plan.json", tmp_path / "plan.py")
    exported = runpy.run_path(str(tmp_path / "plan.py"))
    for apply in (functools.partial(plimsoll.apply, plan=tmp_path / "plan.json"), exported["apply"]):
        assert_same(planned("resnet18", apply), plain("resnet18"))


def test_regions_are_run_again_in_backward():
    model, loss = small("resnet18")
    model = copy.deepcopy(model)
    calls = []
    model.layer1[0].conv1.register_forward_hook(lambda *_: calls.append(torch._C._current_graph_task_id() != -1))
    with plimsoll.apply(model, plan_file(PLANS["resnet18"]["blocks"])):
        results(model, loss)
    assert calls == [False, True]


class SelfAttention(torch.nn.Module):
    """Asks, as torch's own attention does, whether query, key and value are the same object."""

    def __init__(self):
        super().__init__()
        self.norm, self.attention = torch.nn.LayerNorm(8), torch.nn.MultiheadAttention(8, 2)

    def forward(self, hidden):
        hidden = self.norm(hidden)
        return self.attention(hidden, hidden, hidden, need_weights=False)[0]


def test_arguments_that_are_one_object_are_one_in_the_recomputation():
    torch.manual_seed(0)
    model, hidden = SelfAttention(), torch.randn(3, 2, 8)
    expected = results(model, lambda m: m(hidden).square().sum())
    inner = region(("attention", "MultiheadAttention"))
    plimsoll.apply(model, plan_file([region(("", "SelfAttention"), nested=[inner])]))
    assert_same(results(model, lambda m: m(hidden).square().sum()), expected)


def test_without_gradients_nothing_changes():
    model, _ = small("resnet18")
    model = copy.deepcopy(model).eval()
    images = torch.randn(1, 3, 64, 64)
    with torch.no_grad():
        before = model(images)
        with plimsoll.apply(model, plan_file(PLANS["resnet18"]["nested"])):
            assert torch.equal(model(images), before)


def test_removal_restores_every_forward():
    model, loss = small("resnet18")
    model = copy.deepcopy(model)
    own = functools.partial(type(model.layer1[0]).forward, model.layer1[0])
    model.layer1[0].forward = own
    handle = plimsoll.apply(model, plan_file(PLANS["resnet18"]["nested"]))
    assert len(forwards(model)) > 10
    handle.remove()
    handle.remove()
    assert forwards(model) == ["layer1.0"] and model.layer1[0].forward is own
    wrapping = torch.nn.Module()
    wrapping.module = model  # as DistributedDataParallel has it
    with plimsoll.apply(model, plan_file(PLANS["resnet18"]["chains"])):
        with pytest.raises(PlanMismatch, match=r"The model that it wraps has one: pass that \(\.module\)"):
            plimsoll.remove(wrapping)
        pass
    assert forwards(model) == ["layer1.0"]
    assert_same(results(model, loss), plain("resnet18"))


class Member(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3))

    def forward(self, value, scale=None, *, power=1):
        return (value * self.weight if scale is None else value * self.weight * scale).pow(power)


def under(mode, function, *args):
    with mode:
        return function(*args)


class Model(torch.nn.Module):
    """`way` says how the members are called; plans are made for the first."""

    def __init__(self, way):
        super().__init__()
        self.a, self.b, self.c = Member(), Member(), Member()
        self.way = way

    def forward(self, x, scale):
        a, b, c = self.a, self.b, self.c
        return {
            "as recorded": lambda: c(b(a(x, scale), scale), scale),
            "twice": lambda: c(b(a(b(x, scale), scale), scale), scale),
            "value changed": lambda: c(b(a(x, scale) + 1, scale), scale),
            "value detached": lambda: c(b(a(x, scale).data, scale), scale),
            "gradient kept": lambda: (v := a(x, scale), v.retain_grad(), c(b(v, scale), scale))[2],
            "other value": lambda: (a(x, scale), c(b(x, scale), scale))[1],
            "dropped": lambda: (a(x, scale), c(x, scale))[1],
            "other mode": lambda: under(torch.no_grad(), b, a(x, scale), scale) + self.c.weight,
            "other autocast": lambda: under(torch.autocast("cpu"), b, a(x, scale), scale),
            "other tensor": lambda: c(b(a(x, scale), scale.clone()), scale),
            "other number": lambda: c(b(a(x, scale, power=1), scale, power=2), scale),
            "left out": lambda: a(x, scale) * 2,
            "other order": lambda: c(a(b(x, scale), scale), scale),
            "never": lambda: c(x, scale),
        }[self.way]()


CHAIN = [region(("a", "Member"), ("b", "Member"))]


def run(model):
    torch.manual_seed(0)
    return results(model, lambda m: m(torch.ones(2, 3), torch.full((3,), 2.0)).sum())


def test_members_with_further_arguments_are_passed_over():
    plain_results = run(Model("as recorded"))
    model = Model("as recorded")
    with plimsoll.apply(model, plan_file(CHAIN)):
        assert_same(run(model), plain_results)


@pytest.mark.parametrize(
    "way, sentence",
    [
        ("value changed", r"aten.add.Tensor is called on the value that 'a' passes to 'b' in the region from call 0 of 'a' to 'b'"),
        ("value detached", r"aten.detach.default is called on the value that 'a' passes to 'b'"),
        ("gradient kept", r"wants the gradient of the value that 'a' passes to 'b'"),
        ("other value", r"'b' isn't given the value of the member before it in the region from call 0 of 'a' to 'b'"),
        ("other tensor", r"'b' is given other arguments than the first member of the region from call 0 of 'a' to 'b'"),
        ("other number", r"'b' is given other arguments"),
        ("left out", r"aten.mul.Tensor is called on the value that 'a' passes to 'b'"),
        ("dropped", r"'b' isn't called after the member before it"),
        ("other mode", r"'b' is called in another mode \(gradients, autocast\) than the first member"),
        ("other autocast", r"'b' is called in another mode"),
        ("other order", r"Call 0 of 'b' doesn't follow the member before it"),
        ("twice", r"Call 0 of 'b' doesn't follow the member before it"),
        ("never", r"begins with call 0 of 'a', but this forward called it 0 times"),
    ],
)
def test_a_model_that_runs_otherwise_is_refused_when_it_runs(way, sentence):
    model = Model(way)
    plain_results = run(model)
    handle = plimsoll.apply(model, plan_file(CHAIN))
    with pytest.raises(PlanMismatch, match=sentence):
        run(model)
    handle.remove()
    assert_same(run(model), plain_results)


class ReadsShapes(torch.nn.Module):
    """Between two members its code asks for the shape, dtype and device of what it hands on."""

    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(3, 4), torch.nn.Linear(4, 5).double()
        self.a.double()

    def forward(self, x):
        value = self.a(x)
        width, kind, fresh = value.shape[-1], value.dtype, value.is_contiguous() and value.requires_grad
        return self.b(value).to(torch.float32).to(kind).sum() * width * fresh


def test_the_models_code_sees_the_shape_of_a_value_that_a_region_passes_on():
    torch.manual_seed(0)
    model, x = ReadsShapes(), torch.randn(2, 3, dtype=torch.float64)
    plain_results = results(model, lambda m: m(x))
    with plimsoll.apply(model, plan_file([region(("a", "Linear"), ("b", "Linear"))])):
        assert_same(results(model, lambda m: m(x)), plain_results)


A = region(("a", "Member"))


@pytest.mark.parametrize(
    "plan, sentence",
    [
        (plan_file([A, region(("b", "Linear"))]), r"made for a Linear at 'b', but the model has a Member there"),
        (plan_file([A, region(("b.x", "Member"))]), r"names the module 'b.x', which the model doesn't have"),
        (plan_file([A, A]), r"shares a call with another region"),
        (plan_file([region(("a", "Member"), ("b", "Member"), nested=[region(("b", "Member"), ("c", "Member"))])]), r"doesn't lie in"),
        (plan_file([A], graph={"model_class": "ResNet"}), r"made for a ResNet, but this model is a Model"),
        (plan_file([A], version=2), r"version 2; this package reads up to version 1"),
        (plan_file([A], version=None), r"no version"),
        (plan_file([A], runtime="step"), r"runtime 'step'"),
        (plan_file([A], format="plimsoll-graph"), r"no plan"),
        (plan_file([{"members": [{"path": "a"}]}]), r"damaged"),
        (plan_file([region(("a", "Member", "0"))]), r"damaged: '0' is no number of a call"),
        (plan_file([region(("a", "Member", -1))]), r"damaged: -1 is no number of a call"),
        (plan_file([A, {"members": []}]), r"damaged"),
        (plan_file([A, 3]), r"damaged"),
        (plan_file(None), r"damaged"),
        (plan_file([A], graph="ResNet"), r'damaged: its "graph" is no object'),
        (plan_file([A], graph={"model_class": "Member"}), r"made for a Member, but this model is a Model. Apply it to the model's 'a'"),
        ("missing.json", r"can't be read"),
    ],
)
def test_a_plan_that_does_not_fit_is_refused_as_a_whole(plan, sentence):
    model = Model("as recorded")
    with pytest.raises(PlanMismatch, match=sentence):
        plimsoll.apply(model, plan)
    assert forwards(model) == []


def test_a_plan_file_with_a_key_twice_is_refused(tmp_path):
    file = tmp_path / "plan.json"
    text = json.dumps(plan_file([A]))
    for before, added, key in (('"version"', '"format": 1, ', "format"), ('"call"', '"path": "b", ', "path")):
        head, tail = text.split(before, 1)
        file.write_text(head + before + tail)
        plimsoll.apply(Model("as recorded"), file).remove()
        file.write_text(head + added + before + tail)
        with pytest.raises(PlanMismatch, match=f'plan.json can.t be read as a plan: the key "{key}" stands there for the second'):
            plimsoll.apply(Model("as recorded"), file)


def test_what_is_no_model_is_refused():
    with pytest.raises(PlanMismatch, match="applied to a torch.nn.Module, not to a function"):
        plimsoll.apply(lambda x: x, plan_file([A]))


def test_a_module_whose_forward_cannot_be_replaced_leaves_the_others_alone():
    class Fixed(Member):
        def __setattr__(self, name, value):
            if name == "forward":
                raise RuntimeError("it is compiled")
            super().__setattr__(name, value)

    model = Model("as recorded")
    model.b = Fixed()
    with pytest.raises(PlanMismatch, match="The forward of 'b' can't be replaced: it is compiled"):
        plimsoll.apply(model, plan_file([A, region(("b", "Fixed"))]))
    assert forwards(model) == []


@functools.lru_cache(maxsize=None)
def exported_runtime():
    """What plimsoll-cli writes into an exported module before the plan itself."""
    with tempfile.TemporaryDirectory() as folder:
        export(os.path.join(folder, "plan.py"))
        with open(os.path.join(folder, "plan.py"), encoding="utf-8") as file:
            return file.read().partition("\nREGIONS = [")[0]


def exported_apply(plan):
    """apply() and remove() of a module that carries the runtime with it."""
    module = types.ModuleType("exported_plan")
    exec(f"{exported_runtime()}\n\ndef apply(model):\n    return apply_regions(model, {plan['regions']!r})\n", module.__dict__)
    sys.modules["exported_plan"] = module
    return module.apply, module.remove


@pytest.fixture(params=["package", "exported"])
def ways(request):
    plan = plan_file([region(("a", "Member"), ("b", "Member"), nested=[A]), region(("c", "Member"))])
    if request.param == "package":
        return functools.partial(plimsoll.apply, plan=plan), plimsoll.remove
    return exported_apply(plan)


def recomputed(model):
    """How often backward runs a member's forward again."""
    counts = []
    handles = [getattr(model, name).weight.register_hook(lambda g: None) for name in "abc"]
    original = Member.forward

    def counting(self, *args, **kwargs):
        counts.append(torch._C._current_graph_task_id() != -1)
        return original(self, *args, **kwargs)

    Member.forward = counting
    try:
        run(model)
    finally:
        Member.forward = original
        for handle in handles:
            handle.remove()
    return sum(counts)


def test_state_is_saved_and_loaded_as_before(ways):
    apply, _ = ways
    model, fresh = Model("as recorded"), Model("as recorded")
    keys = list(model.state_dict())
    with torch.no_grad():
        model.a.weight.fill_(3.0)
    plain_results = run(model)
    with apply(model):
        assert list(model.state_dict()) == keys
        assert [name for name, _ in model.named_modules()] == ["", "a", "b", "c"]
        fresh.load_state_dict(model.state_dict())
        model.load_state_dict(fresh.state_dict())
        assert_same(run(model), plain_results)
    assert_same(run(fresh), plain_results)


@pytest.mark.parametrize("through", ["deepcopy", "pickle"])
def test_copies_have_the_plan_and_their_own_weights(ways, through):
    apply, remove = ways
    model = Model("as recorded")
    handle = apply(model)
    again = recomputed(model)
    assert again >= 2
    if through == "deepcopy":
        twin = copy.deepcopy(model)
    else:
        file = io.BytesIO()
        torch.save(model, file)
        file.seek(0)
        twin = torch.load(file, weights_only=False)
    with torch.no_grad():
        twin.a.weight.fill_(3.0)
    other = Model("as recorded")
    other.load_state_dict(twin.state_dict())
    assert torch.equal(model.a.weight, torch.ones(3))
    assert_same(run(twin), run(other))
    assert recomputed(twin) == again and twin.b.weight.grad is not model.b.weight.grad
    handle.remove()
    assert forwards(model) == [] and recomputed(model) == 0
    assert recomputed(twin) == again  # its plan is its own
    remove(twin)
    assert forwards(twin) == []
    assert_same(run(twin), run(other))
    with pytest.raises(RuntimeError, match="No plan is applied to this model"):
        remove(twin)


def test_evaluation_and_inference_run_as_before(ways):
    apply, _ = ways
    model = Model("as recorded").eval()
    x, scale = torch.ones(2, 3), torch.full((3,), 2.0)
    before = model(x, scale)
    with apply(model):
        assert not model.training
        for mode in (torch.no_grad(), torch.inference_mode(), torch.enable_grad()):
            with mode:
                assert torch.equal(model(x, scale), before)
        assert inspect.signature(model.forward) == inspect.signature(Model("as recorded").forward)
        with pytest.raises(RuntimeError, match="already applied"):
            apply(model)
    assert torch.equal(model(x, scale), before)


def test_an_error_in_the_middle_leaves_the_plan_usable(ways):
    apply, _ = ways
    model = Model("as recorded")
    plain_results = run(model)
    with apply(model):
        model.way = "missing"
        with pytest.raises(KeyError):
            run(model)
        with pytest.raises(RuntimeError):
            model.a(torch.ones(2, 3), torch.ones(7))
        model.way = "as recorded"
        assert_same(run(model), plain_results)


def test_hooks_on_a_member_are_refused():
    model = Model("as recorded")
    model.a.register_forward_hook(lambda *_: None)
    with pytest.raises(PlanMismatch, match="'a' has hooks"):
        plimsoll.apply(model, plan_file([A]))


@pytest.mark.parametrize("wrap, name", [(lambda m: m, "the model"), (lambda m: torch.nn.Sequential(m), "'0'")], ids=["all", "inside"])
def test_data_parallel_is_refused(wrap, name):
    model = wrap(torch.nn.DataParallel(Model("as recorded")))
    for plan in (plan_file([A]), plan_file([A], graph={"model_class": "Model"})):
        with pytest.raises(PlanMismatch, match=f"DataParallel wraps {name}, .* one GPU, or in DistributedDataParallel"):
            plimsoll.apply(model, plan)


def test_copies_that_data_parallel_makes_of_a_planned_model_are_refused(ways):
    from torch.nn.parallel.parallel_apply import parallel_apply

    # Without GPUs it starts no threads: a function that says it is from there stands for them.
    threads = {}
    exec(compile("def worker(function, *args):\n    return function(*args)", parallel_apply.__code__.co_filename, "exec"), threads)
    model = Model("as recorded")
    apply, _ = ways
    with apply(model):
        assert run(model)
        replica = model._replicate_for_data_parallel()
        with pytest.raises(RuntimeError, match="DataParallel runs copies of the model, which don't take the plan along"):
            threads["worker"](replica, torch.ones(2, 3), torch.ones(3))


def test_a_second_plan_is_refused():
    model = Model("as recorded")
    with plimsoll.apply(model, plan_file([A])):
        with pytest.raises(PlanMismatch, match="already applied"):
            plimsoll.apply(model, plan_file(CHAIN))
    plimsoll.apply(model, plan_file(CHAIN)).remove()


def test_another_minor_version_of_torch_is_mentioned():
    with pytest.warns(UserWarning, match=r"made with torch 1\.9"):
        plimsoll.apply(Model("as recorded"), plan_file([A], graph={"torch": "1.9.1"})).remove()
