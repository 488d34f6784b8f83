"""Rules for classes marked `rewind=False`, whose objects a rewind leaves as they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from savegen.build.kinds import Kind
from savegen.build.model import Model, PrefabClass, PlainRecord, SavedClass
from savegen.findings import Finding


def mixed_rewinding(model: Model) -> Iterator[Finding]:
    """Report a class of which a rewind restores the objects, but not those of a base, or reverse.

    A field for objects of the base could hold both.
    """
    for cls in model.classes:
        for name in cls.saveable_bases:
            base = model.class_named(name)
            if base is not None and base.rewinds != cls.rewinds:
                yield MixedRewinding(
                    cls.span, cls.qualname, base.simple_name, cls.rewinds
                )
                break


class MixedRewinding(Finding, frozen=True):
    code = "SG221"

    name: str
    base: str
    rewinds: bool  # whether the class does

    @property
    def message(self) -> str:
        own, other = ("is not", "is") if self.rewinds else ("is", "is not")
        return f"`{self.name}` {own} marked `rewind=False`, but its base `{self.base}` {other}"

    @property
    def help(self) -> str:
        if self.rewinds:
            return f"mark `{self.name}` with `@saveable(rewind=False)`, too"
        return (
            f"mark `{self.base}` with `rewind=False`, too, or let `{self.name}` hold a"
            f" `{self.base}` instead of inheriting from it"
        )


def required_rewound(model: Model) -> Iterator[Finding]:
    """Report a field of a class marked `rewind=False` that cannot lose a rewound object."""
    unrewound = {cls.name for cls in model.classes if not cls.rewinds}
    if not unrewound:
        return
    for module in model.modules.values():
        records = {record.name: record for record in module.records}
        for cls in module.classes:
            for field in () if cls.rewinds else cls.fields:
                if field.override or not field.kind.references:
                    continue
                if target := _required(field.kind, unrewound, records):
                    span = field.span if field.own else cls.span
                    yield RequiredRewound(span, cls.simple_name, field.name, target)


def _required(
    kind: Kind, unrewound: set[str], records: Mapping[str, PlainRecord]
) -> str | None:
    """Return the class of a rewound object without which there is no value of a kind."""
    if not kind.references or any(part.name == "None" for part in kind.parts):
        return None
    if kind.kind == "method":
        return "Method"
    if kind.kind == "reference":
        names = [part.name for part in kind.parts] or [kind.name]
        rewound = [name for name in names if name not in unrewound]
        is_weak = kind.name == "weakref.ref"
        return None if is_weak or not rewound else rewound[0].rpartition(":")[2]
    parts = kind.parts
    if kind.kind in ("record", "value"):
        record = records.get(kind.name)
        # A class that contains itself does so in an optional field, or in a container.
        others = {name: each for name, each in records.items() if name != kind.name}
        parts = tuple(part for _, part, _ in record.fields) if record else ()
        records = others
    elif kind.kind == "container" and kind.name != "fixed_tuple":
        # It loses members that are references, but no tuples that contain one.
        parts = tuple(p for p in parts if p.kind not in ("reference", "method"))
    return next(filter(None, (_required(p, unrewound, records) for p in parts)), None)


class RequiredRewound(Finding, frozen=True):
    code = "SG222"
    MESSAGE = (
        "`{name}` is marked `rewind=False`, so `{field}` must be able to be `None`: a rewind"
        " may remove what it refers to"
    )

    name: str
    field: str
    target: str  # a class, or `Method`

    @property
    def help(self) -> str:
        if self.target == "Method":
            return "write `Method[…] | None`"
        return f"write `{self.target} | None`, or mark `{self.target}` with `rewind=False`, too"


def unrewound_part(prefab: PrefabClass, model: Model) -> Iterator[Finding]:
    """Report a part of a prefab whose class is marked `rewind=False`."""
    for part in prefab.parts:
        cls: SavedClass | None = model.class_named(part.cls)
        if cls is not None and not cls.rewinds and part.own:
            span = prefab.span if prefab.is_class else part.span
            yield UnrewoundPart(span, prefab.simple_name, cls.simple_name)


class UnrewoundPart(Finding, frozen=True):
    code = "SG421"
    HELP = "remove `rewind=False`, or add the object with `manager.add` instead"

    name: str
    cls: str

    @property
    def message(self) -> str:
        if self.name == self.cls:
            return f"`{self.cls}` is marked `rewind=False`, so it cannot be a prefab"
        return f"`{self.cls}` is marked `rewind=False`, so prefab `{self.name}` cannot contain it"
