"""The names that a game imports to save and load its world."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from savegen.runtime.world.assets import AssetRegistry as AssetRegistry
    from savegen.runtime.world.assets import OnUnknown as OnUnknown
    from savegen.runtime.values.references import NO_REFERENCES as NO_REFERENCES
    from savegen.runtime.values.references import References as References
    from savegen.runtime.values.saveable import SaveLoadable as SaveLoadable
    from savegen.runtime.errors import LevelError as LevelError
    from savegen.runtime.errors import NoSuchSave as NoSuchSave
    from savegen.runtime.errors import SaveApplyError as SaveApplyError
    from savegen.runtime.errors import SaveCorruptError as SaveCorruptError
    from savegen.runtime.errors import SaveError as SaveError
    from savegen.runtime.errors import SaveLimitError as SaveLimitError
    from savegen.runtime.errors import SaveVersionError as SaveVersionError
    from savegen.runtime.errors import SaveWriteError as SaveWriteError
    from savegen.runtime.errors import SlotBusyError as SlotBusyError
    from savegen.runtime.errors import StaleKeyError as StaleKeyError
    from savegen.runtime.snapshots.history.history import History as History
    from savegen.runtime.values.basics.keys import SlotKey as SlotKey
    from savegen.runtime.manager import SaveLoadManager as SaveLoadManager
    from savegen.runtime.marks import Activation as Activation
    from savegen.runtime.marks import Asset as Asset
    from savegen.runtime.marks import Save as Save
    from savegen.runtime.marks import SaveOverride as SaveOverride
    from savegen.runtime.marks import Saved as Saved
    from savegen.runtime.marks import before_save as before_save
    from savegen.runtime.marks import converter as converter
    from savegen.runtime.marks import migration as migration
    from savegen.runtime.marks import on_activate as on_activate
    from savegen.runtime.marks import on_deactivate as on_deactivate
    from savegen.runtime.marks import prefab as prefab
    from savegen.runtime.marks import saveable as saveable
    from savegen.runtime.world.objects import GameObject as GameObject
    from savegen.runtime.world.objects import SlotMapReference as SlotMapReference
    from savegen.runtime.world.objects import Transform as Transform
    from savegen.runtime.world.pools import ObjectPool as ObjectPool
    from savegen.runtime.prefabs.prefabs import PrefabInfo as PrefabInfo
    from savegen.runtime.prefabs.prefabs import part as part
    from savegen.runtime.snapshots.recorder import Record as Record
    from savegen.runtime.snapshots.recorder import Recorder as Recorder
    from savegen.runtime.snapshots.recorder import deserializer as deserializer
    from savegen.runtime.snapshots.recorder import serializer as serializer
    from savegen.runtime.reports import LoadReport as LoadReport
    from savegen.runtime.values.rows import Key as Key
    from savegen.runtime.values.rows import Row as Row
    from savegen.runtime.values.rows import UNSET as UNSET
    from savegen.runtime.world.slots import SlotMap as SlotMap
    from savegen.runtime.snapshots.snapshot import Snapshot as Snapshot

__all__ = [
    "NO_REFERENCES",
    "UNSET",
    "Activation",
    "AssetRegistry",
    "GameObject",
    "History",
    "Key",
    "LevelError",
    "LoadReport",
    "NoSuchSave",
    "ObjectPool",
    "OnUnknown",
    "PrefabInfo",
    "Record",
    "Recorder",
    "References",
    "Row",
    "SaveApplyError",
    "SaveCorruptError",
    "SaveError",
    "SaveLimitError",
    "SaveLoadManager",
    "SaveLoadable",
    "SaveVersionError",
    "SaveWriteError",
    "SlotBusyError",
    "SlotKey",
    "SlotMap",
    "SlotMapReference",
    "Snapshot",
    "StaleKeyError",
    "Transform",
    "deserializer",
    "serializer",
]

# By module. A module is imported when the game first uses one of its names.
_NAMES = {
    "world.assets": "AssetRegistry OnUnknown",
    "generated.components": "NO_REFERENCES References SaveLoadable",
    "errors": "LevelError NoSuchSave SaveApplyError SaveCorruptError SaveError"
    " SaveLimitError SaveVersionError SaveWriteError SlotBusyError"
    " StaleKeyError",
    "snapshots.history.history": "History",
    "values.basics.keys": "SlotKey",
    "manager": "SaveLoadManager",
    "marks": "Activation Asset Save SaveOverride Saved before_save converter"
    " migration on_activate on_deactivate prefab saveable",
    "world.objects": "GameObject SlotMapReference Transform",
    "world.pools": "ObjectPool",
    "prefabs.prefabs": "PrefabInfo part",
    "snapshots.recorder": "Record Recorder deserializer serializer",
    "reports": "LoadReport",
    "values.rows": "Key Row UNSET",
    "world.slots": "SlotMap",
    "snapshots.snapshot": "Snapshot",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value
