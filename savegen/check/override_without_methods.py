"""An override class promises methods of its own; without them it would save nothing."""

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

    name: str
    method: str

    @property
    def message(self) -> str:
        return f"`{self.name}` is an override class but does not define `{self.method}`"

    @property
    def help(self) -> str:
        return f"define it around `self.{self.method}_(…)`, or drop `override=True`"
