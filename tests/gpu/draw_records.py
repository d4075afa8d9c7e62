# SPDX-License-Identifier: Apache-2.0
"""Draws what tests need from a GPU's memory snapshots: `python tests/gpu/draw_records.py SNAPSHOT.pickle[.gz]...`

Writes tests/data/gpu_records/NAME.csv.gz, which its README describes: actions and bytes, no stacks, addresses or times.
"""

from __future__ import annotations

import gzip
import io
import pickle
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "data" / "gpu_records"
ACTIONS = {"alloc": "alloc", "free_completed": "free", "segment_alloc": "segment", "free_requested": None}


def rows_of(snapshot: dict[str, Any]) -> list[tuple[str, int]]:
    (trace,) = (trace for trace in snapshot["device_traces"] if trace)
    events, held, live = [], [], set()
    for event in trace:
        action, address, size = ACTIONS[event["action"]], event["addr"], event["size"]
        if action is None:
            continue
        events.append((action, size))
        if action == "alloc":
            live.add(address)
        elif action == "free" and address not in live:
            held.append(size)
        elif action == "free":
            live.remove(address)
    for segment in snapshot["segments"]:
        blocks = (block for block in segment["blocks"] if block["state"] != "inactive")
        held += [block["requested_size"] for block in blocks if block["address"] not in live]
    reserved = sum(segment["total_size"] for segment in snapshot["segments"])
    return [*(("held", size) for size in sorted(held)), *events, ("reserved", reserved)]


def main() -> None:
    for name in sys.argv[1:]:
        path = Path(name)
        with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
            rows = rows_of(pickle.load(file))
        text = "action,bytes\n" + "".join(f"{action},{size}\n" for action, size in rows)
        packed = io.BytesIO()
        with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as file:  # the same bytes whenever it runs
            file.write(text.encode())
        target = FOLDER / f"{path.name.partition('.')[0]}.csv.gz"
        target.write_bytes(packed.getvalue())
        print(f"{target.name}: {len(rows):,} rows, {len(text):,} bytes, packed {len(packed.getvalue()):,}")


if __name__ == "__main__":
    main()
