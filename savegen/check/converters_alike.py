"""A field may have only one converter."""

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
    MESSAGE = "`{other}` is already a converter for `{field}`"
    HELP = "merge them into one function that checks the type of the old value"

    field: str
    other: str
