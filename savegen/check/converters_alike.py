"""A field has one converter: of two nobody could say which reads an old value."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import Converter, Model
from savegen.report import Finding


def in_project(model: Model) -> Iterator[Finding]:
    first: dict[tuple[str, str], Converter] = {}
    for each in model.converters:
        other = first.setdefault((each.cls, each.field), each)
        if other is not each:
            field = f"{each.cls.rpartition(':')[2]}.{each.field}"
            yield ConvertersAlike(each.span, field, other.function.replace(":", "."))


class ConvertersAlike(Finding, frozen=True):
    code = "SG326"

    field: str
    other: str

    @property
    def message(self) -> str:
        return f"`{self.other}` is a converter of `{self.field}`, too"

    @property
    def help(self) -> str:
        return "make one function of the two: it can tell old values apart"
