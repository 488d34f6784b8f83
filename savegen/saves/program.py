"""The program that looks at saves with the classes of a game: `savegen saves` starts it.

No game imports it. It prints one JSON object; all other output goes to stderr.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from savegen.runtime import AssetRegistry, OnUnknown, SaveError, SaveLoadManager
from savegen.runtime.errors import told
from savegen.runtime.linking import _streams
from savegen.runtime.registry import Registry
from savegen.saves import coding, file
from savegen.saves.body import Body
from savegen.saves.journal.playback import play
from savegen.saves.limits import Guard, Limits
from savegen.saves.metadata import Metadata
from savegen.saves.older.migrate import migrated
from savegen.saves.slots import content
from savegen.saves.stores import durable

FORMAT = 1  # of what is printed


def main(package: str, verb: str, *paths: str) -> None:
    """Do what `verb` says with the saves at `paths`; `package` is the generated one."""
    stdout = _streams.take_stdout()
    faults = VERBS[verb](package, *paths)
    result = {"format": FORMAT, "faults": faults}
    _streams.write(stdout, msgspec.json.encode(result))
    _streams.end(0)


def _would_load(package: str, *paths: str) -> dict[str, str]:
    """Return why saves would not load, by path; nothing for those that would."""
    registry = _registry(package)
    prefabs = f"{package}.prefab_info"
    info = import_module(prefabs).PREFAB_INFO if find_spec(prefabs) else None

    def load(path: str) -> None:
        # The game names its assets when it starts, which it does not do here.
        assets = AssetRegistry(OnUnknown.PLACEHOLDER)
        manager = SaveLoadManager(registry, info, assets=assets)
        _, body, guard = _read(path)
        coding.decode_body(body, registry, guard, prefabs=manager.prefabs)

    return {path: fault for path in paths if (fault := _fault(load, path))}


def _migrated(package: str, source: str, target: str) -> dict[str, str]:
    """Write a save with the game's migrations applied; return why that is impossible."""
    registry = _registry(package)

    def write(path: str) -> None:
        data = _bytes_of(path)
        metadata, body, guard = content.read(data, Limits())
        new, _ = migrated(body, registry, guard)
        about = replace(
            metadata, save_version=new.world.save_version, parent=file.digest_of(data)
        )
        made = content.write(content.Content(about, new, guard), data, Limits())
        with durable.writing(f"making the folder of {target}"):
            Path(target).parent.mkdir(parents=True, exist_ok=True)
        durable.write(str(Path(target).absolute()), [made], target)

    fault = _fault(write, source)
    return {source: fault} if fault else {}


VERBS: dict[str, Callable[..., dict[str, str]]] = {
    "verify": _would_load,
    "migrate": _migrated,
}


def _read(path: str) -> tuple[Metadata, Body, Guard]:
    """Return what is in a save, and in the journal beside it."""
    data = _bytes_of(path)
    metadata, body, guard = content.read(data, Limits())
    journal = Path(path).with_suffix(".journal")
    if not journal.is_file():
        return metadata, body, guard
    records = _bytes_of(str(journal))
    guard.size += len(records)
    played = play(body, metadata, records, file.digest_of(data), guard)
    return played.metadata, played.body, guard


def _bytes_of(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise SaveError(f"it cannot be read: {durable.said(error)}") from None


def _registry(package: str) -> Registry:
    found: Any = import_module(f"{package}.registry")
    registry: Registry = found.REGISTRY
    return registry


def _fault(step: Callable[[str], object], path: str) -> str:
    try:
        step(path)
    except SaveError as error:
        return str(error)
    except Exception as error:  # of the game's modules, when they are imported
        return f"the game raised {told(error)}"
    return ""


if __name__ == "__main__":
    main(*sys.argv[1:])
