"""Report a class with `override=True` that lacks `save_data` or `load_data`."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    own = {name for name, _ in cls.members}
    for method in ("save_data", "load_data") if cls.override else ():
        if method not in own:
            yield OverrideWithoutMethods(cls.span, cls.qualname, method)


class OverrideWithoutMethods(Finding, frozen=True):
    code = "SG112"
    MESSAGE = "`{name}` is marked `override=True` but does not define `{method}`"
    HELP = (
        "define `{method}` and call `self.{method}_(…)` in it, or remove "
        "`override=True`"
    )

    name: str
    method: str
