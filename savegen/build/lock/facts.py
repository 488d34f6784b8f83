"""`savegen.lock`: the stable numbers of all that is saved, and what was known by which name.

One line is one fact. A class, prefab or record is known for ever by its birth name, and so is
each field, part or entry of one; the lock keeps what it is called today. Numbers are hashes of
birth names, so branches that add things never clash, and git merges the file by taking the
lines of both sides.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

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
VERSION = "# Its save_version is"

ALIVE = "alive"  # the source has it
FORMER = "former"  # old saves hold a field of today under this number
ABSENT = "absent"  # gone from the source, kept in old saves
RETIRED = "retired"  # gone for good
DISPUTED = (
    "disputed"  # retired on one branch and alive on another, until the next build
)


class LockError(Exception):
    """A line of `savegen.lock` cannot be read."""


class LockedClass(msgspec.Struct, array_like=True):
    """A class, prefab or record, and where it is today."""

    birth: str  # `game.foes.Enemy`, `game.foes.Enemy#2` after the first one was retired
    number: int
    home: str  # `module:qualname`
    state: str = ALIVE
    others: tuple[str, ...] = ()  # where it is by other lines, since a merge

    def lines(self, word: str) -> list[str]:
        rest = f"{word} {self.birth} {self.number} {self.home}"
        return _with_states(self.state, rest)

    @property
    def known_as(self) -> str:
        return self.home

    @property
    def simple_name(self) -> str:
        return simple(self.home)

    @property
    def names(self) -> tuple[str, str, str]:
        """What it can be called, the shortest first."""
        qualname = self.home.rpartition(":")[2]
        return self.simple_name, qualname, dotted(self.home)


class LockedField(msgspec.Struct, array_like=True):
    """A field of a class, a part of a prefab or an entry of a record; inherited ones too."""

    birth: str  # that of its class, and its own: `game.foes.Enemy.hp`
    number: int
    kind: str  # of a part the class of its component
    name: str  # today's
    state: str = ALIVE

    def lines(self, word: str) -> list[str]:
        known_as = "" if self.name == own_name(self.birth) else f" as {self.name}"
        rest = f"{word} {self.birth} {self.number}{known_as}: {self.kind}"
        return _with_states(self.state, rest)

    @property
    def known_as(self) -> str:
        return self.name

    @property
    def own_birth(self) -> str:
        """Return its birth name without that of its class: `hp`, `hp#2`."""
        return self.birth.rpartition(".")[2]


Entry = TypeVar("Entry", LockedClass, LockedField)


class Lock(msgspec.Struct, array_like=True):
    """Everything that the file says: tables by birth name, enum members, and bases."""

    classes: dict[str, LockedClass] = {}
    fields: dict[str, LockedField] = {}
    prefabs: dict[str, LockedClass] = {}
    parts: dict[str, LockedField] = {}
    records: dict[str, LockedClass] = {}
    entries: dict[str, LockedField] = {}
    members: dict[str, str] = {}  # enum member → "member", "lost" or "disputed"
    bases: dict[str, tuple[str, ...]] = {}  # the homes of a class's bases, by its birth

    def homes(self, sort: Sort) -> dict[str, LockedClass]:
        """Return the classes, the prefabs or the records."""
        found: dict[str, LockedClass] = getattr(self, sort.homes)
        return found

    def fields_of(self, sort: Sort) -> dict[str, LockedField]:
        """Return the fields, the parts or the entries."""
        found: dict[str, LockedField] = getattr(self, sort.fields)
        return found

    def having(
        self,
        sort: Sort,
        homes: Mapping[str, LockedClass],
        fields: Mapping[str, LockedField],
    ) -> Lock:
        """Return the lock with other entries of one sort."""
        return replace(self, **{sort.homes: dict(homes), sort.fields: dict(fields)})

    def names(self, sort: Sort) -> dict[str, str]:
        """Return by its birth what each entry that is not retired is called, as short as is clear.

        >>> orcs = [LockedClass("hill.Orc", 16, "hill:Orc"), LockedClass("b.Orc", 17, "b:Orc")]
        >>> Lock({orc.birth: orc for orc in orcs}).names(CLASSES)
        {'hill.Orc': 'hill.Orc', 'b.Orc': 'b.Orc'}
        """
        kept = [each for each in self.homes(sort).values() if each.state != RETIRED]
        here = {entry.home for entry in kept}
        # A class that is also a prefab is one thing of the source: no rival for its name.
        rivals = [
            entry
            for other in SORTS
            for entry in self.homes(other).values()
            if entry.state != RETIRED and entry.home not in here
        ]
        calls = {(name, e.home) for e in kept + rivals for name in e.names}
        counts = Counter(name for name, _ in calls)
        return {
            entry.birth: next((n for n in entry.names if counts[n] == 1), entry.birth)
            for entry in kept
        }

    def numbers(self) -> set[int]:
        """Return all numbers that were ever given."""
        return {entry.number for _, table in self._tables() for entry in table}

    def text(self) -> str:
        """Return the whole file, sorted."""
        lines = [
            line
            for word, table in self._tables()
            for e in table
            for line in e.lines(word)
        ]
        lines += [
            f"{word} {name}"
            for name, state in self.members.items()
            for word in (_ENUM_MEMBER if state == DISPUTED else (state,))
        ]
        lines += [
            f"{_BASE} {birth} {home}"
            for birth, homes in self.bases.items()
            for home in homes
        ]
        return "\n".join([HEADER, *sorted(lines), ""])

    def released(self, save_version: int) -> str:
        """Return the copy that is kept of a version that ships."""
        head = f"{HEADER}\n{RELEASED}"
        if save_version:
            head += f"\n{VERSION} {save_version}"
        return self.text().replace(HEADER, head, 1)

    def _tables(
        self,
    ) -> Iterable[tuple[str, Iterable[LockedClass] | Iterable[LockedField]]]:
        for sort in SORTS:
            yield sort.what, self.homes(sort).values()
            yield sort.field, self.fields_of(sort).values()


class Sort(NamedTuple):
    """The words for one sort of things, and the tables of a lock that hold them."""

    what: str
    field: str
    homes: str
    fields: str
    mark: str  # what keeps the number of one that is renamed, with braces for the old name
    field_mark: str

    def number(self, birth: str) -> int:
        """Return the number of a birth name. A class and a prefab may have the same name."""
        return number_of(birth if self.what == "class" else f"{self.what} {birth}")


CLASSES = Sort(
    "class",
    "field",
    "classes",
    "fields",
    "@saveable(was={})",
    "Annotated[…, Save(was={})]",
)
PREFABS = Sort(
    "prefab", "part", "prefabs", "parts", "@prefab(was={})", "part(…).was({})"
)
RECORDS = Sort("record", "entry", "records", "entries", "", CLASSES.field_mark)
SORTS = (CLASSES, PREFABS, RECORDS)


def simple(home: str) -> str:
    """Return the last name of a home.

    >>> simple("game.foes:Camp.Orc")
    'Orc'
    """
    return home.rpartition(":")[2].rpartition(".")[2]


def dotted(home: str) -> str:
    return home.replace(":", ".")


def retired(entries: Iterable[LockedClass | LockedField]) -> tuple[int, ...]:
    """Return the numbers of all that will not come back, sorted."""
    return tuple(sorted(each.number for each in entries if each.state == RETIRED))


def by_owner(fields: Mapping[str, LockedField]) -> dict[str, list[LockedField]]:
    """Return fields, parts or entries by the birth name of what they belong to."""
    found: dict[str, list[LockedField]] = {}
    for locked in fields.values():
        found.setdefault(owner_of(locked.birth), []).append(locked)
    return found


def owner_of(birth: str) -> str:
    """Return the birth name of what a field, a part or an entry belongs to."""
    return birth.rpartition(".")[0]


def own_name(birth: str) -> str:
    """Return what something was called when it was born."""
    return birth.rpartition(".")[2].partition("#")[0]


def first_birth(birth: str) -> str:
    """Return a birth name without the count that a later one has.

    >>> first_birth("Orc#2.hp#3")
    'Orc#2.hp'
    """
    return re.sub(r"#[0-9]+$", "", birth)


def number_of(birth: str) -> int:
    """Return the number of a birth name: 31 bits of its hash, above savegen's own."""
    digest = hashlib.blake2b(birth.encode(), digest_size=8).digest()
    hashed = int.from_bytes(digest) >> 33
    return hashed if hashed >= FIRST_NUMBER else hashed + FIRST_NUMBER


