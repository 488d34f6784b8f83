"""Compare an older lock with the current model and lock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
from savegen.breaking.kinds import Kinds
from savegen.lock import Lock
from savegen.lock.facts import LockedClass, LockedField, owner_of
from savegen.lock.types import members_of
from savegen.model import Field, Model, SavedClass
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
        self._saved = {cls.number: cls for cls in model.classes}
        self._owners = {f.owner for cls in model.classes for f in cls.fields}
        self._owners.update(cls.name for cls in model.classes)
        self._holders: dict[int, list[tuple[SavedClass, Field]]] = {}
        for cls in model.classes:
            for field in cls.fields:
                self._holders.setdefault(field.number, []).append((cls, field))
        self._defaults = dict(_defaults_of_records(model))
        self._kinds = Kinds(old, new, self._has_default)

    def _has_default(self, record: str, field: str) -> bool:
        """Tell that of a field of a plain class, which a kind calls by its simple name."""
        return self._defaults.get((_simple(record), field), False)

    # -- SAVE

    def classes(self) -> Iterator[Finding]:
        for birth, cls in self._old.classes.items():
            if _is_there(cls) and self._is_gone(birth):
                now = self._new.classes.get(birth)
                is_retired = now is not None and now.state == "retired"
                yield LostClass(_ELSEWHERE, cls.simple_name, is_retired)

    def _is_gone(self, birth: str) -> bool:
        """Tell whether the source has a class no more."""
        now = self._new.classes.get(birth)
        return now is None or now.state == "retired" or now.home not in self._owners

    def fields(self) -> Iterator[Finding]:
        for birth, field in self._old.fields.items():
            if not _is_there(field) or self._is_gone(owner_of(birth)):
                continue
            now = self._new.fields.get(birth)
            if now is None or not _is_there(now):
                span = self._span_of(owner_of(birth))
                is_retired = now is None or now.state == "retired"
                yield LostField(span, self._called(field), is_retired)
            elif not self._kinds.fits(field.kind, now.kind):
                yield from self._changed(field, now)

    def _changed(self, old: LockedField, now: LockedField) -> Iterator[Finding]:
        """Yield that a field has another kind, unless all who have it convert it."""
        for cls, field in self._holders.get(now.number, ()):
            if all(each.number != now.number for each, _ in self._model.converted(cls)):
                name = f"{_simple(field.owner)}.{field.name}"
                converter = f'@converter({_simple(field.owner)}, "{field.name}")'
                yield ChangedKind(field.span, name, old.kind, now.kind, converter)
                return

    def new_fields(self) -> Iterator[Finding]:
        """A field without a default matters where old saves have objects."""
        numbers = {cls.number for cls in self._old.classes.values() if _is_there(cls)}
        known = {f.number for f in self._old.fields.values() if _is_there(f)}
        for number, holders in self._holders.items():
            for cls, field in holders if number not in known else ():
                is_told = field.has_default or field.override
                if cls.number in numbers and not is_told:
                    name = f"{_simple(field.owner)}.{field.name}"
                    yield FieldWithoutDefault(field.span, name)

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
        """Compare the plain classes that are there under the same name."""
        was, now = map(_by_record, (self._old.records, self._new.records))
        for record in was.keys() & now.keys():
            old, new = was[record], now[record]
            for field in sorted(old.keys() - new.keys()):
                yield LostField(_ELSEWHERE, f"{record}.{field}", False)
            for field in sorted(new.keys() - old.keys()):
                if not self._has_default(record, field):
                    yield FieldWithoutDefault(_ELSEWHERE, f"{record}.{field}")
            for field in sorted(old.keys() & new.keys()):
                if not self._kinds.fits(old[field], new[field]):
                    name = f"{record}.{field}"
                    yield ChangedKind(_ELSEWHERE, name, old[field], new[field], "")

    # -- PREFAB

    def prefabs(self) -> Iterator[Finding]:
        for birth, prefab in self._old.prefabs.items():
            now = self._new.prefabs.get(birth)
            if prefab.state == "alive" and (now is None or now.state != "alive"):
                yield LostPrefab(_ELSEWHERE, prefab.simple_name)

    def parts(self) -> Iterator[Finding]:
        for birth, part in self._old.parts.items():
            home = self._new.prefabs.get(owner_of(birth))
            if not _is_there(part) or home is None or home.state == "retired":
                continue
            now, name = self._new.parts.get(birth), f"{home.simple_name}.{part.name}"
            if home.state == "absent":
                continue  # with all its parts
            if now is None or not _is_there(now):
                yield LostPart(self._span_of_prefab(home.home), name)
            elif self._today(part.kind) != now.kind:
                span = self._span_of_prefab(home.home)
                yield ChangedPart(span, name, part.kind, now.kind)

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
                yield LostParameter(prefab.span, prefab.simple_name, name)

    # -- API

    def names(self) -> Iterator[Finding]:
        old = members_of(e.home for e in self._old.classes.values() if _is_there(e))
        for entry in self._old.classes.values():
            cls = self._saved.get(entry.number)
            if cls and _is_there(entry):
                yield from _moved("class", entry, cls.name, cls.span)
                types = (old[entry.home], cls.member)
                yield from _renamed("SaveLoadableType", types, cls.span)
        was = members_of(
            e.home for e in self._old.prefabs.values() if e.state == "alive"
        )
        known = {e.number: e for e in self._old.prefabs.values() if e.state == "alive"}
        for prefab in self._model.prefabs:
            if before := known.get(prefab.number):
                if not prefab.is_class:  # that is told of the class
                    yield from _moved("prefab", before, prefab.name, prefab.span)
                types = (was[before.home], prefab.member)
                yield from _renamed("PrefabType", types, prefab.span)

    # -- what they are called, and where

    def _called(self, field: LockedField) -> str:
        owner = self._new.classes[owner_of(field.birth)]
        return f"{owner.simple_name}.{field.name}"

    def _span_of(self, birth: str) -> Span:
        """Return the place of a class; of a base that is not saved itself, the lock."""
        entry = self._new.classes.get(birth)
        cls = self._saved.get(entry.number) if entry else None
        return cls.span if cls else _ELSEWHERE

    def _span_of_prefab(self, home: str) -> Span:
        found = (prefab.span for prefab in self._model.prefabs if prefab.name == home)
        return next(found, _ELSEWHERE)


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


def _by_record(records: Mapping[str, str]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for name, kind in records.items():
        record, _, field = name.rpartition(".")
        found.setdefault(record, {})[field] = kind
    return found


def _is_there(entry: LockedClass | LockedField) -> bool:
    return entry.state in ("alive", "disputed")


def _simple(name: str) -> str:
    return name.rpartition(":")[2].rpartition(".")[2]


def _dotted(home: str) -> str:
    return home.replace(":", ".")
