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

    name: str

    @property
    def message(self) -> str:
        return (
            f"`{self.name}` must be written as `part(…)`, not as an object or a class"
        )

    @property
    def help(self) -> str:
        return (
            f"write `{self.name} = part(Class, …)`, with the class of the component"
            " and the arguments for its constructor"
        )
