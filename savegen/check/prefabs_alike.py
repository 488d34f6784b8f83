"""Two prefabs whose names in levels are the same, or differ only in case or underscores."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import Model, Prefab, folded
from savegen.report import Finding


def in_prefabs(model: Model) -> Iterator[Finding]:
    known: dict[str, Prefab] = {}
    for prefab in model.prefabs:
        for name in {folded(prefab.simple_name), folded(prefab.member)}:
            first = known.setdefault(name, prefab)
            if first is not prefab:
                other = first.name.replace(":", ".")
                name = prefab.name.replace(":", ".")
                yield PrefabsAlike(prefab.span, name, other)
                break


class PrefabsAlike(Finding, frozen=True):
    code = "SG404"
    MESSAGE = "prefabs `{name}` and `{other}` have the same name in levels"
    HELP = "rename one of them; a different case or underscore is not enough"

    name: str
    other: str
