# SPDX-License-Identifier: Apache-2.0
"""Makes a wheel for x86-64 Linux of the pure one: `platform_wheel.py WHEEL PLIMSOLL_CLI`, with plimsoll-cli and the libraries that it links.

All libraries but the C library's come along, so that the wheel depends on nothing but a C library that is new enough: its tag says which.
Symbols for debuggers are left out. Prints the path of the new wheel, which lies beside the pure one.
"""

from __future__ import annotations

import base64
import hashlib
import platform
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

OF_THE_SYSTEM = re.compile(r"(linux-vdso|libc|libm|libdl|librt|libpthread|ld-linux-x86-64)\.so")
FOLDER = "plimsoll/bin"


def output(*command: object) -> str:
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def libraries_of(program: Path) -> list[Path]:
    found = [(line.split()[0], line.split(" => ")[1].split()[0]) for line in output("ldd", program).splitlines() if " => " in line]
    missing = [name for name, path in found if path == "not"]
    if missing:
        raise SystemExit(f"error: {program} needs {missing[0]}, which is not installed here.")
    return [Path(path) for name, path in found if not OF_THE_SYSTEM.match(name)]


def oldest_c_library(files: list[Path]) -> tuple[int, ...]:
    """The version of glibc that the files need."""
    needed = re.findall(r"\bGLIBC_(\d+)\.(\d+)", "".join(output("readelf", "-V", file) for file in files))
    return max(tuple(map(int, version)) for version in needed)


def record_row(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}"


def with_binaries(pure: Path, binaries: dict[str, bytes], tag: str) -> Path:
    made = pure.with_name(pure.name.replace("-none-any.whl", f"-none-{tag}.whl"))
    with zipfile.ZipFile(pure) as source, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        rows = []
        for entry in source.infolist():
            content = source.read(entry)
            if entry.filename.endswith(".dist-info/RECORD"):
                record = entry
                continue
            if entry.filename.endswith(".dist-info/WHEEL"):
                said = content.decode().replace("Root-Is-Purelib: true", "Root-Is-Purelib: false")
                content = re.sub(r"^Tag: .*$", f"Tag: py3-none-{tag}", said, flags=re.MULTILINE).encode()
            target.writestr(entry, content, zipfile.ZIP_DEFLATED)
            rows.append(record_row(entry.filename, content))
        for name, content in binaries.items():
            entry = zipfile.ZipInfo(f"{FOLDER}/{name}")
            entry.external_attr = 0o100755 << 16
            target.writestr(entry, content, zipfile.ZIP_DEFLATED)
            rows.append(record_row(entry.filename, content))
        target.writestr(record, "\n".join([*rows, f"{record.filename},,"]) + "\n")
    return made


def main() -> None:
    pure, program = map(Path, sys.argv[1:3])
    if platform.machine() != "x86_64":
        raise SystemExit(f"error: this machine is {platform.machine()}; platform wheels are made for x86_64 only.")
    files = [program, *libraries_of(program)]
    with tempfile.TemporaryDirectory() as folder:
        binaries = {}
        for file in files:
            output("strip", "--strip-unneeded", "-o", stripped := Path(folder) / file.name, file)
            binaries[file.name] = stripped.read_bytes()
    major, minor = oldest_c_library(files)
    print(with_binaries(pure, binaries, f"manylinux_{major}_{minor}_x86_64"))


if __name__ == "__main__":
    main()
