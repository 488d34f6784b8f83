"""Assets: they can be replaced and removed, and one that is gone need not cost the whole save."""

from __future__ import annotations

from typing import Any

import pytest

from tests.promises.door import (
    assert_round_trip,
    AssetRegistry,
    OnUnknown,
    SaveError,
    decode,
    encode,
    load_report,
    lost,
    mismatches,
    places,
    promised,
    refused,
    save_report,
)
from tests.promises.games import Games, Play, Slot

GAME = """
from savegen import Recorder, deserializer, serializer
from savegen.runtime import Record

class Picture:
    def __init__(self, name):
        self.name = name

@saveable
class Actor:
    name: Saved[str] = ""
    face: Saved[Annotated[Picture | None, Asset()]] = None
    poses: Saved[list[Annotated[Picture, Asset()]]]
    moods: Saved[dict[str, Annotated[Picture, Asset()]]]
    odd: Saved[int | None] = None

    def __init__(self):
        self.poses = []
        self.moods = {}

@saveable
class Bard(Recorder):
    class Behaviors(Enum):
        SING = 1

    song: Any = None

    def sings(self, song: Any) -> None:
        self.song = song
        self.set_dirty(self.Behaviors.SING)

    @serializer(Behaviors.SING)
    def save_song(self, record: Record) -> None:
        record.save("song", self.song)

    @deserializer(Behaviors.SING)
    def load_song(self, record: Record) -> None:
        record.load("song", lambda song: setattr(self, "song", song))
"""


def assets(play: Play, *names: str, **options: Any) -> Any:
    found = AssetRegistry(**options)
    for name in names:
        found[name] = play.game.Picture(name)
    return found


def saved_with_face(play: Play, known: Any) -> bytes:
    manager = play.manager(assets=known)
    actor = manager.add(play.game.Actor())
    actor.name, actor.face = "Grub", known["face"]
    data: bytes = encode(manager.create_snapshot())
    return data


def loaded(play: Play, data: bytes, known: Any) -> tuple[Any, Any]:
    manager = play.manager(assets=known)
    report = manager.apply_snapshot(decode(data, manager))
    (actor,) = manager.objects
    return actor, report


# -- replaced and removed


def test_an_asset_can_be_replaced(play: Play) -> None:
    known = assets(play, "face")
    data = saved_with_face(play, known)
    old, new = known["face"], play.game.Picture("reloaded")
    known.replace("face", new)
    assert known["face"] is new and known.id_of(new) == "face"
    assert not known.knows(old)
    assert loaded(play, data, known)[0].face is new


def test_an_asset_that_was_replaced_keeps_its_former_ids(play: Play) -> None:
    known = AssetRegistry()
    known.add("face", play.game.Picture("face"), was="head")
    new = play.game.Picture("new")
    known.replace("face", new)
    assert known["head"] is new and [*known] == ["face"]


def test_an_asset_can_be_removed(play: Play) -> None:
    known = assets(play, "face", "hand")
    face = known["face"]
    known.remove("face")
    assert [*known] == ["hand"] and not known.knows(face)
    known["face"] = face


def test_an_asset_is_never_replaced_by_mistake(play: Play) -> None:
    known = assets(play, "face")
    refused("a second one", lambda: known.add("face", play.game.Picture("x")), "face")
    with pytest.raises(SaveError):
        known["face"] = play.game.Picture("x")


# -- gone


def test_a_field_that_may_be_none_loads_without_its_asset(play: Play) -> None:
    data = saved_with_face(play, assets(play, "face"))
    with promised("a save loads without an asset that may be None"):
        actor, report = loaded(play, data, assets(play))
    assert (actor.name, actor.face) == ("Grub", None)
    assert "Actor.face" in places([*mismatches(report), *lost(report)])
    assert "face" in repr(load_report(report))


@pytest.mark.parametrize("policy", [OnUnknown.DROP, OnUnknown.PLACEHOLDER])
def test_a_policy_lets_a_save_load_without_an_asset(play: Play, policy: Any) -> None:
    data = saved_with_face(play, assets(play, "face"))
    actor, _ = loaded(play, data, assets(play, on_unknown=policy))
    assert actor.name == "Grub"
    assert (actor.face is None) == (policy is OnUnknown.DROP)


@pytest.mark.parametrize("is_of_assets", [True, False])
def test_each_asset_that_is_dropped_is_reported(play: Play, is_of_assets: bool) -> None:
    known = assets(play, "face", "stand", "walk", "sit", "hop")
    manager = play.manager(assets=known)
    actor = manager.add(play.game.Actor())
    actor.name, actor.face = "hop", known["face"]
    actor.poses = [known["stand"], known["walk"], known["sit"], known["face"]]
    actor.moods = {"stand": known["hop"], "calm": known["sit"]}
    actor.odd = known["hop"]
    data: bytes = encode(manager.create_snapshot())
    policy = {"on_unknown": OnUnknown.DROP}
    left = assets(play, "sit", **(policy if is_of_assets else {}))
    manager = play.manager(assets=left, **({} if is_of_assets else policy))
    for _ in range(2):
        report = manager.apply_snapshot(decode(data, manager))
        (actor,) = manager.objects
        assert (actor.face, actor.odd) == (None, None)
        assert actor.poses == [None, None, left["sit"], None]
        found = [(each.where, each.value) for each in lost(report)]
        assert sorted(found) == [
            ("Actor.face", "no asset has the id 'face'"),
            ("Actor.moods", "no asset has the id 'hop'"),
            ("Actor.odd", "no asset has the id 'hop'"),
            ("Actor.poses", "no asset has the id 'face'"),
            ("Actor.poses", "no asset has the id 'stand'"),
            ("Actor.poses", "no asset has the id 'walk'"),
        ]


