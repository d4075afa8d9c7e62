# SPDX-License-Identifier: Apache-2.0
"""Plans exported as graphs: compile_step() runs them with the unplanned step's bits, they can be executed from the file alone, and a
graph of another step is refused."""

import copy
import json

import plimsoll
import pytest
import torch
from helpers import EXHAUSTIVE
from helpers.loop import cli
from helpers.step_plans import curve_of, traced
from helpers.step_training import Training, assert_same_bits
from helpers.zoo import LEAN_TEXT, ZOO, models
from plimsoll.common.op_schema import overload_of
from plimsoll.common.plan_mismatch import PlanMismatch
from plimsoll.record.writer import write

ALLOC, FREE = 2, 3  # columns of storages
TARGET, PHASE, READS, OUTPUTS, FLAGS, REPEATS, ARGS, KWARGS = 0, 1, 5, 7, 8, 15, 16, 17
RANDOM, REPETITION = 2, 32


CASES = [("resnet18", "capuchin"), ("awkward", "capuchin"), ("awkward", "remat"), *([("gpt2", "capuchin")] if EXHAUSTIVE else [])]


def small_step(name):
    """GPT-2 with few words, so that its peak isn't that of the loss alone, for which nothing can be dropped."""
    torch.manual_seed(0)
    return models.gpt2(4, 128, **LEAN_TEXT) if name == "gpt2" else ZOO[name].small()


def written_out(made, folder, planner="capuchin"):
    """The least plan's graph file."""
    traced_file, plan, graph = (folder / f"{name}.plimsoll.json" for name in ("traced", "plan", "graph"))
    plan = folder / "plan.json"
    write(traced(made), traced_file)
    least = cli("plan", traced_file, "--planner", planner, "--budget", "100%", "--frontier", 2)["frontier"][0]["peak_bytes"]
    known = cli("plan", traced_file, "--planner", planner, "--budget", least, "--export", plan)
    assert cli("export", traced_file, plan, "-o", graph)["kind"] == "graph"
    inspected = cli("inspect", graph)["summary"]
    assert (inspected["execution"], inspected["planner"]) == ("step", planner)
    assert inspected["peak_allocated_bytes"] == known["peak_bytes"] < known["base_peak_bytes"]
    return graph


def lives(graph):
    """Storages before the optimizer, as a graph file tells them."""
    return [(row[0], row[ALLOC], row[FREE]) for row in graph["storages"]]


@pytest.mark.parametrize("name, planner", CASES)
def test_the_runner_executes_it_with_eagers_bits(name, planner, tmp_path):
    made = small_step(name)
    graph = written_out(made, tmp_path, planner)
    content = json.loads(graph.read_text())
    assert sum(bool(op[FLAGS] & REPETITION) for op in content["ops"]) > 5
    if name != "resnet18":  # their dropout runs again with its first numbers
        assert any(op[FLAGS] & REPETITION and op[FLAGS] & RANDOM for op in content["ops"])
    training = Training(made)
    step = plimsoll.compile_step(training.model, graph, loss=training.loss)
    for number in range(2):
        training.next_batch(number)
        expected = training.outcome(training.eager)
        assert_same_bits(expected, training.outcome(lambda: step(*training.args, **training.kwargs)))
        training.optimizer.step()
    training.model.zero_grad(set_to_none=True)
    stream = step.stream(*training.args, **training.kwargs)
    assert len(stream.ops) == len(content["ops"])
    assert stream.curve == curve_of(lives(content), len(stream.ops))
    assert max(stream.curve) == content["checks"]["peak_bytes"]


def execute(graph, given):
    """The gradients of the file's ops, run one after another with the arguments that stand there. `given`: by storage."""
    memory, states = dict(given), {}

    def tensor(row):
        storage, shape, strides, offset, dtype = graph["tensors"][row]
        held = memory[storage]
        assert held.dtype == getattr(torch, graph["dtypes"][dtype])
        return held.as_strided(shape, strides, offset)

    def value(item):
        if isinstance(item, list):
            return [value(one) for one in item]
        if not isinstance(item, dict):
            return item
        (kind, content), = item.items()
        if kind == "t":
            return tensor(content)
        return torch.device(content) if kind == "device" else float(content) if kind == "float" else getattr(torch, content)

    for ordinal, op in enumerate(graph["ops"]):
        if op[FLAGS] & RANDOM and op[FLAGS] & REPETITION:
            now = torch.get_rng_state()
            torch.set_rng_state(states[op[REPEATS]])
        elif op[FLAGS] & RANDOM:
            states[ordinal] = torch.get_rng_state()
        with torch.no_grad():
            made = overload_of(graph["targets"][op[TARGET]])(*value(op[ARGS]), **{k: value(v) for k, v in op[KWARGS].items()})
        if op[FLAGS] & RANDOM and op[FLAGS] & REPETITION:
            torch.set_rng_state(now)
        results = [t for t in (made if isinstance(made, (tuple, list)) else [made]) if isinstance(t, torch.Tensor)]
        for row, result in zip(op[OUTPUTS], results):
            storage = graph["tensors"][row][0]
            if graph["storages"][storage][ALLOC] == ordinal:
                memory[storage] = result
        for storage, row in enumerate(graph["storages"]):
            if row[FREE] == ordinal:
                del memory[storage]
    return {name: memory[gradient] for name, _, gradient, _ in graph["params"] if gradient >= 0}


