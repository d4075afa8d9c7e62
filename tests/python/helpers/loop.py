# SPDX-License-Identifier: Apache-2.0
"""The closed loop: trace, plan, apply, trace again, and compare with what evaluate() says, at every step."""

import json
import os
import subprocess

import plimsoll
from helpers import EXHAUSTIVE
from plimsoll.record.stream import record_stream


# By default all planners search, which takes seconds between ops: a normal run has the plans of one.
ROTOR = () if EXHAUSTIVE else ("--planner", "rotor", "--slots", 100)


def program(name):
    path = os.environ.get(name)
    assert path, f"{name} must name the built program; CTest sets it"
    return path


def arguments_of(made):
    """trace()'s arguments without those that only name the file."""
    return {key: value for key, value in made.items() if key != "name"}


def trace(builder, path, target):
    with plimsoll.building():
        made = arguments_of(builder())
    return plimsoll.trace(made.pop("model"), out=path, target=target, **made)


def cli(*arguments, expected=0):
    """What plimsoll-cli prints with --json. Plans are rotor's, the fastest for a number of live bytes, which these tests count, unless they say
    otherwise."""
    if arguments[0] == "plan" and "--prefer" not in arguments:
        arguments = (*arguments, "--prefer", "fastest")
    if arguments[0] == "plan" and not {"--planner", "--slots", "--list"} & set(arguments):
        arguments = (*arguments, *ROTOR)
    done = subprocess.run([program("PLIMSOLL_CLI"), *map(str, arguments), "--json"], capture_output=True, text=True)
    assert done.returncode == expected, done.stderr or done.stdout
    return json.loads(done.stdout)


def frontier(graph, *options):
    """The unplanned peak, and the peaks and step times (ns) of the plans that the planner knows, each once."""
    known = cli("plan", graph, "--budget", "100%", "--frontier", 1000, *options)
    points = dict.fromkeys((point["peak_bytes"], point["step_time_ns"]) for point in known["frontier"])
    return known["base_peak_bytes"], list(points)


def span(graph, *options):
    """The unplanned peak and the smallest peak of any plan that the planner knows."""
    most, points = frontier(graph, *options)
    return most, min(peak for peak, _ in points)


def record(builder, plan, path, target):
    """The op stream and the curve of the planned model, written to `path` for compare()."""

    def step():
        made = arguments_of(builder())
        plimsoll.apply(made["model"], plan)
        return made

    stream = record_stream(step, target=target)
    rows = {
        "ops": stream.ops,
        "curve": stream.curve,
        "curve_rounded512": stream.curve_rounded512,
        "backward_start": stream.backward_start,
        "lives": [[s.nbytes, s.alloc, s.free] for s in stream.recording.storages],
    }
    path.write_text(json.dumps(rows))
    return stream


def compare(graph, plan_path, stream_path):
    """What closed_loop_check prints: {"equal", "peak_bytes", "differences", "first", ...}."""
    return _loop_check(graph, plan_path, stream_path)


def peak(graph, plan_path, *ddp):
    """What evaluate() says with sizes that nobody rounds: {"peak_bytes", "peak_op", "resident_bytes" before the step}; `ddp`: a setting of --ddp."""
    return _loop_check("--peak", graph, plan_path, *ddp)


def shards(graph, plan_path, setting):
    """What one of several processes has under fully_shard: {"steps": [[module, target, again, gathered, result, reducing]], "ready", "states"}."""
    return _loop_check("--shards", graph, plan_path, setting)


def _loop_check(*arguments):
    command = [program("PLIMSOLL_LOOP_CHECK"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode in (0, 5) and done.stdout, done.stderr
    return json.loads(done.stdout)
