"""The program that looks at saves with the classes of a game: `savegen saves` starts it.

No game imports it. It prints one JSON object; all else that is printed goes to stderr.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from savegen.runtime import AssetRegistry, OnUnknown, SaveError, SaveLoadManager
from savegen.runtime.errors import told
from savegen.runtime.linking import _streams
from savegen.runtime.registry import Registry
from savegen.runtime.saves.container import container
from savegen.runtime.saves.stores import durable
from savegen.runtime.saves.older.migrate import migrate
from savegen.runtime.saves.stores.store import at_once
from savegen.runtime.saves.world.unpack import unpack

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
        _, document = container.read(Path(path).read_bytes())
        unpack(migrate(document, registry), manager)

    return {path: fault for path in paths if (fault := _fault(load, path))}


def _migrated(package: str, source: str, target: str) -> dict[str, str]:
    """Write a save as the game of today would; return what kept it from that."""
    registry = _registry(package)

    def write(path: str) -> None:
        data = Path(path).read_bytes()
        metadata, document = container.read(data)
        new = migrate(document, registry)
        about = msgspec.structs.replace(
            metadata,
            save_version=new.save_version,
            parent=container.digest_of(data),
        )
        pieces = container.write(new, about, container.read_thumbnail(data))
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        durable.write(target, pieces, at_once, target)

    fault = _fault(write, source)
    return {source: fault} if fault else {}


VERBS: dict[str, Callable[..., dict[str, str]]] = {
    "verify": _would_load,
    "migrate": _migrated,
}


def _registry(package: str) -> Registry:
    found: Any = import_module(f"{package}.registry")
    registry: Registry = found.REGISTRY
    return registry


def _fault(step: Callable[[str], object], path: str) -> str:
    try:
        step(path)
    except SaveError as error:
        return str(error)
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    except Exception as error:  # of the game's modules, when they are imported
        return f"the game raised {told(error)}"
    return ""


if __name__ == "__main__":
    main(*sys.argv[1:])
