"""`load_level` places all objects of a level, or changes nothing and reports all errors."""

from __future__ import annotations

import json
import os
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from savegen.levels import load_level
from savegen.runtime import (
    Activation,
    GameObject,
    SaveError,
    SaveLoadManager,
)
from savegen.runtime.manager import SaveLoadManager as Manager
from tests.levels import cave
from tests.levels.cave import (
    FURNITURE,
    GUARD,
    LAMP,
    MAP,
    PORTAL,
    SPRITES,
    placed,
    refused,
)
from tests.runtime.worlds import assert_consistent

# -- where things stand


def test_a_tile_has_the_centre_and_size_of_its_rectangle(
    manager: Manager, draw: Any
) -> None:
    level = load_level(draw("...... .####. .####. ......"), manager)
    (rock,) = level.objects
    assert rock.transform.position == (3.0, 2.0, 0.0)
    assert rock.transform.scale == (4.0, 2.0, 1.0)


def test_a_tile_in_pixels_has_a_place_and_a_size_in_pixels(
    manager: Manager, draw: Any
) -> None:
    level = load_level(draw("...... .####. .####. ......"), manager, unit=16)
    (rock,) = level.objects
    assert rock.transform.position == (48.0, 32.0, 0.0)
    assert rock.transform.scale == (64.0, 32.0, 1.0)
    assert level.rectangles[0].tolist()[0][:4] == [1, 1, 4, 2]


def test_a_sprite_has_the_centre_of_its_pixel(manager: Manager, draw: Any) -> None:
    sprites = "........ .....L.. ........ ........"  # two pixels a unit
    load_level(draw(".... ....", sprites, {"L": LAMP}), manager)
    assert [*placed(manager).values()] == [(2.75, 0.75)]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, (12.5, -3.5)),
        ({"y_up": True}, (12.5, 3.5)),
        ({"anchor": "topleft"}, (12.0, -4.0)),
        ({"anchor": "midbottom"}, (12.5, -3.0)),
        ({"anchor": "midbottom", "y_up": True}, (12.5, 3.0)),
        ({"unit": 32}, (400.0, -112.0)),
        ({"unit": 32, "y_up": True, "anchor": "topleft"}, (384.0, 128.0)),
    ],
)
def test_positions_depend_on_the_layer_and_the_arguments(
    manager: Manager, draw: Any, options: Any, expected: Any
) -> None:
    folder = draw("... ...", "... ..L", {"L": LAMP}, position=(10, -5, 3))
    load_level(folder, manager, **options)
    (found,) = placed(manager).values()
    assert found == expected


def test_an_unknown_anchor_is_reported_with_the_nearest(
    manager: Manager, draw: Any
) -> None:
    with pytest.raises(SaveError, match="did you mean 'center'"):
        load_level(draw("..."), manager, anchor="centre")


# -- what is set, and hooks


def test_parameters_are_set_and_objects_do_not_share_lists(
    manager: Manager, draw: Any, game: Any
) -> None:
    portal = {**PORTAL, "open": True, "marks": ["one"]}
    load_level(draw("..", "PP", {"P": portal}), manager)
    one, two = manager.find(game.Gate)
    assert one.is_open and two.is_open and one.marks == two.marks == ["one"]
    assert one.marks is not two.marks


def test_hooks_are_called_with_placed_after_all_objects_are_placed(
    manager: Manager, draw: Any, game: Any
) -> None:
    load_level(draw("## ..", ".. GG", {"G": GUARD}), manager)
    assert game.LOG == [("Grub", Activation.PLACED, 3)] * 2


# -- references


def test_a_reference_becomes_a_component_of_the_right_type(
    manager: Manager, draw: Any, game: Any
) -> None:
    entries = {
        "H": {
            "$type": "HandleSerializer",
            "gates": ["front", "back"],
            "lamp": "guard",
            "glow": "guard",
            "target": "front",
        },
        "F": {"$id": "front", **PORTAL},
        "B": {"$id": "back", **PORTAL},
        "G": {"$id": "guard", **GUARD},
    }
    load_level(draw("....", "HFBG", entries), manager)
    (lever,), gates = manager.find(game.Lever), [*manager.find(game.Gate)]
    (guard,) = manager.find(game.Watcher)
    assert [*lever.gates] == gates
    assert lever.target is manager.object_of(gates[0])
    assert manager.object_of(lever.lamp()) is manager.object_of(guard)
    assert lever.glow is lever.lamp()
    assert manager.record_of(gates[0]).placement == "front"


