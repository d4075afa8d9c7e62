# SPDX-License-Identifier: Apache-2.0
"""The archive for GPU machines, as somebody unpacks it there; packaging/portable tries it itself before it leaves it."""

import os
import re
import subprocess
import tarfile

import pytest
from helpers import ROOT, stand_in
from helpers.on_stand_in.recorded import CLI, environment


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("portable")
    done = subprocess.run([ROOT / "packaging" / "portable", "--cli", CLI, folder / "made"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (archive,) = (folder / "made").iterdir()
    assert done.stdout == f"{archive}\n"
    with tarfile.open(archive) as tar:
        tar.extractall(folder)
    return folder / archive.name.removesuffix(".tar.gz")


def test_it_holds_the_program_the_recorders_and_what_they_need(unpacked):
    held = {str(file.relative_to(unpacked)) for file in unpacked.rglob("*") if file.is_file()}
    assert held >= {"LICENSE", "README.txt", "bin/plimsoll-cli", "lib/libplimsoll_inject.so", "lib/libplimsoll_nvtx.so", "samples/record_profiles.py"}
    for name in ("bin/plimsoll-cli", "lib/libplimsoll_inject.so"):
        sections = subprocess.run(["readelf", "-S", unpacked / name], capture_output=True, text=True, check=True).stdout
        assert ".symtab" not in sections and ".debug_info" not in sections


def test_what_it_links_is_in_it_or_is_the_c_library(unpacked):
    lines = subprocess.run(["ldd", unpacked / "bin" / "plimsoll-cli"], capture_output=True, text=True, check=True, env={}).stdout.splitlines()
    found = dict(re.fullmatch(r"\s*(\S+) => (\S+) .*", line).groups() for line in lines if " => " in line)
    outside = {name for name, path in found.items() if not os.path.realpath(path).startswith(f"{os.path.realpath(unpacked)}/lib/")}
    assert outside <= {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1"} and "libsimdjson.so.14" in found


def test_it_names_the_oldest_c_library_that_will_do(unpacked):
    binaries = [file for folder in ("bin", "lib") for file in (unpacked / folder).iterdir()]
    symbols = subprocess.run(["objdump", "-T", *binaries], capture_output=True, text=True, check=True).stdout
    major, minor = max(tuple(map(int, version)) for version in re.findall(r"GLIBC_(\d+)\.(\d+)", symbols))
    assert f"glibc {major}.{minor} or newer" in (unpacked / "README.txt").read_text()


def test_it_checks_a_gpu_with_its_own_recorder(unpacked):
    alone = {name: value for name, value in environment().items() if name not in ("PLIMSOLL_INJECT", "PLIMSOLL_NVTX")}
    done = subprocess.run([unpacked / "bin" / "plimsoll-cli", "gpu-check"], capture_output=True, text=True, env=alone)
    assert (done.returncode, done.stderr) == (0, "") and "GPU 0  kernels         ok: 3 calls\n" in done.stdout
    assert str(stand_in.FOLDER) not in done.stdout
