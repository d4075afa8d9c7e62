# SPDX-License-Identifier: Apache-2.0
"""Writes a C++ file with a weak definition of every function that PyTorch's libraries take from NVIDIA's: `entry_points.py LIBRARIES OUT`.

What the stand-in implements by itself is stronger and wins. A product or factorisation of cuBLAS succeeds and computes nothing; any other
function says its name and fails.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

# Prefix of the functions and the library's status "not supported".
NOT_SUPPORTED = {"cuda": 801, "cublas": 15, "cusolver": 9, "cusparse": 10, "cufft": 16, "curand": 202, "cudnn": 3000}
COMPUTES_NOTHING = re.compile(r"cublas(?!Create|Destroy|Set|Get|Lt)")
# The real libraries answer these without a GPU.
LEFT_ALONE = re.compile(r"__cuda(Register|Unregister|Push|Pop)|cudnnGet(Version|ErrorString|CudartVersion|Property)$|cu\w+Get(Status|Error)(String|Name)$")
LIBRARIES = ("libc10_cuda.so", "libtorch_cuda.so", "libtorch_cuda_linalg.so", "libtorch_python.so")


def wanted(library: Path) -> set[str]:
    lines = subprocess.run(["nm", "-D", "--undefined-only", str(library)], check=True, capture_output=True, text=True).stdout.splitlines()
    names = {line.split()[-1].split("@")[0] for line in lines}
    return {name for name in names if name.lstrip("_").startswith(tuple(NOT_SUPPORTED)) and not LEFT_ALONE.match(name)}


def definition(name: str) -> str:
    if COMPUTES_NOTHING.match(name):
        return f'extern "C" [[gnu::weak]] int {name}() {{ return 0; }}\n'
    status = next(status for prefix, status in NOT_SUPPORTED.items() if name.lstrip("_").startswith(prefix))
    return f'extern "C" [[gnu::weak]] int {name}()\n{{\n    plimsoll::stand_in::reportMissing("{name}");\n    return {status};\n}}\n'


def main() -> None:
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    names = sorted(set().union(*(wanted(folder / library) for library in LIBRARIES if (folder / library).exists())))
    text = "// Made by tests/stand_in_gpu/entry_points.py.\nnamespace plimsoll::stand_in {\nvoid reportMissing(const char* function);\n}\n\n"
    out.write_text(text + "".join(map(definition, names)))


if __name__ == "__main__":
    main()
