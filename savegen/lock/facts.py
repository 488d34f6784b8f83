"""`savegen.lock`: the stable numbers of all that is saved, and what was known by which name.

A line is a fact. A class or a field is known for ever by its birth name, whose hash is its
number; what it is called today stands behind. So branches that add things never clash, and
the file can be merged by taking the lines of both sides.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Container, Iterable
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

FIRST_NUMBER = 16  # the ones below are savegen's own
LAST_NUMBER = 2**31 - 1
HEADER = (
    "# savegen.lock: the stable numbers of all that is saved. Commit this file;"
    " after a merge, run savegen again."
)

RELEASED = (
    "# A version that shipped: its saves hold these numbers. Do not edit this copy."
)


class LockError(Exception):
    """A line of `savegen.lock` cannot be read."""


class LockedField(msgspec.Struct, array_like=True):
    """One field: alive, absent from the source (kept in old saves), or retired."""

    birth: str  # `Enemy.hp`, `Enemy.hp#2` after the first one was retired
    number: int
    kind: str
    name: str  # today's
    state: str = "field"  # "field", "absent", "retired" or "disputed"

    def lines(self) -> list[str]:
        known_as = "" if self.name == own_name(self.birth) else f" as {self.name}"
        rest = f"{self.birth} {self.number}{known_as}: {self.kind}"
        return [f"{state} {rest}" for state in _written(self.state, "field")]


class LockedClass(msgspec.Struct, array_like=True):
    """One saveable class, and where it is today."""

    birth: str  # `Enemy`, or with its module where two have one name
    number: int
    home: str  # `module:qualname`
    state: str = "class"  # "class", "retired" or "disputed"

    def lines(self) -> list[str]:
        rest = f"{self.birth} {self.number} {self.home}"
        return [f"{state} {rest}" for state in _written(self.state, "class")]

    @property
    def simple_name(self) -> str:
        return self.home.rpartition(":")[2].rpartition(".")[2]

    @property
    def names(self) -> tuple[str, str, str]:
        """What it can be called, the shortest first."""
        qualname = self.home.rpartition(":")[2]
        return self.simple_name, qualname, self.home.replace(":", ".")


class Lock(msgspec.Struct, array_like=True):
    """Everything that the file says."""

    classes: dict[str, LockedClass] = {}  # by birth
    fields: dict[str, LockedField] = {}  # by birth
    members: dict[str, str] = {}  # enum member → state
    parts: dict[str, str] = {}  # record field → kind

    def fields_by_class(self) -> dict[str, list[LockedField]]:
        """Return the fields by the birth name of their class."""
        found: dict[str, list[LockedField]] = {}
        for locked in self.fields.values():
            found.setdefault(locked.birth.rpartition(".")[0], []).append(locked)
        return found

    def names(self) -> dict[str, str]:
        """Return by its birth what each living class is called, as short as is clear.

        >>> orcs = [LockedClass("Orc", 16, "hill:Orc"), LockedClass("b.Orc", 17, "b:Orc")]
        >>> Lock({orc.birth: orc for orc in orcs}).names()
        {'Orc': 'hill.Orc', 'b.Orc': 'b.Orc'}
        """
        alive = [c for c in self.classes.values() if c.state != "retired"]
        counts = Counter(name for entry in alive for name in set(entry.names))
        return {
            entry.birth: next((n for n in entry.names if counts[n] == 1), entry.birth)
            for entry in alive
        }

    def numbers(self) -> set[int]:
        """Return all numbers that were ever given."""
        classes = {entry.number for entry in self.classes.values()}
        return classes.union(entry.number for entry in self.fields.values())

    def text(self) -> str:
        """Return the whole file, sorted."""
        lines = [line for c in self.classes.values() for line in c.lines()]
        lines += [line for f in self.fields.values() for line in f.lines()]
        lines += [
            f"{written} {name}"
            for name, state in self.members.items()
            for written in _written(state, "member", "lost")
        ]
        lines += [f"record {name}: {kind}" for name, kind in self.parts.items()]
        return "\n".join([HEADER, *sorted(lines), ""])

    def released(self) -> str:
        """Return the copy that is kept of a version that ships."""
        return self.text().replace(HEADER, f"{HEADER}\n{RELEASED}", 1)


def number_of(birth: str) -> int:
    """Return the number of a birth name: 31 bits of its hash, above savegen's own."""
    digest = hashlib.blake2b(birth.encode(), digest_size=8).digest()
    hashed = int.from_bytes(digest) >> 33
    return hashed if hashed >= FIRST_NUMBER else hashed + FIRST_NUMBER


def free_birth(name: str, taken: Container[str]) -> str:
    """Return a birth name that nothing was born with before.

    >>> free_birth("Enemy.hp", {"Enemy.hp"})
    'Enemy.hp#2'
    """
    count, birth = 1, name
    while birth in taken:
        count += 1
        birth = f"{name}#{count}"
    return birth


def is_released(text: str) -> bool:
    """Tell whether a lock file is the copy of a version that shipped."""
    return RELEASED in text.splitlines()


