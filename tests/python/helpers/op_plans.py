# SPDX-License-Identifier: Apache-2.0
"""Plans of op regions for the tests: the sequence from a trace, random regions that are legal."""

from __future__ import annotations

import copy
import random

import torch
from helpers.once import once
from helpers.zoo import ZOO
from plimsoll import PlanMismatch
from plimsoll.record.tracing import trace_graph
from plimsoll.runtime.checkpoint.op_regions import Checker, lay_out, read_regions
from plimsoll.runtime.checkpoint.op_trace import on_fakes, record_forward
from plimsoll.runtime.structures import Structure

VIEW, RANDOM = 1, 2


@once
def made(name, size="lean"):
    """A step's arguments with a model on the CPU in training mode."""
    torch.manual_seed(0)
    step = getattr(ZOO[name], size)()
    step["model"].train()
    return step


@once
def graph(name, size="lean"):
    step = made(name, size)
    keys = ("args", "kwargs", "loss", "optimizer")
    return trace_graph(copy.deepcopy(step["model"]), target="cpu", **{key: step[key] for key in keys if key in step})


def sequence(traced):
    return {"targets": traced["targets"], "ops": [op[0] for op in traced["ops"] if op[1] <= 2]}


def plan_of(traced, regions, **changes):
    about = {"model_class": traced["model_class"], "target": traced["target"], "torch": traced["torch"]}
    about["forward_ops"] = sum(op[1] <= 1 for op in traced["ops"])
    plan = {"format": "plimsoll-plan", "version": 1, "runtime": "checkpoint", "granularity": "op", "graph": about}
    return {**plan, "sequence": sequence(traced), "regions": regions, **changes}


def plan_between(forward, regions):
    """A plan whose sequence is what a recorded forward does, without a trace."""
    targets = [str(op.func) for op in forward.ops]
    names = sorted(set(targets))
    plan = {"format": "plimsoll-plan", "version": 1, "runtime": "checkpoint", "granularity": "op", "graph": {}}
    return {**plan, "sequence": {"targets": names, "ops": [names.index(t) for t in targets]}, "regions": regions}


def region(first, last, nested=(), save=()):
    return {"label": 0, "first": first, "last": last, "nested": list(nested), "save": list(save)}


@once
def recorded(name, size="lean"):
    step = made(name, size)
    return record(step["model"], step.get("args", ()), step.get("kwargs", {}))


def record(model, args=(), kwargs=None):
    given = Structure((args, kwargs or {}))
    with on_fakes(model, given.tensors, "cpu") as inputs:

        def run():
            its_args, its_kwargs = given.build(inputs)
            return model(*its_args, **its_kwargs)

        return record_forward(model, run, inputs, "cpu")


def is_legal(forward, row):
    try:
        whole = lay_out(forward, read_regions([row]))
        for part in whole.regions():
            Checker(forward).check(part)
    except PlanMismatch:
        return False
    return True


def random_regions(forward, rng, depth=2, bounds=None, most=6):
    """Legal regions at random places, nested up to `depth` levels deep."""
    first, end = bounds or (0, len(forward.ops) - 1)
    rows, at, count = [], first, end - first + 1
    while at <= end and len(rows) < most:
        begin = at + rng.randrange(max(1, count // 10))
        last = min(end, begin + rng.randrange(max(1, count // 4)))
        whole = bounds is not None and (begin, last) == (first, end)
        if begin <= end and not whole and is_legal(forward, region(begin, last)):
            nested = random_regions(forward, rng, depth - 1, (begin, last), 3) if depth else []
            rows.append(region(begin, last, nested))
            at = last + 1
        else:
            at += 1
    return rows


def with_saved(forward, rows, rng, share=0.3):
    """The regions with random results saved, as far as that is legal."""
    for row in rows:
        inner = [n for nested in row["nested"] for n in range(nested["first"], nested["last"] + 1)]
        for op in range(row["first"], row["last"] + 1):
            if op not in inner and rng.random() < share and is_legal(forward, {**row, "nested": [], "save": [*row["save"], op]}):
                row["save"].append(op)
        with_saved(forward, row["nested"], rng, share)
    return rows


def count_of(rows):
    return sum(1 + count_of(row["nested"]) for row in rows)


def results(step, model, steps=2, apply=None):
    """Losses, gradients and the random state after each of a few steps of training; buffers at the end."""
    loss_of = step.get("loss") or (lambda output: output.loss)
    optimizer = step["optimizer"]([p for p in model.parameters() if p.requires_grad])
    found = []
    for number in range(steps):
        torch.manual_seed(number)
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(model(*step.get("args", ()), **step.get("kwargs", {})))
        loss.backward()
        gradients = [None if p.grad is None else p.grad.clone() for p in model.parameters()]
        found.append([loss.detach().clone(), *gradients, torch.rand(1)])
        optimizer.step()
    return found


@once
def plain(name, size="lean"):
    step = made(name, size)
    model = copy.deepcopy(step["model"])
    return results(step, model), [b.clone() for b in model.buffers()]


def same(mine, its):
    pairs = [pair for a, b in zip(mine, its) for pair in zip(a, b)]
    return len(mine) == len(its) and all(a is b is None or torch.equal(a, b) for a, b in pairs)


def seeded(seed):
    return random.Random(seed)
