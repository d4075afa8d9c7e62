# SPDX-License-Identifier: Apache-2.0
"""All models x budgets x plans for PyTorch's checkpoint, at real size: the planned model, recorded again, is what evaluate() says."""


import pytest
from helpers import loop
from helpers.matrix import CHECKPOINTED, TABLE, check_stream, plans
from helpers.once import once
from helpers.zoo import ZOO


@pytest.fixture(scope="module")
def graphs(tmp_path_factory):
    """Traces a model at real size: name -> path."""
    folder = tmp_path_factory.mktemp("graphs")
    return once(lambda name: loop.trace(ZOO[name].real, folder / f"{name}.plimsoll.json.gz", "cuda"))


@pytest.mark.parametrize("name, kind", CHECKPOINTED)
def test_planned_models_at_real_size(name, kind, graphs, tmp_path):
    graph = graphs(name)
    for planned in plans(graph, name, kind, tmp_path):
        stream = loop.record(ZOO[name].real, planned.path, tmp_path / "stream.json", "cuda")
        check_stream(planned, stream, graph, tmp_path / "stream.json")


def test_the_table_is_whole():
    TABLE.check_complete()
