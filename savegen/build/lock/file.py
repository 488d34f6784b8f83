"""Read and write `savegen.lock`: stable numbers, and the names that they belong to.

A line is an entry of an owner (a class, prefab or record), or of a field, part or record field
that belongs to one. Other lines list enum members, and the bases of classes. An entry is
identified by its birth name, which never changes; the lock also stores its current name.
Numbers are hashes of birth names, so two branches can add entries without conflict, and git
merges the file by taking the lines of both sides.

Each line has a checksum, so a damaged line is found, wherever a merge has put it.
Locks of older versions have no checksums; a merge with such a branch leaves lines of both forms.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from savegen.findings import SavegenError

LOCK_FILE = "savegen.lock"
FIRST_NUMBER = 16  # the ones below are savegen's own
LAST_NUMBER = 2**31 - 1
_TITLE = "# savegen.lock"
HEADER = (
    "# savegen.lock: the stable numbers of all that is saved, each line with its"
    " checksum. Commit this file; after a merge, run savegen again."
)
OLD_HEADER = (  # of versions that wrote no checksums, and no end
    "# savegen.lock: the stable numbers of all that is saved. Commit this file;"
    " after a merge, run savegen again."
)
END = "# The end: if this line is missing, the file was cut off."
RELEASED = (
    "A version that shipped: its saves hold these numbers. Do not edit this copy."
)
VERSION = "Its save_version is"

ALIVE = "alive"  # present in the source
FORMER = "former"  # an older number of a field that exists under another number
ABSENT = "absent"  # removed from the source, but old saves may contain it
RETIRED = "retired"  # removed for good
RETIRED_MEMBER = "lost"  # removed for good
DISPUTED = (
    "disputed"  # retired on one branch and alive on another, until the next build
)


class LockError(SavegenError):
    """Raised if `savegen.lock` cannot be read, or if a name cannot be retired."""


class LockedClass(msgspec.Struct, array_like=True):
    """The entry of a class, prefab or record."""

    birth: str  # `game.foes.Enemy`, `game.foes.Enemy#2` after the first one was retired
    number: int
    location: str  # where the source defines it today: `module:qualname`
    state: str = ALIVE
    other_locations: tuple[
        str, ...
    ] = ()  # in the lines of other branches, after a merge

    def lines(self, keyword: str) -> list[str]:
        return _lines(
            self.state, f"{keyword} {self.birth} {self.number} {self.location}"
        )

    @property
    def current_name(self) -> str:
        return self.location

    @property
    def simple_name(self) -> str:
        return simple_name(self.location)

    @property
    def names(self) -> tuple[str, str, str]:
        """The possible names in commands and messages, the shortest first."""
        qualname = self.location.rpartition(":")[2]
        return self.simple_name, qualname, dotted(self.location)


class LockedField(msgspec.Struct, array_like=True):
    """The entry of a field, a part or a record field, whether declared or inherited."""

    birth: str  # with the birth name of its owner: `game.foes.Enemy.hp`
    number: int
    kind: str  # for a part: the class of its component
    name: str  # in the source, private names mangled
    state: str = ALIVE

    def lines(self, keyword: str) -> list[str]:
        is_renamed = not self.birth.endswith(f".{self.name}")
        is_renamed = is_renamed and self.name != own_name(self.birth)
        current_name = f" as {self.name}" if is_renamed else ""
        entry = f"{keyword} {self.birth} {self.number}{current_name}: {self.kind}"
        return _lines(self.state, entry)

    @property
    def current_name(self) -> str:
        return self.name

    @property
    def own_birth(self) -> str:
        """The birth name without that of the owner: `hp` or `hp#2`."""
        return self.birth.rpartition(".")[2]


Entry = TypeVar("Entry", LockedClass, LockedField)


class Lock(msgspec.Struct, array_like=True):
    """The content of `savegen.lock`: entries by birth name, enum members, and base classes."""

    classes: dict[str, LockedClass] = {}
    fields: dict[str, LockedField] = {}
    prefabs: dict[str, LockedClass] = {}
    parts: dict[str, LockedField] = {}
    records: dict[str, LockedClass] = {}
    record_fields: dict[str, LockedField] = {}
    # Enum member → `ALIVE`, `RETIRED_MEMBER` or `DISPUTED`
    members: dict[str, str] = {}
    bases: dict[str, tuple[str, ...]] = (
        {}
    )  # the locations of a class's bases, by its birth
    # The births of the classes of which a load can make no object, such as abstract ones
    without_objects: set[str] = set()

    def owners(self, category: Category) -> dict[str, LockedClass]:
        """Return the classes, the prefabs or the records by birth name."""
        entries: dict[str, LockedClass] = getattr(self, category.owners)
        return entries

    def fields_of(self, category: Category) -> dict[str, LockedField]:
        """Return the fields, the parts or the record fields by birth name."""
        entries: dict[str, LockedField] = getattr(self, category.fields)
        return entries

    def with_entries(
        self,
        category: Category,
        owners: Mapping[str, LockedClass],
        fields: Mapping[str, LockedField],
    ) -> Lock:
        """Return a copy of the lock with the entries of one category replaced."""
        return replace(
            self, **{category.owners: dict(owners), category.fields: dict(fields)}
        )

    def names(self, category: Category) -> dict[str, str]:
        """Return the shortest unambiguous name of each unretired entry, by birth name.

        >>> orcs = [LockedClass("hill.Orc", 16, "hill:Orc"), LockedClass("b.Orc", 17, "b:Orc")]
        >>> Lock({orc.birth: orc for orc in orcs}).names(CLASSES)
        {'hill.Orc': 'hill.Orc', 'b.Orc': 'b.Orc'}
        """
        entries = [e for e in self.owners(category).values() if e.state != RETIRED]
        locations = {entry.location for entry in entries}
        # A class that is also a prefab has two entries, which may share a name.
        others = [
            entry
            for other in CATEGORIES
            for entry in self.owners(other).values()
            if entry.state != RETIRED and entry.location not in locations
        ]
        uses = {(name, e.location) for e in entries + others for name in e.names}
        counts = Counter(name for name, _ in uses)
        return {
            entry.birth: next((n for n in entry.names if counts[n] == 1), entry.birth)
            for entry in entries
        }

    def numbers(self) -> set[int]:
        """Return all numbers in the lock, including those of retired entries."""
        return {entry.number for _, table in self._tables() for entry in table}

    def text(self) -> str:
        """Return the text of the file: sorted lines, each with its checksum."""
        lines = map(_with_checksum, self.lines())
        return "\n".join([HEADER, *lines, END, ""])

    def lines(self) -> list[str]:
        """Return the sorted lines, without their checksums."""
        lines = [
            line
            for keyword, table in self._tables()
            for e in table
            for line in e.lines(keyword)
        ]
        lines += [
            f"{keyword} {name}"
            for name, state in self.members.items()
            for keyword, keyword_state in _MEMBER_STATES.items()
            if state in (keyword_state, DISPUTED)
        ]
        lines += [
            f"{_BASE} {birth} {location}"
            for birth, locations in self.bases.items()
            for location in locations
        ]
        lines += [f"{_WITHOUT_OBJECTS} {birth}" for birth in self.without_objects]
        return sorted(lines)

    def released(self, save_version: int) -> str:
        """Return the text of the copy for a released version of the game."""
        facts = [f"# {RELEASED}", f"# {VERSION} {save_version}"][
            : 2 if save_version else 1
        ]
        header = "\n".join([HEADER, *map(_with_checksum, facts)])
        return self.text().replace(HEADER, header, 1)

    def _tables(
        self,
    ) -> Iterable[tuple[str, Iterable[LockedClass] | Iterable[LockedField]]]:
        for category in CATEGORIES:
            yield category.noun, self.owners(category).values()
            yield category.field_keyword, self.fields_of(category).values()


class Category(NamedTuple):
    """Classes, prefabs or records: their words in messages, and their tables in `Lock`."""

    noun: str  # also the first word of its lines in the file
    field_noun: str
    field_keyword: str  # the first word of the lines of its fields
    owners: str  # the attribute of `Lock` with the classes, prefabs or records
    fields: str  # the attribute of `Lock` with their fields, parts or record fields
    mark: str  # the code that keeps the number after a rename; `{}` is the old name
    field_mark: str

    def number(self, birth: str) -> int:
        """Return the number for a birth name; a class and a prefab of one name differ."""
        return number_of(birth if self.noun == "class" else f"{self.noun} {birth}")


CLASSES = Category(
    "class",
    "field",
    "field",
    "classes",
    "fields",
    "@saveable(was={})",
    "Annotated[…, Save(was={})]",
)
PREFABS = Category(
    "prefab", "part", "part", "prefabs", "parts", "@prefab(was={})", "part(…).was({})"
)
RECORDS = Category(
    "record",
    "record field",
    "entry",
    "records",
    "record_fields",
    "",
    CLASSES.field_mark,
)
CATEGORIES = (CLASSES, PREFABS, RECORDS)


def simple_name(location: str) -> str:
    """Return the class name without its module and outer classes.

    >>> simple_name("game.foes:Camp.Orc")
    'Orc'
    """
    return location.rpartition(":")[2].rpartition(".")[2]


def dotted(location: str) -> str:
    return location.replace(":", ".")


def retired(entries: Iterable[LockedClass | LockedField]) -> tuple[int, ...]:
    """Return the sorted numbers of the retired entries."""
    return tuple(sorted(each.number for each in entries if each.state == RETIRED))


def by_owner(fields: Mapping[str, LockedField]) -> dict[str, list[LockedField]]:
    """Return fields, parts or record fields, grouped by the birth name of their owner."""
    groups: dict[str, list[LockedField]] = {}
    for locked in fields.values():
        groups.setdefault(owner_of(locked.birth), []).append(locked)
    return groups


def owner_of(birth: str) -> str:
    """Return the birth name of the class, prefab or record that a field belongs to."""
    return birth.rpartition(".")[0]


def own_name(birth: str) -> str:
    """Return the last name in a birth name, without a count such as `#2`."""
    return birth.rpartition(".")[2].partition("#")[0]


def without_count(birth: str) -> str:
    """Return a birth name without the count at its end.

    >>> without_count("Orc#2.hp#3")
    'Orc#2.hp'
    """
    return re.sub(r"#[0-9]+$", "", birth)


def number_of(birth: str) -> int:
    """Return the number for a birth name: 31 bits of its hash, at least `FIRST_NUMBER`."""
    digest = hashlib.blake2b(birth.encode(), digest_size=8).digest()
    hashed = int.from_bytes(digest) >> 33
    return hashed if hashed >= FIRST_NUMBER else hashed + FIRST_NUMBER


def birth_names(name: str) -> Iterator[str]:
    """Yield the possible birth names for a name: `hp`, `hp#2`, `hp#3` and so on."""
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
    """Return the first birth name that is not taken and whose number is free.

    >>> free_birth("Enemy", {"Enemy"}, {}, number_of)
    'Enemy#2'
    """
    free = (b for b in birth_names(name) if b not in taken and number(b) not in numbers)
    return next(free)


def released_version(text: str) -> int | None:
    """Return the `save_version` in the lock of a release; `None` if it has none.

    >>> released_version(Lock().released(3)), released_version(Lock().released(0))
    (3, 0)
    """
    if not is_released(text):
        return None
    _, _, rest = text.partition(VERSION)
    digits = rest.partition("\n")[0].strip() if rest else "0"
    return int(digits) if digits.isdecimal() else None


def is_released(text: str) -> bool:
    """Return whether a lock file belongs to a released version of the game."""
    # Both ends of the line, so that a copy with a damaged one is read, and the damage found.
    return RELEASED[:20] in text or RELEASED[-20:] in text


# -- reading

# By the first word of a line
_MEMBER_STATES = {"member": ALIVE, "lost": RETIRED_MEMBER}
_BASE = "base"
_WITHOUT_OBJECTS = "base-only"
_STATES = (FORMER, ABSENT, RETIRED)  # the states that a line can begin with
_OWNERS = [category.noun for category in CATEGORIES]
_FIELDS = [category.field_keyword for category in CATEGORIES]
# The first words of a line, `~` and its checksum, and the rest. Wherever the line is cut, what is
# left of it is no line without a checksum.
_CHECKSUM = re.compile(r"((?:[a-z-]+|#)(?: [a-z]+)?) ~([0-9a-f]{4}) (.*)")
_COUNT = re.compile(r"#[0-9]+(?=\.|$)")
_ENTRY = re.compile(
    rf"(?:({'|'.join(_STATES)}) )?({'|'.join(_OWNERS + _FIELDS)})"
    r" (\S+) ([0-9]{1,10})(?: ([^: ]+:[^: ]+)|(?: as (\S+))?: (.+))"
)


def _lines(state: str, entry: str) -> list[str]:
    """Return an entry's lines in the file; a disputed entry has one as alive and one as retired."""
    if state == DISPUTED:
        return [entry, f"{RETIRED} {entry}"]
    return [entry if state == ALIVE else f"{state} {entry}"]


