"""Report a set of saveable objects, whose order may change after a load."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule, reached
from savegen.report import Finding, Severity


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for field in (field for field in cls.fields if field.own):
        for path, kind in reached(field, module) if field.kind.references else ():
            if kind.name in ("set", "frozenset") and kind.references:
                yield SetOfReferences(field.span, path)


class SetOfReferences(Finding, frozen=True):
    code = "SG209"
    severity = Severity.WARNING
    MESSAGE = "a load does not keep the order of the objects in the set `{field}`"
    HELP = (
        "use a list or `dict[…, None]` if the order matters; otherwise add `# "
        "savegen: ignore[SG209]`"
    )

    field: str
