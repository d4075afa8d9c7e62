# SPDX-License-Identifier: Apache-2.0
"""Runs the Python scripts of README and the manual with a GPU in sight: `-m helpers.on_stand_in.pages FOLDER` prints the kernels of the traces."""

import gzip
import json
import os
import sys
from pathlib import Path

import torch
from helpers.documented import scripts_run


def main() -> None:
    os.environ.pop("LD_PRELOAD")  # is for this process, not for the commands
    assert torch.cuda.is_available()
    folder = Path(sys.argv[1])
    with scripts_run(folder):
        traces = {path.name: json.loads(gzip.decompress(path.read_bytes())) for path in sorted(folder.glob("*.plimsoll.json.gz"))}
        print(json.dumps({name: [trace["target"], trace["assumed"]] for name, trace in traces.items()}))


if __name__ == "__main__":
    main()
