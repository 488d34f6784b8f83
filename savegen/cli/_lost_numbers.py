"""Stop a run that would give generated code new numbers because the lock has lost the old ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from savegen import disk
from savegen.cli._lock_file import LOCK_FILE
from savegen.build.config import Config
from savegen.findings import Report, SavegenError

if TYPE_CHECKING:
    from savegen.build.lock import Lock
    from savegen.build.lock.file import LockedClass
    from savegen.build.pipeline import Generated

_CLASSES = b"SaveLoadableType"
_PREFABS = b"PrefabType"
_Numbers = dict[tuple[bytes, bytes], int]  # by enumeration and member
_NUMBER = re.compile(rb"^class (\w+)|^    (\w+) = ([0-9]+)\r?$", re.MULTILINE)
_PART = re.compile(rb'PrefabType\.(\w+)|"(\w+)": ([0-9]+)')  # in `prefab_info.py`
_Read = Callable[[str], bytes]  # returns a file of the project; b"" if it is missing
_FindLost = Callable[[_Numbers, _Numbers], set[int]]


def refuse_lost_numbers(
    generated: Generated, lock: Lock | None, config: Config, read: _Read
) -> None:
    """Raise `SavegenError` if generated files use numbers that the lock has lost.

    `lock` is the lock as it was read, or `None` if the command ignores it.
    """
    search = _search(generated, lock, config)
    if search is None:
        return
    find_lost, reason = search
    paths = sorted(_files_with_lost(find_lost, generated, read))
    if paths:
        use, files = ("use", "these files") if len(paths) > 1 else ("uses", "this file")
        raise SavegenError(
            f"{LOCK_FILE} {reason}, but {', '.join(paths)} {use} numbers that it no"
            f" longer has: restore {LOCK_FILE}; or, to assign new numbers, delete {files}"
            " and run savegen again"
        )


def _files_with_lost(
    find_lost: _FindLost, generated: Generated, read: _Read
) -> Iterator[str]:
    """Yield the paths of generated files that use lost numbers."""
    for path, text in generated.files.items():
        old, new = _numbers(path, read(path)), _numbers(path, text)
        # Before pass 2, only prefabs in the lock have numbers.
        if any(enum == _PREFABS for enum, _ in old.keys() - new.keys()):
            new |= _prefab_numbers(generated)
        if find_lost(old, new):
            yield path


def _search(
    generated: Generated, lock: Lock | None, config: Config
) -> tuple[_FindLost, str] | None:
    """Return the function that finds lost numbers, and why the lock may have lost them.

    Return `None` if it cannot have lost any.
    """
    if not disk.exists(disk.join(config.root, LOCK_FILE)):
        return _without_member, "is missing"
    if lock is None:
        return None
    if not lock.numbers():
        return _without_member, "is empty"
    locks = lock, generated.lock
    return lambda old, new: _changed(old, new, locks), "has lost lines"


def _locked_numbers(locks: Iterable[Lock]) -> dict[bytes, set[int]]:
    """Return all numbers in the locks by the generated enumeration that contains them."""
    from savegen.build.lock.file import CLASSES, PREFABS, by_owner

    by_enum: dict[bytes, set[int]] = {_CLASSES: set(), _PREFABS: set()}
    for lock in locks:
        for category, enum in ((CLASSES, _CLASSES), (PREFABS, _PREFABS)):
            fields = by_owner(lock.fields_of(category))
            for birth, owner in lock.owners(category).items():
                by_enum[enum].add(owner.number)
                numbers = {field.number for field in fields.get(birth, ())}
                fields_enum = _enum_of(owner, category is PREFABS).encode()
                by_enum.setdefault(fields_enum, set()).update(numbers)
    return by_enum


def _enum_of(owner: LockedClass, is_prefab: bool) -> str:
    """Return the name of the enumeration with the field numbers of a class or prefab."""
    from savegen.build.model import upper_snake

    if is_prefab:
        return upper_snake(owner.simple_name)
    return owner.location.rpartition(":")[2].replace(".", "") + "Fields"


def _numbers(path: str, text: bytes) -> _Numbers:
    """Return the numbers in generated code; those of parts by prefab and part."""
    numbers: _Numbers = {}
    enum = b""
    pattern = _PART if path.endswith("/prefab_info.py") else _NUMBER
    if pattern is _NUMBER and b"IntEnum" not in text:  # much faster than the pattern
        return {}
    for name, member, number in pattern.findall(text):
        enum = name or enum
        if member:
            numbers[enum, member] = int(number)
    return numbers


def _prefab_numbers(generated: Generated) -> _Numbers:
    """Return the numbers that pass 2 will assign to prefabs."""
    from savegen.build.lock import assign_prefabs

    model, _ = assign_prefabs(generated.lock, generated.model, Report())
    return {(_PREFABS, name.encode()): number for name, number in model.prefab_types}


def _without_member(old: _Numbers, new: _Numbers) -> set[int]:
    """Return the old numbers that no member of the same enumeration has now."""
    enums = {enum for enum, _ in new}
    return {
        number
        for (enum, _), number in old.items()
        if number
        not in {n for (e, _), n in new.items() if e == enum or enum not in enums}
    }


def _changed(old: _Numbers, new: _Numbers, locks: Iterable[Lock]) -> set[int]:
    """Return the old numbers of members that changed, unless a lock still has them.

    Removed members are ignored: they may belong to another branch.
    """
    changed = {key: n for key, n in old.items() if new.get(key, n) != n}
    locked = _locked_numbers(locks) if changed else {}
    return {n for key, n in changed.items() if n not in locked.get(key[0], ())}
