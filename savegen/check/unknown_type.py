"""Report a type that savegen cannot resolve."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.check._refused import refused
from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for found in refused(cls, module, "unknown"):
        meant = "".join(found.kind.values[1:])
        yield UnknownType(found.span, found.path, found.text, meant)


class UnknownType(Finding, frozen=True):
    code = "SG201"

    field: str
    type: str
    meant: str  # a type with a similar name; "" for none

    @property
    def message(self) -> str:
        if not self.type:
            return f"`{self.field}` is marked, but has no type"
        return f"cannot resolve the type of `{self.field}`: {self.type}"

    @property
    def help(self) -> str:
        if not self.type:
            return "write the type in brackets, for example `Saved[int]`"
        if self.meant:
            return f"did you mean `{self.meant}`?"
        if all(part.isidentifier() for part in self.type.strip("`").split(".")):
            return f"check that {self.type} is imported and that it is a type"
        return "write a type that can be read without running the code, such as `list[int]`"
