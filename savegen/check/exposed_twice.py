"""Level authors must be able to tell the parameters of a class apart."""

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

    name: str
    other: str
    exposed: str

    @property
    def message(self) -> str:
        return f"`{self.name}` and `{self.other}` are both shown to levels as `{self.exposed}`"

    @property
    def help(self) -> str:
        return 'give one of them a name of its own: `Save("…")`'
