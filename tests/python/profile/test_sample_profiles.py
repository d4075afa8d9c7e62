# SPDX-License-Identifier: Apache-2.0
"""The sample profiles are what resources/samples/record_profiles.py records on the stand-in GPU, and hold nothing of the machine that did."""

import gzip
import pickle
import re

import pytest
from helpers import ROOT, stand_in

GiB = 1 << 30
SAMPLES = {"training": 80 * GiB, "out_of_memory": 2 * GiB}  # the GPU's memory


def read(path):
    return pickle.loads(gzip.decompress(path.read_bytes()))


def sample(name):
    return ROOT / "resources/samples" / f"encoder_{name}.stand-in.pickle.gz"


@pytest.mark.parametrize("name", SAMPLES)
def test_recorded_again_the_sample_is_the_same(name, tmp_path):
    out = tmp_path / "again.pickle.gz"
    script = ROOT / "resources/samples/record_profiles.py"
    # Of the other tests: cuBLAS's own workspace is in the samples.
    stand_in.script(script, name, out, folder=tmp_path, memory=SAMPLES[name], CUBLAS_WORKSPACE_CONFIG=None)

    def stack(frames):
        """Up to the script itself, which the stand-in's server calls here."""
        calls = [(frame["filename"], frame["line"], frame["name"]) for frame in frames]
        return tuple(calls[: next((n + 1 for n, call in enumerate(calls) if call[::2] == (script.name, "<module>")), None)])

    def content(snapshot):
        """All but addresses and times."""
        entries = [
            (e["action"], e["size"], e["stream"], stack(e["frames"])) for e in snapshot["device_traces"][0]
        ]
        blocks = [(b["size"], b["requested_size"], b["state"]) for s in snapshot["segments"] for b in s["blocks"]]
        return entries, sorted(blocks), [(a["name"], a["stage"]) for a in snapshot["external_annotations"]]

    entries, blocks, notes = content(read(sample(name)))
    again, blocks_again, notes_again = content(read(out))
    assert again == entries
    assert blocks_again == blocks and notes_again == notes
    assert sum(e[0] == "oom" for e in entries) == (name == "out_of_memory")


@pytest.mark.parametrize("name", SAMPLES)
def test_no_folder_of_the_recording_machine_is_in_it(name):
    snapshot = read(sample(name))
    names = {f["filename"] for e in snapshot["device_traces"][0] for f in e["frames"]}
    assert names and "record_profiles.py" in names
    assert not [n for n in names if n.startswith("/")]
    assert not re.search(rb"/(root|home|work|tmp)/", gzip.decompress(sample(name).read_bytes()))
