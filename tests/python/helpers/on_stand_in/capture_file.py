# SPDX-License-Identifier: Apache-2.0
"""Reads a capture file by its description (core/readers/capture/FORMAT.md), for tests of what the recorder writes."""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CHUNK = struct.Struct("<IIQII")
MAGIC, HEAD = b"PLMCAPT\n", 16
# Of each kind its name and the fields behind the record's head.
KINDS = {
    1: ("process", "<IIIIQII", "pid parent cupti headers run command library"),
    2: ("clock", "<QQQ", "cupti realtime monotonic"),
    4: ("status", "<IIiI", "code severity detail text"),
    5: ("drops", "<QQQQ", "by_cupti by_recorder cut_buffers mappings"),
    6: ("end", "<Q", "records"),
    16: ("device", "<IIQ16sHHI", "device name memory uuid major minor _"),
    17: ("context", "<IIII", "context device null_stream _"),
    32: ("memory", "<BBBBIQQQQIIIIQQQQ", "operation kind is_async pool_type correlation address bytes time counter device context stream name pool pool_threshold pool_bytes pool_used"),
    34: ("mapping", "<IIQQQQQII", "operation device address bytes handle offset time correlation thread"),
    48: ("kernel", "<QQIIIIIIQ3i3iiiII", "start end device context stream correlation name graph graph_node gx gy gz bx by bz static dynamic local registers"),
    49: ("copy", "<BBBBIQQQIIIIII", "kind from_ to flags correlation bytes start end device context stream graph from_device to_device"),
    50: ("fill", "<QQQIIIIII", "bytes start end device context stream correlation kind graph"),
    51: ("call", "<IIQQIIII", "function is_driver start end thread correlation status _"),
    64: ("marker", "<QIIIIII", "time id flags name domain thread _"),
    65: ("external", "<QII", "id kind correlation"),
}  # fmt: skip
TEXT = 3


@dataclass
class Capture:
    records: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    left_over: int = 0  # bytes behind the last complete chunk

    def of(self, kind: str) -> list[dict[str, Any]]:
        return self.records.get(kind, [])

    @property
    def ended(self) -> bool:
        return bool(self.of("end"))

    @property
    def statuses(self) -> list[str]:
        return [self.texts[status["text"]] for status in self.of("status")]

    def device_bytes(self) -> dict[int, tuple[int, int]]:
        """Of each device its peak and its last number of bytes, allocated or mapped."""
        events = [(record["time"], i, record, "operation") for i, record in enumerate(self.of("memory")) if record["kind"] == 3]
        events += [(record["time"], i, record, "mapping") for i, record in enumerate(self.of("mapping"))]
        now: Counter[int] = Counter()
        peak: Counter[int] = Counter()
        created: dict[int, tuple[int, int]] = {}
        for _, _, record, source in sorted(events, key=lambda event: event[:2]):
            device, change = record["device"], 0
            if source == "operation":
                change = record["bytes"] if record["operation"] == 1 else -record["bytes"]
            elif record["operation"] == 3:
                created[record["handle"]], change = (device, record["bytes"]), record["bytes"]
            elif record["operation"] == 4:
                device, size = created.pop(record["handle"])
                change = -size
            if change:
                now[device] += change
                peak[device] = max(peak[device], now[device])
        return {device: (peak[device], now[device]) for device in sorted(now)}


def read(path: Path) -> Capture:
    data, capture, sequence, at = path.read_bytes(), Capture(), 0, HEAD
    assert not data or (data[:8] == MAGIC and struct.unpack_from("<II", data, 8) == (1, HEAD))
    while at + CHUNK.size <= len(data):
        magic, size, number, count, checksum = CHUNK.unpack_from(data, at)
        payload = data[at + CHUNK.size : at + CHUNK.size + size]
        head = CHUNK.pack(magic, size, number, count, 0)
        if magic != 0x4B4E4843 or len(payload) < size or number != sequence or zlib.crc32(payload, zlib.crc32(head)) != checksum:
            break
        assert _read_chunk(payload, capture) == count
        sequence, at = sequence + 1, at + CHUNK.size + size
    capture.left_over = max(len(data) - at, 0)
    return capture


def _read_chunk(payload: bytes, capture: Capture) -> int:
    at = count = 0
    while at < len(payload):
        kind, _, size = struct.unpack_from("<HHI", payload, at)
        assert size % 8 == 0 and size > 0
        if kind == TEXT:
            number, length = struct.unpack_from("<II", payload, at + 8)
            capture.texts[number] = payload[at + 16 : at + 16 + length].decode()
        elif kind in KINDS:
            name, layout, fields = KINDS[kind]
            assert size == 8 + struct.calcsize(layout) + (-struct.calcsize(layout)) % 8
            capture.records.setdefault(name, []).append(dict(zip(fields.split(), struct.unpack_from(layout, payload, at + 8))))
        at, count = at + size, count + 1
    return count
