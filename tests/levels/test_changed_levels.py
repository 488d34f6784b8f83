"""A level that was redrawn between the save and the load: what came, went, or is another thing now."""

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
    """Save one drawing of the level; load that into another, in a new world if from disk."""

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
    """Return the classes of the components of all that is there, by placement."""
    (manager,) = reload.found
    return {
        manager.record_of(each).placement: [type(c).__name__ for c in each.components]
        for each in manager.objects
    }


def test_what_a_newer_drawing_adds_and_removes_is_reported(reload: Reload) -> None:
    report = reload("LG..P.", ".G.LP.")
    assert report.added_by_level == ("cavern/layer1/3,0",)
    assert report.removed_by_level == ("cavern/layer1/0,0",)
    assert report.replaced_in_level == ()
    assert parts(reload).keys() == {
        "cavern/layer1/1,0",
        "cavern/layer1/3,0",
        "gate",
    }


def test_where_a_newer_drawing_has_another_prefab_the_save_wins_and_it_is_reported(
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


def test_what_the_save_has_in_the_place_of_another_prefab_is_wholly_what_it_was(
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
    assert [*manager.world.tombstones] == []


def test_an_id_that_is_given_to_another_prefab_is_reported(reload: Reload) -> None:
    report = reload("L...P.", "L...P.", {**ENTRIES, "P": {"$id": "gate", **LAMP}})
    assert report.replaced_in_level == ("gate",)
    assert parts(reload)["gate"] == ["Gate"]


def test_the_same_drawing_is_no_difference(reload: Reload) -> None:
    report = reload("LG..P.", "LG..P.")
    assert report.replaced_in_level == report.added_by_level == ()
    assert report.removed_by_level == ()


def test_a_prefab_that_the_game_has_changed_is_no_matter_of_the_level(
    manager: SaveLoadManager, game: Any, draw: Any
) -> None:
    level = load_level(draw("..", "L.", ENTRIES), manager)
    (lamp,) = level.objects
    before = manager.create_snapshot()
    kinds = {prefab.qualname: prefab.type for prefab in game.PREFAB_INFO}
    manager.set_prefab(lamp, kinds["Portal"])
    assert manager.apply_snapshot(before).replaced_in_level == ()


# -- a tile whose rectangle is another one now

Fitted = Callable[..., tuple[Any, Any]]


@pytest.fixture
def fitted(reload: Any, draw: Any, game: Any, request: Any) -> Fitted:
    """Save a level of one rock; load that into another drawing of it. Return the rock's place."""

    def loaded(before: str, after: str, change: Any = lambda rock: None) -> Any:
        manager = new(game)
        (rock,) = load_level(draw(before), manager).objects
        change(rock.transform)
        save = manager.create_snapshot()
        if "disk" in request.node.name:
            manager = new(game)
            save = decode(encode(save), manager)
        manager.clear()
        (rock,) = load_level(draw(after), manager).objects
        manager.apply_snapshot(save)
        assert_consistent(manager)
        loaded.again = manager.create_snapshot()  # type: ignore[attr-defined]
        return rock.transform.position, rock.transform.scale

    return loaded


def test_a_tile_has_the_size_and_place_of_its_rectangle_today(fitted: Fitted) -> None:
    assert fitted("##### #####", "###.. ###..") == ((1.5, 1, 0), (3, 2, 1))
    assert fitted("##... .....", "####. ####.") == ((2, 1, 0), (4, 2, 1))


def test_what_the_game_did_to_a_tile_stays(fitted: Fitted) -> None:
    def move(place: Any) -> None:
        place.position, place.rotation = (2.5, 5.0, 9.0), 45.0

    def shrink(place: Any) -> None:
        place.scale = (1.0, 0.25, 1.0)

    assert fitted("#####", "###..", move) == ((1.5, 5, 9), (3, 1, 1))
    assert fitted("#####", "###..", shrink) == ((1.5, 0.5, 0), (1, 0.25, 1))
    assert fitted("#####", "#####", shrink) == ((2.5, 0.5, 0), (1, 0.25, 1))


def test_the_next_save_knows_the_rectangle_of_today(fitted: Any) -> None:
    fitted("#####", "###..")
    (placement,) = fitted.again.placements.values()
    assert placement.tile == (1.5, 0.5, 3.0, 1.0)
