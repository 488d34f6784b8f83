"""Report a type that allows every value, such as `Any` or `object`."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.check._refused import refused
from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for found in refused(cls, module, "anything"):
        yield AnyType(found.span, found.path, found.text, found.is_inside)


class AnyType(Finding, frozen=True):
    code = "SG204"

    field: str
    type: str
    is_inside: bool  # in a container, say

    @property
    def message(self) -> str:
        if self.type == "any":
            return f"`{self.field}` holds `any`, which is a builtin function and not a type"
        if self._is_variable:
            has = "holds values of" if self.is_inside else "has"
            return (
                f"`{self.field}` {has} the type `{self.type}`, which can be anything:"
                " too general to save"
            )
        return f"`{self.field}` holds `{self.type}`, which is too general to save"

    @property
    def help(self) -> str:
        if self.type == "any":
            return (
                "`Any` from typing cannot be saved either: write the types that it can hold,\n"
                "for example `int | str`"
            )
        if self._is_variable:
            return (
                f"replace `{self.type}` with the types that it can hold,"
                f" for example `int | str`,\nor give `{self.type}` a bound"
            )
        return "write the types that it can hold, for example `int | str`"

    @property
    def _is_variable(self) -> bool:
        """Whether the type is a type variable."""
        return self.type not in ("Any", "object", "any")
