"""Each parameter of a prefab needs its own name in levels."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import Model, Prefab
from savegen.parameters import Parameter, parameters
from savegen.report import Finding


def in_prefab(prefab: Prefab, model: Model) -> Iterator[Finding]:
    seen: dict[str, Parameter] = {}
    for found in parameters(prefab, model):
        first = seen.setdefault(found.name, found)
        if first is found or _is_told(first, found):
            continue
        if _is_inherited(first, found, prefab, model):
            continue
        span = found.part.span if found.part.own else prefab.span
        part, field = found.part.name, found.field.name
        yield ParameterTwice(span, _place(first), part, field, found.name)


def _is_told(first: Parameter, found: Parameter) -> bool:
    """Return whether both are fields of one class, which `exposed_twice` reports."""
    return first.part is found.part and not found.part.shown


def _is_inherited(
    first: Parameter, found: Parameter, prefab: Prefab, model: Model
) -> bool:
    """Return whether a base prefab has the same two parameters."""
    both = {first.part.span, found.part.span}
    return any(
        both <= {part.span for part in base.parts}
        for base in model.prefabs
        if base.name in prefab.bases
    )


def _place(found: Parameter) -> str:
    return f"{found.part.name}.{found.field.name}"


class ParameterTwice(Finding, frozen=True):
    code = "SG402"

    first: str  # `body.size`
    part: str
    field: str
    name: str  # for levels

    @property
    def message(self) -> str:
        second = f"{self.part}.{self.field}"
        return f"`{self.first}` and `{second}` are both called `{self.name}` in levels"

    @property
    def help(self) -> str:
        new = f"{self.part}_{self.field}".replace("__", "_")
        return (
            f'rename one of them: write `part(…).show({self.field}="{new}")`,'
            ' or `Save("…")` on the field'
        )
