"""Whether two snapshots hold the same: a text that does not depend on the process."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator
from types import NoneType
from typing import TYPE_CHECKING, Any

from savegen.runtime import plain
from savegen.runtime.checks import Check, Items
from savegen.runtime.components import SaveLoadable
from savegen.runtime.keys import SaveLoadKey
from savegen.runtime.objects import OBJECT, GameObject

if TYPE_CHECKING:
    from savegen.runtime.snapshot import Snapshot, Table


def digest(snapshot: Snapshot) -> str:
    """Return the digest of a snapshot.

    What was added is named by its key. What is only referred to is named by the order in
    which a walk from there comes to it; the members of a set, which has no order, come in
    that of what they hold. Raises `SaveError` if a field holds an asset that has no id.
    """
    return _Digest(snapshot).run()


def order(snapshot: Snapshot) -> dict[int, int]:
    """Return places for what is only referred to, by `id`, as a walk comes to it.

    In every process it comes in the same order: that of no set is relied upon.
    """
    return _Digest(snapshot).order()


class _Digest:
    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._names: dict[int, bytes] = {}
        self._waiting: deque[Any] = deque()
        self._hash = hashlib.blake2b(digest_size=16)

    def run(self) -> str:
        for record in self._snapshot.records:
            self._begin(record.object, record.key)
        self._walk_all()
        self._write_world()
        return self._hash.hexdigest()

    def order(self) -> dict[int, int]:
        for record in self._snapshot.records:
            self._begin(record.object, record.key)
        known = {*self._names}
        self._walk_all()
        met = (token for token in self._names if token not in known)
        return {token: place for place, token in enumerate(met)}

    def _walk_all(self) -> None:
        while self._waiting:
            self._walk(*self._snapshot.places[id(self._waiting.popleft())])

    def _begin(self, thing: Any, key: Any) -> None:
        is_one = not isinstance(thing, GameObject)
        self._meet(thing, plain.write(SaveLoadKey(key, 0 if is_one else OBJECT)))
        for number, part in self._snapshot.numbered(thing):
            self._meet(part, plain.write(SaveLoadKey(key, number)))

    def _meet(self, token: Any, name: bytes) -> None:
        self._names[id(token)] = name
        self._waiting.append(token)

    def _walk(self, table: Table, place: int) -> None:
        """Write one object; what it refers to waits for its turn."""
        self._put(b"%d" % table.entry.save_type)
        for check, value in _cells(table, place):
            if check.refers:
                for token in self._tokens(check, value):
                    self._note(token)
            self._put(check.write(value, self._name))
        if table.data is not None:
            for key in plain.keys_in(table.data[place]):
                self._note(self._snapshot.at(key))
            self._put(plain.write(self._named(table.data[place]), self._name))
        if table.recordings is not None:
            for token in table.recordings[place].reach():
                self._note(token)
            self._put(table.recordings[place].write(self._name))

    def _named(self, value: Any) -> Any:
        """Return data in which keys of what was never added are names: they may differ."""
        if type(value) is SaveLoadKey and value.object.index < 0:
            return self._name(self._snapshot.at(value))
        if type(value) is dict:
            return {key: self._named(member) for key, member in value.items()}
        if type(value) in (list, tuple):
            return [type(value).__name__, *map(self._named, value)]
        if names := plain.record_fields(type(value)):
            return [
                type(value).__name__,
                *(self._named(getattr(value, name, None)) for name in names),
            ]
        return value

    def _note(self, token: Any) -> None:
        if token is not None and id(token) not in self._names:
            if id(token) in self._snapshot.places:
                self._meet(token, b"%d" % len(self._names))

    def _tokens(self, check: Check, value: Any) -> Iterator[Any]:
        """Yield the objects in a value, in an order that every process has."""
        parts = list(check.parts(value))
        if not parts:
            yield value
        if isinstance(check, Items) and not check.is_ordered:
            parts.sort(key=lambda part: part[0].write(part[1], self._content))
        for inner, part in parts:
            if inner.refers:
                yield from self._tokens(inner, part)

    def _content(self, token: Any, depth: int = 3) -> bytes:
        """Return the name of an object; without one, what it holds, and what that holds."""
        if id(token) in self._names or id(token) not in self._snapshot.places:
            return self._name(token)
        if depth == 0:
            return b"?"
        table, place = self._snapshot.places[id(token)]

        def deeper(inner: Any) -> bytes:
            return self._content(inner, depth - 1)

        found = [check.write(value, deeper) for check, value in _cells(table, place)]
        if table.data is not None:
            values = table.data[place].items()
            plain_ones = {n: v for n, v in values if not [*plain.keys_in(v)]}
            found.append(plain.write(plain_ones, deeper))
        if table.recordings is not None:
            found.append(table.recordings[place].write(deeper))
        return plain.framed("%d" % table.entry.save_type, found)

    def _name(self, token: Any) -> bytes:
        if id(token) in self._names:
            return self._names[id(token)]
        if not isinstance(token, (SaveLoadable, NoneType)):
            return plain.write(self._snapshot.world.assets.id_of(token))
        found = self._snapshot.outside.get(id(token))
        return b"nothing" if found is None else plain.write(found[1])

    def _write_world(self) -> None:
        snapshot = self._snapshot
        for record in snapshot.records:
            known = (record.key, record.prefab, record.placement, record.level)
            self._put(plain.write(known))
        self._put(plain.write(tuple(snapshot.indices)))
        self._put(plain.write({**snapshot.states}))
        self._put(plain.write(sorted(snapshot.tombstones)))
        tables = snapshot.tables.values()
        for table in sorted(tables, key=lambda table: table.entry.save_type):
            added = [o for o in table.objects if id(o) not in snapshot.adopted]
            self._put(plain.framed("order", map(self._name, added)))

    def _put(self, part: bytes) -> None:
        self._hash.update(b"%d:" % len(part))
        self._hash.update(part)


def _cells(table: Table, place: int) -> Iterator[tuple[Check, Any]]:
    if table.rows is not None and table.entry.rows:
        yield from zip(table.entry.rows.checks.values(), table.row(place), strict=True)