def test_the_file_alone_can_be_executed(tmp_path):
    """By a program of 40 lines that knows nothing of plans: every value is where the file says, and not a moment longer."""
    made = small_step("resnet18")
    graph = json.loads(written_out(made, tmp_path).read_text())
    training = Training(made)
    training.next_batch(0)
    expected = training.outcome(training.eager)
    training.outcome(lambda: None)  # the state from before
    named = {**dict(training.model.named_parameters()), **dict(training.model.named_buffers())}
    named.update((f"args[{i}]", value) for i, value in enumerate(training.args))
    given = {}
    for storage, row in enumerate(graph["storages"]):
        if row[ALLOC] < 0:
            given[storage] = next((named[name].detach() for name in row[-1] if name in named), None)
    labels = [label for label, _ in training._labels]
    missing = [storage for storage, held in given.items() if held is None]
    assert len(labels) == len(missing) == 1, [graph["storages"][storage] for storage in missing]
    given[missing[0]] = labels[0]
    gradients = execute(graph, given)
    assert len(gradients) == len(list(training.model.parameters()))
    for name, parameter in training.model.named_parameters():
        assert torch.equal(gradients[name].view_as(parameter), expected[f"gradient {name}"])


def changed(graph, change):
    other = copy.deepcopy(graph)
    change(other)
    return other


def test_graphs_of_other_steps_are_refused(tmp_path):
    made = small_step("resnet18")
    graph = json.loads(written_out(made, tmp_path).read_text())
    training = Training(made)
    training.next_batch(0)

    def refused(content, sentence):
        with pytest.raises(PlanMismatch, match=sentence):
            plimsoll.compile_step(training.model, content, loss=training.loss)(*training.args, **training.kwargs)

    refused(json.loads((tmp_path / "traced.plimsoll.json").read_text()), "a step as it was traced, no plan")
    again = next(i for i, op in enumerate(graph["ops"]) if op[FLAGS] & REPETITION)
    reader = next(op for op in graph["ops"][again + 1 :] if not op[FLAGS] & REPETITION)
    first = next(i for i, op in enumerate(graph["ops"]) if op[OUTPUTS] and op[OUTPUTS][0] != graph["ops"][again][OUTPUTS][0])

    def takes_another_value(other):
        other["ops"][graph["ops"].index(reader)][READS][0] = other["ops"][first][OUTPUTS][0]

    def repeats_another_op(other):
        other["ops"][again][REPEATS] = 0

    def repeats_at_the_end(other):
        other["ops"].append(other["ops"][again])

    def stores_another_gradient(other):
        other["params"][0][2] = other["params"][1][2]

    def has_no_tensors(other):
        other["tensors"] = []

    def has_rows_of_nothing(other):
        other["ops"][again] = [0]

    refused(changed(graph, takes_another_value), "takes or makes other values than op")
    refused(changed(graph, repeats_another_op), "takes or makes other values|The plan recomputes")
    refused(changed(graph, repeats_at_the_end), "The graph is damaged")
    refused(changed(graph, stores_another_gradient), "the gradient of '.*' is another value there")
    refused(changed(graph, has_no_tensors), "The graph is damaged")
    refused(changed(graph, has_rows_of_nothing), "The graph is damaged")
    refused(changed(graph, lambda other: other.update(model_class="Other")), "made for a Other")


def test_a_graph_that_was_planned_again_runs_too(tmp_path):
    """Repetitions of repetitions: a written graph, planned and written once more."""
    made = small_step("awkward")
    once, plan, twice = written_out(made, tmp_path), tmp_path / "second.json", tmp_path / "twice.plimsoll.json"
    known = cli("plan", once, "--planner", "remat", "--budget", "100%", "--frontier", 2)
    least = known["frontier"][0]["peak_bytes"]
    assert cli("plan", once, "--planner", "remat", "--budget", least, "--export", plan, "--export", twice)["recompute_time_ns"] > 0
    training = Training(made)
    training.next_batch(0)
    expected = training.outcome(training.eager)
    step = plimsoll.compile_step(training.model, twice, loss=training.loss)
    assert_same_bits(expected, training.outcome(lambda: step(*training.args, **training.kwargs)))
    content = json.loads(twice.read_text())
    assert len(content["ops"]) > len(json.loads(once.read_text())["ops"])
    # The plan file alone speaks of ops that the step doesn't have.
    with pytest.raises(PlanMismatch, match="made for another step"):
        plimsoll.compile_step(training.model, plan, loss=training.loss)(*training.args, **training.kwargs)
