"""`savegen.lock`: the stable numbers of all that is saved, and what was known by which name.

A line is a fact. A class or a field is known for ever by its birth name, whose hash is its
number; what it is called today stands behind. So branches that add things never clash, and
the file can be merged by taking the lines of both sides.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Container
from typing import TypeVar

import msgspec

FIRST_NUMBER = 16  # the ones below are savegen's own
LAST_NUMBER = 2**31 - 1
HEADER = (
    "# savegen.lock: the stable numbers of all that is saved. Commit this file;"
    " after a merge, run savegen again."
)


class LockError(Exception):
    """A line of `savegen.lock` cannot be read."""


class LockedField(msgspec.Struct, array_like=True):
    """One field: alive, absent from the source (kept in old saves), or retired."""

    birth: str  # `Enemy.hp`, `Enemy.hp#2` after the first one was retired
    number: int
    kind: str
    name: str  # today's
    state: str = "field"  # "field", "absent" or "retired"

    def line(self) -> str:
        known_as = "" if self.name == own_name(self.birth) else f" as {self.name}"
        return f"{self.state} {self.birth} {self.number}{known_as}: {self.kind}"


class LockedClass(msgspec.Struct, array_like=True):
    """One saveable class, and where it is today."""

    birth: str  # `Enemy`, or with its module where two have one name
    number: int
    home: str  # `module:qualname`
    state: str = "class"  # "class" or "retired"

    def line(self) -> str:
        return f"{self.state} {self.birth} {self.number} {self.home}"

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
        alive = [c for c in self.classes.values() if c.state == "class"]
        counts = Counter(name for entry in alive for name in set(entry.names))
        return {
            entry.birth: next((n for n in entry.names if counts[n] == 1), entry.birth)
            for entry in alive
        }

    def text(self) -> str:
        """Return the whole file, sorted."""
        lines = [c.line() for c in self.classes.values()]
        lines += [f.line() for f in self.fields.values()]
        lines += [f"{state} {name}" for name, state in self.members.items()]
        lines += [f"record {name}: {kind}" for name, kind in self.parts.items()]
        return "\n".join([HEADER, *sorted(lines), ""])


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


def parse(text: str) -> Lock:
    """Read a lock file; lines that say the same twice are one.

    Raises `LockError` naming the line that is no fact.
    """
    lock = Lock()
    for place, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        try:
            _take(lock, line)
        except ValueError:
            raise LockError(_complaint(place, line)) from None
    return lock


def _complaint(place: int, line: str) -> str:
    if line.startswith(("<<<<<<<", "|||||||", "=======", ">>>>>>>")):
        return (
            f"line {place} is a mark of a merge conflict; keep the lines of both sides,"
            " remove the marks and run savegen again"
        )
    return f"line {place} is not a fact that savegen knows: {line[:60]!r}"


def _take(lock: Lock, line: str) -> None:
    state, rest = line.split(" ", 1)
    if state in ("member", "lost"):
        name = _name(rest, 2)
        if lock.members.get(name) != "member":  # a merge may hold both: alive wins
            lock.members[name] = state
    elif state == "record":
        name, kind = rest.split(": ", 1)
        lock.parts[_name(name, 2)] = kind
    elif ": " in rest:
        _take_field(lock, state, rest)
    else:
        _take_class(lock, state, rest)


def _take_class(lock: Lock, state: str, rest: str) -> None:
    birth, number, home = rest.split(" ")
    module, qualname = home.split(":")
    home = f"{_name(module)}:{_name(qualname)}"
    state = _known(state, "class", "retired")
    _keep(lock.classes, LockedClass(_birth(birth), _number(number), home, state))


def _take_field(lock: Lock, state: str, rest: str) -> None:
    fact, kind = rest.split(": ", 1)
    birth, number, *known_as = fact.split(" ")
    if known_as and (len(known_as) != 2 or known_as[0] != "as"):
        raise ValueError(rest)
    name = _name(known_as[1]) if known_as else own_name(birth)
    state = _known(state, "field", "absent", "retired")
    _keep(
        lock.fields, LockedField(_birth(birth, 2), _number(number), kind, name, state)
    )


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


_STATES = ("retired", "absent", "class", "field")
_E = TypeVar("_E", LockedClass, LockedField)


def _keep(entries: dict[str, _E], found: _E) -> None:
    """Take an entry in; after a merge a birth may stand twice, and the livelier counts."""
    before = entries.get(found.birth)
    if before is None or _rank(found) > _rank(before):
        entries[found.birth] = found


def _rank(entry: LockedClass | LockedField) -> tuple[int, bool, str]:
    renamed = isinstance(entry, LockedField) and entry.name != own_name(entry.birth)
    return _STATES.index(entry.state), renamed, entry.line()


def own_name(birth: str) -> str:
    """Return what a field was called when it was born."""
    return birth.rpartition(".")[2].partition("#")[0]
