"""Report two classes whose generated names are the same, or differ only in case."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import Model, SavedClass, folded
from savegen.report import Finding


def in_project(model: Model) -> Iterator[Finding]:
    members: dict[str, SavedClass] = {}
    for cls in model.classes:
        key = folded(cls.member)
        if key in members:
            yield ClassesAlike(cls.span, cls.qualname, members[key].name)
        members.setdefault(key, cls)
    for module in model.modules.values():
        mixins: dict[str, SavedClass] = {}
        for cls in module.classes:
            key = folded(cls.mixin)
            if key in mixins:
                yield ClassesAlike(cls.span, cls.qualname, mixins[key].name)
            mixins.setdefault(key, cls)


class ClassesAlike(Finding, frozen=True):
    code = "SG123"
    HELP = "rename one of the classes"

    name: str
    other: str

    @property
    def message(self) -> str:
        other = self.other.replace(":", ".")
        return f"`{self.name}` and `{other}` would get the same generated name"
