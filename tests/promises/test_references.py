"""A reference knows its class: in memory, when saving, and when an edited or older file is loaded."""

from __future__ import annotations

from typing import Any

import pytest

from tests.promises.door import (
    Autosave,
    decode,
    encode,
    load_report,
    mismatches,
    promised,
    refused,
    save_report,
)
from tests.promises.games import Games, Play, Slot

GAME = """
import weakref

@saveable
class Item:
    name: Saved[str] = ""

@saveable
class Sword(Item):
    edge: Saved[int] = 1

@saveable
class Monster:
    hp: Saved[int] = 3

@dataclass
class Hold:
    what: Item | None = None

@saveable
class Hero:
    hand: Saved[Item | None] = None
    sword: Saved[Sword | None] = None
    either: Saved[Sword | Monster | None] = None
    shadow: Saved[weakref.ref[Item] | None] = None
    scene: Saved[GameObject | None] = None
    hold: Saved[Hold]
    bag: Saved[list[Item]]
    named: Saved[dict[str, Item]]
    owned: Saved[dict[Item, int]]
    rare: Saved[set[Item]]
    pair: Saved[tuple[int, Item] | None] = None
    kind: Saved[type[Item]] = Item
    kinds: Saved[list[type[Item]]]

    def __init__(self):
        self.hold = Hold()
        self.bag, self.named, self.owned, self.rare = [], {}, {}, set()
        self.kinds = []

@dataclass
class Grip:
    what: Item

@saveable
class Porter:
    load: Saved[Item]
    grip: Saved[Grip]
    pair: Saved[tuple[Item, int]]
    helper: Saved[Porter | None] = None

    def __init__(self, load: Item):
        self.load, self.grip, self.pair = load, Grip(load), (load, 1)

@prefab
class Knight:
    hero = part(Hero)
"""


WRONG = {
    "bare": ("hand", "Monster()"),
    "base for subclass": ("sword", "Item()"),
    "union": ("either", "Item()"),
    "weak": ("shadow", "weakref.ref(manager.add(Monster()))"),
    "game object": ("scene", "Monster()"),
    "no game object": ("hand", "GameObject()"),
    "in a dataclass": ("hold", "Hold(Monster())"),
    "in a list": ("bag", "[Item(), Monster()]"),
    "as a value": ("named", "{'a': Monster()}"),
    "as a key": ("owned", "{Monster(): 1}"),
    "in a set": ("rare", "{Monster()}"),
    "in a tuple": ("pair", "(1, Monster())"),
    "class": ("kind", "Monster"),
    "class in a list": ("kinds", "[Item, Monster]"),
}
RIGHT = {
    "None": ("hand", "None"),
    "subclass": ("hand", "Sword()"),
    "member of a union": ("either", "Monster()"),
    "weak": ("shadow", "weakref.ref(manager.add(Item()))"),
    "game object": ("scene", "GameObject()"),
    "in a dataclass": ("hold", "Hold(Sword())"),
    "in a list": ("bag", "[Item(), Sword()]"),
    "as a value": ("named", "{'a': Sword()}"),
    "as a key": ("owned", "{Sword(): 1}"),
    "in a set": ("rare", "{Sword()}"),
    "in a tuple": ("pair", "(1, Sword())"),
    "class": ("kind", "Sword"),
    "class in a list": ("kinds", "[Item, Sword]"),
}
FIELD = ("field", "text")


def value_of(play: Play, text: str, manager: Any) -> Any:
    return eval(text, {**vars(play.game), "manager": manager})


def with_hero(play: Play, field: str, text: str) -> tuple[Any, Any]:
    manager = play.manager()
    hero = manager.add(play.game.Hero())
    setattr(hero, field, value_of(play, text, manager))
    return manager, hero


