"""Filling objects while they are read, where no code of the game's can notice.

A value is then set as soon as it is decoded, which takes half the time: later it would have to
be fetched from memory again. Only objects that stand for themselves are filled: new ones of
classes whose fields are set without a setter, and which nothing else has to be done for.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import MemberDescriptorType
from typing import Any

from savegen.runtime.filling import run
from savegen.runtime.objects import GAME_OBJECT
from savegen.runtime.registry import ClassEntry
from savegen.runtime.saves.world.members import Group, Members
from savegen.runtime.saves.world.reading import ClassReader
from savegen.runtime.saves.wire import Things
from savegen.runtime.snapshot import Table


def may_fill(reader: ClassReader, members: Members) -> bool:
    """Tell whether the objects of a table can be filled while it is read."""
    is_whole = reader.is_whole and not members.absent  # what refers to those is kept
    return is_whole and members.are_themselves and _is_plain(reader.entry)


def filled(group: Group, reader: ClassReader, things: Things) -> Table:
    """Read and fill all objects of a table. Raises `SaveError` for what cannot be read, or set."""
    entry, width = reader.entry, reader.width

    def take(start: int, rows: list[Any]) -> None:
        objects = group.objects[start : start + len(rows) // width]
        part = Table(entry, objects, rows)
        run("restore", part)
        run("link", part)

    reader.read_pieces(things, take)
    return Table(entry, group.objects, [], is_filled=True)


def _is_plain(entry: ClassEntry) -> bool:
    functions = entry.rows
    if entry is GAME_OBJECT or entry.behaviors or functions is None:
        return False
    if functions.gather is not None or functions.shares_state:
        return False
    return _sets_plainly(entry.load_class(), tuple(functions.checks))


@cache
def _sets_plainly(cls: type, names: tuple[str, ...]) -> bool:
    maker: Any = cls.__new__
    setter: Any = cls.__setattr__
    if maker is not object.__new__:
        return False  # what it gives may be in the world already, and a load may fail
    if setter is not object.__setattr__:
        return False
    return not any(_has_setter(cls, name) for name in names)


def _has_setter(cls: type, name: str) -> bool:
    for base in cls.__mro__:
        if name in vars(base):
            found = vars(base)[name]
            is_slot = isinstance(found, MemberDescriptorType)
            return hasattr(type(found), "__set__") and not is_slot
    return False
