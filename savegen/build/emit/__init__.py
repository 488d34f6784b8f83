"""Model to text: one file an output, and nothing here touches the disk but the templates."""

from __future__ import annotations

from types import ModuleType

from savegen.build.emit import (
    components,
    link_prefabs,
    packages,
    prefab_info,
    prefabs,
    registry,
    types,
)
from savegen.build.emit._black import CannotFormat, finished
from savegen.build.emit._paths import Layout
from savegen.build.emit._views import differs_function, row_name
from savegen.build.model import Model, SavedModule

OUTPUTS: tuple[ModuleType, ...] = (
    components,
    link_prefabs,
    packages,
    prefab_info,
    prefabs,
    registry,
    types,
)

__all__ = [
    "OUTPUTS",
    "CannotFormat",
    "Layout",
    "emit_module",
    "emit_prefabs",
    "emit_shared",
    "finished",
    "serves",
]


def emit_module(module: SavedModule, layout: Layout) -> dict[str, str]:
    """Return the files that belong to one source file, by path."""
    return _files(OUTPUTS, "of_module", module, layout)


def emit_shared(model: Model, layout: Layout) -> dict[str, str]:
    """Return the files that belong to the whole project, by path."""
    return _files(OUTPUTS, "of_project", model, layout)


def emit_prefabs(model: Model, layout: Layout) -> dict[str, str]:
    """Return the files that pass 2 writes, by path; without a prefab `types.py` alone."""
    outputs = OUTPUTS if any(True for _ in model.prefabs) else (types,)
    return _files(outputs, "of_prefabs", model, layout)


def _files(
    outputs: tuple[ModuleType, ...], part: str, *arguments: object
) -> dict[str, str]:
    makers = (getattr(each, part) for each in outputs if hasattr(each, part))
    return {path: text for make in makers for path, text in make(*arguments)}


def serves(text: str, module: SavedModule) -> bool:
    """Return whether an older file of mixins has everything that today's registry names."""
    return all(
        f"\nclass {row_name(cls)}(" in text
        and (not differs_function(cls) or f"\ndef {differs_function(cls)}(" in text)
        for cls in module.classes
    )