def shape(value: Any) -> str:
    """Return the classes of a value, all the way down."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{shape(k)}: {shape(v)}' for k, v in value.items())}}}"
    if isinstance(value, list | tuple | set):
        return f"{type(value).__name__}({', '.join(map(shape, value))})"
    if hasattr(value, "what"):
        return f"{type(value).__name__}({shape(value.what)})"
    if type(value).__name__ == "ReferenceType":
        return f"ref({shape(value())})"
    return value.__name__ if isinstance(value, type) else type(value).__name__


# -- what fits


@pytest.mark.parametrize(FIELD, RIGHT.values(), ids=[*RIGHT])
def test_a_right_reference_passes_everywhere(
    play: Play, slot: Slot, field: str, text: str
) -> None:
    manager, hero = with_hero(play, field, text)
    manager.create_snapshot(strict=True)
    hero.save_data(manager)
    slot.save(manager)
    other = play.manager()
    slot.load(other)
    (loaded,) = other.find(play.game.Hero)
    assert shape(getattr(loaded, field)) == shape(getattr(hero, field))


# -- what does not


@pytest.mark.parametrize(FIELD, WRONG.values(), ids=[*WRONG])
def test_strict_capture_refuses_a_wrong_reference(
    play: Play, field: str, text: str
) -> None:
    manager, _ = with_hero(play, field, text)
    refused("strict", lambda: manager.create_snapshot(strict=True), f"Hero.{field}")


@pytest.mark.parametrize(FIELD, WRONG.values(), ids=[*WRONG])
def test_save_data_and_load_data_refuse_a_wrong_reference(
    play: Play, field: str, text: str
) -> None:
    manager, hero = with_hero(play, field, text)
    other = manager.add(play.game.Hero())
    refused(
        "save_data and load_data",
        lambda: other.load_data(hero.save_data(manager), manager),
        field,
    )


def test_load_data_refuses_a_key_of_another_class(play: Play) -> None:
    manager = play.manager()
    hero, monster = manager.add(play.game.Hero()), manager.add(play.game.Monster())
    key, number = manager.key_of(monster), manager._class_number(play.game.Monster)
    cells = {"hand": key, "bag": [0, key], "hold": (key,), "kind": number}
    for field, cell in cells.items():
        row = hero.save_data(manager)
        row[hero.save_load_field_names[field]] = cell
        refused("load_data", lambda: hero.load_data(row, manager), f"Hero.{field}")


def test_load_data_says_that_a_key_is_stale(play: Play) -> None:
    manager = play.manager()
    hero, item = manager.add(play.game.Hero()), manager.add(play.game.Item())
    hero.hand = item
    row = hero.save_data(manager)
    manager.destroy(item)
    refused("load_data", lambda: hero.load_data(row, manager), "stale")


SPAWNED = {
    name: WRONG[name]
    for name in ("bare", "base for subclass", "union", "in a list", "class")
}


@pytest.mark.parametrize(FIELD, SPAWNED.values(), ids=[*SPAWNED])
def test_spawn_refuses_a_wrong_reference(play: Play, field: str, text: str) -> None:
    manager = play.manager()
    value = value_of(play, text, manager)
    knight = play.types.PrefabType.KNIGHT
    refused("spawn", lambda: manager.spawn(knight, **{field: value}), field)
    assert len(manager) == 0


@pytest.mark.parametrize(FIELD, [RIGHT["subclass"], RIGHT["in a list"], RIGHT["class"]])
def test_spawn_takes_a_right_reference(play: Play, field: str, text: str) -> None:
    manager = play.manager()
    value = value_of(play, text, manager)
    made = manager.spawn(play.types.PrefabType.KNIGHT, **{field: value})
    assert shape(getattr(made.get(play.game.Hero), field)) == shape(value)


@pytest.mark.parametrize(FIELD, WRONG.values(), ids=[*WRONG])
def test_a_save_reports_a_wrong_reference(
    play: Play, slot: Slot, field: str, text: str
) -> None:
    manager, _ = with_hero(play, field, text)
    with promised("saving works whatever a field holds"):
        info = slot.save(manager)
    (found,) = mismatches(save_report(info))
    assert found.where.startswith(f"Hero.{field}")


@pytest.mark.parametrize(FIELD, WRONG.values(), ids=[*WRONG])
def test_a_wrong_reference_comes_back_and_is_reported(
    play: Play, field: str, text: str
) -> None:
    manager, hero = with_hero(play, field, text)
    other = play.manager()
    with promised("what was saved loads"):
        data = encode(manager.create_snapshot())
        report = other.apply_snapshot(decode(data, other))
    (loaded,) = other.find(play.game.Hero)
    assert shape(getattr(loaded, field)) == shape(getattr(hero, field))
    (found,) = mismatches(load_report(report))
    assert found.where.startswith(f"Hero.{field}")


# -- None in containers of references, and other containers

EMPTY = {
    "None in a list": ("bag", "[Item(), None, Sword()]"),
    "None as a value": ("named", "{'a': None, 'b': Item()}"),
    "tuple for a list": ("bag", "(Item(), Sword())"),
    "list for a set": ("rare", "[Item()]"),
}


@pytest.mark.parametrize(FIELD, EMPTY.values(), ids=[*EMPTY])
def test_containers_of_references_come_back_as_they_were(
    play: Play, slot: Slot, field: str, text: str
) -> None:
    manager, hero = with_hero(play, field, text)
    with promised("saving works whatever a field holds"):
        info = slot.save(manager)
    other = play.manager()
    slot.load(other)
    (loaded,) = other.find(play.game.Hero)
    assert shape(getattr(loaded, field)) == shape(getattr(hero, field))
    (found,) = mismatches(save_report(info))
    assert found.where.startswith(f"Hero.{field}")


def test_a_destroyed_object_is_none_in_a_list_where_none_stays(
    play: Play, slot: Slot
) -> None:
    manager, hero = with_hero(play, "bag", "[manager.add(Item()), None, Sword()]")
    manager.destroy(hero.bag[0])
    info = slot.save(manager)
    other = play.manager()
    slot.load(other)
    (loaded,) = other.find(play.game.Hero)
    assert shape(loaded.bag) == "list(NoneType, NoneType, Sword)"
    assert save_report(info).dangling == 1


# -- None where an annotation has no `None`

NULLS = {
    "bare": ("load", "None"),
    "in a dataclass": ("grip", "Grip(None)"),
    "in a tuple": ("pair", "(None, 1)"),
}


def with_porter(play: Play, field: str = "", text: str = "") -> tuple[Any, Any]:
    manager = play.manager()
    porter = manager.add(play.game.Porter(play.game.Item()))
    if field:
        setattr(porter, field, value_of(play, text, manager))
    return manager, porter


@pytest.mark.parametrize(FIELD, NULLS.values(), ids=[*NULLS])
def test_none_in_a_reference_that_is_not_optional_is_reported(
    play: Play, slot: Slot, field: str, text: str
) -> None:
    manager, porter = with_porter(play, field, text)
    refused("strict", lambda: manager.create_snapshot(strict=True), f"Porter.{field}")
    refused(
        "strict",
        lambda: encode(manager.create_snapshot(), strict=True),
        f"Porter.{field}",
    )
    info = slot.save(manager)
    (found,) = mismatches(save_report(info))
    assert (found.where, save_report(info).mismatched) == (f"Porter.{field}", 1)
    assert "None" in found.value and not save_report(info).is_exact
    other = play.manager()
    slot.load(other)
    (loaded,) = other.find(play.game.Porter)
    assert shape(getattr(loaded, field)) == shape(getattr(porter, field))


def test_none_in_a_reference_is_reported_by_each_record_of_an_autosave(
    play: Play, slot: Slot
) -> None:
    manager, porter = with_porter(play)
    autosave = Autosave(slot.slots, manager)
    assert not mismatches(autosave.record())
    porter.load = None
    assert [found.where for found in mismatches(autosave.record())] == ["Porter.load"]


def test_a_destroyed_object_is_dangling_and_no_mismatch(play: Play, slot: Slot) -> None:
    manager, porter = with_porter(play)
    manager.add(porter.load)
    manager.destroy(porter.load)
    other = manager.add(play.game.Porter(None))
    other.grip, other.pair = play.game.Grip(play.game.Item()), (play.game.Item(), 1)
    report = save_report(slot.save(manager))
    assert report.dangling == 3
    assert [found.where for found in mismatches(report)] == ["Porter.load"]
    assert mismatches(report)[0].key == manager.key_of(other)


PORTERS = """
@saveable
class Item:
    name: Saved[str] = ""

