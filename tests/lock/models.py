"""Models for the tests of the lock, made without any source."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec.structs import replace

from savegen.build.lock import Lock, assign, assign_prefabs, parse
from savegen.build.lock.file import ProvisionalEntries
from savegen.build.model import (
    Field,
    Kind,
    Model,
    PrefabPart,
    PrefabClass,
    SavedClass,
    SavedModule,
    Type,
    upper_snake,
)
from savegen.findings import Finding, Report, Span

Fields = Mapping[str, object]  # name → kind, or kind and former names


def saved(location: str, fields: Fields, was: str | tuple[str, ...] = ()) -> SavedClass:
    """Return a class at `module:Name`."""
    return SavedClass(
        name=location,
        span=Span(f"{location.partition(':')[0]}.py"),
        mixin=f"{location.rpartition(':')[2]}SaveLoad",
        fields=tuple(field(location, name, it) for name, it in fields.items()),
        former_names=(was,) if isinstance(was, str) else was,
    )


def field(owner: str, name: str, it: object) -> Field:
    kind, *was = it if isinstance(it, tuple) else (it,)
    type = f"builtins.{kind}"
    return Field(
        name,
        name,
        owner,
        Type(type),
        Kind("scalar", type),
        Span(f"{owner}.{name}"),
        former_names=tuple(was),
        enum_member=name.upper(),
    )


def inheriting(location: str, base: SavedClass, fields: Fields) -> SavedClass:
    """Return a subclass: its fields are those of the base and its own."""
    return SavedClass(
        name=location,
        span=Span("sub.py"),
        mixin="SubSaveLoad",
        fields=(
            *(replace(each, own=False) for each in base.fields),
            *saved(location, fields).fields,
        ),
        ancestors=(base.name, *base.ancestors),
    )


def model(*classes: SavedClass) -> Model:
    modules = sorted({cls.module for cls in classes})
    return Model(
        SavedModule(
            name, f"{name}.py", tuple(cls for cls in classes if cls.module == name)
        )
        for name in modules
    )


def run(
    lock: Lock, *classes: SavedClass, committed: list[Lock] | None = None
) -> tuple[dict[str, int], Lock, list[Finding]]:
    """Return the numbers by `Class` and `Class.field`, the new lock, and the findings.

    The lock goes through its text, as it does between two runs.
    """
    report, provisional = Report(), ProvisionalEntries(lambda: committed)
    numbered, after = assign(parse(lock.text()), model(*classes), report, provisional)
    numbers: dict[str, int] = {}
    for cls in numbered.classes:
        numbers[cls.qualname] = cls.number
        for each in cls.fields:
            numbers[f"{cls.qualname}.{each.name}"] = each.number
    return numbers, after, list(report)


def settled(lock: Lock, *classes: SavedClass) -> tuple[dict[str, int], Lock]:
    """Run where nothing may be found; the next run must change nothing."""
    numbers, after, findings = run(lock, *classes)
    assert findings == []
    again = run(after, *classes)
    assert (again[0], again[1].text(), again[2]) == (numbers, after.text(), [])
    return numbers, after


def facts(lock: Lock) -> list[str]:
    """The lines of a lock without their numbers."""
    return [
        " ".join(w for w in line.split(" ") if not w.strip(":").isdecimal())
        for line in lock.lines()
    ]


# Prefabs


def part(owner: str, name: str, cls: str = "Gun", *was: str) -> PrefabPart:
    """Return a part that `owner` declares first."""
    return PrefabPart(
        name, f"guns:{cls}", owner, Span(f"{owner}.{name}"), former_names=was
    )


def prefab(
    location: str,
    parts: Mapping[str, str] = MappingProxyType({}),
    was: str | tuple[str, ...] = (),
    base: PrefabClass | None = None,
) -> PrefabClass:
    """Return a prefab at `module:Name` with parts of its own, by name and class.

    Of its base it has the parts too, and it may put others in their place.
    """
    own = {name: part(location, name, *cls.split()) for name, cls in parts.items()}
    inherited = {p.name: replace(p, own=False) for p in base.parts} if base else {}
    for name in own.keys() & inherited.keys():
        own[name] = replace(own[name], owner=inherited[name].owner)
    return PrefabClass(
        location,
        Span(f"{location.partition(':')[0]}.py"),
        tuple({**inherited, **own}.values()),
        former_names=(was,) if isinstance(was, str) else was,
        ancestors=(base.name, *base.ancestors) if base else (),
    )


def one_class(location: str, was: str = "") -> PrefabClass:
    """Return a class that is a prefab itself."""
    simple = location.rpartition(":")[2]
    only = PrefabPart(upper_snake(simple).lower(), location, location, Span(location))
    return PrefabClass(
        location,
        Span(location),
        (only,),
        former_names=(was,) if was else (),
        is_class=True,
    )


def prefab_model(*prefabs: PrefabClass) -> Model:
    locations: dict[str, list[PrefabClass]] = {}
    for each in prefabs:
        locations.setdefault(each.module, []).append(each)
    return Model(
        SavedModule(name, f"{name}.py", prefabs=tuple(each))
        for name, each in locations.items()
    )


def run_prefabs(
    lock: Lock, *prefabs: PrefabClass
) -> tuple[dict[str, int], Lock, list[Finding]]:
    """Return the numbers by `PrefabClass` and `Prefab.part`, the new lock, and the findings."""
    report = Report()
    numbered, after = assign_prefabs(parse(lock.text()), prefab_model(*prefabs), report)
    numbers: dict[str, int] = {}
    for each in numbered.prefabs:
        numbers[each.qualname] = each.number
        numbers |= {f"{each.qualname}.{p.name}": p.number for p in each.parts}
    if not report.failed:
        given = {number for _, number in numbered.prefab_types}
        assert given == {each.number for each in numbered.prefabs}
    return numbers, after, list(report)


def settled_prefabs(lock: Lock, *prefabs: PrefabClass) -> tuple[dict[str, int], Lock]:
    """Run where nothing may be found; the next run must change nothing."""
    numbers, after, findings = run_prefabs(lock, *prefabs)
    assert findings == []
    again = run_prefabs(after, *prefabs)
    assert (again[0], again[1].text(), again[2]) == (numbers, after.text(), [])
    return numbers, after
