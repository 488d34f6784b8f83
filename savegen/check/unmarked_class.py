"""Report a field that holds a class of the project that is neither saveable nor plain data."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.check._refused import refused
from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for found in refused(cls, module, "project"):
        yield UnmarkedClass(found.span, found.path, found.text)


class UnmarkedClass(Finding, frozen=True):
    code = "SG205"
    MESSAGE = "`{field}` holds `{_name}`, which is neither saveable nor plain data"
    HELP = (
        "if several objects share one `{_name}`, mark the class with `@saveable`;\n"
        "if each `{_name}` belongs to one field only, make the class a dataclass"
    )

    field: str
    type: str

    @property
    def _name(self) -> str:
        return self.type.rpartition(":")[2]
