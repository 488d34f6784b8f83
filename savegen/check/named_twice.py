"""Report fields whose names differ only in case or underscores.

Both would get the same member in the generated enum.
"""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule, folded
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for field in cls.fields:
        key = folded(field.member)
        if key in seen:
            yield NamedTwice(field.span, field.name, seen[key], field.member)
        seen.setdefault(key, field.name)


class NamedTwice(Finding, frozen=True):
    code = "SG116"
    HELP = "rename one of the two fields"

    name: str
    other: str
    member: str  # of the generated enum

    @property
    def message(self) -> str:
        both = f"`{self.name}` and `{self.other}`"
        return f"the fields {both} both become `{self.member}` in the generated code"
