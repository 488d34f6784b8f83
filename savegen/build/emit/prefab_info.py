"""Generate the table of prefabs, with their numbers, parts and modules."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.emit._environment import render
from savegen.build.emit._names import Names
from savegen.build.emit._paths import HEADER, Layout
from savegen.build.emit._places import PrefabPlace
from savegen.build.emit._types import as_code
from savegen.build.json_forms import JsonForms
from savegen.build.model import Model, PrefabClass

_DEFINED = (
    "Any",
    "AnySerializer",
    "FORMAT",
    "PREFAB_INFO",
    "Prefab",
    "PrefabInfo",
    "PrefabType",
    "object",
    "set_field",
    "set_place",
    "type",
)


def of_prefabs(model: Model, layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield the path and text of `prefab_info.py`."""
    names = Names(_DEFINED, ".types")
    json_forms = JsonForms(model)
    prefabs = [_Prefab(prefab, names) for prefab in model.prefabs]
    placed = [
        (view, PrefabPlace(prefab, model, json_forms))
        for view, prefab in zip(prefabs, model.prefabs)
        if prefab.position
    ]
    for view, place in placed:
        view.place, view.place_function = place, names.unique(f"_place{view.function}")
    setters = []
    if any(place.value and place.guarded for _, place in placed):
        setters.append("set_field")
    if not all(place.value for _, place in placed):
        setters.append("set_place")
    header = HEADER.format("the project's prefabs")
    text = render(
        "prefab_info.jinja",
        header=header,
        prefabs=prefabs,
        serializers=names.unique("_serializers"),
        has_places=bool(placed),
        setters=", ".join(setters),
    )
    yield layout.path("prefab_info.py"), text


class _Prefab:
    """The values of one prefab for the template."""

    def __init__(self, prefab: PrefabClass, names: Names) -> None:
        first, dot, rest = prefab.qualname.partition(".")
        self.member = prefab.enum_member
        self.qualname = as_code(prefab.qualname)
        self.module = prefab.module
        self.module_code = as_code(prefab.module)
        self.function = names.unique(_function(prefab))
        self.imported_name, self.class_expression = first, f"{first}{dot}{rest}"
        self.parts = [f"{as_code(p.name)}: {p.number}" for p in prefab.parts]
        self.max_count = prefab.max_count
        self.static = prefab.static
        self.name = prefab.qualname
        self.place: PrefabPlace | None = None  # of the position that it declares
        self.place_function = ""


def _function(prefab: PrefabClass) -> str:
    """Return a function name that is short enough for its line."""
    name = f"_{prefab.enum_member.lower()}"
    return name if len(name) <= 60 else f"_prefab_{prefab.number}"
