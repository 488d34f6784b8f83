"""Report a generated base that is not the first base of its class.

The methods of a base that is saveable too would hide those of the class's own mixin.
"""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    if cls.mixin_place:
        yield MixinNotFirst(cls.span, cls.qualname, cls.mixin)


class MixinNotFirst(Finding, frozen=True):
    code = "SG111"
    MESSAGE = "`{mixin}` must be the first base of `{name}`"
    HELP = "run `savegen wire`"

    name: str
    mixin: str