def _with_checksum(line: str) -> str:
    first, rest = line.split(" ", 1)
    if first in _STATES:
        second, rest = rest.split(" ", 1)
        first += f" {second}"
    return f"{first} ~{_checksum(line)} {rest}"


def _without_checksum(line: str) -> str:
    """Return what a line says. Raises `ValueError` if the line is damaged."""
    match = _CHECKSUM.fullmatch(line)
    if match is None:
        return line
    fact = f"{match[1]} {match[3]}"
    if match[2] != _checksum(fact):
        raise ValueError(line)
    return fact


def _checksum(line: str) -> str:
    return hashlib.blake2b(line.encode(), digest_size=2).hexdigest()


def read(data: bytes, name: str = LOCK_FILE) -> Lock:
    """Return the content of a lock file. Raises `LockError`, which names the file `name`."""
    try:
        return parse(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise LockError(f"{name}: line {line} is not UTF-8") from None
    except LockError as error:
        raise LockError(f"{name}: {error}") from None


def read_older(data: bytes, name: str) -> Lock:
    """Return the lock of another version of the game, as `read` does.

    Locks without checksums do not list the classes without objects: any could be one.
    """
    lock = read(data, name)
    if END.encode() in data:
        return lock
    return replace(lock, without_objects={*lock.classes})


def parse(text: str) -> Lock:
    """Read a lock file, and combine the lines that a merge left for one entry.

    Raises `LockError` with the first line that is not an entry, or is damaged.
    """
    # By the first word of the line and the birth name, the entries of all lines.
    owners: dict[str, dict[str, list[LockedClass]]] = {n: {} for n in _OWNERS}
    fields: dict[str, dict[str, list[LockedField]]] = {n: {} for n in _FIELDS}
    members: dict[str, set[str]] = {}
    bases: dict[str, set[str]] = {}
    without_objects: set[str] = set()
    lines = [line.strip() for line in text.split("\n")]
    has_entry = False
    for number, line in enumerate(lines, 1):
        try:
            fact = _without_checksum(line)
            if not fact or _is_comment(fact):
                continue
            keyword, entry = _read_line(fact)
            has_entry = True
        except ValueError:
            raise LockError(_line_error(number, line)) from None
        if isinstance(entry, LockedClass):
            owners[keyword].setdefault(entry.birth, []).append(entry)
        elif isinstance(entry, LockedField):
            fields[keyword].setdefault(entry.birth, []).append(entry)
        elif keyword == _WITHOUT_OBJECTS:
            without_objects.add(entry)
        elif keyword == _BASE:
            birth, location = entry.split(" ")
            bases.setdefault(birth, set()).add(location)
        else:
            members.setdefault(entry, set()).add(_MEMBER_STATES[keyword])
    is_old = has_entry or OLD_HEADER in lines or not any(lines)
    is_old = is_old and not any(map(_CHECKSUM.fullmatch, lines))
    if END not in lines and not is_old:
        raise LockError(
            f"line {len(lines)} is the last one: the rest of the file was cut off;"
            " restore it from git"
        )
    lock = Lock(
        members={
            name: states.pop() if len(states) == 1 else DISPUTED
            for name, states in members.items()
        },
        bases={birth: (*sorted(locations),) for birth, locations in bases.items()},
        without_objects=without_objects,
    )
    for category in CATEGORIES:
        lock = lock.with_entries(
            category,
            _merged_entries(owners[category.noun]),
            _merged_entries(fields[category.field_keyword]),
        )
    return lock


def _is_comment(line: str) -> bool:
    """Return whether a line is a comment. Raises `ValueError` for a damaged one of savegen."""
    is_comment = line == "#" or line.startswith("# ")
    if line.startswith(_TITLE) and line not in (_TITLE, HEADER, OLD_HEADER):
        raise ValueError(line)
    if is_comment and " ~" in line:
        raise ValueError(line)
    return is_comment


def _line_error(number: int, line: str) -> str:
    if line.startswith(("<<<<<<<", "|||||||", "=======", ">>>>>>>")):
        return (
            f"line {number} is a marker of a merge conflict; keep the lines of both sides,"
            " remove the markers and run savegen again"
        )
    fault = "is not a valid entry"
    if _CHECKSUM.fullmatch(line):
        fault = "does not match its checksum: it was edited or damaged"
    return f"line {number} {fault}: {line[:60]!r}; restore it from git"


def _read_line(line: str) -> tuple[str, LockedClass | LockedField | str]:
    match = _ENTRY.fullmatch(line)
    if match is None:
        return _read_other_line(line)
    stated, keyword, birth, digits, location, current_name, kind = match.groups()
    number, state = int(digits), stated or ALIVE
    if not FIRST_NUMBER <= number <= LAST_NUMBER:
        raise ValueError(line)
    if keyword in _OWNERS:
        if state == FORMER:
            raise ValueError(line)
        return keyword, LockedClass(
            _checked_birth(birth), number, _checked_location(location or ""), state
        )
    if kind is None:
        raise ValueError(line)
    name = _checked_name(current_name) if current_name else own_name(birth)
    return keyword, LockedField(_checked_birth(birth, 2), number, kind, name, state)


def _read_other_line(line: str) -> tuple[str, str]:
    keyword, _, rest = line.partition(" ")
    if keyword in _MEMBER_STATES:
        return keyword, _checked_name(rest, 2)
    if keyword == _WITHOUT_OBJECTS:
        return keyword, _checked_birth(rest)
    if keyword == _BASE:
        birth, location = rest.split(" ")
        return keyword, f"{_checked_birth(birth)} {_checked_location(location)}"
    raise ValueError(line)


def _checked_location(text: str) -> str:
    module, _, qualname = text.partition(":")
    return f"{_checked_name(module)}:{_checked_name(qualname)}"


def _checked_birth(text: str, parts: int = 1) -> str:
    _checked_name(_COUNT.sub("", text) if "#" in text else text, parts)
    return text


def _checked_name(text: str, parts: int = 1) -> str:
    """Return `text` if it is a dotted name with at least `parts` parts; else raise `ValueError`."""
    names = text.split(".")
    if len(names) < parts or not all(map(str.isidentifier, names)):
        raise ValueError(text)
    return text


# After a merge, an entry can have several lines, one from each branch. If one line is retired
# and another is not, the entry is disputed, and the next build decides by the source. The
# result depends neither on the order of the lines nor on the number of branches.


def _merged_entries(lines: dict[str, list[Entry]]) -> dict[str, Entry]:
    return {
        birth: entries[0] if len(entries) == 1 else _merged_entry(entries)
        for birth, entries in lines.items()
    }


def _merged_entry(lines: list[Entry]) -> Entry:
    entry = max(lines, key=_merge_rank)
    if entry.state == RETIRED:
        return entry
    states = {each.state for each in lines if each.current_name == entry.current_name}
    if isinstance(entry, LockedClass):
        locations = {e.current_name for e in lines if e.state != RETIRED} - {
            entry.location
        }
        entry = replace(entry, other_locations=tuple(sorted(locations)))
    for state, outcome in ((RETIRED, DISPUTED), (FORMER, FORMER), (ABSENT, ABSENT)):
        if state in states:
            return replace(entry, state=outcome)
    return entry


def _merge_rank(
    entry: LockedClass | LockedField,
) -> tuple[bool, bool, bool, list[str]]:
    is_renamed = entry.current_name != own_name(entry.birth)
    is_alive = entry.state == ALIVE
    return entry.state != RETIRED, is_renamed, is_alive, entry.lines("")


# -- choosing between entries

Key = TypeVar("Key", str, int)


def by_key(keyed: Iterable[tuple[Key, Entry]]) -> dict[Key, list[Entry]]:
    """Return the entries grouped by key."""
    groups: dict[Key, list[Entry]] = {}
    for key, entry in keyed:
        groups.setdefault(key, []).append(entry)
    return groups


def candidates(
    rivals: list[Entry], current_name: str, former_names: Iterable[str]
) -> list[Entry]:
    """Return the entries that a name can mean; several only if the source has to decide.

    All `rivals` have the same current name. Entries whose birth name is one of
    `former_names` are preferred, then those that are alive. Of `Orc` and `Orc#2` only the
    later one is returned, because the first one was retired.
    """
    if len(rivals) < 2:
        return rivals
    names = sorted(former_names, key=lambda name: name == current_name)
    rivals = _born_as(rivals, names)
    alive = [entry for entry in rivals if entry.state == ALIVE]
    latest = {
        without_count(entry.birth): entry
        for entry in sorted(alive or rivals, key=_birth_order)
    }
    return list(latest.values())


def last_born(entries: Sequence[Entry]) -> Entry:
    """Return the newest entry: `Orc#2` rather than `Orc`, whatever the order of the lines."""
    return entries[0] if len(entries) == 1 else max(entries, key=_birth_order)


def _born_as(rivals: list[Entry], names: Iterable[str]) -> list[Entry]:
    """Return the entries born under the first name in `names` that any entry was born under.

    Return all entries if there is no such name.
    """
    for name in names:
        born = [entry for entry in rivals if without_count(entry.birth) == name]
        if born := born or [e for e in rivals if own_name(e.birth) == name]:
            return born
    return rivals


def _birth_order(entry: Entry) -> tuple[str, int]:
    name = without_count(entry.birth)
    return name, int(entry.birth[len(name) + 1 :] or 1)


# Returns the locks of releases and of the last commit; `None` if git cannot be run.
ReadLocks = Callable[[], Sequence[Lock] | None]


class ProvisionalEntries:
    """The entries that were never committed or released, so that no save needs them.

    Git runs when `has` is called for the first time.
    """

    def __init__(self, read_locks: ReadLocks = lambda: None) -> None:
        self._read_locks = read_locks

    def has(self, entry: LockedClass | LockedField) -> bool:
        """Return whether an entry is provisional; False if git cannot be run."""
        shared = self._shared
        return shared is not None and (entry.number, entry.birth) not in shared

    @cached_property
    def _shared(self) -> set[tuple[int, str]] | None:
        """The numbers and birth names in the locks that others may have."""
        locks = self._read_locks()
        if locks is None:
            return None
        tables = (table for lock in locks for _, table in lock._tables())
        return {(entry.number, entry.birth) for table in tables for entry in table}
