"""Saves of other versions of the game: migrations, conversions, and preserved data."""

from __future__ import annotations

from collections.abc import Callable, Container
from functools import partial
from typing import Any, TypeVar

from savegen.runtime.errors import (
    SaveApplyError,
    SaveError,
    SaveLimitError,
    SaveVersionError,
    describe_error,
)
from savegen.runtime.values.basics.named import imported
from savegen.runtime.generated.registry import Registry
from savegen.saves.body import Body
from savegen.saves.limits import Guard
from savegen.saves.older.raw import RawSave
from savegen.saves.older.update import UpdatedSave, SaveUpdate

T = TypeVar("T")


def updated(
    body: Body,
    registry: Registry,
    guard: Guard,
    *,
    prefabs: Container[Any] | None = None,
    read_only: bool = False,
) -> UpdatedSave:
    """Return the body of a save in the current version; the given body is not changed.

    `prefabs` are the numbers of the prefabs of the game. With `read_only`, as much as possible is
    read of a save from a newer version; otherwise that raises `SaveVersionError`. Raises
    `SaveApplyError` if a default, a converter or a migration is missing.
    """
    migrated_body, versions = migrated(body, registry, guard, read_only=read_only)
    save = SaveUpdate(migrated_body, registry, guard, prefabs).run()
    if versions:
        save.report["migrations"] = versions
    return save


def migrated(
    body: Body, registry: Registry, guard: Guard, *, read_only: bool = False
) -> tuple[Body, tuple[int, ...]]:
    """Return a body with the save version of the game, and the versions that migrations led to.

    The given body is not changed. With `read_only`, a save from a newer version is returned as it
    is; otherwise it raises `SaveVersionError`, as does a missing migration. Raises
    `SaveApplyError` if a migration fails.

    >>> from savegen.runtime.generated.registry import FORMAT
    >>> from savegen.saves.body import WorldPart
    >>> from savegen.saves.limits import Limits
    >>> registry, guard = Registry(FORMAT, (), save_version=7), Guard(Limits(), 0)
    >>> migrated(Body(WorldPart(save_version=9)), registry, guard)
    Traceback (most recent call last):
        ...
    savegen.runtime.errors.SaveVersionError: the save has version 9, the game reads up to 7: update the game, or open the save read-only
    """
    saved, current = body.world.save_version, registry.save_version
    if saved == current or (saved > current and read_only):
        return body, ()
    if saved > current:
        raise SaveVersionError(
            f"the save has version {saved}, the game reads up to {current}: update the game, or"
            " open the save read-only"
        )
    functions = dict(registry.migrations)
    save = RawSave(body, registry, guard)
    versions = range(saved + 1, current + 1)
    for version in versions:
        if version not in functions:
            raise SaveVersionError(
                f"the save has version {saved}, the game has version {current}, and there is"
                f" no `@migration(to={version})` between them"
            )
        name = f"the migration `{functions[version]}`"
        _run_step(name, partial(_migrate, save, functions[version]))
        save.version = version
    return _run_step("writing the save after its migrations", save.body), tuple(
        versions
    )


def _migrate(save: RawSave, function: str) -> None:
    imported(function)(save)
    save.check_keys()


def _run_step(name: str, step: Callable[[], T]) -> T:
    """Return the result of a step; its errors name it.

    They are never a `SaveCorruptError`: the file is undamaged, and an older one is no better.
    """
    try:
        return step()
    except (SaveLimitError, SaveVersionError):
        raise
    except SaveError as error:
        raise SaveApplyError(f"{name}: {error}") from error
    except Exception as error:
        raise SaveApplyError(f"{name} raised {describe_error(error)}") from error