def test_all_wrong_references_are_reported_together(
    manager: Manager, draw: Any
) -> None:
    entries = {
        "H": {"$type": "HandleSerializer", "gates": ["fron"], "lamp": "front"},
        "F": {"$id": "front", **PORTAL},
    }
    error = refused(draw("...", "HF.", entries), manager)
    assert len(error.findings) == 2
    assert "'fron'" in str(error) and "`LampPostSerializer`" in str(error)


def test_a_reference_that_only_the_game_can_check_is_reported(
    manager: Manager, draw: Any
) -> None:
    entries = {
        "H": {"$type": "HandleSerializer", "glow": "front"},
        "F": {"$id": "front", **PORTAL},
    }
    (finding,) = refused(draw("...", "HF.", entries), manager).findings
    assert finding.message == (
        "the game does not accept 'glow' of HandleSerializer: object 'front' has no component of"
        " type `Glows`"
    )


# -- all or nothing


def test_an_error_of_a_setter_is_reported_with_entry_and_parameter(
    manager: Manager, draw: Any
) -> None:
    manager.add(GameObject())
    entries = {"L": {**LAMP, "watts": -1}, "G": {**GUARD, "light": -2}}
    error = refused(draw("####", "LGL.", entries), manager)
    assert [finding.message for finding in error.findings] == [
        "the game does not accept 'watts' of LampPostSerializer: ZeroDivisionError: dark",
        "the game does not accept 'light' of GuardSerializer: ZeroDivisionError: dark",
    ]
    assert {finding.code for finding in error.findings} == {"SG541"}


def test_an_error_under_a_former_name_is_reported_at_its_value(
    manager: Manager, draw: Any
) -> None:
    folder = draw("####", "L...", {"L": {**LAMP, "brightness": -1}})
    (finding,) = refused(folder, manager).findings
    span, lines = finding.span, (folder / "level.lvl").read_text().splitlines()
    assert lines[span.line - 1][span.column - 1 : span.end_column - 1] == "-1"


def test_a_hook_that_raises_undoes_the_whole_level(
    manager: Manager, draw: Any, game: Any
) -> None:
    before = manager.create_snapshot().digest()
    late = {**GUARD, "name": "Mog", "fails": True}
    folder = draw("####", "LGM.", {"L": LAMP, "G": GUARD, "M": late})
    game.AWAKE.clear()
    with pytest.raises(SaveError, match="no eyes") as caught:
        load_level(folder, manager)
    assert game.AWAKE == [] and not hasattr(caught.value, "__notes__")
    assert manager.create_snapshot().digest() == before
    assert_consistent(manager)


def test_a_failed_level_returns_its_objects_to_the_pools(
    manager: Manager, draw: Any, game: Any
) -> None:
    kinds = {prefab.qualname: prefab.type for prefab in game.PREFAB_INFO}
    pool = manager.pool(kinds["LampPost"], warm=2)
    waiting = {*map(id, pool.waiting)}
    refused(draw("....", "LLL.", {"L": {**LAMP, "watts": -1}}), manager)
    assert waiting <= {*map(id, pool.waiting)}
    folder = draw("....", "L.G.", {"L": LAMP, "G": {**GUARD, "fails": True}})
    with pytest.raises(SaveError):
        load_level(folder, manager)
    assert waiting <= {*map(id, pool.waiting)}
    load_level(draw("....", "L...", {"L": LAMP}), manager)
    assert_consistent(manager)


