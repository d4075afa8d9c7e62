# SPDX-License-Identifier: Apache-2.0
import os
import sys
from pathlib import Path

import pytest

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # what is tested here is the emulation, also where a GPU is
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("resources/pytorch/src", "resources/samples", "tests/python")]


@pytest.fixture(scope="session")
def graph_of_sample():
    """Traces a sample's model once per session: (name, target, extra arguments of its function) -> graph."""
    import make
    import plimsoll
    from plimsoll.record.tracing import trace_graph

    known = {}

    def traced(name, target, **sizes):
        key = (name, target, *sizes.items())
        if key not in known:
            with plimsoll.building():
                arguments = make.SAMPLES[name](**sizes)
            known[key] = trace_graph(arguments.pop("model"), target=target, **arguments)
        return known[key]

    return traced
