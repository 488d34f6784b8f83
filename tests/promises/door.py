"""The public names that the tests of promises use, and what a report is expected to offer.

Import everything of the library from here: this module alone knows where save files live, so
the same tests run before and after they move to `savegen.saves`.

The reports
-----------
`SaveSlots.save` and `Autosave.record` return a `SaveReport`; its `info` is the `SaveInfo`:

* `mismatches`: a tuple of `Mismatch`, one for each value that does not fit its field. It was
  saved as what it is and comes back exactly;
* `lost`: a tuple of `Mismatch`, for what cannot be saved; the field takes its default on load;
* `objects`, `components`: how many of each were saved. Objects that were only reached count, and
  an object that is no `GameObject` is its own component;
* `preserved`: how many rows were written back for code that does not exist, by class or field;
* `dangling`: how many references to destroyed objects were saved as None.

A `Mismatch` has `where` ("Hero.hp", or "Hero.bag[1]"), `value` (a short `repr` of the
value), `declared` (the declared type, as the source has it) and `key` (of the object).

What `SaveSlots.load` and `apply_snapshot` return is a `LoadReport` with the same `mismatches`,
`lost`, `objects`, `components`, `preserved` and `dangling`, beside what it has today.

The functions below fail with `AssertionError` where the library has no such report yet.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def _module_with(name: str, *modules: str) -> Any:
    """Return the first of some modules that has a public name."""
    for each in modules:
        module = importlib.import_module(each)
        if hasattr(module, name):
            return module
    raise ImportError(f"no module of {modules} has {name}")


saves = _module_with("SaveSlots", "savegen.saves", "savegen.runtime.saves")
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
    """Return the mismatches of a report, each with all its attributes."""
    return _reported(report, "mismatches")


def lost(report: Any) -> list[Any]:
    """Return what a report says is lost, each with all its attributes."""
    return _reported(report, "lost")


def places(found: list[Any]) -> list[str]:
    """Return the fields that are named, sorted."""
    return sorted(each.where for each in found)


def _reported(report: Any, name: str) -> list[Any]:
    found = list(_attribute(report, name))
    for each in found:
        for attribute in ("where", "value", "key"):
            _attribute(each, attribute)
    return found


def preserved(report: Any) -> dict[str, int]:
    """Return how many rows are preserved, by class or field."""
    if hasattr(report, "kept_aside"):  # what it is called today
        return dict(report.kept_aside)
    return dict(_attribute(report, "preserved"))


def _attribute(thing: Any, name: str) -> Any:
    kind = type(thing).__name__
    assert hasattr(thing, name), f"{kind} has no `{name}`"
    return getattr(thing, name)


# -- what has no name today


def replace_asset(assets: Any, id: str, asset: Any) -> None:
    """Give an id another asset, as a game does that reloads its pictures."""
    _attribute(assets, "replace")(id, asset)


def remove_asset(assets: Any, id: str) -> None:
    """Forget an asset: `assets.remove("sword")`."""
    _attribute(assets, "remove")(id)


def round_trip(thing: Any, registry: Any, **options: Any) -> None:
    """Call `assert_round_trip(thing, registry, assets=…, prefabs=…)`."""
    try:
        assert_round_trip(thing, registry, **options)
    except TypeError as error:
        raise AssertionError(f"assert_round_trip: {error}") from error


def add_root(manager: Any, name: str, get: Any, set: Any) -> None:
    """Save what a global holds: `manager.add_root("player", lambda: g.player, set_player)`."""
    _attribute(manager, "add_root")(name, get, set)
