"""A class that declares parts must be a prefab, or a base of one."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import Model
from savegen.report import Finding, Severity


def in_prefabs(model: Model) -> Iterator[Finding]:
    bases = {base for prefab in model.prefabs for base in prefab.ancestors}
    for module in model.modules.values():
        for qualname, span in module.loose:
            if f"{module.name}:{qualname}" not in bases:
                yield UnmarkedPrefab(span, qualname)


class UnmarkedPrefab(Finding, frozen=True):
    code = "SG406"
    severity = Severity.WARNING
    MESSAGE = "class `{name}` has parts but is not a prefab, so nothing builds it"
    HELP = "mark it with `@prefab`, or let a prefab inherit from it"

    name: str
