"""A container without the type of its members."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.check._refused import refused
from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for found in refused(cls, module, "bare"):
        yield BareContainer(found.span, found.path, found.text)


class BareContainer(Finding, frozen=True):
    code = "SG206"

    field: str
    type: str

    @property
    def message(self) -> str:
        return f"`{self.field}` does not say what its `{self.type}` holds"

    @property
    def help(self) -> str:
        return f"write the types of its members, such as `{self._example}`"

    @property
    def _example(self) -> str:
        keys = "str, " if self.type in ("dict", "defaultdict", "OrderedDict") else ""
        if self.type == "type":
            return "type[Goblin]"
        rest = ", ..." if self.type == "tuple" else ""
        return f"{self.type}[{keys}int{rest}]"
