"""What saves, loads and errors say: the same on every way, with counts and fields by name."""

from __future__ import annotations

from typing import Any

import pytest

from tests.promises.door import (
    assert_round_trip,
    Autosave,
    GameObject,
    History,
    SaveError,
    decode,
    encode,
    load_report,
    lost,
    mismatches,
    promised,
    refused,
    save_report,
)
from tests.promises.games import Games, Play, Slot

GAME = """
class Picture:
    '''An asset.'''

@saveable
class Skill:
    name: Saved[str] = ""

@saveable
class Hero:
    hp: Saved[int] = 10
    friend: Saved[Hero | None] = None
    skills: Saved[list[Skill]]
    by_name: Saved[dict[str, Skill]]

    def __init__(self, hp=10):
        self.hp = hp
        self.skills, self.by_name = [], {}

@saveable
class Body:
    size: Saved[int] = 1
    face: Saved[Annotated[Picture | None, Asset()]] = None

@prefab
class Knight:
    body = part(Body)
    hero = part(Hero, 5)
"""


def small_world(play: Play) -> Any:
    """Return a world: a game object of two components, a hero, and one who is only reached."""
    manager, game = play.manager(), play.game
    manager.add(GameObject(game.Body(), game.Hero(1)))
    manager.add(game.Hero(2)).friend = game.Hero(3)
    return manager


# -- one report, whichever way a save comes in

BEFORE = """
@saveable
class Item:
    name: Saved[str] = ""

@saveable
class Orc:
    hp: Saved[int] = 1
    lost: Saved[str] = "x"
    other: Saved[Orc | None] = None
"""
ADDED = "    added: Saved[int] = 5\n"
AFTER = f"""
@saveable
class Orc:
    hp: Saved[float] = 1.0
{ADDED}    other: Saved[Orc | None] = None

@migration(to=1)
def first(save):
    pass

@migration(to=2)
def second(save):
    pass
"""


def test_all_ways_to_load_report_the_same(games: Games, slot: Slot) -> None:
    older = games(BEFORE)
    # In two steps, so that the build does not ask whether `lost` was renamed.
    between = games(AFTER.replace(ADDED, ""), after=older, save_version=2)
    newer = games(AFTER, after=between, save_version=2)
    with older.playing() as play:
        manager = play.manager()
        manager.add(play.game.Item())
        orc = manager.add(play.game.Orc())
        orc.other = manager.add(play.game.Orc())
        manager.destroy(orc.other)
        slot.save(manager)
        data = encode(manager.create_snapshot())
    with newer.playing() as play:
        first, second = play.manager(), play.manager()
        loaded = load_report(slot.load(first))
        applied = load_report(second.apply_snapshot(decode(data, second)))
        assert loaded.migrations == (1, 2) and loaded.defaulted == {"Orc.added": 1}
        assert repr(applied) == repr(loaded)


# -- counts


def test_a_save_counts_objects_and_components(play: Play, slot: Slot) -> None:
    report = save_report(slot.save(small_world(play)))
    # The game object and two heroes; the body, and three heroes.
    assert (report.objects, report.components) == (3, 4)
    assert (report.dangling, dict(report.preserved)) == (0, {})


def test_a_load_counts_objects_and_components(play: Play, slot: Slot) -> None:
    slot.save(small_world(play))
    report = load_report(slot.load(play.manager()))
    for name in ("objects", "components"):
        assert hasattr(report, name), f"a LoadReport has no `{name}`"
    assert (report.objects, report.components) == (3, 4)


def test_what_is_only_reached_is_counted_among_what_is_kept_and_created(
    play: Play, slot: Slot
) -> None:
    manager = small_world(play)
    snapshot = manager.create_snapshot()
    report = manager.apply_snapshot(snapshot)
    assert (report.objects, report.kept, report.created) == (3, 3, 0)
    slot.save(manager)
    report = load_report(slot.load(play.manager()))
    assert (report.objects, report.kept, report.created) == (3, 0, 3)


