"""The saved classes as a class diagram in Mermaid's language, which GitHub and mkdocs draw."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from savegen.build.marker import marker
from savegen.build.model import Model, SavedClass, SavedModule, annotation_of, kinds_in


def diagram(model: Model, chosen: Collection[str] | None = None) -> str:
    """Return a diagram of all classes, or of the `chosen` ones and their direct neighbours."""
    classes = {cls.name: cls for cls in model.classes}
    lines = [*_lines(model, classes)]
    if chosen is not None:
        lines = [line for line in lines if {line[0], line[2]} & {*chosen}]
        ends = {name for start, _, end, _ in lines for name in (start, end)}
        classes = {n: cls for n, cls in classes.items() if n in {*chosen} | ends}
    numbers = {name: f"c{number}" for number, name in enumerate(classes, 1)}
    text = [f"%% {marker()}", "classDiagram"]
    for name, cls in classes.items():
        text += _box(numbers[name], cls)
    for start, arrow, end, label in lines:
        text.append(f"    {numbers[start]} {arrow} {numbers[end]}{label}")
    return "\n".join(text) + "\n"


def _box(number: str, cls: SavedClass) -> Iterator[str]:
    yield f'    class {number}["{cls.qualname}"] {{'
    for field in cls.fields:
        if field.own:
            kind = "…" if field.override else annotation_of(field.kind)
            yield f"        {field.name} {kind.translate(_PLAIN)}"
    yield "    }"


# Braces would end the box, parentheses make a method, tildes a generic type, and angles HTML.
_PLAIN = {ord(letter): f"#{ord(letter)};" for letter in "{}()~<>#"}
_Line = tuple[str, str, str, str]  # class, arrow, class, label


def _lines(model: Model, classes: Mapping[str, SavedClass]) -> Iterator[_Line]:
    above = {name: cls.saveable_bases for name, cls in classes.items()}
    for module in model.modules.values():
        for cls in module.classes:
            bases = [name for name in cls.saveable_bases if name in above]
            for base in bases:
                if not any(base in above[other] for other in bases):
                    yield cls.name, "--|>", base, ""
            for target, fields in _targets(cls, module).items():
                if target in classes:
                    yield cls.name, "..>", target, f" : {', '.join(fields)}"


def _targets(cls: SavedClass, module: SavedModule) -> dict[str, list[str]]:
    """Return the classes that a class refers to, each with the names of the fields."""
    found: dict[str, dict[str, None]] = {}
    for field in cls.fields:
        for _, kind in kinds_in(field, module) if field.own else ():
            if kind.kind == "reference":
                found.setdefault(kind.name, {})[field.name] = None
    return {target: [*names] for target, names in sorted(found.items())}
