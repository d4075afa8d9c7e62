# SPDX-License-Identifier: Apache-2.0
"""trace() in the hands of somebody who meets it for the first time: what works, what is refused in a sentence, what it leaves behind."""

import dataclasses
import functools
import importlib
import random
import subprocess
import sys

import numpy
import plimsoll
import pytest
import torch
import torch.nn.functional as F
from helpers import ROOT
from helpers.graph_rules import assert_sound, storage_of
from plimsoll.record.tracing import trace_graph


class Plain(torch.nn.Module):
    """`after(model, x, y)` makes the output of input and last layer's result."""

    def __init__(self, after=lambda model, x, y: y):
        super().__init__()
        self.a, self.norm, self.drop, self.b = torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4), torch.nn.Dropout(0.5), torch.nn.Linear(4, 4)
        self.seen = []
        self.after = after

    def forward(self, x):
        return self.after(self, x, self.b(self.drop(F.relu(self.norm(self.a(x))))))


@dataclasses.dataclass
class Output:
    loss: torch.Tensor
    logits: torch.Tensor


X = torch.randn(8, 4, generator=torch.Generator().manual_seed(0))


def targets(graph, phase):
    return [graph["targets"][op[0]] for op in graph["ops"] if op[1] == phase]


# ---- what works ----


@pytest.mark.parametrize(
    "after, loss",
    [
        (lambda m, x, y: {"y": y, "x": x}, lambda out: out["y"].sum()),
        (lambda m, x, y: (y, [x]), lambda out: out[0].sum()),
        (lambda m, x, y: Output(y.sum(), y), None),
        (lambda m, x, y: {"logits": y, "loss": y.sum()}, None),
        (lambda m, x, y: [y], None),
    ],
    ids=["dict", "tuple", "dataclass with a loss", "dict with a loss", "list"],
)
def test_outputs_of_every_shape(after, loss):
    graph = trace_graph(Plain(after), X, loss=loss)
    assert_sound(graph)
    assert (targets(graph, 0) + targets(graph, 1)).count("aten.sum.default") == 1  # the given loss alone, not a sum over logits
    assert sum(p[2] >= 0 for p in graph["params"]) == 6


class Criterion:
    def __init__(self):
        self.goal = torch.zeros(8, 4)

    def __call__(self, output):
        return F.mse_loss(output, self.goal)

    def method(self, output):
        return self(output)


@pytest.mark.parametrize("loss", [Criterion(), Criterion().method], ids=["object", "method"])
def test_losses_that_bring_tensors_along_in_objects(loss):
    graph = trace_graph(Plain(), X, loss=loss)
    assert_sound(graph)
    assert "aten.mse_loss.default" in targets(graph, 1)


def test_unused_and_frozen_parameters_have_no_gradient():
    model = Plain()
    model.extra = torch.nn.Linear(3, 3)
    model.a.requires_grad_(False)
    graph = trace_graph(model, X, optimizer=functools.partial(torch.optim.Adam, lr=0.1))
    assert_sound(graph)
    without = {name for name, _, gradient, states in graph["params"] if gradient < 0}
    assert without == {"a.weight", "a.bias", "extra.weight", "extra.bias"}
    assert all(states == [] for name, _, _, states in graph["params"] if name in without)


def test_a_module_called_twice_has_two_calls_and_one_gradient():
    graph = trace_graph(Plain(lambda m, x, y: m.b(F.relu(y))), X)
    assert_sound(graph)
    b = next(i for i, row in enumerate(graph["modules"]) if row[1] == "b")
    assert [call[0] for call in graph["calls"]].count(b) == 2
    assert any(op[8] & 8 for op in graph["ops"])  # both calls' gradients are summed


