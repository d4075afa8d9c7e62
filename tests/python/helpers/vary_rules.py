# SPDX-License-Identifier: Apache-2.0
"""The key `vary` of FORMAT.md, evaluated without the package's help but for what has no law."""

import copy
import math

from plimsoll.record.scratch import set_scratch


def value(vary, row, sizes):
    denominator, *coefficients = vary["polynomials"][row]
    total = sum(c * math.prod(n**e for n, e in zip(sizes, term)) for c, term in zip(coefficients, vary["terms"]))
    assert total % denominator == 0
    return total // denominator


def without_scratch(graph):
    """What a reader at another size goes by: scratch memory of kernels has no law."""
    graph = copy.deepcopy(graph)
    set_scratch(graph, [])
    return graph


def resized(graph, sizes):
    """The graph at other sizes, by FORMAT.md alone; `checks` are not those of that size."""
    graph = copy.deepcopy(graph)
    vary = graph.pop("vary")
    of = lambda row: value(vary, row, sizes)  # noqa: E731
    for storage, row in zip(graph["storages"], vary["storages"]):
        storage[0] = of(row) if row >= 0 else storage[0]
    for tensor, row in zip(graph["tensors"], vary["tensors"]):
        if row >= 0:
            shape, strides, offset = vary["geometries"][row]
            tensor[1:4] = [list(map(of, shape)), list(map(of, strides)), of(offset)]
    for op, flops, moved, numbers in zip(graph["ops"], vary["flops"], vary["bytes_moved"], vary["args"]):
        op[12] = of(flops) if flops >= 0 else op[12]
        op[13] = of(moved) if moved >= 0 else op[13]
        for path, row in vary["numbers"][numbers] if numbers >= 0 else ():
            first, *keys = path.strip("/").split("/")
            holder = {"args": op[16], "kwargs": op[17]}[first]
            for key in keys[:-1]:
                holder = holder[int(key) if isinstance(holder, list) else key]
            holder[int(keys[-1]) if isinstance(holder, list) else keys[-1]] = of(row)
    graph["batch"] = "".join(str(of(piece)) if isinstance(piece, int) else piece for piece in vary["batch"])
    return without_scratch(graph)


def told(graph):
    """The graph's rows with tensors in the place of their numbers, which two traces may give in another order."""
    tensor = lambda row: (graph["tensors"][row][0], *map(tuple, graph["tensors"][row][1:3]), *graph["tensors"][row][3:])  # noqa: E731

    def spelled(content):
        if isinstance(content, dict):
            return tensor(content["t"]) if list(content) == ["t"] else {k: spelled(v) for k, v in content.items()}
        return [spelled(item) for item in content] if isinstance(content, (list, tuple)) else content

    return {
        "storages": graph["storages"],
        "ops": [[*op[:5], *([tensor(t) for t in rows] for rows in op[5:8]), *op[8:16], spelled(op[16]), spelled(op[17])] for op in graph["ops"]],
        "saved": [[tensor(row[0]), *row[1:]] for row in graph["saved"]],
        "calls": [[*call[:4], *([tensor(t) for t in rows] for rows in call[4:6]), *call[6:]] for call in graph["calls"]],
        **{key: graph[key] for key in ("targets", "sources", "dtypes", "nodes", "modules", "structures", "params", "batch", "assumed")},
    }
