"""The public names that the tests of promises use, and short ways to ask a report."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

saves: Any = importlib.import_module("savegen.saves")
runtime: Any = importlib.import_module("savegen.runtime")
testing: Any = importlib.import_module("savegen.runtime.testing")

Autosave = saves.Autosave
FolderStore = saves.FolderStore
Limits = saves.Limits
MemoryStore = saves.MemoryStore
SaveSlots = saves.SaveSlots
decode = saves.decode
encode = saves.encode

AssetRegistry = runtime.AssetRegistry
GameObject = runtime.GameObject
History = runtime.History
OnUnknown = runtime.OnUnknown
SaveApplyError = runtime.SaveApplyError
SaveCorruptError = runtime.SaveCorruptError
SaveError = runtime.SaveError
SaveLoadManager = runtime.SaveLoadManager
assert_round_trip = testing.assert_round_trip


# -- promises


@contextmanager
def promised(what: str) -> Iterator[None]:
    """Fail if anything is raised: it was promised that this works."""
    try:
        yield
    except AssertionError:
        raise
    except Exception as error:
        raise AssertionError(f"{what}: {type(error).__name__}: {error}") from error


def refused(what: str, step: Any, *names: str) -> Any:
    """Take a step that must raise a `SaveError` which says each of `names`; return it."""
    try:
        step()
    except SaveError as error:
        for name in names:
            assert name in str(error), f"{what}: {name} is not in {error}"
        return error
    except Exception as error:
        raise AssertionError(f"{what}: {type(error).__name__}: {error}") from error
    raise AssertionError(f"{what}: nothing was raised")


# -- reports


def save_report(info: Any) -> Any:
    """Return the `SaveReport` of what `save` or `record` has returned."""
    return getattr(info, "report", info)


def load_report(loaded: Any) -> Any:
    """Return the `LoadReport` of what `load` or `apply_snapshot` has returned."""
    return getattr(loaded, "report", loaded)


def mismatches(report: Any) -> list[Any]:
    """Return the values of a report that do not fit their fields."""
    return list(report.mismatches)


def lost(report: Any) -> list[Any]:
    """Return the values of a report that could not be saved."""
    return list(report.lost)


def places(found: list[Any]) -> list[str]:
    """Return the fields that are named, sorted."""
    return sorted(each.where for each in found)


def preserved(report: Any) -> dict[str, int]:
    """Return how many rows are preserved, by class or field."""
    return dict(report.preserved)
