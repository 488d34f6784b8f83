"""Digests of snapshots: equal contents have the same digest, in every process."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import astuple

from savegen.runtime import cells
from savegen.runtime.rows import UNSET, Key, Row
from savegen.runtime.keys import in_key_order

if TYPE_CHECKING:
    from savegen.runtime.snapshot import Snapshot, Table

_encode = msgspec.msgpack.Encoder().encode
_DEPTH = 3  # the length of the chains of references that `_content` follows


def digest(snapshot: Snapshot) -> str:
    """Return the digest of a snapshot.

    An object that the game added is identified by its key. The key of an object that was only
    reached depends on the order of sets, so such an object is numbered in the order of a walk
    that starts at the added objects. The walk sorts the members of a set by their content.
    """
    return _Digest(snapshot).run()


class _Digest:
    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._hash = hashlib.blake2b(digest_size=16)
        self._reached = {
            key: (table, index) for table, index, key, _ in snapshot.items() if key < 0
        }
        self._numbers: dict[Key, Key] = {}  # numbers of reached objects, by key
        self._waiting: deque[tuple[Table, int]] = deque()

    def run(self) -> str:
        if self._reached:
            self._number_reached()
        for table in self._snapshot.tables.values():
            numbers = [self._number_of(key) for key in table.keys]
            self._put([table.number, in_key_order(numbers)])
            self._put_rows(table)
        self._put_world()
        return self._hash.hexdigest()

    def _number_reached(self) -> None:
        for table, index, key, _ in self._snapshot.items():
            if key > 0:
                self._walk(table, index)
        while self._waiting:
            self._walk(*self._waiting.popleft())

    def _walk(self, table: Table, index: int) -> None:
        """Number the objects that a row refers to, and queue them for the walk."""
        for stored, cell in _references(table, index):
            new = [k for k in cells.keys_of(stored, cell) if self._has_no_number(k)]
            if "set<" in str(stored):
                new.sort(key=self._content)
            for key in dict.fromkeys(new):
                self._numbers[key] = -len(self._numbers) - 1
                self._waiting.append(self._reached[key])

    def _has_no_number(self, key: Key) -> bool:
        return key in self._reached and key not in self._numbers

    def _content(self, key: Key, depth: int = _DEPTH) -> bytes:
        """Return the number of an object as bytes; its content if it has no number yet."""
        if depth == 0 or not self._has_no_number(key):
            return b"%d" % self._numbers.get(key, key if key > 0 else 0)
        table, index = self._reached[key]
        row = [*astuple(table.rows[index])]
        for n, name in enumerate(table.rows[index].__struct_fields__):
            stored = table.entry.reference_fields.get(name)
            if stored is not None and row[n] is not UNSET:
                keys = [*cells.keys_of(stored, row[n])]
                contents = [self._content(key, depth - 1) for key in keys]
                blank = cells.remap(stored, row[n], dict.fromkeys(keys, 0))
                is_set = "set<" in str(stored)
                row[n] = [blank, sorted(contents) if is_set else contents]
        return _bytes([table.number, row])

    def _number_of(self, key: Key) -> Key:
        return self._numbers.get(key, key)

    def _put_rows(self, table: Table) -> None:
        for index in self._indices_in_order(table):
            row = table.rows[index]
            values = [*astuple(row)]
            for n, name in enumerate(row.__struct_fields__ if self._numbers else ()):
                stored = table.entry.reference_fields.get(name)
                if stored is not None and values[n] is not UNSET:
                    values[n] = cells.remap(stored, values[n], self._numbers)
            self._put(values)
            if index in table.mismatches:
                self._put(sorted(table.mismatches[index].items()))
            if index in table.recordings:
                dirty, results = table.recordings[index]
                self._put([sorted(dirty), sorted(results.items())])

    def _indices_in_order(self, table: Table) -> Iterable[int]:
        """Return the positions of the rows, in the order of their final numbers."""
        if not self._numbers:
            return range(len(table.keys))
        indices = {self._number_of(key): index for index, key in enumerate(table.keys)}
        return [indices[number] for number in in_key_order(indices)]

    def _put_world(self) -> None:
        snapshot = self._snapshot
        self._put([[k, *astuple(p)] for k, p in sorted(snapshot.placements.items())])
        self._put([list(snapshot.slots.generations), list(snapshot.slots.free)])
        self._put(sorted(snapshot.states.items()))
        self._put(sorted(snapshot.tombstones))
        self._put(sorted(snapshot.generators.items()))

    def _put(self, part: Any) -> None:
        data = _bytes(part)
        self._hash.update(b"%d:" % len(data))
        self._hash.update(data)


def _bytes(value: Any) -> bytes:
    """Return plain data as MessagePack; as text, if MessagePack cannot hold it."""
    try:
        return _encode(value)
    except Exception:  # a long int, a lone surrogate, `UNSET`
        return ascii(value).encode()


def _references(table: Table, index: int) -> Iterator[tuple[Any, Any]]:
    row: Row = table.rows[index]
    for name, stored in table.entry.reference_fields.items():
        cell = getattr(row, name)
        if cell is not UNSET:
            yield stored, cell
