"""A class made inside a function is another class at each call: nothing can find it again."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    if cls.local:
        yield LocalClass(cls.span, cls.simple_name)


class LocalClass(Finding, frozen=True):
    code = "SG118"

    name: str

    @property
    def message(self) -> str:
        return f"`{self.name}` is made inside a function, so a load could not find it"

    @property
    def help(self) -> str:
        return "move the class to the top level of its module"
