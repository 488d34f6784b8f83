"""The public names for games: `from savegen import saveable, Saved`."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from savegen.runtime.errors import SaveError as SaveError
    from savegen.runtime.marks import Activation as Activation
    from savegen.runtime.marks import Asset as Asset
    from savegen.runtime.marks import Method as Method
    from savegen.runtime.marks import Save as Save
    from savegen.runtime.marks import Saved as Saved
    from savegen.runtime.marks import SaveOverride as SaveOverride
    from savegen.runtime.marks import before_save as before_save
    from savegen.runtime.marks import converter as converter
    from savegen.runtime.marks import migration as migration
    from savegen.runtime.marks import on_activate as on_activate
    from savegen.runtime.marks import on_deactivate as on_deactivate
    from savegen.runtime.marks import prefab as prefab
    from savegen.runtime.marks import saveable as saveable
    from savegen.runtime.prefabs.prefabs import part as part
    from savegen.runtime.snapshots.recorder import Recorder as Recorder
    from savegen.runtime.snapshots.recorder import deserializer as deserializer
    from savegen.runtime.snapshots.recorder import serializer as serializer

__all__ = [
    "Activation",
    "Asset",
    "Method",
    "Recorder",
    "Save",
    "SaveError",
    "SaveOverride",
    "Saved",
    "before_save",
    "converter",
    "deserializer",
    "migration",
    "on_activate",
    "on_deactivate",
    "part",
    "prefab",
    "saveable",
    "serializer",
]
_HOMES = {
    "SaveError": "savegen.runtime.errors",
    "part": "savegen.runtime.prefabs.prefabs",
    **dict.fromkeys(
        ["Recorder", "deserializer", "serializer"], "savegen.runtime.snapshots.recorder"
    ),
}


def __getattr__(name: str) -> Any:
    # Lazy, so that the build side can be imported without the runtime.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "savegen.runtime.marks")), name)
