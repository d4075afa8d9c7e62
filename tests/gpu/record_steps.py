# SPDX-License-Identifier: Apache-2.0
"""Records what a GPU's allocator does in a training step of the zoo's models: `python tests/gpu/record_steps.py FOLDER MODEL[:bfloat16]...`

FOLDER gets of each model its graph, traced there, and NAME.csv.gz: what is held before a step ("held"), and each allocation and release in it,
in bytes, with the op that it belongs to and the function that allocates. Nothing is switched off: cuDNN and workspaces are as users have them.
"""

from __future__ import annotations

import csv
import gc
import gzip
import json
import re
import sys
from pathlib import Path
from typing import Any, Callable, Iterator

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("resources/pytorch/src", "resources/samples", "tests/python", "tests/gpu")]

import torch  # noqa: E402 (needs the path)
from helpers import loop  # noqa: E402
from helpers.on_stand_in.planned import ALLOCATING, MOST_EVENTS, NO_PLAN, WARM_UP_STEPS, built, step_of  # noqa: E402

COLUMNS = ("action", "bytes", "op", "function")
_OP = re.compile(r"at::_ops::(\w+?)::")
_FUNCTION = re.compile(r"at::native::(?:\(anonymous namespace\)::)?(\w+)")


def _first(pattern: re.Pattern[str], frames: list[dict[str, Any]]) -> str:
    """The innermost function of that kind which isn't there for allocating alone."""
    names = (match[1] for frame in frames if (match := pattern.match(frame["name"])))
    return next((name for name in names if not name.startswith(ALLOCATING)), "")


def rows(held: list[int], events: list[dict[str, Any]], reserved: int) -> Iterator[tuple[str, int, str, str]]:
    yield from (("held", size, "", "") for size in held)
    for event in events:
        frames = event.get("frames", [])
        if event["action"] == "alloc":
            yield "alloc", event["size"], _first(_OP, frames), _first(_FUNCTION, frames)
        elif event["action"] == "free_completed":
            yield "free", event["size"], "", ""
    yield "reserved", reserved, "", ""


def held_now() -> list[int]:
    """Bytes that were asked for, of each block in use, largest first."""
    segments = torch.cuda.memory._snapshot()["segments"]
    return sorted((block["requested_size"] for segment in segments for block in segment["blocks"] if block["state"] == "active_allocated"), reverse=True)


def recorded(step: Callable[[], None]) -> list[tuple[str, int, str, str]]:
    for _ in range(WARM_UP_STEPS):
        step()
    gc.collect()
    torch.cuda.synchronize()
    held = held_now()
    torch.cuda.memory._record_memory_history(max_entries=MOST_EVENTS, stacks="all")
    gc.disable()
    step()
    gc.enable()
    events = torch.cuda.memory._snapshot()["device_traces"][torch.cuda.current_device()]
    torch.cuda.memory._record_memory_history(None)
    return list(rows(held, events, torch.cuda.memory_reserved()))


def write(rows: list[tuple[str, int, str, str]], path: Path) -> None:
    with gzip.GzipFile(path, "wb", mtime=0) as packed:
        text = "".join(",".join(map(str, row)) + "\n" for row in [COLUMNS, *rows])
        packed.write(text.encode())


def main() -> None:
    folder = Path(sys.argv[1])
    plan = folder / "none.json"
    plan.write_text(json.dumps(NO_PLAN))
    for name in sys.argv[2:]:
        made = recorded(step_of(name, plan))
        path = folder / f"{name.replace(':', '_')}.csv.gz"
        write(made, path)
        loop.trace(lambda: built(name), folder / f"{name.replace(':', '_')}.plimsoll.json.gz", "cuda")
        with gzip.open(path, "rt", newline="") as file:
            assert sum(int(row["bytes"]) for row in csv.DictReader(file) if row["action"] == "alloc") > 0
        gc.collect()
        torch.cuda.empty_cache()
        print(name, len(made), flush=True)


if __name__ == "__main__":
    main()
