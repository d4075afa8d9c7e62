#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the plans of every planner on every shipped sample against those recorded beside this file.

    plan_goldens.py check PLIMSOLL_CLI          the rows that continuous integration checks
    plan_goldens.py check PLIMSOLL_CLI --all    every row
    plan_goldens.py write PLIMSOLL_CLI          records all rows anew (only where numbers are meant to change)
    plan_goldens.py write PLIMSOLL_CLI SAMPLE... those of some samples alone, as for check

A row is one call of `plimsoll-cli plan`; README.md tells its columns.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time

FOLDER = pathlib.Path(__file__).resolve().parent
SAMPLES = FOLDER.parents[2] / "resources" / "samples"
BUDGETS = ("90%", "70%", "50%")
# Continuous integration checks these budgets of these samples, and all else once before a release.
QUICK = {"resnet18": ("70%",), "gpt2_prompt": ("50%",), "unet": ("90%",)}

RUNTIMES = (["--runtime", "checkpoint"], ["--runtime", "step"])
GRANULARITIES = (["--granularity", "module"], ["--granularity", "op"])
PLANNERS = {
    "auto": (RUNTIMES, GRANULARITIES),
    "rotor": (RUNTIMES, GRANULARITIES),
    "remat": (RUNTIMES, GRANULARITIES),
    "chen": ((), ()),
    "trunk": ((), ()),
    "capuchin": ((), ()),
    "every-block": ((), ()),
    "sequential-k": ((), ()),
    "torch-budget": ((), ()),
    "none": (RUNTIMES, ()),
}
# Planners that also plan for one process of several, and with a value that the user pinned.
PARALLEL = (["--ddp", "world=8"], ["--ddp", "world=8", "--zero", "3"])
PINS = {
    "resnet18": "keep:layer2.0",
    "bert": "keep:*.attention",
    "densenet121": "keep:*.denselayer2",
    "gpt2": "keep:*.attn",
    "gpt2_prompt": "keep:*.attn",
    "llama": "keep:*.mlp",
    "llama_7b": "keep:*.mlp",
    "unet": "keep:down.0",
    "vit_b_16": "keep:*.mlp",
}
COLUMNS = (
    "status", "peak_bytes", "step_time_ns", "lower_bound_peak_bytes", "time_bound_ns", "packed_height_bytes",
    "reserved_bytes",
)
DECISIONS = ("runtime", "granularity", "freeze_stats", "regions", "labels", "schedule")


def argument_lists(sample):
    """Every choice of planner and options that is recorded for a sample."""
    for planner, (runtimes, granularities) in PLANNERS.items():
        base = ["--planner", planner]
        for runtime in runtimes or ([],):
            for granularity in granularities or ([],):
                yield base + runtime + granularity
        for parallel in PARALLEL:
            yield base + parallel
        yield base + ["--pin", PINS[sample]]


def hash_of(decisions):
    text = json.dumps(decisions, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def row_of(cli, sample, budget, arguments):
    """The row of one call: what it was, the columns, the hash of the decisions."""
    command = [cli, "plan", str(SAMPLES / f"{sample}.plimsoll.json.gz"), "--budget", budget, "--reserve", "0", "--prefer", "fastest", *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 4):
        # A refusal has no numbers: the exit status is the whole of it.
        values = [f"exit_{done.returncode}"] + ["-"] * len(COLUMNS)
    else:
        answer = json.loads(done.stdout)
        values = ["-" if answer.get(column) is None else str(answer[column]) for column in COLUMNS]
        values.append(hash_of({key: answer.get(key) for key in DECISIONS}))
    return "\t".join([budget, " ".join(arguments), *values])


def file_of(sample):
    return FOLDER / f"{sample}.tsv"


def rows_of(cli, calls, workers):
    """The rows of all calls, in their order; `workers` calls at a time."""
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        return list(pool.map(lambda call: row_of(cli, *call), calls))


def write(cli, samples, workers):
    for sample in samples:
        began = time.monotonic()
        calls = [(sample, budget, arguments) for budget in BUDGETS for arguments in argument_lists(sample)]
        header = "\t".join(["budget", "arguments", *COLUMNS, "decisions"])
        file_of(sample).write_text("\n".join([header, *rows_of(cli, calls, workers)]) + "\n")
        print(f"{sample}: {len(calls)} rows in {time.monotonic() - began:.0f} s", flush=True)
    return 0


def check(cli, samples, workers, everything):
    expected = []
    for sample in samples:
        wanted = BUDGETS if everything else QUICK.get(sample, ())
        for row in file_of(sample).read_text().splitlines()[1:]:
            budget, arguments = row.split("\t")[:2]
            if budget in wanted:
                expected.append(((sample, budget, arguments.split()), row))
    found = rows_of(cli, [call for call, _ in expected], workers)
    wrong = [(call[0], row, now) for (call, row), now in zip(expected, found) if row != now]
    for sample, row, now in wrong:
        print(f"{sample}:\n  recorded {row}\n  now      {now}")
    print(f"{len(expected) - len(wrong)} of {len(expected)} plans are as recorded")
    return 1 if wrong or not expected else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=("check", "write"))
    parser.add_argument("cli", help="path of plimsoll-cli")
    parser.add_argument("samples", nargs="*", metavar="SAMPLE", default=sorted(PINS), help="the samples to record or check; otherwise all")
    parser.add_argument("--all", action="store_true", help="check every row")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="calls at a time")
    given = parser.parse_args()
    unknown = [sample for sample in given.samples if sample not in PINS]
    if unknown:
        parser.error(f"there is no sample {unknown[0]}; there are {', '.join(sorted(PINS))}")
    if given.verb == "write":
        return write(given.cli, given.samples, given.workers)
    return check(given.cli, given.samples, given.workers, given.all)


if __name__ == "__main__":
    sys.exit(main())