@saveable
class Porter:
    load: Saved[Item]

    def __init__(self, load: Item):
        self.load = load
"""
LAMP = """
@saveable
class Lamp(Item):
    oil: Saved[int] = 1
"""


def test_none_for_a_preserved_object_is_no_mismatch(games: Games, slot: Slot) -> None:
    older = games(PORTERS + LAMP)
    with older.playing() as play:
        manager = play.manager()
        manager.add(play.game.Porter(play.game.Lamp()))
        slot.save(manager)
    with games(PORTERS, after=older).playing() as play:
        manager = play.manager()
        slot.load(manager)
        (porter,) = manager.find(play.game.Porter)
        assert porter.load is None
        assert not mismatches(save_report(slot.save(manager)))


# -- files of another version, and edited ones

FIRST = """
@saveable
class Sword:
    edge: Saved[int] = 1

@saveable
class Shield:
    width: Saved[int] = 1

@saveable
class Hero:
    hand: Saved[{hand}] = None
    other: Saved[Shield | None] = None
    bag: Saved[{bag}]
    kind: Saved[{kind} | None] = None

    def __init__(self):
        self.bag = []
"""
SWORDS = {"hand": "Sword | None", "bag": "list[Sword]", "kind": "type[Sword]"}
SHIELDS = {"hand": "Shield | None", "bag": "list[Shield]", "kind": "type[Shield]"}
ARMED = {
    "bare": {"hand": "Sword()"},
    "in a list": {"bag": "[Sword()]"},
    "class": {"kind": "Sword"},
}


@pytest.mark.parametrize("fields", ARMED.values(), ids=[*ARMED])
def test_an_older_file_with_references_to_another_class_is_refused(
    games: Games, slot: Slot, fields: dict[str, str]
) -> None:
    (name,) = fields
    older = games(FIRST.format(**SWORDS))
    changed = {**SWORDS, name: SHIELDS[name]}
    newer = games(FIRST.format(**changed), after=older)
    with older.playing() as play:
        slot.save(with_hero_of(play, fields))
    with newer.playing() as play:
        manager = play.manager()
        refused("loading", lambda: slot.load(manager), f"Hero.{name}")
        assert len(manager) == 0


@pytest.mark.parametrize("fields", ARMED.values(), ids=[*ARMED])
@pytest.mark.parametrize("result", ["old", "Sword()", "[Sword()]", "Sword"])
def test_a_converter_that_returns_an_object_of_another_class_is_named(
    games: Games, slot: Slot, fields: dict[str, str], result: str
) -> None:
    (name,) = fields
    older = games(FIRST.format(**SWORDS))
    converted = f"""