def test_all_reports_name_wrong_values_in_the_order_of_keys(
    play: Play, slot: Slot
) -> None:
    manager, game = play.manager(), play.game
    hero, body = manager.add(game.Hero()), manager.add(game.Body())
    last = manager.add(game.Hero())
    last.skills, last.hp, last.friend = ["x"], 0.5, game.Hero(1.5)
    body.size, hero.friend, hero.hp = "large", 7, "low"
    expected = [
        *(
            "Hero.friend",
            "Hero.hp",
            "Body.size",
            "Hero.hp",
            "Hero.skills[0]",
            "Hero.hp",
        ),
    ]
    snapshot = manager.create_snapshot()
    reports = [save_report(slot.save(manager)), manager.apply_snapshot(snapshot)]
    reports.append(load_report(slot.load(play.manager())))
    for report in reports:
        assert [each.where for each in mismatches(report)] == expected
    last.skills, body.size, hero.friend = [object()], object(), object()
    snapshot = manager.create_snapshot()
    found = [each.where for each in lost(save_report(slot.save(manager)))]
    assert found == ["Hero.friend", "Body.size", "Hero.skills[0]"]
    assert not lost(manager.apply_snapshot(snapshot))  # in memory, nothing is


def test_a_save_counts_references_to_destroyed_objects(play: Play, slot: Slot) -> None:
    manager, game = play.manager(), play.game
    heroes = [manager.add(game.Hero(number)) for number in range(3)]
    heroes[0].friend = heroes[1].friend = heroes[2]
    manager.destroy(heroes[2])
    assert save_report(slot.save(manager)).dangling == 2


def test_a_record_has_a_report(play: Play, slot: Slot) -> None:
    autosave = Autosave(slot.slots, small_world(play), slot="slot")
    for _ in range(2):
        assert save_report(autosave.record()).objects == 3


# -- how they look


def shown(play: Play, slot: Slot) -> dict[str, Any]:
    manager = small_world(play)
    history = History(manager)
    history.record()
    info = slot.save(manager)
    return {
        "Snapshot": manager.create_snapshot(),
        "GameObject": manager.objects[0],
        "History": history,
        "SaveReport": save_report(info),
        "LoadReport": load_report(slot.load(play.manager())),
    }


@pytest.mark.parametrize("name", ["Snapshot", "GameObject", "History"])
def test_objects_of_savegen_show_what_they_are(
    play: Play, slot: Slot, name: str
) -> None:
    text = repr(shown(play, slot)[name])
    assert name in text and " object at 0x" not in text
    assert len(text) < 200


def test_a_snapshot_shows_how_much_is_in_it(play: Play, slot: Slot) -> None:
    assert "3 objects" in repr(shown(play, slot)["Snapshot"])


def test_a_game_object_shows_its_components(play: Play, slot: Slot) -> None:
    text = repr(shown(play, slot)["GameObject"])
    assert "Body" in text and "Hero" in text


@pytest.mark.parametrize("name", ["SaveReport", "LoadReport"])
def test_a_report_shows_what_there_is_to_know_and_nothing_else(
    play: Play, slot: Slot, name: str
) -> None:
    text = repr(shown(play, slot)[name])
    assert "3 objects" in text and "4 components" in text
    assert "()" not in text and "{}" not in text and "mismatches" not in text


# -- errors name the field

WRONG = {
    "a str for a reference": ("friend", "'Grub'"),
    "an int in a list of references": ("skills", "[7]"),
    "a str in a dict of references": ("by_name", "{'a': 'x'}"),
    "an unmarked object": ("friend", "object()"),
}


@pytest.mark.parametrize(("field", "text"), WRONG.values(), ids=[*WRONG])
def test_strict_capture_names_the_field_of_what_is_no_reference(
    play: Play, field: str, text: str
) -> None:
    manager = play.manager()
    setattr(manager.add(play.game.Hero()), field, eval(text))
    refused("strict", lambda: manager.create_snapshot(strict=True), f"Hero.{field}")


@pytest.mark.parametrize(("field", "text"), WRONG.values(), ids=[*WRONG])
def test_save_data_names_the_field_of_what_is_no_reference(
    play: Play, field: str, text: str
) -> None:
    manager = play.manager()
    hero = manager.add(play.game.Hero())
    setattr(hero, field, eval(text))
    named = f"`Hero.{field}", " holds a", "change the annotation"
    refused("save_data", lambda: hero.save_data(manager), *named)
    refused("key_of", lambda: manager.key_of("Grub"), "a str cannot be saved")