def parse(text: str) -> Lock:
    """Read a lock file; lines that say the same twice are one.

    Raises `LockError` naming the line that is no fact.
    """
    lines = _Lines({}, {}, {}, {})
    for place, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        try:
            _take(lines, line)
        except ValueError:
            raise LockError(_complaint(place, line)) from None
    return Lock(
        {birth: _class_of(found) for birth, found in lines.classes.items()},
        {birth: _field_of(found) for birth, found in lines.fields.items()},
        {name: _member_of(states) for name, states in lines.members.items()},
        {name: max(kinds) for name, kinds in lines.parts.items()},
    )


def _complaint(place: int, line: str) -> str:
    if line.startswith(("<<<<<<<", "|||||||", "=======", ">>>>>>>")):
        return (
            f"line {place} is a mark of a merge conflict; keep the lines of both sides,"
            " remove the marks and run savegen again"
        )
    return f"line {place} is not a fact that savegen knows: {line[:60]!r}"


class _Lines(NamedTuple):
    """All that is said of each thing: after a merge it may be more than one line."""

    classes: dict[str, list[LockedClass]]  # by birth
    fields: dict[str, list[LockedField]]
    members: dict[str, set[str]]
    parts: dict[str, list[str]]


def _take(lines: _Lines, line: str) -> None:
    state, rest = line.split(" ", 1)
    if state in ("member", "lost"):
        lines.members.setdefault(_name(rest, 2), set()).add(state)
    elif state == "record":
        name, kind = rest.split(": ", 1)
        lines.parts.setdefault(_name(name, 2), []).append(kind)
    elif ": " in rest:
        _take_field(lines, state, rest)
    else:
        _take_class(lines, state, rest)


def _take_class(lines: _Lines, state: str, rest: str) -> None:
    birth, number, home = rest.split(" ")
    module, qualname = home.split(":")
    home = f"{_name(module)}:{_name(qualname)}"
    state = _known(state, "class", "retired")
    found = LockedClass(_birth(birth), _number(number), home, state)
    lines.classes.setdefault(birth, []).append(found)


def _take_field(lines: _Lines, state: str, rest: str) -> None:
    fact, kind = rest.split(": ", 1)
    birth, number, *known_as = fact.split(" ")
    if known_as and (len(known_as) != 2 or known_as[0] != "as"):
        raise ValueError(rest)
    name = _name(known_as[1]) if known_as else own_name(birth)
    state = _known(state, "field", "absent", "retired")
    found = LockedField(_birth(birth, 2), _number(number), kind, name, state)
    lines.fields.setdefault(birth, []).append(found)


def _known(state: str, *states: str) -> str:
    if state not in states:
        raise ValueError(state)
    return state


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 10):
        raise ValueError(text)
    if not FIRST_NUMBER <= int(text) <= LAST_NUMBER:
        raise ValueError(text)
    return int(text)


def _birth(text: str, parts: int = 1) -> str:
    _name(re.sub(r"#[0-9]+(?=\.|$)", "", text), parts)
    return text


def _name(text: str, parts: int = 1) -> str:
    """Return a dotted name of at least so many parts."""
    names = text.split(".")
    if len(names) < parts or not all(map(str.isidentifier, names)):
        raise ValueError(text)
    return text


# What two branches say of one thing. Git keeps a line that one of them has changed in both
# forms, if the lines beside it changed too: that one branch has retired something then tells
# less than that it is still there, and the source decides. Whatever the order of the lines,
# and however many branches there were, the outcome is the same.


def _class_of(lines: list[LockedClass]) -> LockedClass:
    if len(lines) == 1:
        return lines[0]
    found = max(lines, key=lambda entry: (entry.state == "class", entry.lines()))
    disputed = found.state == "class" and _is_retired(lines, home=found.home)
    return replace(found, state="disputed") if disputed else found


def _field_of(lines: list[LockedField]) -> LockedField:
    if len(lines) == 1:
        return lines[0]
    found = max(lines, key=_liveliness)
    if found.state == "retired":
        return found
    if _is_retired(lines, name=found.name):
        return replace(found, state="disputed")
    absent = any(e.state == "absent" and e.name == found.name for e in lines)
    return replace(found, state="absent" if absent else found.state)


def _liveliness(entry: LockedField) -> tuple[bool, bool, list[str]]:
    renamed = entry.name != own_name(entry.birth)
    return entry.state != "retired", renamed, entry.lines()


def _is_retired(lines: Iterable[LockedClass | LockedField], **known_as: str) -> bool:
    """Tell whether a line says so of what is still known by the same name."""
    return any(
        entry.state == "retired"
        and all(getattr(entry, key) == name for key, name in known_as.items())
        for entry in lines
    )


def _member_of(states: set[str]) -> str:
    return states.pop() if len(states) == 1 else "disputed"


def _written(state: str, alive: str, gone: str = "retired") -> tuple[str, ...]:
    """Return the states that are written of something: until it is decided, both."""
    return (alive, gone) if state == "disputed" else (state,)


def own_name(birth: str) -> str:
    """Return what a field was called when it was born."""
    return birth.rpartition(".")[2].partition("#")[0]
