"""What a game imports to save and load its world. It needs nothing of the build side."""

from savegen.runtime.assets import AssetRegistry
from savegen.runtime.components import NO_REFERENCES, References, SaveLoadable
from savegen.runtime.errors import (
    LevelError,
    NoSuchSave,
    SaveApplyError,
    SaveCorruptError,
    SaveError,
    SaveLimitError,
    SaveVersionError,
    SaveWriteError,
    SlotBusyError,
    StaleKeyError,
)
from savegen.runtime.history import History
from savegen.runtime.keys import SlotKey
from savegen.runtime.manager import SaveLoadManager
from savegen.runtime.marks import Activation
from savegen.runtime.marks import Asset as Asset  # marks can be had from here, too
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
from savegen.runtime.objects import GameObject, SlotMapReference, Transform
from savegen.runtime.pools import ObjectPool
from savegen.runtime.prefabs import PrefabInfo
from savegen.runtime.prefabs import part as part
from savegen.runtime.recorder import Record, Recorder, deserializer, serializer
from savegen.runtime.reports import LoadReport
from savegen.runtime.rows import UNSET, Key, Row
from savegen.runtime.slots import SlotMap
from savegen.runtime.snapshot import Snapshot
from savegen.runtime.unknown import OnUnknown

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
