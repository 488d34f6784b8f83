"""Saves of other versions of the game: migrated, converted, and preserved where unknown."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any, TypeVar

from savegen.runtime.errors import (
    SaveApplyError,
    SaveError,
    SaveVersionError,
    describe_error,
)
from savegen.runtime.named import imported
from savegen.runtime.registry import Registry
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
    found, versions = migrated(body, registry, guard, read_only=read_only)
    today = SaveUpdate(found, registry, guard, prefabs).run()
    if versions:
        today.report["migrations"] = versions
    return today


def migrated(
    body: Body, registry: Registry, guard: Guard, *, read_only: bool = False
) -> tuple[Body, tuple[int, ...]]:
    """Return a body with the save version of the game, and the versions of the migrations that ran.

    The given body is not changed. With `read_only`, a save from a newer version is returned as it
    is; otherwise it raises `SaveVersionError`, as does a missing migration. Raises
    `SaveApplyError` if a migration fails.

    >>> from savegen.runtime.registry import FORMAT
    >>> from savegen.saves.body import WorldPart
    >>> from savegen.saves.limits import Limits
    >>> registry, guard = Registry(FORMAT, (), save_version=7), Guard(Limits(), 0)
    >>> migrated(Body(WorldPart(save_version=9)), registry, guard)
    Traceback (most recent call last):
        ...
    savegen.runtime.errors.SaveVersionError: the save has version 9, the game reads up to 7: update the game, or open the save read-only
    """
    then, now = body.world.save_version, registry.save_version
    if then == now or (then > now and read_only):
        return body, ()
    if then > now:
        raise SaveVersionError(
            f"the save has version {then}, the game reads up to {now}: update the game, or"
            " open the save read-only"
        )
    functions = dict(registry.migrations)
    save = RawSave(body, registry, guard)
    versions = range(then + 1, now + 1)
    for version in versions:
        if version not in functions:
            raise SaveVersionError(
                f"the save has version {then}, the game version {now}, and there is no"
                f" `@migration(to={version})` between them"
            )
        name = f"the migration `{functions[version]}`"
        _run_step(name, lambda: imported(functions[version])(save))
        save.version = version
    return _run_step("writing what the migrations have left", save.body), tuple(
        versions
    )


def _run_step(what: str, step: Callable[[], T]) -> T:
    """Return the result of a step; name the step in its errors."""
    try:
        return step()
    except SaveError as error:
        error.add_note(f"in {what}")
        raise
    except Exception as error:
        raise SaveApplyError(f"{what} raised {describe_error(error)}") from error