def births(name: str) -> Iterable[str]:
    """Yield the birth names that something may get: `hp`, `hp#2`, `hp#3` and so on."""
    count = 1
    while True:
        yield name if count == 1 else f"{name}#{count}"
        count += 1


def free_birth(
    name: str,
    taken: Container[str],
    numbers: Container[int],
    number: Callable[[str], int],
) -> str:
    """Return the first birth name that nothing was born with, nor any number given to.

    >>> free_birth("Enemy", {"Enemy"}, {}, number_of)
    'Enemy#2'
    """
    found = (b for b in births(name) if b not in taken and number(b) not in numbers)
    return next(iter(found))


def released_version(text: str) -> int | None:
    """Return the `save_version` of a version that shipped; `None` if that is not known.

    >>> released_version(Lock().released(3)), released_version(Lock().released(0))
    (3, 0)
    """
    lines = text.splitlines()
    found = (line.removeprefix(VERSION) for line in lines if line.startswith(VERSION))
    digits = next(found, "0").strip()
    return int(digits) if RELEASED in lines and digits.isdecimal() else None


def is_released(text: str) -> bool:
    """Return whether a lock file is the copy of a version that shipped."""
    return RELEASED in text.splitlines()


# -- reading

_ENUM_MEMBER = ("member", "lost")
_BASE = "base"
_STATES = (FORMER, ABSENT, RETIRED)  # which a line names
_FACT = re.compile(
    rf"(?:({'|'.join(_STATES)}) )?({'|'.join(w for s in SORTS for w in (s.what, s.field))})"
    r" (\S+) ([0-9]{1,10})(?: ([^: ]+:[^: ]+)|(?: as (\S+))?: (.+))"
)