@pytest.mark.parametrize(
    "after, direct",
    [
        (lambda m, x, y: m.b(m.b(y)), set()),
        (lambda m, x, y: m.b.forward(y), {"b"}),
        (lambda m, x, y: m.b(m.a.forward(m.b.forward(y))), {"a", "b"}),
        (lambda m, x, y: torch.nn.Linear.forward(m.b, y), set()),  # past what apply() replaces, too
    ],
    ids=["calls", "one forward", "two forwards", "the class's"],
)
def test_modules_whose_forward_runs_past_their_call_are_marked(after, direct):
    model = Plain(after)
    own = model.a.forward = model.a.forward  # the model's own, as some libraries set it
    before = {path: dict(vars(module)) for path, module in model.named_modules()}
    graph = trace_graph(model, X, loss=lambda out: out.sum())
    assert_sound(graph)
    assert {row[1] for row in graph["modules"] if row[3] & 2} == direct
    assert {path: vars(module) for path, module in model.named_modules()} == before and model.a.forward is own


def test_a_part_without_gradients_saves_nothing():
    def after(model, x, y):
        with torch.no_grad():
            z = model.a(torch.exp(x))
        return y + z

    graph = trace_graph(Plain(after), X)
    assert_sound(graph)
    exponential = next(op for op in graph["ops"] if graph["targets"][op[0]] == "aten.exp.default")
    assert not exponential[8] & 16
    assert storage_of(graph, exponential[7][0]) not in {storage_of(graph, row[0]) for row in graph["saved"]}
    call = next(c for c in graph["calls"][::-1] if graph["modules"][c[0]][1] == "a")
    assert graph["structures"][call[7]][2] == ["no_grad"]


def test_residuals_in_place():
    def after(model, x, y):
        y += x
        return model.b(F.relu_(y))

    graph = trace_graph(Plain(after), X)
    assert_sound(graph)
    assert {"aten.add_.Tensor", "aten.relu_.default"} <= set(targets(graph, 0))


def test_what_the_loop_does_beside_is_told():
    graph = trace_graph(Plain(), X, optimizer=functools.partial(torch.optim.SGD, lr=0.1))
    assert any("neither clipped, scaled nor accumulated" in sentence for sentence in graph["assumed"])


# ---- what it leaves behind ----


def _raises(error):
    def after(model, x, y):
        raise error

    return after


def _fails_in_backward(model, x, y):
    y.register_hook(lambda gradient: 1 / 0)
    return y


def _keeps(model, x, y):
    torch.manual_seed(5)
    random.random()
    numpy.random.random()
    model.cache = y
    model.seen.append(y)
    model.steps = 1
    return y


ENDINGS = [
    (_keeps, None),
    (_raises(ValueError("forward")), ValueError),
    (_fails_in_backward, ZeroDivisionError),
    (lambda m, x, y: y * x.sum().item(), plimsoll.TraceError),
    (_raises(KeyboardInterrupt()), KeyboardInterrupt),
]


@pytest.mark.parametrize("after, error", ENDINGS, ids=["well", "forward", "backward", "question", "interrupt"])
@pytest.mark.parametrize("training", [True, False])
def test_everything_is_as_before_however_it_ends(after, error, training):
    model = Plain()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    model(X).sum().backward()
    optimizer.step()
    model.after = after
    model.train(training)
    model.norm.eval()

    def everything():
        tensors = {**dict(model.named_parameters()), **dict(model.named_buffers())}
        state = [(k, v) for values in optimizer.state.values() for k, v in values.items()]
        objects = [(n, id(t), type(t), id(t.grad)) for n, t in tensors.items()] + [id(v) for _, v in state]
        values = [t.detach().clone() for t in (*tensors.values(), *(p.grad for p in model.parameters()), *(v for _, v in state))]
        attributes = [{k: v for k, v in vars(m).items() if k != "_buffers"} for m in model.modules()]
        modes = [m.training for m in model.modules()], torch.is_grad_enabled(), sorted(vars(optimizer)), list(model.seen)
        groups = [[(k, v if k != "params" else [id(p) for p in v]) for k, v in g.items()] for g in optimizer.param_groups]
        randoms = random.getstate(), numpy.random.get_state()[1].tolist(), torch.get_rng_state().tolist()
        return (objects, [list(a) for a in attributes], modes, groups, randoms), values

    before, values = everything()
    if error is None:
        trace_graph(model, X, optimizer=optimizer)
    else:
        with pytest.raises(error):
            trace_graph(model, X, optimizer=optimizer)
    after_it, now = everything()
    assert after_it == before
    assert all(torch.equal(a, b) for a, b in zip(values, now))
    assert not hasattr(model, "cache")
    for function in (F.dropout, F.batch_norm, torch.nn.Module.__call__, torch.autocast.__init__):
        assert function.__module__.startswith("torch.")


