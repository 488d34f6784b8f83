"""Compare an older lock with the current model and lock."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import NamedTuple

from savegen.breaking.faults import (
    ChangedKind,
    ChangedPart,
    FieldWithoutDefault,
    LostClass,
    LostField,
    LostMember,
    LostParameter,
    LostPart,
    LostPrefab,
    MovedClass,
    RenamedType,
)
from savegen.breaking.kinds import Kinds, added
from savegen.lock import Lock
from savegen.lock.facts import (
    ALIVE,
    CLASSES,
    DISPUTED,
    FORMER,
    PREFABS,
    RECORDS,
    RETIRED,
    SORTS,
    LockedClass,
    LockedField,
    Sort,
    by_owner,
)
from savegen.lock.types import members_of
from savegen.model import Model, Prefab, SavedClass
from savegen.parameters import parameters
from savegen.report import Finding, Span

_ELSEWHERE = Span("savegen.lock")  # where what is gone from the source still stands


def breaks(
    old: Lock, new: Lock, model: Model, shown: Mapping[int, set[str]] = {}
) -> Iterator[Finding]:
    """Yield all that would break.

    `new` and `model` are of today. `shown` are the names under which older levels could set
    something, by the number of the prefab, as far as that is known.
    """
    found = _Comparison(old, new, model)
    yield from found.classes()
    yield from found.fields()
    yield from found.new_fields()
    yield from found.enum_members()
    yield from found.records()
    yield from found.prefabs()
    yield from found.parts()
    yield from found.parameters(shown)
    yield from found.names()


class _Comparison:
    def __init__(self, old: Lock, new: Lock, model: Model) -> None:
        self._old, self._new, self._model = old, new, model
        self._classes = {cls.name: cls for cls in model.classes}
        self._saved = {cls.number: cls for cls in model.classes}
        self._prefabs = {prefab.name: prefab for prefab in model.prefabs}
        # What things are called, as short as is clear, by their homes.
        self._called = {
            lock.homes(sort)[birth].home: name
            for sort in SORTS
            for lock in (old, new)
            for birth, name in lock.names(sort).items()
        }
        self._defaults = dict(_defaults_of_records(model))
        self._kinds = Kinds(old, new, self._has_default)

    def _has_default(self, record: str, field: str) -> bool:
        """Return that of a field of a plain class, which a kind calls by its simple name."""
        return self._defaults.get((_simple(record), field), False)

    # -- SAVE

    def classes(self) -> Iterator[Finding]:
        for birth, cls in self._old.classes.items():
            now = self._new.classes.get(birth)
            if _is_there(cls) and (now is None or now.home not in self._classes):
                is_retired = now is not None and now.state == RETIRED
                yield LostClass(_ELSEWHERE, self._called[cls.home], is_retired)

    def fields(self) -> Iterator[Finding]:
        for change in self._topmost(CLASSES, self._classes):
            cls, old, now = self._classes[change.home], change.old, change.now
            if now is None:
                name = f"{self._called[change.home]}.{old.name}"
                yield LostField(cls.span, name, change.is_retired)
            else:
                yield from self._changed(cls, old, now)

    def _changed(
        self, cls: SavedClass, old: LockedField, now: LockedField
    ) -> Iterator[Finding]:
        """Yield that a field has another kind, unless the class converts it."""
        converted = {field.number for field, _ in self._model.converted(cls)}
        for field in cls.fields:
            if field.number == now.number and now.number not in converted:
                owner = self._called.get(field.owner, _simple(field.owner))
                converter = f'@converter({_simple(field.owner)}, "{field.name}")'
                name = f"{owner}.{field.name}"
                yield ChangedKind(field.span, name, old.kind, now.kind, converter)

    def new_fields(self) -> Iterator[Finding]:
        """A field without a default matters where old saves have objects."""
        old, seen = by_owner(self._old.fields), set()
        for birth, entry in self._old.classes.items():
            cls = self._saved.get(entry.number)
            if cls is None or not _is_there(entry):
                continue
            known = {f.number for f in old.get(birth, ()) if _is_there(f)}
            for field in cls.fields:
                former = {old for old, new in cls.former if new == field.number}
                is_told = field.has_default or field.override
                is_new = known.isdisjoint({field.number, *former})
                if is_new and not is_told and field.span not in seen:
                    seen.add(field.span)
                    owner = self._called.get(field.owner, _simple(field.owner))
                    yield FieldWithoutDefault(field.span, f"{owner}.{field.name}")

    def enum_members(self) -> Iterator[Finding]:
        modules = self._model.modules.values()
        used = {name.rpartition(":")[2] for m in modules for name, _ in m.enums}
        for member, state in self._old.members.items():
            is_used = member.rpartition(".")[0] in used
            if (
                state != "lost"
                and is_used
                and self._new.members.get(member) != "member"
            ):
                yield LostMember(_ELSEWHERE, member)

    def records(self) -> Iterator[Finding]:
        """Compare the plain classes that are still there."""
        here = {r.name for m in self._model.modules.values() for r in m.records}
        for change in self._changes(RECORDS, here):
            name = f"{self._called[change.home]}.{change.old.name}"
            if change.now is None:
                yield LostField(_ELSEWHERE, name, change.is_retired)
            else:
                kinds = change.old.kind, change.now.kind
                yield ChangedKind(_ELSEWHERE, name, *kinds, "")
        old, new = by_owner(self._old.entries), by_owner(self._new.entries)
        for birth in sorted(old.keys() & new.keys()):
            record = self._new.records[birth]
            for entry in added(old[birth], new[birth]) if record.home in here else ():
                if not self._has_default(record.simple_name, entry.name):
                    name = f"{self._called[record.home]}.{entry.name}"
                    yield FieldWithoutDefault(_ELSEWHERE, name)

    # -- what has become of fields, parts and entries

    def _changes(self, sort: Sort, here: Container[str]) -> Iterator[_Change]:
        """Yield what is gone, and what has another kind, of each thing that is here."""
        new = by_owner(self._new.fields_of(sort))
        for birth, old in sorted(by_owner(self._old.fields_of(sort)).items()):
            home = self._new.homes(sort).get(birth)
            if home is None or home.home not in here:
                continue
            known = {entry.number: entry for entry in new.get(birth, ())}
            alive = {e.name: e for e in known.values() if _is_there(e)}
            for field in filter(_is_there, old):
                now = known.get(field.number)
                is_retired = now is not None and now.state == RETIRED
                if now is not None and now.state == FORMER:
                    now = alive.get(now.name)
                if now is None or not _is_there(now):
                    yield _Change(home.home, field, None, is_retired)
                elif not self._fits(sort, field.kind, now.kind):
                    yield _Change(home.home, field, now, False)

    def _fits(self, sort: Sort, old: str, new: str) -> bool:
        if sort is PREFABS:
            return self._today(old) == new
        return self._kinds.fits(old, new)

    def _topmost(
        self, sort: Sort, here: Mapping[str, SavedClass | Prefab]
    ) -> Iterator[_Change]:
        """Yield the changes; what a base tells, its subclasses do not tell again."""
        changes = list(self._changes(sort, here))
        told = {(change.home, change.old.number) for change in changes}
        for change in changes:
            bases = here[change.home].ancestors
            if all((base, change.old.number) not in told for base in bases):
                yield change

    # -- PREFAB

    def prefabs(self) -> Iterator[Finding]:
        for birth, prefab in self._old.prefabs.items():
            now = self._new.prefabs.get(birth)
            if prefab.state == ALIVE and (now is None or now.state != ALIVE):
                yield LostPrefab(_ELSEWHERE, self._called[prefab.home])

    def parts(self) -> Iterator[Finding]:
        for home, old, now, is_retired in self._topmost(PREFABS, self._prefabs):
            span, name = self._prefabs[home].span, f"{self._called[home]}.{old.name}"
            if now is None:
                yield LostPart(span, name, is_retired)
            else:
                yield ChangedPart(span, name, old.kind, now.kind)

    def _today(self, cls: str) -> str:
        """Return what a class of the old lock is called now."""
        for birth, entry in self._old.classes.items():
            if entry.simple_name == cls and _is_there(entry):
                now = self._new.classes.get(birth)
                return now.simple_name if now else cls
        return cls

    def parameters(self, shown: Mapping[int, set[str]]) -> Iterator[Finding]:
        for prefab in self._model.prefabs:
            now = {each.name for each in parameters(prefab, self._model)}
            for name in sorted(shown.get(prefab.number, set()) - now):
                yield LostParameter(prefab.span, self._called[prefab.name], name)

    # -- API

    def names(self) -> Iterator[Finding]:
        old = members_of(e.home for e in self._old.classes.values() if _is_there(e))
        for entry in self._old.classes.values():
            cls = self._saved.get(entry.number)
            if cls and _is_there(entry):
                yield from _moved("class", entry, cls.name, cls.span)
                types = (old[entry.home], cls.member)
                yield from _renamed("SaveLoadableType", types, cls.span)
        was = members_of(e.home for e in self._old.prefabs.values() if e.state == ALIVE)
        known = {e.number: e for e in self._old.prefabs.values() if e.state == ALIVE}
        for prefab in self._model.prefabs:
            if before := known.get(prefab.number):
                if not prefab.is_class:  # that is told of the class
                    yield from _moved("prefab", before, prefab.name, prefab.span)
                types = (was[before.home], prefab.member)
                yield from _renamed("PrefabType", types, prefab.span)


class _Change(NamedTuple):
    """A field, a part or an entry that is gone, or that has another kind."""

    home: str  # of what had it, today
    old: LockedField
    now: LockedField | None
    is_retired: bool


def _moved(what: str, old: LockedClass, home: str, span: Span) -> Iterator[Finding]:
    if old.home != home:
        yield MovedClass(span, what, _dotted(old.home), _dotted(home))


def _renamed(enum: str, members: tuple[str, str], span: Span) -> Iterator[Finding]:
    old, new = members
    if old != new:
        yield RenamedType(span, f"{enum}.{old}", f"{enum}.{new}")


def _defaults_of_records(model: Model) -> Iterator[tuple[tuple[str, str], bool]]:
    """Yield the fields of plain classes, and whether a new object can do without."""
    for record in (each for m in model.modules.values() for each in m.records):
        given = record.construction or [("", False)] * len(record.fields)
        for (field, _, required), (_, optional) in zip(record.fields, given):
            yield (record.simple_name, field), optional or not required


def _is_there(entry: LockedClass | LockedField) -> bool:
    return entry.state in (ALIVE, DISPUTED)


def _simple(name: str) -> str:
    return name.rpartition(":")[2].rpartition(".")[2]


def _dotted(home: str) -> str:
    return home.replace(":", ".")