def test_a_failed_level_puts_the_random_numbers_back_that_constructors_drew(
    manager: Manager, draw: Any, game: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def roll(lamp: Any) -> None:
        lamp._watts = random.random()

    monkeypatch.setattr(game.Lamp, "__init__", roll)
    before = random.getstate()
    refused(draw("....", "LLL.", {"L": {**LAMP, "watts": -1}}), manager)
    assert random.getstate() == before
    folder = draw("....", "L.G.", {"L": LAMP, "G": {**GUARD, "fails": True}})
    with pytest.raises(SaveError, match="no eyes"):
        load_level(folder, manager)
    assert random.getstate() == before
    load_level(draw("....", "L...", {"L": LAMP}), manager)
    assert random.getstate() != before


def test_a_level_cannot_be_loaded_twice(manager: Manager, draw: Any) -> None:
    folder = draw("##..", "..L.", {"L": LAMP})
    load_level(folder, manager)
    before = placed(manager)
    with pytest.raises(SaveError, match="already"):
        load_level(folder, manager)
    assert placed(manager) == before
    assert_consistent(manager)


def test_the_error_for_a_level_loaded_twice_names_it(
    manager: Manager, draw: Any
) -> None:
    folder = draw("....", "L.G.", {"L": {"$id": "lamp", **LAMP}, "G": GUARD})
    load_level(folder, manager, (0, 0, 2, 1))
    with pytest.raises(SaveError) as caught:
        load_level(folder, manager)
    assert str(caught.value) == (
        "level 'cavern' is already loaded: it has placed 'lamp'"
    )


def test_all_ids_that_another_level_has_placed_are_reported_with_their_lines(
    manager: Manager, tmp_path: Path
) -> None:
    one = {"L": {"$id": "lamp", **LAMP}, "G": {"$id": "guard", **GUARD}}
    load_level(cave.draw(tmp_path / "crypt", "...", "LG.", one), manager)
    manager.add(GameObject(), placement="gate")
    other = {**one, "P": {"$id": "gate", **PORTAL}}
    folder = cave.draw(tmp_path / "cavern", "...", "LGP", other)
    findings = refused(folder, manager).findings
    assert [finding.message for finding in findings] == [
        "only one object can have the id 'lamp':"
        " level 'crypt' has already placed an object with it",
        "only one object can have the id 'guard':"
        " level 'crypt' has already placed an object with it",
        "only one object can have the id 'gate':"
        " another object in the world has it already",
    ]
    assert {finding.code for finding in findings} == {"SG523"}
    text = (folder / "level.lvl").read_text()
    shown = [text[f.span.column - 1 : f.span.end_column - 1] for f in findings]
    assert shown == ['"lamp"', '"guard"', '"gate"']


def test_a_manager_without_prefab_info_is_refused(game: Any, draw: Any) -> None:
    with pytest.raises(SaveError, match="PREFAB_INFO"):
        load_level(draw("##"), SaveLoadManager(game.REGISTRY))


# -- saves


def test_destroyed_objects_stay_destroyed_when_the_level_is_loaded_again(
    manager: Manager, draw: Any, game: Any
) -> None:
    folder = draw(MAP, SPRITES, FURNITURE)
    load_level(folder, manager)
    (guard,) = manager.find(game.Watcher)
    manager.destroy(manager.object_of(guard))
    next(manager.find(game.Lamp)).watts = 7.0
    save, left = manager.create_snapshot(), placed(manager)

    manager.clear()
    level = load_level(folder, manager)
    report = manager.apply_snapshot(save)
    assert report.removed == 1 and report.created == 0
    assert placed(manager) == left and not [*manager.find(game.Watcher)]
    assert next(manager.find(game.Lamp)).watts == 7.0
    assert len([*level.objects]) == len(left)
    assert_consistent(manager)


def test_a_level_that_has_changed_since_is_reported(
    game: Any, manager: Manager, draw: Any
) -> None:
    load_level(draw("....", "L.G.", FURNITURE), manager)
    save = manager.create_snapshot()
    manager.clear()
    load_level(draw("....", "L..G", FURNITURE), manager)
    before = placed(manager)
    with pytest.raises(SaveError, match="no longer places"):
        manager.apply_snapshot(save)
    assert placed(manager) == before


def test_unloading_destroys_only_the_objects_of_the_level(
    manager: Manager, draw: Any
) -> None:
    camp = manager.add(GameObject())
    level = load_level(draw("##..", "..LG", FURNITURE), manager)
    manager.destroy(next(level.objects))
    level.unload()
    level.unload()
    assert [*manager.objects] == [camp] and not [*level.objects]
    assert_consistent(manager)


def test_the_error_shows_some_findings_and_contains_all(
    manager: Manager, draw: Any
) -> None:
    folder = draw("##..", "LG..", FURNITURE)
    described = json.loads((folder / "level.lvl").read_text())
    described["sprites"] |= {
        f"#0000{n:02x}": {**LAMP, "wats": n} for n in range(1, 121)
    }
    (folder / "level.lvl").write_text(json.dumps(described))
    error = refused(folder, manager)
    assert len(error.findings) == 120
    first, *shown, last = str(error).split("\n")
    assert first == "the level 'cavern' cannot be loaded:" and len(shown) == 20
    assert all("'wats'; did you mean 'watts'?" in line for line in shown)
    assert last == "  … and 100 more; see `findings` of this error"


# -- calls that are wrong


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"anchor": None}, "`anchor` must be one of 'topleft', "),
        ({"anchor": 3}, "`anchor` must be one of 'topleft', "),
        ({"anchor": ["center"]}, "`anchor` must be one of 'topleft', "),
        ({"anchor": ""}, "there is no anchor ''"),
        ({"y_up": "no"}, "`y_up` must be True or False"),
        ({"y_up": None}, "`y_up` must be True or False"),
        ({"y_up": 1}, "`y_up` must be True or False"),
        ({"unit": 0}, "`unit` must be a number from 0 to "),
        ({"unit": True}, "`unit` must be a number from 0 to "),
        ({"unit": float("nan")}, "`unit` must be a number from 0 to "),
        ({"unit": "32"}, "`unit` must be a number from 0 to "),
    ],
)
def test_invalid_view_arguments_are_refused(
    manager: Manager, draw: Any, options: Any, words: str
) -> None:
    with pytest.raises(SaveError, match=words):
        load_level(draw("##"), manager, **options)
    assert not [*manager.objects]