def _with_states(state: str, rest: str) -> list[str]:
    """Return the lines of an entry: until a disputed one is decided, both."""
    if state == DISPUTED:
        return [rest, f"{RETIRED} {rest}"]
    return [rest if state == ALIVE else f"{state} {rest}"]


def parse(text: str) -> Lock:
    """Read a lock file; lines that say the same twice are one.

    Raises `LockError` naming the line that is no fact.
    """
    homes: dict[str, dict[str, list[LockedClass]]] = {s.what: {} for s in SORTS}
    fields: dict[str, dict[str, list[LockedField]]] = {s.field: {} for s in SORTS}
    members: dict[str, set[str]] = {}
    bases: dict[str, set[str]] = {}
    for place, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        try:
            word, found = _read(line)
        except ValueError:
            raise LockError(_complaint(place, line)) from None
        if isinstance(found, LockedClass):
            homes[word].setdefault(found.birth, []).append(found)
        elif isinstance(found, LockedField):
            fields[word].setdefault(found.birth, []).append(found)
        elif word == _BASE:
            birth, home = found.split(" ")
            bases.setdefault(birth, set()).add(home)
        else:
            members.setdefault(found, set()).add(word)
    lock = Lock(
        members={
            name: states.pop() if len(states) == 1 else DISPUTED
            for name, states in members.items()
        },
        bases={birth: (*sorted(homes),) for birth, homes in bases.items()},
    )
    for sort in SORTS:
        lock = lock.having(sort, _merged(homes[sort.what]), _merged(fields[sort.field]))
    return lock


def _complaint(place: int, line: str) -> str:
    if line.startswith(("<<<<<<<", "|||||||", "=======", ">>>>>>>")):
        return (
            f"line {place} is a marker of a merge conflict; keep the lines of both sides,"
            " remove the markers and run savegen again"
        )
    return f"line {place} is not understood: {line[:60]!r}"


def _read(line: str) -> tuple[str, LockedClass | LockedField | str]:
    word, _, rest = line.partition(" ")
    if word in _ENUM_MEMBER:
        return word, _name(rest, 2)
    if word == _BASE:
        birth, home = rest.split(" ")
        return word, f"{_birth(birth)} {_home(home)}"
    fact = _FACT.fullmatch(line)
    if fact is None:
        raise ValueError(line)
    said, word, birth, digits, home, known_as, kind = fact.groups()
    number, state = int(digits), said or ALIVE
    if not FIRST_NUMBER <= number <= LAST_NUMBER:
        raise ValueError(line)
    if any(word == sort.what for sort in SORTS):
        if state == FORMER:
            raise ValueError(line)
        return word, LockedClass(_birth(birth), number, _home(home or ""), state)
    if kind is None:
        raise ValueError(line)
    name = _name(known_as) if known_as else own_name(birth)
    return word, LockedField(_birth(birth, 2), number, kind, name, state)


