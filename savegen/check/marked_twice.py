"""Report a field that a class declares and marks twice.

A merge of two branches can leave this behind, and only one of the marks can count.
"""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for name, span in cls.marked_again:
        yield MarkedTwice(span, cls.qualname, name)


class MarkedTwice(Finding, frozen=True):
    code = "SG146"
    MESSAGE = "`{name}.{field}` is marked twice"
    HELP = "keep one of the two declarations"

    name: str
    field: str
