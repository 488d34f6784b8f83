"""Levels cannot set a parameter whose type JSON cannot represent."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import Model, Prefab
from savegen.parameters import parameters
from savegen.report import Finding, Severity
from savegen.writable import Writing


def in_prefabs(model: Model) -> Iterator[Finding]:
    writing = Writing(model)
    told = {finding.span: finding for p in model.prefabs for finding in _of(p, writing)}
    yield from told.values()  # one per field, even if several prefabs show it


def _of(prefab: Prefab, writing: Writing) -> Iterator[UnwritableParameter]:
    for found in parameters(prefab, writing.model):
        if fault := writing.fault(found.field.kind):
            yield UnwritableParameter(found.field.span, found.field.name, fault)


class UnwritableParameter(Finding, frozen=True):
    code = "SG407"
    severity = Severity.WARNING
    MESSAGE = "levels cannot set `{name}`: JSON cannot represent {fault}"
    HELP = (
        "hide it from level authors with `Save(editor=False)` on the field, or "
        "`.show({name}=None)` on the part"
    )

    name: str
    fault: str  # what JSON cannot represent
