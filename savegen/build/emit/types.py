"""Generate the enumerations with the numbers of classes and prefabs."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.emit._environment import render
from savegen.build.emit._paths import HEADER, Layout
from savegen.build.model import Model


def of_project(model: Model, layout: Layout) -> Iterator[tuple[str, str]]:
    """Yield the path and text of `types.py`."""
    classes = sorted((cls.enum_member, cls.number) for cls in model.classes)
    text = render(
        "types.jinja",
        header=HEADER.format("savegen.lock"),
        classes=classes,
        prefabs=model.prefab_types,
        has_subclasses=any(cls.subclasses for cls in model.classes),
        mixins=_given_mixins(model, layout),
    )
    yield layout.path("types.py"), text


def _given_mixins(model: Model, layout: Layout) -> list[tuple[str, str]]:
    """Return the classes that get their mixins from a base, each with its mixin, sorted."""
    return sorted(
        (cls.name, f"{layout.mixins_module(module)}:{cls.mixin}")
        for module in model.modules.values()
        for cls in module.classes
        if cls.mixin_from_base and cls.mixin_position is None
    )


of_prefabs = of_project  # pass 2 writes the file again, with the numbers of prefabs
