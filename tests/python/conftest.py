# SPDX-License-Identifier: Apache-2.0
import ctypes
import gc
import itertools
import os
import random
import sys
from pathlib import Path

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # what is tested here is the emulation, also where a GPU is
# Plans are compared with what tensors take, on models that are smaller than the workspaces of cuBLAS: without them the reserve is 0.
os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":0:0"
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("resources/pytorch/src", "resources/samples", "tests/python")]

import numpy  # noqa: E402 (all these need the path)
import pytest  # noqa: E402
import torch  # noqa: E402

SHARING = {"test_figures": "test_samples"}  # files that are one group with another one: both trace samples

# The files that take longest start first, so that no worker ends long after the others. In BY_MODEL the tests of one model are a
# group, because they share what is made of it; the tests of any other file are one group.
BY_MODEL = (
    "test_matrix_fakes", "test_matrix_tensors", "test_proof", "test_step_small", "test_matrix_steps", "test_step_runner", "test_step_loop",
    "test_gpu_record",
)  # fmt: skip
LONGEST = ("test_sized_loops", "test_streams", "test_every_planner", "test_wheel", "test_vary", *BY_MODEL, "test_autocast", "test_measure")


def group_of(nodeid):
    """Of "record/test_proof.py::test_x[gpt2-ops]" it's "test_proof gpt2": parameters of these files begin with the model."""
    stem = nodeid.partition("::")[0].rpartition("/")[2].removesuffix(".py")
    stem = SHARING.get(stem, stem)
    return f"{stem} {nodeid.partition('[')[2].rstrip(']').partition('-')[0]}".rstrip() if stem in BY_MODEL else stem


def pytest_collection_modifyitems(items):
    """Each group without a gap, the longest first."""
    groups = {}
    for item in items:
        groups.setdefault(group_of(item.nodeid), []).append(item)
    rank = {stem: place for place, stem in enumerate(LONGEST)}
    items[:] = [item for name in sorted(groups, key=lambda name: rank.get(name.split()[0], len(rank))) for item in groups[name]]


def pytest_xdist_make_scheduler(config, log):
    """A worker gets whole groups. (`--dist loadgroup` does the same with marks, but not under pytest 9.2, which ignores them.)"""
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return group_of(nodeid)

    return ByGroup(config, log)


# (TORCHINDUCTOR_CACHE_DIR is set by torch when something first imports its compiler.)
SETTINGS = (
    torch.get_default_dtype, torch.is_grad_enabled, torch.is_inference_mode_enabled, torch.get_num_threads, torch.get_float32_matmul_precision,
    torch.are_deterministic_algorithms_enabled, torch.is_deterministic_algorithms_warn_only_enabled, torch.is_autocast_cache_enabled,
    lambda: [(torch.is_autocast_enabled(device), torch.get_autocast_dtype(device)) for device in ("cpu", "cuda")],
    lambda: list(torch.nn.modules.module._global_forward_hooks), torch._C._len_torch_dispatch_stack, torch._C._len_torch_function_stack,
    torch.distributed.is_initialized, os.getcwd, lambda: dict(os.environ, PYTEST_CURRENT_TEST="", TORCHINDUCTOR_CACHE_DIR=""), lambda: torch.nn.Module.__call__,
)  # fmt: skip

WITHOUT_COLLECTION = 64  # tests: recordings spare older objects, garbage among them
number = itertools.count(1)
trim = getattr(ctypes.CDLL(None), "malloc_trim", lambda _: None)  # glibc's


@pytest.fixture(autouse=True)
def process_as_before():
    """Tests of all files share a process: each begins with the same random state, and leaves what is set as it was."""
    torch.manual_seed(0)
    numpy.random.seed(0)
    random.seed(0)
    before = [get() for get in SETTINGS]
    yield
    assert [get() for get in SETTINGS] == before
    if next(number) % WITHOUT_COLLECTION == 0:
        gc.collect()
    trim(0)  # else a worker keeps as much memory as its largest models took, some GB


@pytest.fixture
def older_objects():
    """measure() collects garbage before each of its runs, which would take longer than the runs where it visits all that other tests left."""
    from plimsoll.isolation.preserve import older_objects_spared

    with older_objects_spared():
        yield


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
