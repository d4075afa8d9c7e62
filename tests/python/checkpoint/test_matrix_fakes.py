# SPDX-License-Identifier: Apache-2.0
"""Models x budgets x plans for PyTorch's checkpoint, at real size: the planned model, recorded again, is what evaluate() says."""

import make
import pytest
from helpers import loop
from helpers.matrix import SOME_AT_REAL_SIZE, TABLE, check_stream, checkpointed, plans
from helpers.once import once
from helpers.zoo import ZOO


@pytest.fixture(scope="module")
def graphs(tmp_path_factory):
    """The trace of a model at real size, which is the sample where there is one (test_samples.py): name -> path."""
    folder = tmp_path_factory.mktemp("graphs")

    @once
    def traced(name):
        if make.SAMPLES.get(name) is ZOO[name].real:
            return make.sample_path(name)
        return loop.trace(ZOO[name].real, folder / f"{name}.plimsoll.json.gz", "cuda")

    return traced


@pytest.mark.parametrize("name, kind", checkpointed(SOME_AT_REAL_SIZE))
def test_planned_models_at_real_size(name, kind, graphs, tmp_path):
    graph = graphs(name)
    for planned in plans(graph, name, kind, tmp_path):
        stream = loop.record(ZOO[name].real, planned.path, tmp_path / "stream.json", "cuda")
        check_stream(planned, stream, graph, tmp_path / "stream.json")


def test_the_table_is_whole():
    TABLE.check_complete()