def test_save_data_names_the_field_of_an_asset_without_an_id(play: Play) -> None:
    manager = play.manager()
    body = manager.add(play.game.Body())
    body.face = play.game.Picture()
    said = (
        "`Body.face`",
        "a Picture is used as an asset, but has no id; register it with `assets.add`",
    )
    refused("save_data", lambda: body.save_data(manager), *said)
    error = refused("id_of", lambda: manager.id_of(body.face), said[1])
    assert "Body" not in str(error)


def test_an_error_of_a_load_names_the_hook(play: Play) -> None:
    manager = small_world(play)
    snapshot = manager.create_snapshot()

    def physics() -> None:
        raise ValueError("no floor")

    manager.after_load.append(physics)
    error = refused("a hook", lambda: manager.apply_snapshot(snapshot))
    assert "physics" in str(error) and "no floor" in str(error)


# -- roots


def test_a_root_is_what_its_global_holds_now(play: Play, slot: Slot) -> None:
    game, manager = play.game, play.manager()
    game.player = game.Hero(1)

    def set_player(player: Any) -> None:
        game.player = player

    manager.add_root("player", lambda: game.player, set_player)
    game.player = game.Hero(2)  # a new game began; nobody added its hero
    slot.save(manager)
    game.player.hp = 3
    slot.load(manager)
    assert game.player.hp == 2
    assert [hero.hp for hero in manager.find(game.Hero)] == [2]


def test_a_root_may_be_none_and_is_undone_with_a_load_that_fails(play: Play) -> None:
    game, manager = play.game, play.manager()
    held: list[Any] = [None]
    manager.add_root("player", lambda: held[0], lambda hero: held.__setitem__(0, hero))
    before = manager.create_snapshot()
    held[0] = hero = game.Hero(5)
    manager.after_load.append(lambda: 1 / 0)
    with pytest.raises(SaveError):
        manager.apply_snapshot(before)
    assert held[0] is hero
    manager.after_load.clear()
    manager.apply_snapshot(before)
    assert held[0] is None


# -- merge


def test_every_key_that_merge_returns_leads_to_a_copy(play: Play) -> None:
    manager, other = small_world(play), play.manager()
    keys = other.merge(manager.create_snapshot())
    found = []
    for key in keys.values():
        with promised("a key of a copy leads to it"):
            found.append(other.get_object(key))
    assert {*map(id, other.objects)} <= {*map(id, found)}
    heroes = [each for each in found if isinstance(each, play.game.Hero)]
    assert sorted(hero.hp for hero in heroes) == [2, 3]


# -- assert_round_trip


def test_assert_round_trip_takes_prefabs(play: Play) -> None:
    knight = play.manager().spawn(play.types.PrefabType.KNIGHT)
    assert_round_trip(knight, play.registry, prefabs=play.prefabs)


# -- `saves show` prints values as Python would

SHOWN = """
import numpy as np
from datetime import datetime, timedelta, timezone

@saveable
class Grid:
    cells: Saved[np.ndarray]
    saved_at: Saved[datetime]

    def __init__(self):
        self.cells = np.array([[1, 2], [3, 4]])
        self.saved_at = datetime(2020, 1, 2, 3, 4, tzinfo=timezone(timedelta(hours=2)))
"""


def test_show_prints_arrays_and_zoned_times_as_python_does(
    games: Games, slot: Slot
) -> None:
    game = games(SHOWN)
    with game.playing() as play:
        manager = play.manager()
        manager.add(play.game.Grid())
        slot.save(manager)
    _, text = game.command("saves", "show", str(slot.folder), "Grid")
    assert "[[1, 2], [3, 4]]" in text.replace("\n", "")
    assert "datetime(2020, 1, 2, 3, 4" in text


# -- two classes of one name


DOOR = """
@saveable
class Door:
    width: Saved[float] = 1.0
    hinge: Saved[float] = 1.0
"""


def test_lost_and_wrong_values_name_a_class_alike_if_another_has_its_name(
    games: Games,
) -> None:
    with games(f"import rest\n{DOOR}", rest=DOOR).playing() as play:
        manager = play.manager()
        door = manager.add(play.game.rest.Door())
        door.width, door.hinge = "wide", len
        snapshot = manager.create_snapshot()
        _, mismatch = manager.apply_snapshot(snapshot).mismatches
    [lost] = snapshot.lost
    assert (mismatch.class_name, mismatch.field) == ("rest.Door", "width")
    assert (lost.class_name, lost.field) == ("rest.Door", "hinge")
