# SPDX-License-Identifier: Apache-2.0
"""Compiled steps at real size, run on fakes: every execution and every live byte equals what evaluate() says about the plan."""

import json

import plimsoll
import pytest
from helpers.loop import compare
from helpers.matrix import check_stream, plans
from helpers.step_plans import assert_as_the_rules_say, plan_of, random_again, traced
from helpers.zoo import ZOO, some
from plimsoll.record.writer import write


@pytest.mark.parametrize("name", some("unet", "mixture", "awkward", "lstm"))
def test_random_plans_and_the_planners_live_as_evaluated(name, tmp_path):
    with plimsoll.building():
        made = ZOO[name].real()
    graph = traced(made)
    write(graph, tmp_path / "graph.plimsoll.json")
    step = plimsoll.compile_step(made["model"], loss=made.get("loss"))
    for number, share in enumerate((0.0, 0.3)):
        again = random_again(graph, number, share) if share else []
        assert bool(again) == bool(share)
        plan = tmp_path / f"plan{number}.json"
        plan.write_text(json.dumps(plan_of(graph, again)))
        made["model"].zero_grad(set_to_none=True)
        stream = step.with_plan(plan).stream(*made.get("args", ()), **made.get("kwargs", {}))
        assert_as_the_rules_say(stream, graph, again)
        path = tmp_path / f"stream{number}.json"
        path.write_text(json.dumps(stream.as_json()))
        result = compare(tmp_path / "graph.plimsoll.json", plan, path)
        assert result["equal"], result["first"]
        assert result["peak_bytes"] == max(stream.curve) and result["steps"] == len(stream.ops)
    for planned in plans(tmp_path / "graph.plimsoll.json", name, "step", tmp_path):
        made["model"].zero_grad(set_to_none=True)
        stream = step.with_plan(planned.path).stream(*made.get("args", ()), **made.get("kwargs", {}))
        path.write_text(json.dumps(stream.as_json()))
        check_stream(planned, stream, tmp_path / "graph.plimsoll.json", path)
