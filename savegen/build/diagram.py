"""Write the saveable classes as a Mermaid class diagram, which GitHub and mkdocs can draw."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from savegen.build.marker import marker
from savegen.build.model import Model, SavedClass, SavedModule, annotation_of, kinds_in


def diagram(model: Model, chosen: Collection[str] | None = None) -> str:
    """Return a diagram of all classes, or of the `chosen` ones and their direct neighbours."""
    classes = {cls.name: cls for cls in model.classes}
    arrows = [*_arrows(model, classes)]
    if chosen is not None:
        arrows = [a for a in arrows if {a.start, a.end} & {*chosen}]
        shown = {*chosen} | {name for a in arrows for name in (a.start, a.end)}
        classes = {name: cls for name, cls in classes.items() if name in shown}
    numbers = {name: f"c{number}" for number, name in enumerate(classes, 1)}
    text = [f"%% {marker()}", "classDiagram"]
    for name, cls in classes.items():
        text += _box(numbers[name], cls)
    for start, line, end, label in arrows:
        text.append(f"    {numbers[start]} {line} {numbers[end]}{label}")
    return "\n".join(text) + "\n"


def _box(number: str, cls: SavedClass) -> Iterator[str]:
    yield f'    class {number}["{cls.qualname}"] {{'
    for field in cls.fields:
        if field.own:
            kind = "…" if field.override else annotation_of(field.kind)
            yield f"        {field.name} {kind.translate(_ESCAPES)}"
    yield "    }"


# In Mermaid, braces end the box, parentheses mean a method, tildes a generic type, and angle
# brackets HTML.
_ESCAPES = {ord(letter): f"#{ord(letter)};" for letter in "{}()~<>#"}


class _Arrow(NamedTuple):
    """An arrow from one class to another."""

    start: str  # a class name
    line: str  # "--|>" for inheritance, "..>" for references
    end: str
    label: str = ""


def _arrows(model: Model, classes: Mapping[str, SavedClass]) -> Iterator[_Arrow]:
    for module in model.modules.values():
        for cls in module.classes:
            bases = [name for name in cls.saveable_bases if name in classes]
            for base in bases:
                if not any(base in classes[b].saveable_bases for b in bases):
                    yield _Arrow(cls.name, "--|>", base)
            for target, fields in _targets(cls, module).items():
                if target in classes:
                    label = f" : {', '.join(fields)}"
                    yield _Arrow(cls.name, "..>", target, label)


def _targets(cls: SavedClass, module: SavedModule) -> dict[str, list[str]]:
    """Return the classes that a class refers to, each with the names of the fields."""
    targets: dict[str, dict[str, None]] = {}
    for field in cls.fields:
        for _, kind, _ in kinds_in(field, module) if field.own else ():
            if kind.kind == "reference":
                targets.setdefault(kind.name, {})[field.name] = None
    return {target: [*names] for target, names in sorted(targets.items())}
