"""Report two fields of a class that level authors would see under one name."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import Field, SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    seen: dict[str, Field] = {}
    for field in cls.fields:
        if field.exposed is None:
            continue
        first = seen.setdefault(field.exposed, field)
        # Names that are nearly the same are `named_twice`.
        if first.member.casefold() != field.member.casefold():
            yield ExposedTwice(field.span, field.name, first.name, field.exposed)


class ExposedTwice(Finding, frozen=True):
    code = "SG121"
    MESSAGE = "`{name}` and `{other}` are both called `{exposed}` in levels"
    HELP = (
        'give one of them another name with `Save("…")`, or hide it with '
        "`Save(editor=False)`"
    )

    name: str
    other: str
    exposed: str
