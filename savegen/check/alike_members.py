"""A union of members that look the same when they are met."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.check._refused import refused
from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for found in refused(cls, module, "alike"):
        yield AlikeMembers(found.span, found.path, found.text)


class AlikeMembers(Finding, frozen=True):
    code = "SG208"

    field: str
    type: str

    @property
    def message(self) -> str:
        if self.type == "weakref.ref":
            return f"`{self.field}` may refer weakly or not, which cannot be told apart"
        return f"`{self.field}` may be one `{self.type}` or another, which cannot be told apart"

    @property
    def help(self) -> str:
        if self.type == "weakref.ref":
            return "write the reference in one of the two ways"
        return f"write one `{self.type}` of a union, such as `{self._example}`"

    @property
    def _example(self) -> str:
        keys = "str, " if self.type in ("dict", "defaultdict", "OrderedDict") else ""
        rest = ", ..." if self.type == "tuple" else ""
        return f"{self.type}[{keys}int | str{rest}]"
