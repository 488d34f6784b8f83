"""Refuse to renumber generated code whose numbers are missing from the lock."""

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
_Numbers = dict[tuple[bytes, bytes], int]
_NUMBER = re.compile(rb"^class (\w+)|^    (\w+) = ([0-9]+)\r?$", re.MULTILINE)
_PART = re.compile(rb'PrefabType\.(\w+)|"(\w+)": ([0-9]+)')  # in `prefab_info.py`
_Held = Callable[[str], bytes]  # the content of a project file; b"" if it is missing
_Lost = Callable[[_Numbers, _Numbers], set[int]]


def refuse_other_numbers(
    generated: Generated, lock: Lock | None, config: Config, held: _Held
) -> None:
    """Raise `SavegenError` if generated files use numbers that the lock has lost.

    `lock` is the lock as it was read, or `None` if it is to be ignored.
    """
    found = _reason(generated, lock, config)
    if found is None:
        return
    lost, state = found
    paths = sorted(_with_lost(lost, generated, held))
    if paths:
        use, one = ("use", "them") if len(paths) > 1 else ("uses", "it")
        raise SavegenError(
            f"{LOCK_FILE} {state}, but {', '.join(paths)} {use} numbers that were only in"
            f" it: restore {LOCK_FILE}; or, to assign new numbers, delete {one} too"
            " and run savegen again"
        )


def _with_lost(lost: _Lost, generated: Generated, held: _Held) -> Iterator[str]:
    """Yield the paths of generated files that use lost numbers."""
    for path, text in generated.files.items():
        old, new = _numbers(path, held(path)), _numbers(path, text)
        # Before pass 2, only prefabs in the lock have numbers.
        if any(enum == _PREFABS for enum, _ in old.keys() - new.keys()):
            new |= _prefab_numbers(generated)
        if lost(old, new):
            yield path


def _reason(
    generated: Generated, lock: Lock | None, config: Config
) -> tuple[_Lost, str] | None:
    """Return the function that finds lost numbers and the reason; `None` if none is lost."""
    if not disk.exists(disk.join(config.root, LOCK_FILE)):
        return _lost, "is missing"
    if lock is None:
        return None
    if not lock.numbers():
        return _lost, "is empty"
    locks = lock, generated.lock
    return lambda old, new: _changed(old, new, locks), "has lost lines"


def _known(locks: Iterable[Lock]) -> dict[bytes, set[int]]:
    """Return all numbers in the locks by the generated enumeration that contains them."""
    from savegen.build.lock.file import CLASSES, PREFABS, by_owner

    found: dict[bytes, set[int]] = {_CLASSES: set(), _PREFABS: set()}
    for lock in locks:
        for category, enum in ((CLASSES, _CLASSES), (PREFABS, _PREFABS)):
            owned = by_owner(lock.fields_of(category))
            for birth, home in lock.owners(category).items():
                found[enum].add(home.number)
                numbers = {field.number for field in owned.get(birth, ())}
                inner = _enum_of(home, category is PREFABS).encode()
                found.setdefault(inner, set()).update(numbers)
    return found


def _enum_of(home: LockedClass, is_prefab: bool) -> str:
    """Return the name of the enumeration with the numbers of a class or prefab."""
    from savegen.build.model import upper_snake

    if is_prefab:
        return upper_snake(home.simple_name)
    return home.home.rpartition(":")[2].replace(".", "") + "Fields"


def _numbers(path: str, text: bytes) -> _Numbers:
    """Return the numbers in generated code by enumeration and member.

    Numbers of parts are listed by prefab and part.
    """
    found: _Numbers = {}
    enum = b""
    pattern = _PART if path.endswith("/prefab_info.py") else _NUMBER
    for name, member, number in pattern.findall(text):
        enum = name or enum
        if member:
            found[enum, member] = int(number)
    return found


def _prefab_numbers(generated: Generated) -> _Numbers:
    """Return the numbers that pass 2 will assign to prefabs."""
    from savegen.build.lock import assign_prefabs

    model, _ = assign_prefabs(generated.lock, generated.model, Report())
    return {(_PREFABS, name.encode()): number for name, number in model.prefab_types}


def _lost(old: _Numbers, new: _Numbers) -> set[int]:
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
    known = _known(locks) if changed else {}
    return {n for key, n in changed.items() if n not in known.get(key[0], ())}
