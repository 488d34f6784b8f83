"""A component in the body of a prefab is not a part."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import Model, Prefab
from savegen.report import Finding


def in_prefab(prefab: Prefab, model: Model) -> Iterator[Finding]:
    for name, span in prefab.bare:
        yield BareComponent(span, name)


class BareComponent(Finding, frozen=True):
    code = "SG405"
    MESSAGE = "`{name}` must be written as `part(…)`, not as an object or a class"
    HELP = (
        "write `{name} = part(Class, …)`, with the class of the component and the "
        "arguments for its constructor"
    )

    name: str
