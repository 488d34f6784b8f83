"""What games and generated code import. It needs nothing of the build side."""

from savegen.runtime.errors import SaveCorruptError, SaveError, StaleKeyError
from savegen.runtime.keys import SaveLoadKey, SlotKey
from savegen.runtime.marks import (
    Activation,
    Save,
    Saved,
    SaveOverride,
    before_save,
    on_activate,
    on_deactivate,
    saveable,
)
from savegen.runtime.registry import ClassEntry, Registry
from savegen.runtime.components import (
    NO_REFERENCES,
    CommonFields,
    ParamNameMapping,
    References,
    SaveLoadable,
)

from savegen.runtime.slots import SlotIndices, SlotMap

__all__ = [
    "NO_REFERENCES",
    "Activation",
    "ClassEntry",
    "CommonFields",
    "ParamNameMapping",
    "References",
    "Registry",
    "Save",
    "SaveCorruptError",
    "SaveError",
    "SaveLoadKey",
    "SaveLoadable",
    "SaveOverride",
    "Saved",
    "SlotIndices",
    "SlotKey",
    "SlotMap",
    "StaleKeyError",
    "before_save",
    "on_activate",
    "on_deactivate",
    "saveable",
]
