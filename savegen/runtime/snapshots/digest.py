"""Digests of snapshots: equal contents have the same digest, in every process."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any

import msgspec
from msgspec.structs import astuple

from savegen.runtime.snapshots.tables import SnapshotData, Table
from savegen.runtime.values import folds
from savegen.runtime.values.folds import Typed
from savegen.runtime.values.stored import GENERATORS, SETS, StoredType
from savegen.runtime.values.basics.keys import in_key_order, slot_number
from savegen.runtime.values.rows import UNSET, Key, Row

_encode = msgspec.msgpack.Encoder().encode
_DEPTH = 3  # the length of the chains of references that `_content` follows
_MAX_UNCHANGED = 1 << 32  # keys below it are the numbers of their slots


def digest(snapshot: SnapshotData) -> str:
    """Return the digest of a snapshot.

    An object that the game added is identified by its slot: a world that was rolled back and
    replayed has other generations than one that was not. The key of an object that was only
    reached depends on the order of sets, so such an object is numbered in the order of a walk
    that starts at the added objects, followed by the states. The walk sorts the members of a set
    by their content. Random generators are numbered in the order in which rows refer to them.
    """
    return _Digest(snapshot).run()


class _Digest:
    def __init__(self, snapshot: SnapshotData) -> None:
        self._snapshot = snapshot
        self._hash = hashlib.blake2b(digest_size=16)
        self._reached = {
            key: (table, index) for table, index, key, _ in snapshot.items() if key < 0
        }
        self._numbers: dict[Key, Key] = {}  # numbers of reached objects, by key
        self._waiting: deque[tuple[Table, int]] = deque()
        self._generators: dict[int, int] = {}  # numbers of random generators, by key
        # Whether a reference in a row is already the number of its object.
        self._is_numbered = not (self._reached or snapshot.covers) and all(
            max(table.keys, default=0) < _MAX_UNCHANGED
            for table in snapshot.tables.values()
        )

    def run(self) -> str:
        if self._reached:
            self._number_reached()
        for table in self._snapshot.tables.values():
            keys = in_key_order(map(self._number_of, table.keys))
            self._put([table.number, keys])
            self._put_rows(table)
        self._put_world()
        return self._hash.hexdigest()

    # -- numbers

    def _number_of(self, key: Key) -> Key:
        return slot_number(key) if key > 0 else self._numbers.get(key, key)

    def _number_reached(self) -> None:
        for table, index, key, _ in self._snapshot.items():
            if key > 0:
                self._walk(table, index)
        for _, state in sorted(self._snapshot.states.items(), key=itemgetter(0)):
            self._add_all(folds.keys_of(*state))
        while self._waiting:
            self._walk(*self._waiting.popleft())
        # Only preserved data refers to the others.
        while remaining := [key for key in self._reached if key not in self._numbers]:
            self._add_all([min(remaining, key=self._content)])
            while self._waiting:
                self._walk(*self._waiting.popleft())

    def _walk(self, table: Table, index: int) -> None:
        """Number the objects that a row refers to, and queue them for the walk."""
        for stored, cell in _references(table, index):
            keys = folds.keys_of(stored, cell)
            self._add_all(keys, is_set=_has_sets(stored))
        for typed in _typed_values(table, index):
            self._add_all(folds.keys_of(*typed))

    def _add_all(self, keys: Iterable[Key], is_set: bool = False) -> None:
        new = [key for key in keys if self._has_no_number(key)]
        if is_set:
            new.sort(key=self._content)
        for key in dict.fromkeys(new):
            self._numbers[key] = -len(self._numbers) - 1
            self._waiting.append(self._reached[key])

    def _has_no_number(self, key: Key) -> bool:
        return key in self._reached and key not in self._numbers

    def _content(self, key: Key, depth: int = _DEPTH) -> bytes:
        """Return the number of an object as bytes; its content if it has no number yet."""
        if depth == 0 or not self._has_no_number(key):
            return b"%d" % self._numbers.get(key, slot_number(key) if key > 0 else 0)
        table, index = self._reached[key]
        row = [*astuple(table.rows[index])]
        for n, name in enumerate(table.rows[index].__struct_fields__):
            stored = table.entry.numbered_fields.get(name)
            if stored is not None and row[n] is not UNSET:
                keys = [*folds.keys_of(stored, row[n])]
                contents = [self._content(key, depth - 1) for key in keys]
                blank = folds.renumbered(stored, row[n], _zero, self._state_of)
                is_set = _has_sets(stored)
                row[n] = [blank, sorted(contents) if is_set else contents]
        return _bytes([table.number, row])

    def _state_of(self, generator: int) -> bytes:
        return _bytes(self._snapshot.generators.get(generator))

    def _number_of_generator(self, key: int) -> int:
        return self._generators.setdefault(key, len(self._generators) + 1)

    def _renumbered(self, typed: Typed) -> Any:
        """Return a value with the numbers of objects and generators, and its type as text."""
        stored, cell = typed
        number = self._number_of_generator
        return str(stored), folds.renumbered(stored, cell, self._number_of, number)

    # -- the content

    def _put_rows(self, table: Table) -> None:
        numbered = self._numbered_fields(table)
        for index in self._indices_in_order(table):
            row = table.rows[index]
            values = [*astuple(row)]
            for n, stored in numbered:
                if values[n] is not UNSET:
                    values[n] = self._renumbered_cell(stored, values[n])
            self._put(values)
            if index in table.extras:
                extras = sorted(table.extras[index].items(), key=itemgetter(0))
                self._put([(name, self._renumbered(each)) for name, each in extras])
            if index in table.recordings:
                dirty, results = table.recordings[index]
                recorded = [(n, self._renumbered(results[n])) for n in sorted(results)]
                self._put([sorted(dirty), recorded])

    def _numbered_fields(self, table: Table) -> list[tuple[int, Any]]:
        """Return the position and the type of each field that may hold a key to replace."""
        fields = table.entry.numbered_fields
        return [
            (n, fields[name])
            for n, name in enumerate(table.entry.row.__struct_fields__)
            if name in fields
            and not (self._is_numbered and folds.has_only_keys(fields[name]))
        ]

    def _renumbered_cell(self, stored: Any, cell: Any) -> Any:
        if stored.name == "ref":  # as often as objects refer to each other
            return self._number_of(cell)
        if _has_sets(stored):
            self._number_generators_of_set(stored, cell)
        return folds.renumbered(
            stored, cell, self._number_of, self._number_of_generator
        )

    def _number_generators_of_set(self, stored: Any, cell: Any) -> None:
        if stored.names_inside.isdisjoint(GENERATORS):
            return
        for key in sorted(folds.generators_of(stored, cell), key=self._state_of):
            self._number_of_generator(key)

    def _indices_in_order(self, table: Table) -> Iterable[int]:
        """Return the positions of the rows, in the order of their final numbers."""
        places = range(len(table.keys))
        if not self._reached:
            return places
        keys = table.keys
        added = [n for n in places if keys[n] > 0]
        reached = (n for n in places if keys[n] < 0)
        return added + sorted(reached, key=lambda n: -self._numbers[keys[n]])

    def _put_world(self) -> None:
        snapshot, number_of = self._snapshot, self._number_of
        placements = {number_of(key): p for key, p in snapshot.placements.items()}
        self._put([[n, *astuple(p)] for n, p in sorted(placements.items())])
        self._put([len(snapshot.slots.generations), list(snapshot.slots.free)])
        states = sorted(snapshot.states.items(), key=itemgetter(0))
        self._put([(name, self._renumbered(state)) for name, state in states])
        self._put(sorted(snapshot.tombstones))
        for key in sorted(snapshot.generators, key=self._state_of):
            self._number_of_generator(key)  # only preserved data refers to it
        numbers = self._generators.items()
        self._put([(n, snapshot.generators.get(key)) for key, n in numbers])

    def _put(self, part: Any) -> None:
        data = _bytes(part)
        self._hash.update(b"%d:" % len(data))
        self._hash.update(data)


def _has_sets(stored: StoredType) -> bool:
    return not stored.names_inside.isdisjoint(SETS)


def _zero(key: Key) -> int:
    return 0


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


def _typed_values(table: Table, index: int) -> Iterator[Typed]:
    """Yield the undeclared values that stand next to a row."""
    extras = table.extras.get(index, {})
    yield from map(extras.__getitem__, sorted(extras))
    if index in table.recordings:
        values = table.recordings[index].values
        yield from map(values.__getitem__, sorted(values))