@pytest.mark.parametrize("is_of_assets", [True, False])
def test_what_is_dropped_from_states_and_recordings_is_reported(
    play: Play, is_of_assets: bool
) -> None:
    known, shown = assets(play, "face", "stand"), list[Any]()
    manager = play.manager(assets=known)
    manager.add_state("menu", lambda: [known["face"], known["stand"]], shown.append)
    bard = manager.add(play.game.Bard())
    bard.sings([known["stand"], known["face"]])
    data: bytes = encode(manager.create_snapshot())
    policy = {"on_unknown": OnUnknown.DROP}
    left = assets(play, "face", **(policy if is_of_assets else {}))
    manager = play.manager(assets=left, **({} if is_of_assets else policy))
    manager.add_state("menu", lambda: None, shown.append)
    report = load_report(manager.apply_snapshot(decode(data, manager)))
    (bard,) = manager.objects
    assert shown == [[left["face"], None]] and bard.song == [None, left["face"]]
    assert [*map(str, lost(report))] == [
        "the state 'menu' is lost: no asset has the id 'stand'",
        "`Bard.'song'` of object #1 is lost: no asset has the id 'stand'",
    ]
    assert "the state 'menu'" in repr(report)


def test_nothing_is_reported_as_dropped_that_is_there(play: Play) -> None:
    data = saved_with_face(play, assets(play, "face"))
    known = assets(play, "face", on_unknown=OnUnknown.DROP)
    assert [*lost(loaded(play, data, known)[1])] == []


def test_a_placeholder_is_saved_under_its_id(play: Play) -> None:
    whole = assets(play, "face")
    data = saved_with_face(play, whole)
    manager = play.manager(assets=assets(play, on_unknown=OnUnknown.PLACEHOLDER))
    manager.apply_snapshot(decode(data, manager))
    again = encode(manager.create_snapshot())
    assert loaded(play, again, whole)[0].face is whole["face"]


def test_the_policy_of_a_manager_holds_for_assets_too(play: Play) -> None:
    data = saved_with_face(play, assets(play, "face"))
    manager = play.manager(assets=assets(play), on_unknown=OnUnknown.DROP)
    with promised("a save loads without an asset"):
        manager.apply_snapshot(decode(data, manager))
    assert [actor.face for actor in manager.objects] == [None]


# -- what is no asset


def test_an_asset_without_an_id_is_reported_with_its_field(
    play: Play, slot: Slot
) -> None:
    manager = play.manager(assets=assets(play, "face"))
    manager.add(play.game.Actor()).poses = [play.game.Picture("unknown")]
    with promised("saving works whatever a field holds"):
        info = slot.save(manager)
    (found,) = lost(save_report(info))
    assert found.where.startswith("Actor.poses")


SPAWNED = """
class Picture:
    pass

@saveable
class Body:
    icon: Saved[Annotated[Picture, Asset()]]
    face: Saved[Annotated[Picture | None, Asset()]] = None
    poses: Saved[list[Annotated[Picture, Asset()]]]

    def __init__(self):
        self.icon = None
        self.poses = []

@prefab
class Orc:
    body = part(Body)
"""


@pytest.mark.parametrize("field", ["icon", "face", "poses"])
def test_spawn_says_that_an_asset_has_no_id(games: Games, field: str) -> None:
    with games(SPAWNED).playing() as play:
        manager, picture = play.manager(), play.game.Picture()
        value = [picture] if field == "poses" else picture
        orc = play.types.PrefabType.ORC
        refused(
            "spawn",
            lambda: manager.spawn(orc, **{field: value}),
            f"'{field}' of ORC",
            "a Picture is used as an asset, but has no id; register it with `assets.add`",
        )


def test_strict_capture_names_the_field_of_an_asset_without_an_id(play: Play) -> None:
    manager = play.manager(assets=assets(play, "face"))
    manager.add(play.game.Actor()).poses = [play.game.Picture("unknown")]
    refused("strict", lambda: manager.create_snapshot(strict=True), "Actor.poses")


# -- assert_round_trip


def test_assert_round_trip_takes_assets(play: Play) -> None:
    known = assets(play, "face")
    actor = play.game.Actor()
    actor.face = known["face"]
    assert_round_trip(actor, play.registry, assets=known)
