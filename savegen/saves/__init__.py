"""Public names for saving to files, which survive crashes and load in later versions of a game."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from savegen.runtime.errors import NoSuchSave as NoSuchSave
    from savegen.runtime.errors import SaveApplyError as SaveApplyError
    from savegen.runtime.errors import SaveCorruptError as SaveCorruptError
    from savegen.runtime.errors import SaveError as SaveError
    from savegen.runtime.errors import SaveLimitError as SaveLimitError
    from savegen.runtime.errors import SaveVersionError as SaveVersionError
    from savegen.runtime.errors import SaveWriteError as SaveWriteError
    from savegen.runtime.errors import SlotBusyError as SlotBusyError
    from savegen.saves.autosave import Autosave as Autosave
    from savegen.saves.coding import decode as decode
    from savegen.saves.coding import encode as encode
    from savegen.saves.limits import Limits as Limits
    from savegen.saves.file import Metadata as Metadata
    from savegen.saves.older.raw import RawSave as RawSave
    from savegen.saves.reports import SaveReport as SaveReport
    from savegen.saves.slots.background import PendingSave as PendingSave
    from savegen.saves.slots.info import SaveInfo as SaveInfo
    from savegen.saves.slots.info import SlotLoadReport as SlotLoadReport
    from savegen.saves.slots.info import SlotSaveReport as SlotSaveReport
    from savegen.saves.slots.shared import SharedSave as SharedSave
    from savegen.saves.slots.slots import SaveSlots as SaveSlots
    from savegen.saves.stores.folder import FolderStore as FolderStore
    from savegen.saves.stores.store import MemoryStore as MemoryStore
    from savegen.saves.stores.store import Store as Store

# Imported on first use, so that commands that read saves do not import the slots.
_NAMES = {
    ".runtime.errors": "NoSuchSave SaveApplyError SaveCorruptError SaveError SaveLimitError"
    " SaveVersionError SaveWriteError SlotBusyError",
    "autosave": "Autosave",
    "coding": "decode encode",
    "limits": "Limits",
    "file": "Metadata",
    "older.raw": "RawSave",
    "reports": "SaveReport",
    "slots.background": "PendingSave",
    "slots.info": "SaveInfo SlotLoadReport SlotSaveReport",
    "slots.shared": "SharedSave",
    "slots.slots": "SaveSlots",
    "stores.folder": "FolderStore",
    "stores.store": "MemoryStore Store",
}
_MODULE_OF = {
    name: module for module, names in _NAMES.items() for name in names.split()
}
__all__ = [*_MODULE_OF]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)
    globals()[name] = value
    return value