@converter(Hero, "{name}")
def convert(old):
    return {result}
"""
    changed = FIRST.format(**{**SWORDS, name: SHIELDS[name]}) + converted
    newer = games(changed, after=older)
    with older.playing() as play:
        slot.save(with_hero_of(play, fields))
    with newer.playing() as play:
        manager = play.manager()
        words = "the converter", "convert` of", f"Hero.{name}"
        refused("loading", lambda: slot.load(manager), *words)
        assert len(manager) == 0


@pytest.mark.parametrize("fields", ARMED.values(), ids=[*ARMED])
def test_an_older_file_loads_if_its_references_fit_the_wider_class(
    games: Games, slot: Slot, fields: dict[str, str]
) -> None:
    (name,) = fields
    older = games(FIRST.format(**SWORDS))
    wider = {
        "hand": "Sword | Shield | None",
        "bag": "list[Sword | Shield]",
        "kind": "type[Sword | Shield]",
    }
    newer = games(FIRST.format(**{**SWORDS, name: wider[name]}), after=older)
    with older.playing() as play:
        slot.save(with_hero_of(play, fields))
    with newer.playing() as play:
        manager = play.manager()
        slot.load(manager)
        (hero,) = manager.find(play.game.Hero)
        assert "Sword" in shape(getattr(hero, name))


def with_hero_of(play: Play, fields: dict[str, str]) -> Any:
    manager = play.manager()
    hero = manager.add(play.game.Hero())
    hero.other = play.game.Shield()
    for name, text in fields.items():
        setattr(hero, name, eval(text, vars(play.game)))
    return manager


EDITED = FIRST.format(**SWORDS) + """

@migration(to=1)
def edit(save):
    for hero in save["Hero"]:
        {edit}
"""
EDITS = {
    "bare": ('hero["hand"] = hero["other"]', "hand"),
    "in a list": ('hero["bag"] = [hero["other"]]', "bag"),
}


@pytest.mark.parametrize(("edit", "name"), EDITS.values(), ids=[*EDITS])
def test_an_edited_file_with_a_reference_to_another_class_is_refused(
    games: Games, slot: Slot, edit: str, name: str
) -> None:
    older = games(FIRST.format(**SWORDS))
    newer = games(EDITED.format(edit=edit), after=older, save_version=1)
    with older.playing() as play:
        slot.save(with_hero_of(play, {}))
    with newer.playing() as play:
        manager = play.manager()
        refused("loading", lambda: slot.load(manager), f"Hero.{name}")
        assert len(manager) == 0