# ---- what is refused ----


def _line_of(mark):
    return next(i for i, line in enumerate(open(__file__), 1) if line.rstrip().endswith("# " + mark))


def _counts(model, x, y):
    model.steps = getattr(model, "steps", 0) + 1
    return y * 2 if model.steps % 2 else y


def _branches(model, x, y):
    return y if x.sum() > 0 else -y  # BRANCHES


def _items(model, x, y):
    return y * x.max().item()  # ITEMS


def _numpy(model, x, y):
    return y * float(x.detach().numpy()[0, 0])  # NUMPY


def _splits(model, x, y):
    return y.tensor_split(torch.tensor([1, 2], device=x.device) + x[0, 0].long())[0]  # SPLITS


def _counted(model, x, y):
    return y[x[:, 0].nonzero()]  # COUNTED


def _moves(model, x, y):
    return y + torch.zeros(4, device="cuda")  # MOVES


def _twice(output):
    loss = output.sum()
    loss.backward()
    return loss


SGD = functools.partial(torch.optim.SGD, lr=0.1)
REFUSED = [
    ({"model": Plain(_branches)}, r"test_users.py:{BRANCHES}: it depends on the value of a tensor .* let shapes or arguments decide"),
    ({"model": Plain(_items)}, r"test_users.py:{ITEMS}: it depends on the value"),
    ({"model": Plain(_numpy)}, r"test_users.py:{NUMPY}: \.numpy\(\) asks for the values"),
    ({"model": Plain(_splits)}, r"test_users.py:{SPLITS}: PyTorch reads the values of a tensor there"),
    ({"model": Plain(_counted)}, r"test_users.py:{COUNTED}: the result of aten.nonzero.default depends on values"),
    ({"model": Plain(_moves)}, r"test_users.py:{MOVES}: tensors of different devices meet; .*device=x.device"),
    ({"model": Plain(_counts)}, r"something else from step to step"),
    ({"model": lambda x: x}, r"must be a torch.nn.Module, not a function"),
    ({"model": torch.nn.DataParallel(Plain())}, r"the model is wrapped in DataParallel, .* trace the module inside of it"),
    ({"model": torch.nn.Sequential(torch.nn.DataParallel(Plain()))}, r"'0' is wrapped in DataParallel"),
    ({"model": torch.nn.LazyLinear(4)}, r"weight has no shape yet: run the model once"),
    ({"model": Plain(lambda m, x, y: "text")}, r"holds no tensor that depends on its parameters: give trace\(\) a loss"),
    ({"model": Plain().requires_grad_(False)}, r"holds no tensor that depends on its parameters"),
    ({"kwargs": [1]}, r"kwargs must be a dict .* not a list"),
    ({"loss": "mse"}, r"loss must be a function of the model's output, not a str"),
    ({"loss": lambda out: out}, r"returned a loss of shape 8x4: it must have one element"),
    ({"loss": lambda out: None}, r"returned a NoneType: the loss must be a tensor"),
    ({"loss": lambda out: out.detach().sum()}, r"doesn't depend on a parameter that requires a gradient"),
    ({"loss": _twice}, r"backward\(\) ran before the loss was returned"),
    ({"optimizer": "adam"}, r"optimizer must be an optimizer or a function that makes one, not a str"),
    ({"optimizer": functools.partial(torch.optim.Adam, lr=torch.tensor(0.1))}, r"asks for the value of a tensor: give it numbers"),
    ({"optimizer": lambda parameters: 3}, r"returned a int, which is no optimizer"),
    ({"optimizer": torch.optim.SGD(Plain().parameters(), lr=0.1)}, r"holds none of the model's parameters"),
    ({"optimizer": torch.optim.LBFGS}, r"LBFGS runs the model several times"),
    ({"model": torch.nn.Embedding(9, 4, sparse=True), "args": torch.zeros(3, dtype=torch.int64)}, r"layout sparse_coo .* sparse=False"),
]


