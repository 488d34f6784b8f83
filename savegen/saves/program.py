"""A program that checks and migrates saves with the classes of a game; `savegen saves` starts it.

No game imports it. It prints one JSON object; all other output goes to stderr.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec

import msgspec
from msgspec.structs import replace

from savegen import disk
from savegen.runtime import AssetRegistry, OnUnknown, SaveError, SaveLoadManager
from savegen.runtime.errors import describe_error
from savegen.runtime.linking import _streams
from savegen.runtime.registry import Registry
from savegen.saves import coding, file
from savegen.saves.limits import Limits
from savegen.saves.older import migrated
from savegen.saves.opening import open_file
from savegen.saves.stores import durable

FORMAT = 1  # the version of the printed JSON


def main(package: str, verb: str, *paths: str) -> None:
    """Run `verb` on the saves at `paths`; `package` is the generated package."""
    stdout = _streams.take_stdout()
    faults = VERBS[verb](package, *paths)
    result = {"format": FORMAT, "faults": faults}
    _streams.write(stdout, msgspec.json.encode(result))
    _streams.end(0)


def _load_faults(package: str, *paths: str) -> dict[str, str]:
    """Return the reasons why saves would not load, by path."""
    registry = _registry(package)
    prefabs = f"{package}.prefab_info"
    info = import_module(prefabs).PREFAB_INFO if find_spec(prefabs) else None

    def load(path: str) -> None:
        # Games register their assets when they start, and the game is not started here.
        assets = AssetRegistry(OnUnknown.PLACEHOLDER)
        manager = SaveLoadManager(registry, info, assets=assets)
        with _reading():
            save = open_file(path)
        save.snapshot(manager)

    return {path: fault for path in paths if (fault := _fault(load, path))}


def _migrated(package: str, source: str, target: str) -> dict[str, str]:
    """Write a save with the game's migrations applied.

    Return the error by the path of the save; nothing if the save was written.
    """
    registry = _registry(package)

    def write(path: str) -> None:
        with _reading():
            save = coding.read(disk.read(path))
        body, _ = migrated(save.body, registry, save.guard)
        version, parent = body.world.save_version, file.digest_of(save.data)
        metadata = replace(save.metadata, save_version=version, parent=parent)
        data = replace(save, metadata=metadata, body=body).to_bytes(Limits())
        with durable.writing(f"making the folder of {target}"):
            disk.make_folders(disk.parent(disk.absolute(target)))
        durable.write(disk.absolute(target), [data], target)

    fault = _fault(write, source)
    return {source: fault} if fault else {}


VERBS: dict[str, Callable[..., dict[str, str]]] = {
    "verify": _load_faults,
    "migrate": _migrated,
}


@contextmanager
def _reading() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SaveError(f"it cannot be read: {durable.system_message(error)}") from None


def _registry(package: str) -> Registry:
    registry: Registry = import_module(f"{package}.registry").REGISTRY
    return registry


def _fault(step: Callable[[str], object], path: str) -> str:
    try:
        step(path)
    except SaveError as error:
        return str(error)
    except Exception as error:  # importing the game's modules may raise anything
        return f"the game raised {describe_error(error)}"
    return ""


if __name__ == "__main__":
    main(*sys.argv[1:])
