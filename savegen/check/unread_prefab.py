"""The declaration of a prefab must be readable without running it."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import Model, Prefab, SavedClass
from savegen.report import Finding, similar


def in_prefab(prefab: Prefab, model: Model) -> Iterator[Finding]:
    for fault in prefab.faults:
        meant = _meant(fault.name, model) if fault.name else None
        module = meant.module if meant and meant.module != prefab.module else ""
        name = meant.simple_name if meant else ""
        is_misspelt = name != fault.name
        yield UnreadPrefab(fault.span, fault.reason, name, module, is_misspelt)


def _meant(name: str, model: Model) -> SavedClass | None:
    """Return the saveable class that somebody may have meant by a name."""
    classes = {each.simple_name: each for each in model.classes}
    return classes.get(similar(name, classes, 0.75))


class UnreadPrefab(Finding, frozen=True):
    code = "SG401"

    reason: str
    meant: str = ""  # a saveable class
    module: str = ""  # where it is, if it is in another module
    is_misspelt: bool = False

    @property
    def message(self) -> str:
        return self.reason

    @property
    def help(self) -> str | None:
        if self.meant and self.is_misspelt:
            home = f" from `{self.module}`" if self.module else ""
            return f"did you mean `{self.meant}`{home}?"
        if self.meant and self.module:
            return f"import `{self.meant}` from `{self.module}`"
        if self.reason.endswith("takes only keyword arguments"):
            return "write `@prefab(name=value)`, for example `@prefab(max_count=1)`"
        if self.reason.startswith("the first argument of `part`"):
            return "write `part(Class, …)`, and `.set(field=…)` for its values"
        return None
