"""Loading a save into a level that was redrawn since: added, removed and replaced objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from savegen.levels import load_level
from savegen.runtime import LoadReport, OnUnknown, SaveLoadManager
from savegen.saves import decode, encode
from tests.levels.cave import GUARD, LAMP, PORTAL
from tests.runtime.worlds import assert_consistent

ENTRIES = {"L": LAMP, "G": GUARD, "P": {"$id": "gate", **PORTAL}}
Reload = Callable[..., LoadReport]


@pytest.fixture(params=["in memory", "from disk"])
def reload(request: pytest.FixtureRequest, game: Any, draw: Any) -> Reload:
    """Save one drawing of the level, and load it into another drawing, from memory or disk."""

    def loaded(before: str, after: str, entries: Any = ENTRIES) -> LoadReport:
        manager = new(game)
        load_level(draw("......", before, ENTRIES), manager)
        save = manager.create_snapshot()
        if request.param == "from disk":
            manager = new(game)
            save = decode(encode(save), manager)
        manager.clear()
        loaded.folder = draw("......", after, entries)  # type: ignore[attr-defined]
        load_level(loaded.folder, manager)  # type: ignore[attr-defined]
        report = manager.apply_snapshot(save)
        assert_consistent(manager)
        found[:] = [manager]
        return report

    found = loaded.found = list[SaveLoadManager]()  # type: ignore[attr-defined]
    return loaded


def new(game: Any) -> SaveLoadManager:
    manager = SaveLoadManager(
        game.REGISTRY, game.PREFAB_INFO, on_unknown=OnUnknown.DROP
    )
    game.WORLD[:] = [manager]
    return manager


def parts(reload: Any) -> dict[str | None, list[str]]:
    """Return the classes of the components of all objects by placement id."""
    (manager,) = reload.found
    return {
        manager.record_of(each).placement: [type(c).__name__ for c in each.components]
        for each in manager.objects
    }


def test_added_and_removed_objects_are_reported(reload: Reload) -> None:
    report = reload("LG..P.", ".G.LP.")
    assert report.added_by_level == ("cavern/layer1/3,0",)
    assert report.removed_by_level == ("cavern/layer1/0,0",)
    assert report.replaced_in_level == ()
    assert parts(reload).keys() == {
        "cavern/layer1/1,0",
        "cavern/layer1/3,0",
        "gate",
    }


def test_a_replaced_prefab_is_reported_and_the_saved_one_is_restored(
    reload: Reload,
) -> None:
    report = reload("LG..P.", "LL..P.")
    assert report.replaced_in_level == ("cavern/layer1/1,0",)
    assert (report.added_by_level, report.removed_by_level) == ((), ())
    assert parts(reload) == {
        "cavern/layer1/0,0": ["Lamp"],
        "cavern/layer1/1,0": ["Watcher", "Lamp"],
        "gate": ["Gate"],
    }


def test_a_save_made_after_a_replaced_prefab_restores_the_same_state(
    reload: Any,
) -> None:
    report = reload("LG..P.", "LL..P.")
    assert (report.kept, report.created, report.removed) == (2, 1, 1)
    (manager,) = reload.found
    again = manager.create_snapshot()
    assert again.placed() == {
        "cavern/layer1/0,0": True,
        "cavern/layer1/1,0": True,
        "gate": True,
    }
    manager.clear()
    load_level(reload.folder, manager)
    report = manager.apply_snapshot(decode(encode(again), manager))
    assert manager.create_snapshot().digest() == again.digest()
    assert report.replaced_in_level == ("cavern/layer1/1,0",)
    assert [*manager._world.tombstones] == []


def test_an_id_given_to_another_prefab_is_reported(reload: Reload) -> None:
    report = reload("L...P.", "L...P.", {**ENTRIES, "P": {"$id": "gate", **LAMP}})
    assert report.replaced_in_level == ("gate",)
    assert parts(reload)["gate"] == ["Gate"]


def test_an_unchanged_level_reports_nothing(reload: Reload) -> None:
    report = reload("LG..P.", "LG..P.")
    assert report.replaced_in_level == report.added_by_level == ()
    assert report.removed_by_level == ()


def test_a_prefab_changed_by_the_game_is_not_reported(
    manager: SaveLoadManager, game: Any, draw: Any
) -> None:
    level = load_level(draw("..", "L.", ENTRIES), manager)
    (lamp,) = level.objects
    before = manager.create_snapshot()
    kinds = {prefab.qualname: prefab.type for prefab in game.PREFAB_INFO}
    manager.set_prefab(lamp, kinds["Portal"])
    assert manager.apply_snapshot(before).replaced_in_level == ()


# -- a tile whose rectangle is another one now


@pytest.mark.parametrize("is_read", [False, True], ids=["in memory", "from disk"])
@pytest.mark.parametrize("after", ["###.. ###..", "##### #####"])
def test_a_redrawn_tile_keeps_its_saved_rectangle_until_the_level_is_started_again(
    game: Any, draw: Any, is_read: bool, after: str
) -> None:
    manager = new(game)
    load_level(draw("####."), manager)
    save = manager.create_snapshot()
    if is_read:
        manager = new(game)
        save = decode(encode(save), manager)
    manager.clear()
    folder = draw(after)
    level = load_level(folder, manager)
    (rock,) = level.objects
    now = rock.transform.position, rock.transform.scale
    report = manager.apply_snapshot(save)
    (rock,) = level.objects
    assert rock.transform.position == (2, 0.5, 0) and rock.transform.scale == (4, 1, 1)
    assert (report.added_by_level, report.replaced_in_level) == ((), ())
    assert_consistent(manager)
    level.unload()
    (rock,) = load_level(folder, manager).objects
    assert (rock.transform.position, rock.transform.scale) == now
