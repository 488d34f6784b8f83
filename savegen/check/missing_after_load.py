"""Report a transient attribute that objects made by a load lack, since `__init__` does not run."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.check.unsuitable_class import nature
from savegen.model import Model
from savegen.report import Finding, Severity


def in_project(model: Model) -> Iterator[Finding]:
    # A load makes the objects of a prefab by calling their classes.
    constructed = {part.cls for prefab in model.prefabs for part in prefab.parts}
    found = {
        each: None
        for cls in model.classes
        if cls.name not in constructed and not nature(cls)
        for each in cls.unset
    }
    for each in found:
        yield MissingAfterLoad(each.span, each.owner, each.attribute)


class MissingAfterLoad(Finding, frozen=True):
    code = "SG147"
    severity = Severity.WARNING
    MESSAGE = "`{name}.{attribute}` is missing from objects that a load creates"
    HELP = (
        "assign it in a method marked `@on_activate`, or give it a default in the "
        "body of the class"
    )

    name: str
    attribute: str