def _home(text: str) -> str:
    module, _, qualname = text.partition(":")
    return f"{_name(module)}:{_name(qualname)}"


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


def _merged(lines: dict[str, list[Entry]]) -> dict[str, Entry]:
    return {
        birth: found[0] if len(found) == 1 else _one_of(found)
        for birth, found in lines.items()
    }


def _one_of(lines: list[Entry]) -> Entry:
    found = max(lines, key=_liveliness)
    if found.state == RETIRED:
        return found
    states = {each.state for each in lines if each.known_as == found.known_as}
    if isinstance(found, LockedClass):
        homes = {e.known_as for e in lines if e.state != RETIRED} - {found.home}
        found = replace(found, others=tuple(sorted(homes)))
    for state, outcome in ((RETIRED, DISPUTED), (FORMER, FORMER), (ABSENT, ABSENT)):
        if state in states:
            return replace(found, state=outcome)
    return found


def _liveliness(
    entry: LockedClass | LockedField,
) -> tuple[bool, bool, bool, list[str]]:
    is_renamed = entry.known_as != own_name(entry.birth)
    is_there = entry.state == ALIVE
    return entry.state != RETIRED, is_renamed, is_there, entry.lines("")


# -- choosing between entries

Key = TypeVar("Key", str, int)


def by_key(keyed: Iterable[tuple[Key, Entry]]) -> dict[Key, list[Entry]]:
    """Return all entries of each key."""
    found: dict[Key, list[Entry]] = {}
    for key, entry in keyed:
        found.setdefault(key, []).append(entry)
    return found


def candidates(rivals: list[Entry], known_as: str, was: Iterable[str]) -> list[Entry]:
    """Return what a name can mean; more than one only where the source has to say.

    All rivals are `known_as` the same. A former name decides; then, that something is not
    gone; and of two births under one name the later, which is there because the first was
    given up. That it was called what all of them were tells least.
    """
    if len(rivals) < 2:
        return rivals
    rivals = _told(rivals, sorted(was, key=lambda name: name == known_as))
    alive = [entry for entry in rivals if entry.state == ALIVE]
    latest = {
        first_birth(entry.birth): entry for entry in sorted(alive or rivals, key=_order)
    }
    return list(latest.values())


def only(found: Sequence[Entry]) -> Entry:
    """Return the same one whatever the order of the lines, if need be."""
    return found[0] if len(found) == 1 else max(found, key=_order)


def _told(rivals: list[Entry], was: Iterable[str]) -> list[Entry]:
    for name in was:
        born = [entry for entry in rivals if first_birth(entry.birth) == name]
        if born := born or [e for e in rivals if own_name(e.birth) == name]:
            return born
    return rivals


def _order(entry: Entry) -> tuple[str, int]:
    first = first_birth(entry.birth)
    return first, int(entry.birth[len(first) + 1 :] or 1)


# The locks of releases and of git; `None` if git cannot be asked.
Committed = Callable[[], Sequence[Lock] | None]


class Provisional:
    """Finds entries that only the working copy contains: they may vanish without a question.

    Git is asked only when something vanished.
    """

    def __init__(self, committed: Committed = lambda: None) -> None:
        self._committed = committed
        self._births: set[str] | None = None
        self._is_asked = False

    def has(self, entry: LockedClass | LockedField) -> bool:
        if not self._is_asked:
            self._is_asked = True
            locks = self._committed()
            if locks is not None:
                self._births = {birth for lock in locks for birth in _births(lock)}
        return self._births is not None and _key(entry) not in self._births


def _births(lock: Lock) -> set[str]:
    tables = (t for s in SORTS for t in (lock.homes(s), lock.fields_of(s)))
    return {_key(entry) for table in tables for entry in table.values()}


def _key(entry: LockedClass | LockedField) -> str:
    return f"{entry.number} {entry.birth}"
