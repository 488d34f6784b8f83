"""Report a union of types that a save cannot distinguish."""

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
            return f"`{self.field}` mixes weak and ordinary references, which a save cannot distinguish"
        return f"`{self.field}` is a union of `{self.type}` types, which a save cannot distinguish"

    @property
    def help(self) -> str:
        if self.type == "weakref.ref":
            return "use only `weakref.ref[…]`, or only the class itself"
        return (
            f"use one `{self.type}` type with a union inside, such as `{self._example}`"
        )

    @property
    def _example(self) -> str:
        keys = self.type in ("dict", "defaultdict", "OrderedDict")
        before = "int | str, " if keys else ""
        rest = ", ..." if self.type == "tuple" else ""
        return f"{self.type}[{before}int | str{rest}]"
