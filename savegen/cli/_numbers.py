"""Numbers in generated code that came from a lock that is lost are not made anew."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from savegen import disk
from savegen.cli._lock_file import LOCK_FILE
from savegen.config import Config
from savegen.report import Report, SavegenError

if TYPE_CHECKING:
    from savegen.lock import Lock
    from savegen.pipeline import Generated

_PREFABS = b"PrefabType"
_Numbers = dict[tuple[bytes, bytes], int]
_NUMBER = re.compile(rb"^class (\w+)|^    (\w+) = ([0-9]+)\r?$", re.MULTILINE)
_PART = re.compile(rb'PrefabType\.(\w+)|"(\w+)": ([0-9]+)')  # in `prefab_info.py`
_Held = Callable[[str], bytes]  # what a file of the project holds; b"" if nothing
_Lost = Callable[[_Numbers, _Numbers], set[int]]


def refuse_other_numbers(
    generated: Generated, lock: Lock | None, config: Config, held: _Held
) -> None:
    """Raise `SavegenError` if what is on disk has numbers that the lock knows no more.

    `lock` is as it was read; `None` if it does not count.
    """
    found = _reason(generated, lock, config)
    if found is None:
        return
    lost, state = found
    for path, text in generated.files.items():
        old, new = _numbers(path, held(path)), _numbers(path, text)
        # Pass 1 knows of prefabs only what the lock does.
        if any(enum == _PREFABS for enum, _ in old.keys() - new.keys()):
            new |= _foreseen(generated)
        if lost(old, new):
            raise SavegenError(
                f"{LOCK_FILE} {state}, but {path} uses numbers that were only in it:"
                f" restore it, or also delete {config.output} to assign new numbers"
            )


def _reason(
    generated: Generated, lock: Lock | None, config: Config
) -> tuple[_Lost, str] | None:
    """Return which numbers are lost, and how; `None` if all the lock is there."""
    if not disk.exists(disk.join(config.root, LOCK_FILE)):
        return _lost, "is missing"
    if lock is None:
        return None
    if not lock.numbers():
        return _lost, "is empty"
    known = lock.numbers() | generated.lock.numbers()
    return lambda old, new: _changed(old, new) - known, "has lost lines"


def _numbers(path: str, text: bytes) -> _Numbers:
    """Return the numbers in generated code, by the enumeration and the member.

    Those of parts by their prefab.
    """
    found: _Numbers = {}
    enum = b""
    pattern = _PART if path.endswith("/prefab_info.py") else _NUMBER
    for name, member, number in pattern.findall(text):
        enum = name or enum
        if member:
            found[enum, member] = int(number)
    return found


def _foreseen(generated: Generated) -> _Numbers:
    """Return the numbers that pass 2 is going to give to prefabs."""
    from savegen.lock import assign_prefabs

    model, _ = assign_prefabs(generated.lock, generated.model, Report())
    return {(_PREFABS, name.encode()): number for name, number in model.prefab_types}


def _lost(old: _Numbers, new: _Numbers) -> set[int]:
    return {*old.values()} - {*new.values()}


def _changed(old: _Numbers, new: _Numbers) -> set[int]:
    """Return the old numbers of what has another now; what is gone may be another branch's."""
    return {number for key, number in old.items() if new.get(key, number) != number}
