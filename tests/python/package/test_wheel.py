# SPDX-License-Identifier: Apache-2.0
"""The wheel as a new user gets it: installed into an environment of its own, where it traces a model and applies a plan."""

import inspect
import json
import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from helpers import EXHAUSTIVE, ROOT, small

SOURCES = ROOT / "resources" / "pytorch" / "src" / "plimsoll"
CLI = os.environ.get("PLIMSOLL_CLI", str(ROOT / "build" / "dev" / "bin" / "plimsoll-cli"))

MODEL = f"""
import torch

{inspect.getsource(small.Gated)}

{inspect.getsource(small.gated)}

def step():
    return {{"model": gated(), "args": torch.ones(512, 32), "optimizer": torch.optim.SGD, "name": "gated"}}
"""

APPLY = """
import json, sys, torch, plimsoll, mine

def step(plan):
    model, sizes = mine.gated(), {}
    if plan is not None:
        plimsoll.apply(model, plan)
    def pack(tensor):
        sizes[tensor.untyped_storage()._cdata] = tensor.untyped_storage().nbytes()
        return tensor
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        loss = model(torch.ones(512, 32)).sum()
    saved = sum(sizes.values())
    loss.backward()
    return saved, [p.grad for p in model.parameters()]

(plain, expected), (planned, gradients) = step(None), step(sys.argv[1])
print(json.dumps([plain, planned, all(map(torch.equal, expected, gradients)), plimsoll.__file__]))
"""


def run(*command, cwd):
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME", "PLIMSOLL_CLI")}
    done = subprocess.run([str(c) for c in command], cwd=cwd, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return Path(run(ROOT / "packaging" / "wheel", "--python", sys.executable, tmp_path_factory.mktemp("wheel"), cwd=ROOT))


def installed(wheel, tmp_path_factory):
    """An empty folder, and the interpreter of an environment that has this wheel and, by a path file, the torch of this one."""
    folder = tmp_path_factory.mktemp("user")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder)
    python = folder / "venv" / "bin" / "python"
    packages = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder))
    (packages / "torch-of-tests.pth").write_text(sysconfig.get_path("purelib") + "\n")
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=folder)
    (folder / "mine.py").write_text(MODEL)
    return folder, python


@pytest.fixture(scope="module")
def user(wheel, tmp_path_factory):
    return installed(wheel, tmp_path_factory)


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    files = [path for path in SOURCES.rglob("*") if path.suffix == ".py" or path.name == "py.typed"]
    assert names == {f"plimsoll/{path.relative_to(SOURCES).as_posix()}" for path in files}
    assert "plimsoll/py.typed" in names
    metadata = zipfile.ZipFile(wheel).read(f"plimsoll-{version()}.dist-info/METADATA").decode()
    assert [line for line in metadata.splitlines() if line.startswith("Requires-Dist")] == ["Requires-Dist: torch>=2.4"]


def version():
    return (SOURCES / "version.py").read_text().split('VERSION = "')[1].split('"')[0]


def test_everything_has_one_version(wheel, user, traced):
    folder, python = user
    assert wheel.name == f"plimsoll-{version()}-py3-none-any.whl"
    assert run(python, "-m", "plimsoll", "--version", cwd=folder) == f"plimsoll {version()}"
    assert run(CLI, "--version", cwd=folder).splitlines()[0] == f"plimsoll-cli {version()}"
    assert traced["exporter"] == version()


@pytest.fixture(scope="module")
def traced(user):
    folder, python = user
    run(python, "-m", "plimsoll", "trace", "mine:step", "-o", "mine.plimsoll.json", cwd=folder)
    return json.loads((folder / "mine.plimsoll.json").read_text())


def test_help_names_each_command(user):
    folder, python = user
    shown = run(python, "-m", "plimsoll", "--help", cwd=folder)
    for command in ("trace", "measure"):
        assert f"\n    {command} " in shown


def test_a_new_users_path_from_trace_to_apply(user, traced):
    folder, python = user
    assert traced["model"] == "gated"
    if EXHAUSTIVE:  # which test_trace.py runs, too
        by_module = run(python, "-m", "plimsoll.trace", "mine:step", "-o", "again.plimsoll.json", cwd=folder)
        assert by_module == "again.plimsoll.json"
        assert (folder / "again.plimsoll.json").read_bytes() == (folder / "mine.plimsoll.json").read_bytes()
    run(CLI, "plan", "mine.plimsoll.json", "--budget", "75%", "--export", "plan.json", cwd=folder)
    (folder / "apply.py").write_text(APPLY)
    plain, planned, equal, where = json.loads(run(python, "apply.py", "plan.json", cwd=folder))
    assert equal
    assert planned < plain
    assert Path(where).is_relative_to(folder)


FIT = """
import json, torch, plimsoll, mine

made = mine.step()
model = made.pop("model")
fitted = plimsoll.fit(model, made["args"], optimizer=made["optimizer"], budget="75%")
print(json.dumps([fitted.prediction.peak_bytes, fitted.prediction.budget_bytes, len(fitted.plan.content["regions"])]))
"""


def test_the_platform_wheel_brings_the_command_along(tmp_path_factory):
    wheel = Path(run(ROOT / "packaging" / "wheel", "--python", sys.executable, "--cli", CLI, tmp_path_factory.mktemp("platform"), cwd=ROOT))
    assert re.fullmatch(rf"plimsoll-{re.escape(version())}-py3-none-manylinux_2_\d+_x86_64\.whl", wheel.name)
    folder, python = installed(wheel, tmp_path_factory)
    (folder / "fit.py").write_text(FIT)
    peak, budget, regions = json.loads(run(python, "fit.py", cwd=folder).splitlines()[-1])
    assert 0 < peak <= budget and regions > 0
    # All that it links lies beside it, but for the C library.
    (bundled,) = folder.glob("venv/lib/*/site-packages/plimsoll/bin")
    linked = subprocess.run(["ldd", bundled / "plimsoll-cli"], env={"LD_LIBRARY_PATH": str(bundled)}, capture_output=True, text=True, check=True)
    elsewhere = [line.split()[0] for line in linked.stdout.splitlines() if " => " in line and f"=> {bundled}/" not in line]
    assert {name.partition(".so")[0] for name in elsewhere} <= {"libc", "libm", "libpthread", "libdl", "librt"}


def test_the_pure_wheel_says_where_the_command_is_found(user):
    folder, python = user
    (folder / "fit.py").write_text(FIT)
    done = subprocess.run([python, "fit.py"], cwd=folder, env={"PATH": "/nowhere"}, capture_output=True, text=True)
    assert done.stderr.splitlines()[-1].startswith("FileNotFoundError: plimsoll-cli, which makes the plans, was not found")
