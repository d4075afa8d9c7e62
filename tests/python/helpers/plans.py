# SPDX-License-Identifier: Apache-2.0
"""Regions by hand for the samples' models: flat, chains, lists as arguments, nested in every way that is legal."""


def region(*members, nested=()):
    """Members are (path, class) or (path, class, call)."""
    rows = [{"path": m[0], "class": m[1], "call": m[2] if len(m) > 2 else 0} for m in members]
    return {"members": rows, "nested": list(nested)}


def plan_file(regions, **changes):
    return {"format": "plimsoll-plan", "version": 1, "runtime": "checkpoint", "regions": regions, **changes}


def _resnet18():
    block = lambda i, j: (f"layer{i}.{j}", "BasicBlock")  # noqa: E731
    layer = lambda i: (f"layer{i}", "Sequential")  # noqa: E731
    every = [(i, j) for i in range(1, 5) for j in range(2)]
    stem = [("conv1", "Conv2d"), ("bn1", "BatchNorm2d"), ("relu", "ReLU"), ("maxpool", "MaxPool2d")]

    def inside(i, j):
        p = f"layer{i}.{j}"
        return region((f"{p}.conv1", "Conv2d"), (f"{p}.bn1", "BatchNorm2d"), (f"{p}.relu", "ReLU"), (f"{p}.conv2", "Conv2d"),
                      (f"{p}.bn2", "BatchNorm2d"))  # fmt: skip

    nested = [
        region(*stem, nested=[region(*stem[1:3])]),
        region(layer(1), layer(2), nested=[
            region(layer(1), nested=[region(block(1, 0), nested=[inside(1, 0)]), region(block(1, 1))]),
            region(block(2, 0)), region(block(2, 1)),
        ]),
        region(block(3, 0), block(3, 1), nested=[region(block(3, 1))]),
        region(layer(4), ("avgpool", "AdaptiveAvgPool2d")),
    ]  # fmt: skip
    return {
        "blocks": [region(block(i, j)) for i, j in every],
        "stem and blocks": [region(*stem), *(region(block(i, j)) for i, j in every)],
        "chains": [region(block(i, 0), block(i, 1)) for i in range(1, 5)],
        "inside blocks": [region(*stem[1:3]), region(stem[3]), *(inside(i, j) for i, j in every)],
        "nested": nested,
        "nested chains": [
            region(*stem, layer(1), layer(2), nested=[
                region(*stem, layer(1), nested=[region(*stem[:2]), region(block(1, 0)), region(block(1, 1))]),
            ]),
            region(layer(3), nested=[region(block(3, 0), nested=[region(("layer3.0.downsample", "Sequential"))])]),
            region(layer(4), ("avgpool", "AdaptiveAvgPool2d"), nested=[
                region(block(4, 0), block(4, 1), nested=[region(block(4, 0))]),
            ]),
        ],
        "whole model": [region(("", "ResNet"), nested=nested)],
    }  # fmt: skip


def _densenet121():
    dense = [[f"features.denseblock{b + 1}.denselayer{i + 1}" for i in range(n)] for b, n in enumerate((6, 12, 24, 16))]
    block = lambda b: (f"features.denseblock{b}", "_DenseBlock")  # noqa: E731
    transition = lambda b: (f"features.transition{b}", "_Transition")  # noqa: E731
    layer = lambda p, **more: region((p, "_DenseLayer"), **more)  # noqa: E731
    end = lambda p: region((f"{p}.norm2", "BatchNorm2d"), (f"{p}.relu2", "ReLU"), (f"{p}.conv2", "Conv2d"))  # noqa: E731
    stem = [("features.norm0", "BatchNorm2d"), ("features.relu0", "ReLU"), ("features.pool0", "MaxPool2d")]
    nested = [
        region(block(b + 1), *([transition(b + 1)] if b < 3 else []),
               nested=[layer(p, nested=[end(p)] if i % 2 else []) for i, p in enumerate(paths)])
        for b, paths in enumerate(dense)
    ]  # fmt: skip
    return {
        "blocks": [region(block(b), *([transition(b)] if b < 4 else [])) for b in range(1, 5)],
        "layers": [layer(p) for paths in dense for p in paths],
        "nested": nested,
        "whole": [region(("features", "Sequential"), nested=[region(("features.conv0", "Conv2d"), *stem), *nested])],
    }


def _gpt2():
    block = lambda i: (f"transformer.h.{i}", "GPT2Block")  # noqa: E731
    blocks = lambda first, end: [block(i) for i in range(first, end)]  # noqa: E731

    def halves(i):
        p = f"transformer.h.{i}"
        return [region((f"{p}.attn", "GPT2Attention")), region((f"{p}.ln_2", "LayerNorm"), (f"{p}.mlp", "GPT2MLP"))]

    return {
        "blocks": [region(block(i)) for i in range(12)],
        "feed forward": [halves(i)[1] for i in range(12)],
        "chains": [region(*blocks(i, i + 3)) for i in range(0, 12, 3)],
        "halves": [region(block(i), nested=halves(i)) for i in range(12)],
        "deep": [
            region(*blocks(0, 6), nested=[
                region(*blocks(0, 3), nested=[
                    region(*blocks(0, 2), nested=[region(block(i), nested=halves(i)) for i in range(2)]),
                    region(block(2), nested=halves(2)),
                ]),
                region(*blocks(4, 6)),
            ]),
            region(*blocks(6, 12), nested=[
                region(*blocks(6, 8)),
                region(*blocks(8, 11), nested=[region(*blocks(9, 11))]),
                region(block(11), nested=[region(("transformer.h.11.ln_1", "LayerNorm"))]),
            ]),
        ],
    }  # fmt: skip


PLANS = {"resnet18": _resnet18(), "densenet121": _densenet121(), "gpt2": _gpt2()}
CASES = [(sample, name) for sample, plans in PLANS.items() for name in plans]
