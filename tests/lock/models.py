"""Models for the tests of the lock, made without any source."""

from __future__ import annotations

from collections.abc import Mapping

from savegen.lock import Lock, assign, parse
from savegen.model import Field, Kind, Model, SavedClass, SavedModule, Type
from savegen.report import Finding, Report, Span

Fields = Mapping[str, object]  # name → kind, or kind and former names


def saved(home: str, fields: Fields, was: str | tuple[str, ...] = ()) -> SavedClass:
    """Return a class at `module:Name`."""
    return SavedClass(
        name=home,
        span=Span(f"{home.partition(':')[0]}.py"),
        mixin=f"{home.rpartition(':')[2]}SaveLoad",
        fields=tuple(field(home, name, it) for name, it in fields.items()),
        was=(was,) if isinstance(was, str) else was,
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
        was=tuple(was),
        member=name.upper(),
    )


def inheriting(home: str, base: SavedClass, fields: Fields) -> SavedClass:
    """Return a subclass: its fields are those of the base and its own."""
    return SavedClass(
        name=home,
        span=Span("sub.py"),
        mixin="SubSaveLoad",
        fields=(*base.fields, *saved(home, fields).fields),
    )


def model(*classes: SavedClass) -> Model:
    modules = sorted({cls.module for cls in classes})
    return Model(
        SavedModule(
            name, f"{name}.py", tuple(cls for cls in classes if cls.module == name)
        )
        for name in modules
    )


def run(lock: Lock, *classes: SavedClass) -> tuple[dict[str, int], Lock, list[Finding]]:
    """Return the numbers by `Class` and `Class.field`, the new lock, and the findings.

    The lock goes through its text, as it does between two runs.
    """
    report = Report()
    numbered, after = assign(parse(lock.text()), model(*classes), report)
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
    lines = lock.text().splitlines()[1:]
    return [
        " ".join(w for w in line.split(" ") if not w.strip(":").isdecimal())
        for line in lines
    ]
