# SPDX-License-Identifier: Apache-2.0
"""Plans of runtime "step" with random dropped values, and what such a plan does to memory, both from a graph file alone.

The rules are those of the runtime: a storage lives from its allocating execution to its last use before it is allocated again;
whoever repeats an op must bring every storage that it reads back to the version that it read.
"""

import random

from plimsoll.record.tracing import trace_graph

BACKWARD, OPTIMIZER = 2, 3
TARGET, PHASE, READS, WRITES, OUTPUTS, FLAGS, ARGS = 0, 1, 5, 6, 7, 8, 16
COLLECTIVE = 4
GRADIENT, OUTPUT = 2, 8
AGAIN = 0.3  # of the later uses
MOST_AT_ONCE = 400
STATISTICS = {"aten.native_batch_norm.default": (3, 4, 5)}


class Graph:
    """Uses, writers and versions of storages in forward, loss and backward."""

    def __init__(self, graph):
        self.graph = graph
        self.count = sum(op[PHASE] < OPTIMIZER for op in graph["ops"])
        self.targets = [graph["targets"][op[TARGET]] for op in graph["ops"][: self.count]]
        self.alloc = [row[2] for row in graph["storages"]]
        storage = [row[0] for row in graph["tensors"]]
        of = lambda rows: {storage[t] for t in rows}  # noqa: E731
        ops = graph["ops"][: self.count]
        self.reads = [of(op[READS]) for op in ops]
        self.writes = [of(op[WRITES]) for op in ops]
        self.uses = [of((*op[READS], *op[WRITES], *op[OUTPUTS])) for op in ops]
        self.flags = [op[FLAGS] for op in ops]
        self.statistics = [self._statistics(k, op, storage) for k, op in enumerate(ops)]
        self.fresh = [{s for s in of(op[OUTPUTS]) if self.alloc[s] == k} for k, op in enumerate(ops)]
        self.writers = {}  # ops that make or overwrite a storage, rising
        self.version_at = []  # per op: version of each storage that it uses, before it ran
        versions = {}
        for k in range(self.count):
            self.version_at.append({s: versions.get(s, 0) for s in self.uses[k]})
            for s in self.writes[k] | self.fresh[k]:
                self.writers.setdefault(s, []).append(k)
            for s in self.writes[k]:
                versions[s] = versions.get(s, 0) + 1

    def _statistics(self, ordinal, op, storage):
        """Storages that a repeated batch norm does without."""
        places = STATISTICS.get(self.targets[ordinal])
        if places is None or not op[ARGS][places[2]]:
            return set()
        return {storage[op[ARGS][i]["t"]] for i in places[:2] if op[ARGS][i] is not None}

    def version_before(self, storage, moment):
        return sum(storage in self.writes[k] for k in self.writers.get(storage, ()) if k < moment)

    def closure(self, storages, moment):
        """Ops to repeat so that the storages are made anew as they are at the moment; None when that is impossible."""
        again, open_storages, done = set(), set(storages), set()
        while open_storages:
            storage = open_storages.pop()
            done.add(storage)
            if self.alloc[storage] < 0:
                return None
            for op in self.writers[storage]:
                if op >= moment or op in again:
                    continue
                again.add(op)
                if self.flags[op] & COLLECTIVE:
                    return None
                for other in self.uses[op] - self.statistics[op] - done:
                    written = other in self.writes[op] | self.fresh[op]
                    if written or self.version_at[op][other] != self.version_before(other, moment):
                        open_storages.add(other)
        return sorted(again)


def random_again(graph, seed, share=0.3):
    """Rows [before, ops]: a random share of the activations is dropped and made again right before its first use in backward, some
    before later uses, too."""
    it, chance = Graph(graph), random.Random(seed)
    forward = sum(op[PHASE] < BACKWARD for op in graph["ops"])
    uses = {}
    for k in range(forward, it.count):
        for storage in it.uses[k]:
            uses.setdefault(storage, []).append(k)
    candidates = [s for s in sorted(uses) if 0 <= it.alloc[s] < forward]
    dropped = [s for s in candidates if chance.random() < share] or candidates
    rows = {}
    for storage in dropped:
        for moment in uses[storage][:1] + [k for k in uses[storage][1:] if chance.random() < AGAIN]:
            together = {s for s in dropped if uses[s][0] == moment}
            again = it.closure({storage, *together}, moment)
            if again is not None and len(again) <= MOST_AT_ONCE:
                rows[moment] = sorted({*rows.get(moment, ()), *again})
    return [[moment, ops] for moment, ops in sorted(rows.items())]


def plan_of(graph, again):
    targets = list(dict.fromkeys(graph["targets"][op[TARGET]] for op in graph["ops"] if op[PHASE] < OPTIMIZER))
    index = {name: i for i, name in enumerate(targets)}
    ops = [index[graph["targets"][op[TARGET]]] for op in graph["ops"] if op[PHASE] < OPTIMIZER]
    return {
        "format": "plimsoll-plan", "version": 1, "runtime": "step", "regions": [], "labels": [],
        "schedule": {"again": again}, "sequence": {"targets": targets, "ops": ops},
    }  # fmt: skip


def executions(graph, again):
    rows = dict(again)
    count = sum(op[PHASE] < OPTIMIZER for op in graph["ops"])
    steps = []
    for k in range(count):
        steps += [(op, True) for op in rows.get(k, ())]
        steps.append((k, False))
    return steps


def lives_of(graph, again, loss):
    """[bytes, first execution or -1, last execution or None] of everything that lives in the step; `loss`: its storage."""
    it, steps = Graph(graph), executions(graph, again)
    bytes_of = [row[0] for row in graph["storages"]]
    lives = [[bytes_of[s], -1, None] for s, row in enumerate(graph["storages"]) if row[2] < 0]
    newest = {}
    for step, (op, repeated) in enumerate(steps):
        for storage in it.fresh[op]:
            newest[storage] = [bytes_of[storage], step, step]
            lives.append(newest[storage])
        for storage in it.uses[op] - (it.statistics[op] if repeated else set()):
            if storage in newest:
                newest[storage][2] = step
    for storage, life in newest.items():
        if storage == loss or graph["storages"][storage][1] == GRADIENT:
            life[2] = None
    return lives


def curve_of(lives, count, granule=1):
    change = [0] * (count + 1)
    for nbytes, alloc, free in lives:
        size = -(-nbytes // granule) * granule
        change[max(alloc, 0)] += size
        if free is not None:
            change[free + 1] -= size
    total, curve = 0, []
    for step in range(count):
        total += change[step]
        curve.append(total)
    return curve


def traced(made):
    given = {name: value for name, value in made.items() if name in ("args", "kwargs", "loss")}
    return trace_graph(made["model"], target="cpu", **given)


def loss_storage(graph):
    """Of what the step returns, the loss is made last."""
    return max((s for s, row in enumerate(graph["storages"]) if row[1] == OUTPUT), key=lambda s: graph["storages"][s][2])


def assert_as_the_rules_say(stream, graph, again):
    lives = lives_of(graph, again, loss_storage(graph))
    assert stream.curve == curve_of(lives, len(stream.ops))
    assert stream.curve_rounded512 == curve_of(lives, len(stream.ops), 512)
    assert sorted(map(repr, lives)) == sorted(repr(list(life)) for life in stream.lives)
