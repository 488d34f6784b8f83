"""`RawSave`: a whole save as plain data, as a migration sees and changes it."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from savegen.runtime import GameObject, SaveApplyError, SaveError, SaveLoadManager
from savegen.runtime.world.placements import Placement
from savegen.saves import MemoryStore, SaveSlots, coding, encode
from savegen.saves.body import Body
from savegen.saves.limits import Guard, Limits
from savegen.saves.older.raw import RawSave
from tests.promises.games import Game

GAME = """
from decimal import Decimal

class Mood(Enum):
    CALM = 1
    ANGRY = 2

@dataclass
class Purse:
    gold: int = 1
    owner: Orc | None = None

@saveable
class Orc:
    hp: Saved[int] = 7
    name: Saved[str] = "orc"
    mood: Saved[Mood] = Mood.CALM
    purse: Saved[Purse | None] = None
    foes: Saved[list[Orc]]
    chief: Saved[Orc | None] = None
    worth: Saved[Decimal] = Decimal(1)
    ranks: Saved[dict[Orc, int]]

    def __init__(self, hp: int = 7) -> None:
        self.hp = hp
        self.foes = []
        self.ranks = {}


class Hall:
    @saveable
    class Door:
        width: Saved[int] = 1

class Gate:
    @saveable
    class Door:
        width: Saved[int] = 2
