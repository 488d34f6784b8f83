"""Report a class whose bases have different fields under one name.

An object has only one attribute of a name, and a save one number for it.
"""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule, describe
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for field, first, second in cls.differing:
        pair = [
            (base.rpartition(":")[2], describe(kind)) for base, kind in (first, second)
        ]
        yield BasesDiffer(cls.span, field, cls.simple_name, *pair[0], *pair[1])


class BasesDiffer(Finding, frozen=True):
    """Two bases of a class have different fields under one name."""

    code = "SG311"
    MESSAGE = (
        "`{cls}` inherits two fields named `{name}`: `{first}` declares "
        "`{first_kind}`, and `{second}` declares `{second_kind}`"
    )
    HELP = (
        "an object has only one attribute `{name}`: rename one of the two fields, "
        "or give both the same type"
    )

    name: str  # of the field
    cls: str
    first: str  # base, and what it declares
    first_kind: str
    second: str
    second_kind: str
