"""Report a container without the types of its elements."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.check._refused import refused
from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for found in refused(cls, module, "bare"):
        yield BareContainer(found.span, found.path, found.text)


_MAPPINGS = ("dict", "defaultdict", "OrderedDict")


class BareContainer(Finding, frozen=True):
    code = "SG206"

    field: str
    type: str

    @property
    def message(self) -> str:
        if self.type == "type":
            return f"the `type` in `{self.field}` does not name a class"
        missing = self._needed.replace(" and ", " or ")
        return f"the `{self.type}` in `{self.field}` lacks {missing}"

    @property
    def help(self) -> str:
        needed = "class" if self.type == "type" else self._needed
        return f"write the {needed}, for example `{self._example}`"

    @property
    def _needed(self) -> str:
        return "key and value types" if self.type in _MAPPINGS else "element types"

    @property
    def _example(self) -> str:
        keys = "str, " if self.type in _MAPPINGS else ""
        if self.type == "type":
            return "type[Goblin]"
        rest = ", ..." if self.type == "tuple" else ""
        return f"{self.type}[{keys}int{rest}]"
