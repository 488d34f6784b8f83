"""Assign numbers to prefabs and their parts, and return the updated lock."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from savegen.lock.classes import HomeBook, overlap
from savegen.lock.clashes import clashes
from savegen.lock.facts import (
    Lock,
    LockedPart,
    LockedPrefab,
    by_owner,
    number_of,
)
from savegen.lock.faults import Vanished, VanishedPart, VanishedPrefab
from savegen.lock.fields import MemberBook, read_members
from savegen.lock.moves import moves
from savegen.lock.settle import settled
from savegen.lock.types import prefab_types
from savegen.model import Model, Part, Prefab, SavedModule, part_name, upper_snake
from savegen.report import Report

_Key = tuple[str, str]  # owner, name


def assign_prefabs(lock: Lock, model: Model, report: Report) -> tuple[Model, Lock]:
    """Return the model with the numbers of prefabs too, and the lock that goes with it.

    What vanished, and what may have been renamed, is reported.
    """
    book = PrefabBook(lock, model, report)
    prefabs = book.read()
    parts, kept = _parts(lock, model, prefabs, report)
    entries = book.entries()
    after = replace(lock, prefabs=entries, parts=settled(lock.parts, entries, kept))
    modules = [_numbered(m, prefabs, parts) for m in model.modules.values()]
    numbered = Model(modules, prefab_types(after), model.save_version, model.retired)
    parts_of = {prefab.name: prefab.parts for prefab in numbered.prefabs}
    report.extend(clashes(numbered.prefabs, parts_of, prefabs, entries, after.parts))
    return numbered, after


class PrefabBook(HomeBook[Prefab, LockedPrefab]):
    """Gives every prefab, and every base that declares a part, its birth name."""

    what = "prefab"

    def __init__(self, lock: Lock, model: Model, report: Report) -> None:
        owners = {part.owner for prefab in model.prefabs for part in prefab.parts}
        super().__init__(lock.prefabs, model.prefabs, owners, report)
        self._names = lock.prefab_names()
        self._parts = by_owner(lock.parts)

    def _born(self, birth: str, home: str) -> LockedPrefab:
        return LockedPrefab(birth, number_of(f"prefab {birth}"), home)

    def _state(self, home: str) -> str:
        return "alive" if home in self._declared else "base"

    def _mark(self, declared: Prefab) -> str:
        if declared.is_class:
            return "@saveable(prefab=True, was={})"
        return "@prefab(was={})"

    def _alike(self, new: Prefab, old: LockedPrefab) -> bool:
        known = {(part.name, part.kind) for part in self._parts.get(old.birth, ())}
        parts = {(p.name, _kind(p)) for p in new.parts if p.owner == new.name}
        if not known and not parts:  # variants: their parts are those of other prefabs
            return old.home.partition(":")[0] == new.module
        return overlap(parts, known)

    def _vanished(self, new: Prefab, old: LockedPrefab) -> Vanished:
        name, mark = self._names[old.birth], self._mark(new)
        return VanishedPrefab(new.span, name, new.simple_name, mark)


class PartBook(MemberBook[Part, LockedPart]):
    """Gives every part that one class declares first its birth name."""

    what = "part"
    mark = "part(…).was({})"

    def _born(self, birth: str, declared: Part) -> LockedPart:
        number = number_of(f"part {birth}")
        return LockedPart(birth, number, self._kind(declared), declared.name)

    def _kind(self, declared: Part) -> str:
        return _kind(declared)

    def _vanished(self, new: Part, old: str) -> Vanished:
        return VanishedPart(new.span, old, new.name, self._kind(new))


def _kind(part: Part) -> str:
    """Return the class of a component as it is called."""
    return part.cls.rpartition(":")[2].rpartition(".")[2] or "?"


def _parts(
    lock: Lock, model: Model, prefabs: dict[str, LockedPrefab], report: Report
) -> tuple[dict[_Key, LockedPart], list[LockedPart]]:
    locked, names = by_owner(lock.parts), lock.prefab_names()
    found, kept = read_members(
        PartBook, _by_owner(model), prefabs, names, locked, report
    )
    report.extend(moves(lock.parts, prefabs, found, _relations(model)))
    return found, kept


def _by_owner(model: Model) -> dict[str, list[Part]]:
    """Return the parts by the class that declares them first, its own spelling preferred.

    Where that is no prefab, the spelling of one that has taken over the part as it is.
    """
    found: dict[str, dict[str, Part]] = {prefab.name: {} for prefab in model.prefabs}
    declared = set(found)
    for prefab in sorted(model.prefabs, key=lambda prefab: prefab.name):
        for part in prefab.parts:
            parts = found.setdefault(part.owner, {})
            if part.name not in parts or part.owner == prefab.name:
                parts[part.name] = _with_former_names(part, prefab)
            elif not part.own and parts[part.name].own and part.owner not in declared:
                parts[part.name] = part
    return {owner: list(parts.values()) for owner, parts in found.items()}


def _with_former_names(part: Part, prefab: Prefab) -> Part:
    """Return a part with its former names: a class that is a prefab lends it its own."""
    if not prefab.is_class:
        return part
    return replace(part, was=(*part.was, *map(part_name, prefab.was)))


def _relations(model: Model) -> Iterator[tuple[Part, str]]:
    """Yield each part with each other class of the line it is in."""
    for prefab in model.prefabs:
        line = (prefab.name, *prefab.ancestors)
        for part in prefab.parts:
            yield from ((part, name) for name in line if name != part.owner)


def _numbered(
    module: SavedModule,
    prefabs: dict[str, LockedPrefab],
    parts: dict[_Key, LockedPart],
) -> SavedModule:
    """Return a module with the numbers of its prefabs."""
    found = tuple(
        _numbered_prefab(prefab, prefabs[prefab.name].number, parts)
        for prefab in module.prefabs
    )
    return replace(module, prefabs=found) if found else module


def _numbered_prefab(
    prefab: Prefab, number: int, parts: dict[_Key, LockedPart]
) -> Prefab:
    found = (replace(p, number=parts[p.owner, p.name].number) for p in prefab.parts)
    member = upper_snake(prefab.simple_name)
    return replace(prefab, number=number, member=member, parts=tuple(found))
