"""Report a saveable class that is defined inside a function.

Each call of the function creates another class, so a load cannot find it.
"""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    if cls.local:
        yield LocalClass(cls.span, cls.simple_name)


class LocalClass(Finding, frozen=True):
    code = "SG118"
    MESSAGE = "`{name}` is defined inside a function, so a load cannot find it"
    HELP = "move the class to the top level of its module"

    name: str
