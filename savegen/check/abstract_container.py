"""Report an abstract container: a load must know which container to create."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.check._refused import refused
from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for found in refused(cls, module, "abstract"):
        yield AbstractContainer(found.span, found.path, found.text)


class AbstractContainer(Finding, frozen=True):
    code = "SG212"
    MESSAGE = "`{type}` in `{field}` is abstract, but a load must know what to create"

    field: str
    type: str

    @property
    def help(self) -> str:
        return f"write the concrete type, for example `{_CONCRETE[self.type]}`"


_CONCRETE = {
    **dict.fromkeys(
        ("Collection", "Iterable", "MutableSequence", "Reversible", "Sequence"),
        "list[int]",
    ),
    **dict.fromkeys(("Mapping", "MutableMapping"), "dict[str, int]"),
    **dict.fromkeys(("MutableSet", "Set"), "set[int]"),
}
