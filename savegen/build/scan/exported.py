"""The names that a game can import from savegen, by package."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec

from savegen.build.scan.marks import MARKS, PACKAGE

RUNTIME, SAVES, LEVELS = (
    f"{PACKAGE}.{name}" for name in ("runtime", "saves", "levels")
)
# Listed here because `scan` does not import the runtime packages.
EXPORTED: Mapping[str, tuple[str, ...]] = {
    PACKAGE: (*MARKS, "Activation", "Asset", "Method", "Recorder", "SaveError"),
    RUNTIME: (
        *MARKS,
        *"Activation Asset AssetRegistry GameObject History Key LevelError".split(),
        *"LoadReport NO_REFERENCES NoSuchSave ObjectPool OnUnknown PrefabInfo".split(),
        *"Record Recorder References Row SaveApplyError SaveCorruptError".split(),
        *"SaveError SaveLimitError SaveLoadManager SaveLoadable".split(),
        *"SaveVersionError SaveWriteError SlotBusyError SlotKey SlotMap".split(),
        *"SlotMapReference Snapshot StaleKeyError Transform UNSET".split(),
    ),
    SAVES: (
        *"Autosave FolderStore Limits MemoryStore Metadata PendingSave RawSave".split(),
        *"SaveInfo SaveReport SaveSlots SharedSave SlotLoadReport SlotSaveReport".split(),
        "Store",
        *"NoSuchSave SaveApplyError SaveCorruptError SaveError SaveLimitError".split(),
        *"SaveVersionError SaveWriteError SlotBusyError".split(),
        *("decode", "encode"),
    ),
    LEVELS: ("Level", "Partition", "StaticTile", "load_level", "partition"),
}


def may_have_name(package: str, name: str) -> bool:
    """Return whether a package of savegen may have a name; false only if it certainly lacks it."""
    if package not in EXPORTED or name.startswith("_"):
        return True
    return name in EXPORTED[package] or _spec(f"{package}.{name}") is not None


@cache
def _spec(module: str) -> ModuleSpec | None:
    """Return the spec of a module of savegen without importing its parent packages."""
    package, _, _ = module.rpartition(".")
    if not package:
        return find_spec(module)
    outer = _spec(package)
    folders = outer and outer.submodule_search_locations
    return PathFinder.find_spec(module, folders) if folders else None
