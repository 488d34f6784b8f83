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

    name: str
    fault: str  # what JSON cannot represent

    @property
    def message(self) -> str:
        return f"levels cannot set `{self.name}`: JSON cannot represent {self.fault}"

    @property
    def help(self) -> str:
        return (
            "hide it from level authors with `Save(editor=False)` on the field, or"
            f" `.show({self.name}=None)` on the part"
        )
