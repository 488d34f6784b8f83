"""`savegen.lock`: the stable numbers of all that is saved, and what was known by which name.

A line is a fact. A class, a field, a prefab or a part is known for ever by its birth name,
whose hash is its number; what it is called today stands behind. So branches that add things
never clash, and the file can be merged by taking the lines of both sides.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from typing import ClassVar, NamedTuple, TypeVar

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


Words = dict[str, str]
_ENUM_MEMBER = ("member", "lost")
# The states of what the source had when it was looked at last.
THERE = ("alive", "base")


class LockError(Exception):
    """A line of `savegen.lock` cannot be read."""


class LockedField(msgspec.Struct, array_like=True):
    """One field: alive, absent from the source (kept in old saves), or retired."""

    # What a line begins with, by the state.
    words: ClassVar[Words] = {
        "alive": "field",
        "absent": "absent",
        "retired": "retired",
    }

    birth: str  # `Enemy.hp`, `Enemy.hp#2` after the first one was retired
    number: int
    kind: str
    name: str  # today's
    state: str = "alive"  # one of its words, or "disputed"

    def lines(self) -> list[str]:
        known_as = "" if self.name == own_name(self.birth) else f" as {self.name}"
        rest = f"{self.birth} {self.number}{known_as}: {self.kind}"
        return [f"{word} {rest}" for word in _written(self.state, self.words)]


class LockedPart(LockedField):
    """One part of a prefab, whose kind is the class of its component."""

    words: ClassVar[Words] = {
        "alive": "part",
        "absent": "absent part",
        "retired": "retired part",
    }


class LockedClass(msgspec.Struct, array_like=True):
    """One saveable class, and where it is today."""

    words: ClassVar[Words] = {"alive": "class", "retired": "retired"}

    birth: str  # `Enemy`, or with its module where two have one name
    number: int
    home: str  # `module:qualname`
    state: str = "alive"  # one of its words, or "disputed"

    def lines(self) -> list[str]:
        rest = f"{self.birth} {self.number} {self.home}"
        return [f"{word} {rest}" for word in _written(self.state, self.words)]

    @property
    def simple_name(self) -> str:
        return self.home.rpartition(":")[2].rpartition(".")[2]

    @property
    def names(self) -> tuple[str, str, str]:
        """What it can be called, the shortest first."""
        qualname = self.home.rpartition(":")[2]
        return self.simple_name, qualname, self.home.replace(":", ".")


class LockedPrefab(LockedClass):
    """One prefab, or a base of prefabs that is none itself but declares parts."""

    words: ClassVar[Words] = {
        "alive": "prefab",
        "base": "base",
        "absent": "absent prefab",
        "retired": "retired prefab",
    }


Home = TypeVar("Home", bound=LockedClass)
Member = TypeVar("Member", bound=LockedField)
Entry = TypeVar("Entry", bound=LockedClass | LockedField)


class Lock(msgspec.Struct, array_like=True):
    """Everything that the file says."""

    classes: dict[str, LockedClass] = {}  # by birth
    fields: dict[str, LockedField] = {}  # by birth
    members: dict[str, str] = {}  # enum member → state
    records: dict[str, str] = {}  # record field → kind
    prefabs: dict[str, LockedPrefab] = {}  # by birth
    parts: dict[str, LockedPart] = {}  # by birth

    def fields_by_class(self) -> dict[str, list[LockedField]]:
        """Return the fields by the birth name of their class."""
        return by_owner(self.fields)

    def names(self) -> dict[str, str]:
        """Return by its birth what each living class is called, as short as is clear.

        >>> orcs = [LockedClass("Orc", 16, "hill:Orc"), LockedClass("b.Orc", 17, "b:Orc")]
        >>> Lock({orc.birth: orc for orc in orcs}).names()
        {'Orc': 'hill.Orc', 'b.Orc': 'b.Orc'}
        """
        return _names(self.classes, self.prefabs)

    def prefab_names(self) -> dict[str, str]:
        """Return by its birth what each living prefab is called, as short as is clear."""
        return _names(self.prefabs, self.classes)

    def numbers(self) -> set[int]:
        """Return all numbers that were ever given."""
        return {entry.number for table in self._numbered() for entry in table}

    def text(self) -> str:
        """Return the whole file, sorted."""
        lines = [
            line for table in self._numbered() for e in table for line in e.lines()
        ]
        lines += [
            f"{word} {name}"
            for name, state in self.members.items()
            for word in (_ENUM_MEMBER if state == "disputed" else (state,))
        ]
        lines += [f"record {name}: {kind}" for name, kind in self.records.items()]
        return "\n".join([HEADER, *sorted(lines), ""])

    def released(self) -> str:
        """Return the copy that is kept of a version that ships."""
        return self.text().replace(HEADER, f"{HEADER}\n{RELEASED}", 1)

    def _numbered(self) -> tuple[Iterable[LockedClass | LockedField], ...]:
        tables = (self.classes, self.fields, self.prefabs, self.parts)
        return tuple(table.values() for table in tables)


def retired(entries: Iterable[LockedClass | LockedField]) -> tuple[int, ...]:
    """Return the numbers of all that will not come back, sorted."""
    return tuple(sorted(each.number for each in entries if each.state == "retired"))


def by_owner(members: Mapping[str, Member]) -> dict[str, list[Member]]:
    """Return fields, or parts, by the birth name of what they belong to."""
    found: dict[str, list[Member]] = {}
    for locked in members.values():
        found.setdefault(owner_of(locked.birth), []).append(locked)
    return found


def owner_of(birth: str) -> str:
    """Return the birth name of what a field or a part belongs to."""
    return birth.rpartition(".")[0]


def _names(
    entries: Mapping[str, LockedClass], others: Mapping[str, LockedClass]
) -> dict[str, str]:
    """Return by its birth what each living entry is called.

    One of the others at the same place is the same class of the source: no rival for a name.
    """
    alive = [entry for entry in entries.values() if entry.state != "retired"]
    homes = {entry.home for entry in alive}
    rivals = [
        e for e in others.values() if e.state != "retired" and e.home not in homes
    ]
    counts = Counter(name for entry in alive + rivals for name in set(entry.names))
    return {
        entry.birth: next((n for n in entry.names if counts[n] == 1), entry.birth)
        for entry in alive
    }


def number_of(birth: str) -> int:
    """Return the number of a birth name: 31 bits of its hash, above savegen's own.

    That of a prefab is made of `prefab Coin`, that of a part of `part Coin.coin`: a class may
    be called the same.
    """
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
    lines = _Lines({}, {}, {}, {}, {}, {})
    for place, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        try:
            _take(lines, line)
        except ValueError:
            raise LockError(_complaint(place, line)) from None
    return Lock(
        {birth: _home_of(found) for birth, found in lines.classes.items()},
        {birth: _member_of(found) for birth, found in lines.fields.items()},
        {name: _enum_member_of(states) for name, states in lines.members.items()},
        {name: max(kinds) for name, kinds in lines.records.items()},
        {birth: _home_of(found) for birth, found in lines.prefabs.items()},
        {birth: _member_of(found) for birth, found in lines.parts.items()},
    )


def _complaint(place: int, line: str) -> str:
    if line.startswith(("<<<<<<<", "|||||||", "=======", ">>>>>>>")):
        return (
            f"line {place} is a marker of a merge conflict; keep the lines of both sides,"
            " remove the markers and run savegen again"
        )
    return f"line {place} is not understood: {line[:60]!r}"


class _Lines(NamedTuple):
    """All that is said of each thing: after a merge it may be more than one line."""

    classes: dict[str, list[LockedClass]]  # by birth
    fields: dict[str, list[LockedField]]
    members: dict[str, set[str]]
    records: dict[str, list[str]]
    prefabs: dict[str, list[LockedPrefab]]
    parts: dict[str, list[LockedPart]]


# A number behind `prefab` tells that it is the name of a class.
_FACT = re.compile(r"((?:(?:absent|retired) )?(?:prefab|part)(?= [^0-9])|\S+) (.*)")


def _take(lines: _Lines, line: str) -> None:
    fact = _FACT.fullmatch(line)
    if fact is None:
        raise ValueError(line)
    word, rest = fact.groups()
    if word in _ENUM_MEMBER:
        lines.members.setdefault(_name(rest, 2), set()).add(word)
    elif word == "record":
        name, kind = rest.split(": ", 1)
        lines.records.setdefault(_name(name, 2), []).append(kind)
    elif word.endswith("part"):
        _take_member(lines.parts, LockedPart, word, rest)
    elif ": " in rest:
        _take_member(lines.fields, LockedField, word, rest)
    elif word in LockedPrefab.words.values():
        _take_home(lines.prefabs, LockedPrefab, word, rest)
    else:
        _take_home(lines.classes, LockedClass, word, rest)


def _take_home(
    lines: dict[str, list[Home]], locked: type[Home], word: str, rest: str
) -> None:
    birth, number, home = rest.split(" ")
    module, qualname = home.split(":")
    home = f"{_name(module)}:{_name(qualname)}"
    state = _state(word, locked.words)
    found = locked(_birth(birth), _number(number), home, state)
    lines.setdefault(birth, []).append(found)


def _take_member(
    lines: dict[str, list[Member]], locked: type[Member], word: str, rest: str
) -> None:
    fact, kind = rest.split(": ", 1)
    birth, number, *known_as = fact.split(" ")
    if known_as and (len(known_as) != 2 or known_as[0] != "as"):
        raise ValueError(rest)
    name = _name(known_as[1]) if known_as else own_name(birth)
    state = _state(word, locked.words)
    found = locked(_birth(birth, 2), _number(number), kind, name, state)
    lines.setdefault(birth, []).append(found)


def _state(word: str, words: Words) -> str:
    for state, each in words.items():
        if each == word:
            return state
    raise ValueError(word)


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


def _home_of(lines: list[Home]) -> Home:
    if len(lines) == 1:
        return lines[0]
    found = max(lines, key=_presence)
    if found.state == "retired":
        return found
    if _is_retired(lines, home=found.home):
        return replace(found, state="disputed")
    return _absent_if(lines, found, home=found.home)


def _presence(entry: LockedClass) -> tuple[bool, bool, list[str]]:
    # A base that one branch has made a prefab is one.
    return entry.state != "retired", entry.state != "base", entry.lines()


def _member_of(lines: list[Member]) -> Member:
    if len(lines) == 1:
        return lines[0]
    found = max(lines, key=_liveliness)
    if found.state == "retired":
        return found
    if _is_retired(lines, name=found.name):
        return replace(found, state="disputed")
    return _absent_if(lines, found, name=found.name)


def _liveliness(entry: LockedField) -> tuple[bool, bool, list[str]]:
    renamed = entry.name != own_name(entry.birth)
    return entry.state != "retired", renamed, entry.lines()


def _is_retired(lines: Iterable[LockedClass | LockedField], **known_as: str) -> bool:
    """Tell whether a line says so of what is still known by the same name."""
    return _says("retired", lines, known_as)


def _absent_if(lines: list[Entry], found: Entry, **known_as: str) -> Entry:
    """Return what was found, as absent if a line says so under the same name."""
    absent = _says("absent", lines, known_as)
    return replace(found, state="absent") if absent else found


def _says(
    state: str, lines: Iterable[LockedClass | LockedField], known_as: dict[str, str]
) -> bool:
    return any(
        entry.state == state
        and all(getattr(entry, key) == name for key, name in known_as.items())
        for entry in lines
    )


def _enum_member_of(states: set[str]) -> str:
    return states.pop() if len(states) == 1 else "disputed"


def _written(state: str, words: Words) -> tuple[str, ...]:
    """Return the words for a state: until a disputed one is decided, both."""
    states = ("alive", "retired") if state == "disputed" else (state,)
    return tuple(words[each] for each in states)


def own_name(birth: str) -> str:
    """Return what a field was called when it was born."""
    return birth.rpartition(".")[2].partition("#")[0]
