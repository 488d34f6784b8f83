"""Generate the table of prefabs, with their numbers, parts and modules."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.emit._environment import render
from savegen.build.emit._names import Names
from savegen.build.emit._paths import HEADER, Layout
from savegen.build.emit._types import as_code
from savegen.build.model import Model, Prefab

_DEFINED = (
    "AnySerializer",
    "FORMAT",
    "PREFAB_INFO",
    "Prefab",
    "PrefabInfo",
    "PrefabType",
    "object",
    "type",
)


def of_prefabs(model: Model, layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield the path and text of `prefab_info.py`."""
    names = Names(_DEFINED, ".types")
    prefabs = [_Prefab(prefab, names) for prefab in model.prefabs]
    header = HEADER.format("the project's prefabs")
    text = render(
        "prefab_info.jinja",
        header=header,
        prefabs=prefabs,
        serializers=names.unique("_serializers"),
    )
    yield layout.path("prefab_info.py"), text


class _Prefab:
    """The values of one prefab for the template."""

    def __init__(self, prefab: Prefab, names: Names) -> None:
        first, dot, rest = prefab.qualname.partition(".")
        self.member = prefab.enum_member
        self.qualname = as_code(prefab.qualname)
        self.module = prefab.module
        self.module_code = as_code(prefab.module)
        self.function = names.unique(_function(prefab))
        self.imported_name, self.class_expression = first, f"{first}{dot}{rest}"
        self.parts = [f"{as_code(p.name)}: {p.number}" for p in prefab.parts]
        self.max_count = prefab.max_count


def _function(prefab: Prefab) -> str:
    """Return a function name that is short enough for its line."""
    name = f"_{prefab.enum_member.lower()}"
    return name if len(name) <= 60 else f"_prefab_{prefab.number}"