@pytest.mark.parametrize("folder", [None, 3, True, ["cavern"], object()])
def test_an_invalid_path_is_refused(manager: Manager, folder: Any) -> None:
    with pytest.raises(
        SaveError, match="the path of a level folder must be a string or path, not a"
    ):
        load_level(folder, manager)


@pytest.mark.parametrize("other", [None, "cavern", object()])
def test_an_invalid_manager_is_refused(draw: Any, other: Any) -> None:
    with pytest.raises(
        SaveError, match="the second argument must be a `SaveLoadManager`, not a"
    ):
        load_level(draw("##"), other)


def test_a_path_may_be_bytes_and_a_missing_folder_is_a_finding(
    manager: Manager, draw: Any, tmp_path: Path
) -> None:
    folder = draw("##")
    wrong: list[tuple[Any, str]] = [
        (folder / "level.lvl", "is not a folder"),
        (tmp_path / "nowhere", "is missing"),
        (os.fsencode(tmp_path / "nowhere"), "is missing"),
    ]
    for path, words in wrong:
        (finding,) = refused(path, manager).findings
        assert finding.code == "SG501" and finding.message.endswith(words)
    as_bytes: Any = os.fsencode(folder)
    assert len([*load_level(as_bytes, manager).objects]) == 1


def test_a_level_is_only_used_in_the_thread_of_its_manager(
    manager: Manager, draw: Any
) -> None:
    folder = draw("##..", "..LG", FURNITURE)
    steps: list[Any] = [lambda: load_level(folder, manager)]
    level = load_level(draw("##..", "..LG", FURNITURE), manager)
    before = placed(manager)
    steps += [level.unload, lambda: next(level.objects)]
    steps += [lambda: load_level(folder / "nothing", manager)]
    for step in steps:
        with ThreadPoolExecutor() as pool:
            found = pool.submit(step).exception()
        assert type(found) is SaveError and "thread" in str(found)
    assert placed(manager) == before
    assert_consistent(manager)
