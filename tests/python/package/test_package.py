# SPDX-License-Identifier: Apache-2.0
"""What the package shows to its users: types and docstrings of the public functions, progress."""

import doctest
import inspect
import os
import re
import subprocess
import sys
import typing

import plimsoll
import pytest
import torch
from plimsoll.record.tracing import trace, trace_graph

# `plimsoll.trace` is a module that can be called once `plimsoll.trace` was imported.
FUNCTIONS = [trace, *(f for name in plimsoll.__all__ if name != "trace" and inspect.isfunction(f := getattr(plimsoll, name)))]
for part in (plimsoll.ddp, plimsoll.trunk):
    FUNCTIONS += [f for f in vars(part).values() if inspect.isfunction(f) and f.__module__ == part.__name__ and f.__name__[0] != "_"]
CLASSES = [getattr(plimsoll, name) for name in plimsoll.__all__ if inspect.isclass(getattr(plimsoll, name))]


def public_parts():
    yield from FUNCTIONS
    for kind in CLASSES:
        yield from (f for name, f in vars(kind).items() if inspect.isfunction(f) and not name.startswith("_"))


def test_every_public_name_is_there():
    assert {"trace", "apply", "remove", "building", "TraceError", "PlanMismatch", "__version__"} <= set(plimsoll.__all__)
    assert all(hasattr(plimsoll, name) for name in plimsoll.__all__)


@pytest.mark.parametrize("part", list(public_parts()), ids=lambda part: part.__qualname__)
def test_public_functions_are_typed_and_described(part):
    signature = inspect.signature(part)
    missing = [p.name for p in signature.parameters.values() if p.annotation is p.empty and p.name != "self"]
    assert not missing and signature.return_annotation is not signature.empty
    typing.get_type_hints(inspect.unwrap(part))  # each name in an annotation exists at run time, on the oldest Python too
    said, _, example = (inspect.getdoc(part) or "").partition("\n\nExample::\n")
    assert said.endswith((".", "`", ")")) and len(said) > 40
    if "\nArgs:\n" in said:  # as in PyTorch's documentation: a line for each
        lines = re.findall(r"^    \**(\w[\w, ]*?)(?: \([^)]*\))?: ", said.partition("\nArgs:\n")[2].partition("\n\n")[0], re.M)
        assert {name for line in lines for name in line.split(", ")} == set(signature.parameters)
        assert "\nRaises:\n" in said and example.startswith("\n    >>> ")
        return
    named = [p for p in signature.parameters if p not in ("self", "args", "kwargs", "model")]
    assert [p for p in named if f"`{p}`" not in said and f"{p}=" not in said] == []


def test_the_main_functions_are_described_argument_by_argument():
    assert all("\n    Args:\n" in part.__doc__ for part in (trace, plimsoll.measure, plimsoll.apply, plimsoll.compile_step))


@pytest.mark.parametrize("part", [f for f in FUNCTIONS if "Example::" in f.__doc__], ids=lambda part: part.__name__)
def test_examples_do_what_they_show(part, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    example = doctest.DocTestParser().get_doctest(part.__doc__, {"plimsoll": plimsoll, "torch": torch}, part.__name__, None, 0)
    told = []
    assert example.examples and doctest.DocTestRunner().run(example, out=told.append).failed == 0, "".join(told)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_public_classes_say_what_they_are(kind):
    assert len(kind.__doc__ or "") > 40


def test_what_is_measured_names_its_unit():
    assert "bytes" in trace.__doc__
    assert "shapes" in trace.__doc__


# ---- progress ----


class Wide(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(*[torch.nn.Linear(4, 4) for _ in range(20)])

    def forward(self, x):
        return self.layers(x)


def test_a_function_is_told_how_far_the_trace_is(monkeypatch):
    monkeypatch.setattr("plimsoll.common.progress._INTERVAL", 0.0)  # every op
    told = []
    graph = trace_graph(Wide(), torch.ones(2, 4), progress=lambda fraction, text: told.append((fraction, text)))
    fractions = [fraction for fraction, _ in told]
    assert fractions == sorted(fractions) and fractions[0] == 0 and fractions[-1] == 1
    assert len(told) > 2 * len(graph["ops"])
    stages = list(dict.fromkeys(text.partition(",")[0] for _, text in told))
    assert stages == ["warm-up step", "recording", "recording what Python holds", "done"]
    recording = [fraction for fraction, text in told if text == "recording"]
    assert recording[0] == pytest.approx(1 / 3) and recording[-1] == pytest.approx(2 / 3, abs=0.02)


def test_the_line_is_shown_when_asked_and_taken_away_again(capsys, tmp_path):
    out = tmp_path / "wide.plimsoll.json"
    assert plimsoll.trace(Wide(), torch.ones(2, 4), out=out, progress=True) == out
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "\rplimsoll:   0 % warm-up step" in shown.err and "plimsoll:  33 % recording" in shown.err
    last = shown.err.split("\r")[-2]
    assert shown.err.endswith("\r") and last.strip() == ""


@pytest.mark.parametrize("choice", [False, None])
def test_nothing_is_shown_where_nobody_looks(choice, capsys, tmp_path):
    assert not sys.stderr.isatty()
    plimsoll.trace(Wide(), torch.ones(2, 4), out=tmp_path / "wide.plimsoll.json", progress=choice)
    assert capsys.readouterr().err == ""


def test_a_short_trace_shows_nothing_on_a_terminal(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("plimsoll.common.progress._PATIENCE", 3600.0)
    plimsoll.trace(Wide(), torch.ones(2, 4), out=tmp_path / "wide.plimsoll.json")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("plimsoll.common.progress._PATIENCE", 0.0)
    plimsoll.trace(Wide(), torch.ones(2, 4), out=tmp_path / "wide.plimsoll.json")
    assert "plimsoll:   0 % warm-up step" in capsys.readouterr().err


def test_progress_ends_when_the_trace_fails():
    told = []
    with pytest.raises(plimsoll.TraceError):
        trace_graph(Wide(), torch.ones(2, 4), loss=lambda y: y, progress=lambda fraction, text: told.append(fraction))
    assert told[-1] == 1


def test_importing_the_package_imports_no_compiler():
    asked = "import sys, plimsoll; print([name for name in ('torch._dynamo', 'torch._inductor') if name in sys.modules])"
    paths = os.pathsep.join(sys.path)
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": paths})
    assert done.stdout == "[]\n", done.stderr
