"""Sets, dicts and groups of objects with a `__hash__` of their own: how a load fills them.

Such a `__hash__` may need fields, or what an `@on_activate` sets. So a load sets the fields of all
objects, then calls the `@on_activate` of the objects that are hashed, then fills what hashes them,
then calls the other hooks. What these have changed may change a hash, so that nobody would find
the object any more: then it is filled again.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from operator import is_not
from typing import Any
from weakref import WeakKeyDictionary

from savegen.runtime.values.references import References
from savegen.runtime.values.saveable import has_own_hash, unchecked
from savegen.runtime.generated.entries import HASHING_TYPES, ClassEntry
from savegen.runtime.values.libraries.fields import fields_of
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.runtime.snapshots.tables import Table
from savegen.runtime.values import mismatches
from savegen.runtime.values.libraries.caches import renew
from savegen.runtime.values.folds import keys_of, parts_in
from savegen.runtime.values.rows import UNSET, Key, Row
from savegen.runtime.values.libraries.sprites import GROUP_LABEL, sprite_group
from savegen.runtime.values.stored import MAPPINGS, StoredType
from savegen.runtime.world.building import IMMUTABLE

_SETS = frozenset(["set", "frozenset"])
_DICTS = (dict, defaultdict, OrderedDict, Counter)
_CONTAINERS = (*_DICTS, set, frozenset, list, deque, tuple)


def hashed_keys(stored: StoredType, cell: Any) -> Iterator[Key]:
    """Yield the keys of the objects in a cell that a set, a dict or a group hashes.

    >>> from savegen.runtime.values.stored import parse
    >>> [*hashed_keys(parse("dict<ref<1>, list<set<ref<1>>>>"), [(1, [[2], [3]])])]
    [1, 2, 3]
    """
    if not _hashes(stored):
        return
    hashes_all = stored.name in _SETS or stored.label == GROUP_LABEL
    for place, (part, inner) in enumerate(parts_in(stored, cell)):
        if hashes_all or (stored.name in MAPPINGS and place % 2 == 0):
            yield from keys_of(part, inner)
        else:
            yield from hashed_keys(part, inner)


def _hashes(stored: StoredType) -> bool:
    if stored.names_inside & HASHING_TYPES:
        return True
    return any(part.label == GROUP_LABEL for part in stored.walk())


def rehashed(value: Any) -> Any:
    """Return a value whose sets, dicts and groups find what they contain, at any depth.

    What can be changed is filled again, and stays the same object. No code of subclasses runs.
    """
    cls = type(value)
    base = _base_of(cls)
    if base in _DICTS:
        _rehash_dict(value, base)
    elif base is set or base is frozenset:
        old = [*base.__iter__(value)]
        members = [*map(rehashed, old)]
        if any(map(is_not, members, old)) or _may_be_lost(members):
            if base is frozenset:
                return base.__new__(cls, members)
            set.clear(value)
            set.update(value, members)
    elif base is list or base is deque:
        for place, member in enumerate(base.__iter__(value)):
            if (new := rehashed(member)) is not member:
                base.__setitem__(value, place, new)
    elif base is tuple:
        old = [*tuple.__iter__(value)]
        members = [*map(rehashed, old)]
        return tuple.__new__(cls, members) if any(map(is_not, members, old)) else value
    elif (group := sprite_group(value)) is not None:
        group.rehash()
    elif (names := fields_of(cls)) is not None and not hasattr(cls, "save_type"):
        return _rehashed_record(value, names)
    return value


def _base_of(cls: type) -> Any:
    """Return the builtin container that a class is, or that it derives from; else `None`."""
    if cls in _CONTAINERS or hasattr(cls, "save_type") or fields_of(cls) is not None:
        return cls
    return next((base for base in cls.__mro__ if base in _CONTAINERS), None)


def _may_be_lost(members: Iterable[Any]) -> bool:
    """Return whether the hash of a member may have changed.

    To look for it would not tell: Python may come across it, and compares addresses first.
    """
    classes = {*map(type, members)} - IMMUTABLE
    return any(map(has_own_hash, classes))


def _rehash_dict(value: dict[Any, Any], base: Any) -> None:
    members = {id(key): rehashed(member) for key, member in dict.items(value)}
    try:
        keys = [*base.__iter__(value)]
    except KeyError:
        # An `OrderedDict` looks them up; their order was that of `dict.keys`.
        keys = [*dict.keys(value)]
    entries = [(rehashed(key), members[id(key)]) for key in keys]
    is_same = all(id(key) in members for key, _ in entries)
    if is_same and not _may_be_lost(keys):
        for key, member in entries:
            if base.__getitem__(value, key) is not member:
                base.__setitem__(value, key, member)
        return
    base.clear(value)
    for key, member in entries:
        base.__setitem__(value, key, member)


def _rehashed_record(value: Any, names: tuple[str, ...]) -> Any:
    parts = {name: mismatches.value_of(value, name) for name in names}
    changed = {
        n: new for n, part in parts.items() if (new := rehashed(part)) is not part
    }
    if isinstance(value, tuple):
        return value._replace(**changed) if changed else value  # type: ignore[attr-defined]
    for name, part in changed.items():
        mismatches.set_value(value, name, part)
    renew(value)
    return value


def unhashable_cells(
    table: Table, snapshot: Snapshot, class_of: Callable[[Key], int | None]
) -> Iterator[tuple[int, str, str]]:
    """Yield the position and the name of each cell that a load could not fill, and why.

    `class_of` returns the number of an object's class. Objects that a prefab builds have what
    `__init__` sets.
    """
    faults = snapshot.unhashable
    if not (faults and table.entry.hashes_objects):
        return
    owners, placements = snapshot.component_keys(), snapshot.placements
    for cell, stored in table.entry.reference_fields.items():
        for place, row in enumerate(table.rows):
            value = getattr(row, cell)
            for key in hashed_keys(stored, value) if value is not UNSET else ():
                owner, _ = owners.get(key, (key, 0))
                is_built = owner in placements and placements[owner].prefab is not None
                number = class_of(key)
                if number in faults and not is_built:
                    yield place, cell, faults[number]
                    break


def hash_faults(tables: Iterable[Table], references: References) -> dict[int, str]:
    """Return why a load could not hash objects of some classes, by class number."""
    entries = [table.entry for table in tables]
    if not any(entry.hashes_objects for entry in entries):
        return {}
    faults = {
        table.number: _hash_fault_of(table.entry, table.rows[0], references)
        for table in tables
        if table.entry.has_own_hash and table.rows
    }
    return {number: fault for number, fault in faults.items() if fault}


def _hash_fault_of(entry: ClassEntry, row: Row, references: References) -> str:
    if entry not in _FAULTS:
        _FAULTS[entry] = hash_fault(entry, row, references)
    return _FAULTS[entry]


# Each class is tried once.
_FAULTS: WeakKeyDictionary[ClassEntry, str] = WeakKeyDictionary()


def hash_fault(entry: ClassEntry, row: Row, references: References) -> str:
    """Return why an object that a load makes could not be hashed; "" if it could.

    It is tried with a new object, which gets the values of a row. What code of the game does when
    it makes or loads an object is unknown.
    """
    if entry.has_own_new or entry.wraps:
        return ""
    cls: Any = entry.load_class()
    obj: Any = None
    try:
        obj = entry.blank(cls)
        unchecked(entry.marked_class().load_data)(obj, row, references)
        for name, value in entry.caches.items():
            mismatches.set_value(obj, name, value)
        hash(obj)
    except AttributeError as error:
        name = error.name or ""
        is_own = (
            error.obj is obj and mismatches.value_of(obj, name) is mismatches.NOT_SET
        )
        is_set_later = entry.on_activate and {name, "*"} & {*entry.transient}
        if (
            is_own
            and name not in entry.attributes_by_cell.values()
            and not is_set_later
        ):
            return (
                f"`{cls.__qualname__}.__hash__` needs `{name}`, which an object that a load makes"
                " does not have: save it, or set it in a method marked `@on_activate`"
            )
    except Exception:  # not because of an attribute that is missing
        pass
    return ""
