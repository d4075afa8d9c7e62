# SPDX-License-Identifier: Apache-2.0
"""All models x budgets x every kind of plan: the planned model, recorded again at real size, is what evaluate() says.

With PLIMSOLL_TABLES naming a folder, the results are written there as `matrix.md` (docs: resources/pytorch/MATRIX.md).
"""

import copy
import os
from pathlib import Path

import loop
import plimsoll
import pytest
import torch
from zoo import ZOO

# Options of `plan`, and budgets as shares of the way from the unplanned peak down to the smallest peak known.
PLANS = {
    "modules": ((), (0.3, 0.6, 0.9)),
    "ops": (("--granularity", "op"), (0.3, 0.6, 0.9)),
    "saved sets": (("--saved-sets", "on"), (0.75,)),
}
# The same with statistics that stay frozen, for models that have some.
FROZEN = {
    "modules, frozen": (("--freeze-stats", "on"), (0.9,)),
    "ops, frozen": (("--granularity", "op", "--freeze-stats", "on"), (0.6,)),
}
WITH_STATISTICS = ("resnet18", "densenet121", "mobilenet_v3", "unet")
CASES = [(name, kind) for name in ZOO for kind in PLANS] + [(name, kind) for name in WITH_STATISTICS for kind in FROZEN]
PLANS |= FROZEN
COLUMNS = ("model", "plan", "budget MiB", "peak MiB", "unplanned MiB", "step", "regions", "steps compared", "different")


@pytest.fixture(scope="module")
def table():
    rows = []
    yield rows
    folder = os.environ.get("PLIMSOLL_TABLES")
    if folder:
        lines = [" | ".join(map(str, row)) for row in (COLUMNS, ["---"] * len(COLUMNS), *rows)]
        (Path(folder) / "matrix.md").write_text("".join(f"| {line} |\n" for line in lines))


@pytest.fixture(scope="module")
def graphs(tmp_path_factory):
    """Traces each model at real size once: name -> path."""
    folder, known = tmp_path_factory.mktemp("graphs"), {}

    def traced(name):
        if name not in known:
            known[name] = loop.trace(ZOO[name].real, folder / f"{name}.plimsoll.json.gz", "cuda")
        return known[name]

    return traced


def mib(count):
    return f"{count / (1 << 20):,.0f}"


@pytest.mark.parametrize("name, kind", CASES)
def test_planned_models_at_real_size(name, kind, graphs, table, tmp_path):
    graph = graphs(name)
    options, shares = PLANS[kind]
    most, least = loop.span(graph, *options)
    for share in shares:
        budget = most - int(share * (most - least))
        plan = tmp_path / f"{share}.json"
        said = loop.cli("plan", graph, "--budget", budget, "--export", plan, *options)
        assert said["verified"] and said["regions"]
        stream = loop.record(ZOO[name].real, plan, tmp_path / "stream.json", "cuda")
        result = loop.compare(graph, plan, tmp_path / "stream.json")
        assert result["equal"], result["first"]
        assert max(stream.curve_rounded512) == said["peak_bytes"] <= budget
        step = f"+{said['overhead_percent']:.2f} %"
        peaks = map(mib, (budget, said["peak_bytes"], most))
        table.append((name, f"rotor, {kind}", *peaks, step, len(said["regions"]), result["steps"], result["differences"]))


def step(made, model):
    """Loss, gradients by name, buffers by name and random state after one real step."""
    torch.manual_seed(1)
    output = model(*made.get("args", ()), **made.get("kwargs", {}))
    loss = made["loss"](output) if "loss" in made else output.loss
    loss.backward()
    gradients = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
    return loss.detach(), gradients, dict(model.named_buffers()), torch.get_rng_state()


def same(mine, its):
    return mine.keys() == its.keys() and all(torch.equal(mine[name], its[name]) for name in mine)


def updates(module, before, once):
    """How often a batch norm's statistics were updated in a step: an update moves them by `momentum` of what is left to go."""
    for count in range(1, 9):
        share = (1 - (1 - module.momentum) ** count) / module.momentum
        close = (
            torch.allclose(getattr(module, name), old + share * (getattr(once, name) - old), rtol=1e-4, atol=1e-6)
            for name, old in before.named_buffers()
            if name != "num_batches_tracked"
        )
        if all(close):
            return count
    return 0


@pytest.mark.parametrize("name, kind", CASES)
def test_planned_models_on_real_tensors(name, kind, tmp_path):
    graph = loop.trace(ZOO[name].lean, tmp_path / "graph.plimsoll.json.gz", "cpu")
    torch.manual_seed(0)
    made = ZOO[name].lean()
    model = made["model"].train()
    plain = copy.deepcopy(model)
    expected = step(made, plain)
    options, shares = PLANS[kind]
    most, least = loop.span(graph, *options)
    for share in shares:
        plan = tmp_path / f"{share}.json"
        said = loop.cli("plan", graph, "--budget", most - int(share * (most - least)), "--export", plan, *options)
        assert said["verified"] and said["regions"]
        planned = copy.deepcopy(model)
        plimsoll.apply(planned, plan)
        loss, gradients, buffers, state = step(made, planned)
        assert torch.equal(loss, expected[0]) and same(gradients, expected[1]) and torch.equal(state, expected[3])
        flagged = any("running statistics" in sentence for sentence in said["not_modelled"])
        assert same(buffers, expected[2]) != flagged and not (flagged and kind in FROZEN)
        counts = [
            updates(module, model.get_submodule(path), plain.get_submodule(path))
            for path, module in planned.named_modules()
            if isinstance(module, torch.nn.modules.batchnorm._BatchNorm)
        ]
        assert all(counts) and (flagged or max(counts, default=1) == 1)
