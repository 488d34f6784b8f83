"""Generate the text of all output files from the model. Nothing here writes to the disk."""

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
from savegen.build.emit._black import CannotFormat, format_files
from savegen.build.emit._paths import Layout
from savegen.build.emit.components import row_name
from savegen.build.emit.registry import Earlier
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
    "Earlier",
    "Layout",
    "emit_module",
    "emit_prefabs",
    "emit_shared",
    "format_files",
    "defines_registry_names",
]


def emit_module(module: SavedModule, layout: Layout) -> dict[str, str]:
    """Return the files that belong to one source file, by path."""
    return _files(OUTPUTS, "of_module", module, layout)


def emit_shared(
    model: Model, layout: Layout, earlier: Earlier = Earlier()
) -> dict[str, str]:
    """Return the files that belong to the whole project, by path."""
    others = tuple(output for output in OUTPUTS if output is not registry)
    files = _files(others, "of_project", model, layout)
    return files | dict(registry.of_project(model, layout, earlier))


def emit_prefabs(model: Model, layout: Layout) -> dict[str, str]:
    """Return the files that pass 2 writes, by path: only `types.py` if there are no prefabs."""
    outputs = OUTPUTS if any(True for _ in model.prefabs) else (types,)
    return _files(outputs, "of_prefabs", model, layout)


def _files(
    outputs: tuple[ModuleType, ...], function: str, *arguments: object
) -> dict[str, str]:
    makers = (getattr(e, function) for e in outputs if hasattr(e, function))
    return {path: text for make in makers for path, text in make(*arguments)}


def defines_registry_names(text: str, module: SavedModule) -> bool:
    """Return whether an older file of mixins defines all names that the registry imports."""
    return all(f"\nclass {row_name(cls)}(" in text for cls in module.classes)