"""


@pytest.fixture(scope="module")
def version(tmp_path_factory: pytest.TempPathFactory) -> Game:
    return Game(tmp_path_factory.mktemp("raw") / "game", GAME).generate()


def guard() -> Guard:
    return Guard(Limits(), 10**9)


Change = Callable[[RawSave], object]
Fill = Callable[[Any, SaveLoadManager], object]


def changed(version: Game, fill: Fill, change: Change) -> tuple[Body, Body]:
    """Return the body of a world before and after a change."""
    with version.playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        manager.add_state("turn", lambda: 3, lambda value: None)
        fill(game, manager)
        body = coding.read(encode(manager.create_snapshot())).body
        save = RawSave(body, registry, guard())
        change(save)
        return body, save.body()


def loaded(version: Game, fill: Fill, change: Change, look: Callable[..., Any]) -> Any:
    """Return what `look` finds in the world that a changed save is."""
    _, after = changed(version, fill, change)
    with version.playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        manager.apply_snapshot(coding.decode_body(after, registry, guard()))
        return look(game, manager)


def orcs(game: Any, manager: SaveLoadManager) -> None:
    first, second = manager.add(game.Orc(3)), manager.add(game.Orc(5))
    first.foes, first.chief, first.ranks = [second, second], second, {second: 1}
    first.purse = game.Purse(9, second)
    second.mood, second.worth = game.Mood.ANGRY, Decimal("2.50")


def two_doors(game: Any, manager: SaveLoadManager) -> None:
    manager.add(game.Hall.Door()).width = 10
    manager.add(game.Gate.Door()).width = 20


def test_a_save_that_nobody_changes_stays_the_very_same(version: Game) -> None:
    def fill(game: Any, manager: SaveLoadManager) -> None:
        orcs(game, manager)
        two_doors(game, manager)
        camp = manager.add(GameObject(game.Orc()), placement="camp", level="valley")
        manager.add(GameObject(parent=camp))
        late = manager.add(game.Orc())
        late.hp, late.name = 2**70, 3.5
        del late.foes
        manager.destroy(manager.add(game.Orc()))

    before, after = changed(version, fill, lambda save: None)
    assert [*after.sections()] == [*before.sections()]


def test_objects_are_dicts_by_field_name(version: Game) -> None:
    seen: list[Any] = []
    changed(version, orcs, lambda save: seen.append([dict(r) for r in save["Orc"]]))
    ((first, second),) = seen
    assert first == {
        "$id": 1,
        "hp": 3,
        "name": "orc",
        "mood": "CALM",
        "purse": {"gold": 9, "owner": {"$ref": 2}},
        "foes": [{"$ref": 2}, {"$ref": 2}],
        "chief": {"$ref": 2},
        "worth": "1",
        "ranks": [[{"$ref": 2}, 1]],
    }
    assert (second["mood"], second["worth"], second["purse"]) == ("ANGRY", "2.50", None)


def test_what_a_migration_writes_is_loaded(version: Game) -> None:
    def change(save: RawSave) -> None:
        first, second = save["game.Orc"]
        first["hp"] *= 10
        first["mood"] = "ANGRY"
        first["foes"].append({"$ref": first["$id"]})
        first["purse"]["gold"] += 1
        second["worth"] = Decimal("7.5")
        second["hp"] = 2**80
        save.states["turn"] = {"now": [save.version, (1, 2)]}

    def look(game: Any, manager: SaveLoadManager) -> Any:
        first, second = manager.find(game.Orc)
        assert first.foes == [second, second, first]
        assert first.mood is game.Mood.ANGRY and first.purse.owner is second
        return first.hp, first.purse.gold, second.worth, second.hp

    assert loaded(version, orcs, change, look) == (30, 10, Decimal("7.5"), 2**80)
    _, after = changed(version, orcs, change)
    with version.playing() as (_, registry, *_):
        states: list[Any] = []
        manager = SaveLoadManager(registry)
        manager.add_state("turn", lambda: None, states.append)
        manager.apply_snapshot(coding.decode_body(after, registry, guard()))
    assert states == [{"now": [0, (1, 2)]}]


def test_two_classes_of_one_name_are_told_apart(version: Game) -> None:
    def change(save: RawSave) -> None:
        assert [*save] == ["game.Gate.Door", "game.Hall.Door"] or [*save] == [
            "game.Hall.Door",
            "game.Gate.Door",
        ]
        for door in save["Hall.Door"]:
            door["width"] += 1
        with pytest.raises(
            SaveError, match="'Door' is ambiguous: write 'game.*' or 'game"
        ):
            save["Door"]

    def look(game: Any, manager: SaveLoadManager) -> Any:
        doors = [*manager.find(game.Hall.Door), *manager.find(game.Gate.Door)]
        return [door.width for door in doors]

    assert loaded(version, two_doors, change, look) == [11, 20]


def test_a_removed_object_leaves_nothing_behind(version: Game) -> None:
    def change(save: RawSave) -> None:
        save.remove(2)
        with pytest.raises(SaveError, match="the save has no object with the key 2"):
            save.remove(2)
        assert save.add("Orc", {"hp": 50}) == 2 + 2**32, "its slot is filled again"

    def look(game: Any, manager: SaveLoadManager) -> Any:
        first, new = manager.find(game.Orc)
        assert first.purse.owner is None and first.chief is None and first.ranks == {}
        return first.foes, new.hp, new.name

    assert loaded(version, orcs, change, look) == ([], 50, "orc")


def test_a_removed_object_is_gone_from_what_does_not_fit_its_field(
    version: Game,
) -> None:
    def fill(game: Any, manager: SaveLoadManager) -> None:
        orcs(game, manager)
        first, second = manager.objects
        first.name = [second, 2]

    def look(game: Any, manager: SaveLoadManager) -> Any:
        (first,) = manager.objects
        return first.name

    assert loaded(version, fill, lambda save: save.remove(2), look) == [None, 2]


def test_components_go_with_their_object(version: Game) -> None:
    def fill(game: Any, manager: SaveLoadManager) -> None:
        manager.add(GameObject(game.Orc(1), game.Orc(2)), placement="camp")
        manager.add(game.Orc(3)).chief = next(manager.find(game.Orc))

    def change(save: RawSave) -> None:
        assert save.placements[1]["placement"] == "camp"
        save.remove(1)
        assert save.placements == {} and len(save["Orc"]) == 1

    def look(game: Any, manager: SaveLoadManager) -> Any:
        (orc,) = manager.objects
        return orc.hp, orc.chief

    assert loaded(version, fill, change, look) == (3, None)


def test_an_object_that_is_not_registered_is_there_while_it_is_referred_to(
    version: Game,
) -> None:
    def change(save: RawSave) -> None:
        chief = save.add("game.Orc", {"hp": 99}, registered=False)
        save.add("Orc", {"hp": 98}, registered=False)
        assert chief == -1
        for orc in save["Orc"]:
            if orc["$id"] > 0:
                orc["chief"] = {"$ref": chief}

    def look(game: Any, manager: SaveLoadManager) -> Any:
        first, second = manager.objects
        assert first.chief is second.chief
        manager.create_snapshot()
        return sorted(orc.hp for orc in manager.find(game.Orc))

    assert loaded(version, orcs, change, look) == [3, 5, 99]


def test_a_class_becomes_another(version: Game) -> None:
    def fill(game: Any, manager: SaveLoadManager) -> None:
        manager.add(game.Hall.Door()).width = 10

    def change(save: RawSave) -> None:
        save.rename_class("Hall.Door", "Gate.Door")
        assert "Hall.Door" not in save and save["Hall.Door"] == []

    def look(game: Any, manager: SaveLoadManager) -> Any:
        return [door.width for door in manager.find(game.Gate.Door)]

    assert loaded(version, fill, change, look) == [10]


def test_a_field_takes_the_place_of_another(version: Game) -> None:
    def change(save: RawSave) -> None:
        for orc in save["Orc"]:
            del orc["name"]
        save.rename_field("Orc", "hp", "name")
        for orc in save["Orc"]:
            orc["name"] = f"once {orc['name']}"

    def look(game: Any, manager: SaveLoadManager) -> Any:
        return [(orc.name, orc.hp) for orc in manager.find(game.Orc)]

    assert loaded(version, orcs, change, look) == [("once 3", 7), ("once 5", 7)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda save: save.add("Ork", {}), "no class 'Ork'; did you mean"),
        (lambda save: save.add("Door", {}), "'Door' is ambiguous"),
        (
            lambda save: save["Orc"][0].update(hpp=3),
            "`game.Orc` has no field 'hpp'; did",
        ),
        (
            lambda save: save["Orc"][0].update(hp="many"),
            "gave `game.Orc.hp` a value that it cannot have: 'many' does not fit `int`",
        ),
        (
            lambda save: save["Orc"][0].update(chief=2),
            "gave `game.Orc.chief` a value that it cannot have: 2 does not fit",
        ),
        (
            lambda save: save["Orc"].append(save["Orc"][0]),
            "two objects of `game.Orc` have the same `.id` 1; add objects with",
        ),
    ],
)
def test_what_cannot_be_is_named(version: Game, change: Change, said: str) -> None:
    with pytest.raises(SaveError, match=said):
        changed(version, orcs, change)


@pytest.mark.parametrize(
    "change",
    [
        lambda save: save["Orc"].append({"hp": 3}),
        lambda save: save["Orc"][0].update({"$id": "first"}),
        lambda save: save["Orc"][0].update({"$recorded": 3}),
        lambda save: save["Orc"][0].update({5: 3}),
        lambda save: save["Orc"].append(7),
        lambda save: save.placements.update({1: {"somewhere": "else"}}),
        lambda save: save.placements.update({1: None}),
        lambda save: save.placements.update({1: {"prefab": [1]}}),
        lambda save: save.placements.update({"first": {}}),
        lambda save: save.states.update({5: 3}),
        lambda save: save["Orc"][0].update({"$recorded": {"dirty": [1], "values": {}}}),
        lambda save: save["Orc"][0].update({"$id": 99}),
        lambda save: save["Orc"][0].update({"$id": -99}),
        lambda save: save["Orc"][0].update({"$id": True}),
        lambda save: save["Orc"][0].update({"$id": save["Orc"][1]["$id"]}),
        lambda save: save["Orc"][0].pop("$id"),
        lambda save: save["Orc"].pop(),
        lambda save: save.placements.update({99: {"placement": "gate"}}),
        lambda save: save.placements.update(
            {1: {"placement": "gate"}, 2: {"placement": "gate"}}
        ),
    ],
)
def test_what_is_no_save_any_more_is_refused_by_a_typed_error(
    version: Game, change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    with version.playing() as (game, registry, *_):
        manager = SaveLoadManager(registry)
        orcs(game, manager)
        body = coding.read(encode(manager.create_snapshot())).body
        monkeypatch.setattr(game, "up", change, raising=False)
        monkeypatch.setattr(registry, "save_version", 1)
        monkeypatch.setattr(registry, "migrations", ((1, "game:up"),))
        with pytest.raises(SaveApplyError, match="migration"):
            coding.decode_body(body, registry, guard())
        # So the slots do not skip it as damaged, and load a save from before it.
        slots = SaveSlots(MemoryStore())
        registry.save_version = 0
        for _ in range(2):
            slots.save("slot", manager)
        registry.save_version = 1
        with pytest.raises(SaveApplyError, match="slot/2.sav: .*migration"):
            slots.load("slot", manager)


def test_a_migration_that_changes_an_id_is_told_what_to_do(version: Game) -> None:
    for change, said in (
        (
            lambda save: save["Orc"][0].update({"$id": 99}),
            "an object of `game.Orc` has the `$id` 99; leave each `$id` as it is, and",
        ),
        (
            lambda save: save["Orc"].append({"hp": 5}),
            "an object of `game.Orc` has no `$id`; leave each `$id` as it is, and add objects"
            " with `save.add(class, values)`",
        ),
        (
            lambda save: save["Orc"].pop(0),
            "object #1 was taken out of its list; remove objects with `save.remove(1)`",
        ),
    ):
        with pytest.raises(SaveError) as told:
            changed(version, orcs, change)
        assert said in str(told.value)


def test_a_migration_keeps_the_placements_of_objects(version: Game) -> None:
    before, _ = changed(version, orcs, lambda save: None)
    before.placements[1] = Placement(7, "cave/1", "cave")
    with version.playing() as (_, registry, *_):
        save = RawSave(before, registry, guard())
        save.placements[1]["level"] = "valley"
        after = save.body().placements[1]
    assert after == Placement(7, "cave/1", "valley")


def test_a_reference_to_no_object_is_found_by_the_load(version: Game) -> None:
    def change(save: RawSave) -> None:
        save["Orc"][0]["chief"] = {"$ref": 77}

    _, after = changed(version, orcs, change)
    with version.playing() as (_, registry, *_):
        with pytest.raises(SaveError, match="`Orc.chief` of object #1"):
            coding.decode_body(after, registry, guard())
