"""Report elements of a set, or keys of a dict, that Python cannot hash."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.check._refused import refused
from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for found in refused(cls, module, "unhashable"):
        yield UnhashableKey(found.span, found.path, found.text)


class UnhashableKey(Finding, frozen=True):
    code = "SG207"
    HELP = "use a hashable type there: a tuple, a frozen dataclass or a saveable class"

    field: str
    type: str

    @property
    def message(self) -> str:
        what = "elements" if self.type in ("set", "frozenset") else "keys"
        return f"the {what} of the `{self.type}` in `{self.field}` are not hashable"
