# SPDX-License-Identifier: Apache-2.0
"""Identity and lifetime of storages: a weak reference tells when each is really freed."""

from __future__ import annotations

import weakref
from typing import Callable, Optional

import torch

from ..common.graph_rows import Storage, TensorKey, TraceError
from ..common.source_lines import user_line


class StorageTable:
    """Numbers every storage that the step touches. `clock()` is the op running now, None if no step is recorded; `host` is the kind of
    device whose memory doesn't count ("": none)."""

    def __init__(self, clock: Callable[[], Optional[int]], host: str = ""):
        self.rows: list[Storage] = []
        self.tensors: list[TensorKey] = []
        self._clock = clock
        self._host = host
        self._ids: dict[int, int] = {}  # address of the StorageImpl -> row, while it is alive
        self._watches: dict[int, weakref.ref] = {}
        self._tensor_ids: dict[TensorKey, int] = {}

    def find(self, tensor: torch.Tensor) -> Optional[int]:
        return self._ids.get(tensor.untyped_storage()._cdata) if tensor.layout is torch.strided else None

    def add(self, tensor: torch.Tensor, alloc: int, cls: Optional[int] = None, name: str = "") -> int:
        """The row of the tensor's storage, which is created if it is new."""
        if tensor.layout is not torch.strided:
            raise TraceError(
                f"{user_line() or 'the step itself'}: a tensor of layout {str(tensor.layout).removeprefix('torch.')} has no single "
                "memory to follow; make it dense (for embeddings: sparse=False)"
            )
        storage = tensor.untyped_storage()
        address = storage._cdata
        row = self._ids.get(address)
        if row is None:
            row = len(self.rows)
            self.rows.append(Storage(storage.nbytes(), alloc, cls, host=tensor.device.type == self._host))
            self._ids[address] = row
            # The callback also guards against a new storage at the same address.
            self._watches[row] = weakref.ref(storage, lambda _: self._freed(row, address))
        if name and name not in self.rows[row].names:
            self.rows[row].names.append(name)
        return row

    def _freed(self, row: int, address: int) -> None:
        if self._ids.get(address) == row:
            del self._ids[address]
        self._watches.pop(row, None)
        now = self._clock()
        if now is not None:
            self.rows[row].free = now

    def tensor(self, tensor: torch.Tensor, alloc: int = -1, cls: Optional[int] = None) -> int:
        key = TensorKey(
            self.add(tensor, alloc, cls),
            tuple(int(n) for n in tensor.shape),
            tuple(int(n) for n in tensor.stride()),
            int(tensor.storage_offset()),
            str(tensor.dtype).removeprefix("torch."),
            tensor.is_conj(),
            tensor.is_neg(),
        )
        known = self._tensor_ids.get(key)
        if known is None:
            known = self._tensor_ids[key] = len(self.tensors)
            self.tensors.append(key)
        return known

    def is_on_host(self, tensor: int) -> bool:
        return self.rows[self.tensors[tensor].storage].host

    def stop_watching(self) -> None:
        self._watches.clear()
        self._ids.clear()
