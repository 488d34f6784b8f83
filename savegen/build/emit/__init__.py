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
from savegen.build.emit._views import moved_function, row_name
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
    return {
        path: text
        for output in OUTPUTS
        if hasattr(output, "of_module")
        for path, text in output.of_module(module, layout)
    }


def emit_shared(model: Model, layout: Layout) -> dict[str, str]:
    """Return the files that belong to the whole project, by path."""
    return {
        path: text
        for output in OUTPUTS
        if hasattr(output, "of_project")
        for path, text in output.of_project(model, layout)
    }


def emit_prefabs(model: Model, layout: Layout) -> dict[str, str]:
    """Return the files that pass 2 writes, by path; without a prefab `types.py` alone."""
    outputs = OUTPUTS if any(True for _ in model.prefabs) else (types,)
    return {
        path: text
        for output in outputs
        if hasattr(output, "of_prefabs")
        for path, text in output.of_prefabs(model, layout)
    }


def serves(text: str, module: SavedModule) -> bool:
    """Tell whether an older file of mixins has all that a registry of today names."""
    return all(
        f"\nclass {row_name(cls)}(" in text
        and (not moved_function(cls) or f"\ndef {moved_function(cls)}(" in text)
        for cls in module.classes
    )
