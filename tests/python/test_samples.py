# SPDX-License-Identifier: Apache-2.0
import gzip
import json

import make
import pytest
from graph_rules import assert_sound

_MAX_BYTES = 1_500_000


def _shipped(name):
    return json.loads(gzip.decompress(make.sample_path(name).read_bytes()))


@pytest.mark.parametrize("name", make.SAMPLES)
def test_shipped_samples_keep_the_rules_of_the_format(name):
    assert make.sample_path(name).stat().st_size < _MAX_BYTES
    assert_sound(_shipped(name))


@pytest.mark.parametrize("name", make.SAMPLES)
def test_tracing_again_gives_the_shipped_sample(graph_of_sample, name):
    again = json.loads(json.dumps(graph_of_sample(name, "cuda")))
    shipped = _shipped(name)
    assert again["checks"] == shipped["checks"]
    assert again == shipped


@pytest.mark.parametrize("name", make.SAMPLES)
def test_samples_name_no_machine(name):
    for source in _shipped(name)["sources"]:
        assert not source.startswith(("/", "~")) and "site-packages" not in source
