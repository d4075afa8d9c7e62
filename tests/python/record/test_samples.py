# SPDX-License-Identifier: Apache-2.0
import gzip
import json
import math

import make
import pytest
from helpers import EXHAUSTIVE
from helpers.graph_rules import assert_sound
from helpers.vary_rules import resized, told, without_scratch
from plimsoll.record.writer import text_of

_MAX_BYTES = 4_000_000  # of all samples together
# Length of the sequences, and how many attention matrices one layer has: batch times heads.
_ATTENTION = {
    "gpt2": (1024, 8 * 12), "bert": (512, 32 * 12), "llama": (2048, 4 * 16), "llama_7b": (4096, 32), "gpt2_prompt": (1024, 12),
    "vit_b_16": (197, 64 * 12),
}  # fmt: skip

TRACED = make.SAMPLES if EXHAUSTIVE else ("resnet18", "unet", "gpt2", "llama", "gpt2_prompt")


def _shipped(name):
    return json.loads(gzip.decompress(make.sample_path(name).read_bytes()))


@pytest.mark.parametrize("name", make.SAMPLES)
def test_shipped_samples_keep_the_rules_of_the_format(name):
    assert_sound(_shipped(name))


def test_the_samples_are_what_is_shipped_and_small():
    files = sorted(make.HERE.glob("*.plimsoll.json.gz"))
    assert files == sorted(map(make.sample_path, make.SAMPLES))
    assert sum(file.stat().st_size for file in files) < _MAX_BYTES


@pytest.mark.parametrize("name", _ATTENTION)
def test_no_transformer_holds_a_matrix_of_queries_by_keys(name):
    graph, (length, matrices) = _shipped(name), _ATTENTION[name]
    shapes = {tuple(t[1]) for t in graph["tensors"]}
    square = [s for s in shapes if s[-2:] == (length, length) and math.prod(s) >= matrices * length * length]
    assert square == []
    assert set(graph["kernels"]["attention"]) <= {"flash", "efficient"}


@pytest.mark.parametrize("name", TRACED)
def test_tracing_again_gives_the_shipped_sample(graph_of_sample, name):
    again, shipped = graph_of_sample(name, "cuda"), _shipped(name)
    assert json.loads(json.dumps(again["checks"])) == shipped["checks"]
    laws = {"vary": shipped["vary"]} if name in make.VARY else {}  # test_samples_know_other_sizes
    # Byte for byte; how zlib packs them is up to its version.
    assert text_of({**again, **laws}) == gzip.decompress(make.sample_path(name).read_bytes())


def test_samples_know_other_sizes(graph_of_sample):
    """The laws of the shipped file against a trace at a size that it was not recorded at."""
    for name, vary in make.VARY.items():
        shipped = _shipped(name)
        assert {axis["name"]: axis["recorded"] for axis in shipped["vary"]["axes"]} == vary
        there = json.loads(json.dumps(graph_of_sample(name, "cuda", batch=12, length=768)))
        mine, its = told(resized(shipped, (12, 768))), told(without_scratch(there))
        for table in its:
            assert mine[table] == its[table], table


@pytest.mark.parametrize("name", make.SAMPLES)
def test_samples_name_no_machine(name):
    for source in _shipped(name)["sources"]:
        assert not source.startswith(("/", "~")) and "site-packages" not in source