@pytest.mark.parametrize("arguments, sentence", REFUSED, ids=[str(i) for i in range(len(REFUSED))])
def test_what_cannot_be_traced_is_a_sentence(arguments, sentence):
    marks = {mark: _line_of(mark) for mark in ("BRANCHES", "ITEMS", "NUMPY", "SPLITS", "COUNTED", "MOVES")}
    for mark, line in marks.items():
        sentence = sentence.replace("{" + mark + "}", str(line))
    made = {"model": Plain(), "args": X, **arguments}
    with pytest.raises(plimsoll.TraceError, match=sentence) as caught:
        trace_graph(made.pop("model"), made.pop("args"), made.pop("kwargs", None), **made)
    assert "\n" not in str(caught.value)


# ---- the command ----

MINE = """
import torch
X = torch.zeros(2, 4)
def good():
    return torch.nn.Linear(4, 4), (X,)
def raises():
    raise ValueError('no data here')
def alone():
    return torch.nn.Linear(4, 4)
def nothing():
    pass
def no_model():
    return {'args': X}
def more():
    return {'model': torch.nn.Linear(4, 4), 'batch': 3}
def no_module():
    return {'model': 3, 'args': X}
def takes(x):
    return x
def shapes():
    return torch.nn.Linear(5, 4), (X,)
number = 7
"""


def test_the_command_answers_in_one_sentence(tmp_path, monkeypatch, capsys):
    command = importlib.import_module("plimsoll.trace")
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "broken.py").write_text("import torch\ndef f(:\n")
    (tmp_path / "needs.py").write_text("import torch\nimport not_installed_anywhere\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))

    def run(*arguments):
        try:
            code = command.main(list(arguments))
        except SystemExit as stopped:
            code = stopped.code
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    assert run("mine:good") == (0, "Linear.plimsoll.json.gz\n", "")
    for what, code, sentence in [
        ("mine", 2, "expected MODULE:FUNCTION, as in my_module:my_function, not 'mine'"),
        (":good", 2, "expected MODULE:FUNCTION"),
        ("mine.py:good", 2, "there is no module mine.py here or on the import path"),
        ("theirs:good", 2, "there is no module theirs here or on the import path"),
        ("mine:best", 2, "mine has no function best"),
        ("mine:number", 2, "mine:number is no function, but a int"),
        ("broken:f", 3, "broken.py:2: SyntaxError: invalid syntax"),
        ("needs:f", 3, "needs.py:2: ModuleNotFoundError: No module named 'not_installed_anywhere'"),
        ("mine:raises", 3, "mine.py:7: ValueError: no data here"),
        ("mine:takes", 3, "TypeError: takes() missing 1 required positional argument: 'x'"),
        ("mine:alone", 3, "must return the arguments of trace() as a dict ({'model': ..., 'args': ...}), but returned a Linear"),
        ("mine:nothing", 3, "but returned a NoneType"),
        ("mine:no_model", 3, "but returned a dict without 'model'"),
        ("mine:more", 3, "mine:more returned 'batch', which is no argument here; those are model, args, kwargs"),
        ("mine:no_module", 3, "model must be a torch.nn.Module, not a int"),
        ("mine:shapes", 3, "plimsoll: RuntimeError: a and b must have same reduction dim, but got [2, 4] X [5, 4]."),
    ]:
        done, out, err = run(what)
        assert (done, out) == (code, ""), (what, err)
        last = err.strip().splitlines()[-1]
        assert sentence in last and last.removesuffix(".")[-1] != ".", (what, err)
        assert len(err.splitlines()) == 1 or code == 2, err
    code, _, err = run("mine:good", "-o", "missing/folder/file.json")
    assert code == 3 and "missing/folder" in err
    assert "Traceback" in run("mine:raises", "--traceback")[2]


def test_exit_codes_reach_the_shell(tmp_path):
    environment = {"PYTHONPATH": str(ROOT / "resources" / "pytorch" / "src"), "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-m", "plimsoll.trace", "nowhere:f"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 2 and done.stderr == "plimsoll: there is no module nowhere here or on the import path.\n"
