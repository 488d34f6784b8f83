"""Save files: what a world is, as bytes that survive the game and its next version."""

from savegen.runtime.saves.autosave import Autosave
from savegen.runtime.saves.coding import decode, encode
from savegen.runtime.saves.stores.folder import FolderStore
from savegen.runtime.saves.slots.info import Loaded, SaveInfo
from savegen.runtime.saves.container.limits import Limits
from savegen.runtime.saves.stores.memory import MemoryStore
from savegen.runtime.saves.metadata import Metadata
from savegen.runtime.saves.older.raw import RawSave
from savegen.runtime.saves.slots.slots import SaveSlots
from savegen.runtime.saves.stores.store import Store

__all__ = [
    "Autosave",
    "FolderStore",
    "Limits",
    "Loaded",
    "MemoryStore",
    "Metadata",
    "RawSave",
    "SaveInfo",
    "SaveSlots",
    "Store",
    "decode",
    "encode",
]
