"""A program that loads and migrates saves with the classes of a game; `savegen saves` starts it.

No game imports it. It prints one JSON object; all other output goes to stderr.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from savegen import disk
from savegen.runtime import AssetRegistry, OnUnknown, SaveError, SaveLoadManager
from savegen.runtime.errors import describe_error, with_article
from savegen.runtime.world.hooks import HookError
from savegen.runtime.prefabs.linking import _streams
from savegen.runtime.values.basics.named import required
from savegen.runtime.generated.registry import Registry
from savegen.saves import coding, file
from savegen.saves.limits import Limits
from savegen.saves.older import migrated
from savegen.saves.opening import open_file
from savegen.saves.stores import durable

FORMAT = 1  # the version of the printed JSON


class Outcome(NamedTuple):
    """Why saves cannot be loaded or migrated, by path."""

    faults: dict[str, str]
    hooks: tuple[
        str, ...
    ] = ()  # the paths of saves for which a hook of the game raised


def main(package: str, verb: str, *arguments: str) -> None:
    """Run `verb` with its arguments; `package` is the generated package."""
    stdout = _streams.take_stdout()
    result = {"format": FORMAT, **VERBS[verb](package, *arguments)._asdict()}
    _streams.write(stdout, msgspec.json.encode(result))
    _streams.end(0)


class NewWorld(NamedTuple):
    """A new world to load a save into."""

    manager: SaveLoadManager
    levels: Callable[[str], object] | None = None  # loads the level with a name


def _loaded(package: str, function: str, *paths: str) -> Outcome:
    """Load each save into a new world.

    `function` is `world` in `[tool.savegen]`: it makes a world. Without one, the world has the
    registry and the prefabs of the game.
    """
    make: Callable[[], NewWorld]
    make = (lambda: _world_of(function)) if function else _plain_world(package)
    hooks = []

    def load(path: str) -> None:
        with _reading():
            save = open_file(path)
        manager, levels = make()
        snapshot, level = save.snapshot(manager), save.metadata.level
        try:
            if levels is None or level is None:
                manager.apply_snapshot(snapshot)
            else:
                manager.restart(lambda: levels(level), snapshot)
        except SaveError as error:
            if _is_of_hook(error):
                hooks.append(path)
            raise

    faults = {path: fault for path in paths if (fault := _fault(load, path))}
    return Outcome(faults, (*hooks,))


def _world_of(function: str) -> NewWorld:
    """Return the world that a function of the game makes."""
    make: Any = required(function)
    made = make()
    if isinstance(made, SaveLoadManager):
        return NewWorld(made)
    if isinstance(made, tuple) and len(made) == 2:
        manager, levels = made
        if isinstance(manager, SaveLoadManager) and callable(levels):
            return NewWorld(manager, levels)
    raise SaveError(
        f"`{function}` returned {with_article(type(made).__qualname__)}; let it return the manager,"
        " or the manager and the function that loads a level by its name"
    )


def _plain_world(package: str) -> Callable[[], NewWorld]:
    registry, prefabs = _registry(package), f"{package}.prefab_info"
    info = import_module(prefabs).PREFAB_INFO if find_spec(prefabs) else None

    def make() -> NewWorld:
        # Games register their assets when they start, and the game is not started here.
        assets = AssetRegistry(OnUnknown.PLACEHOLDER)
        return NewWorld(SaveLoadManager(registry, info, assets=assets))

    return make


def _is_of_hook(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, HookError):
            return True
        error = error.__cause__
    return False


def _migrated(package: str, source: str, target: str) -> Outcome:
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
    return Outcome({source: fault} if fault else {})


VERBS: dict[str, Callable[..., Outcome]] = {
    "verify": _loaded,
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
    except Exception as error:  # the game's modules and its function may raise anything
        return f"the game raised {describe_error(error)}"
    return ""


if __name__ == "__main__":
    main(*sys.argv[1:])
