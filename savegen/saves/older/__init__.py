"""Saves of other versions of the game: migrated, converted, and preserved where unknown."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from savegen.runtime.registry import Registry
from savegen.saves.body import Body
from savegen.saves.limits import Guard
from savegen.saves.older.migrate import migrated
from savegen.saves.older.today import Today, Update


def updated(
    body: Body,
    registry: Registry,
    guard: Guard,
    *,
    prefabs: Container[Any] | None = None,
    read_only: bool = False,
) -> Today:
    """Return a save as one of today; the body that is given stays as it is.

    `prefabs` are the numbers of those that the game has. A save of a newer version is read as
    far as it can be if it is to be `read_only`. Raises `SaveVersionError` for one otherwise,
    and `SaveApplyError` for what needs a default, a converter or a migration.
    """
    found, versions = migrated(body, registry, guard, read_only=read_only)
    today = Update(found, registry, guard, prefabs).run()
    if versions:
        today.report["migrations"] = versions
    return today
