"""What hashes objects is filled when their hashes are known: after their fields, and their hooks."""

from __future__ import annotations

from typing import Any

import pytest

from tests.promises.door import (
    History,
    SaveError,
    assert_round_trip,
    decode,
    encode,
    lost,
    refused,
)
from tests.promises.games import Game, Play

GAME = """
import pygame

called = []

@saveable(transient=("_id",))
class Town:
    name: Saved[str]
    near: Saved[Town | None]
    hides: Saved[bool]

    def __init__(self, name, near=None):
        self.name, self.near, self.hides = name, near, False
        self._id = name.upper()

    def __eq__(self, other):
        return type(other) is Town and other._id == self._id

    def __hash__(self):
        return hash(self._id)

    @on_activate
    def wake(self, reason):
        called.append(self.name)
        self._id = self.name.upper()

@dataclass(frozen=True)
class Road:
    first: Town
    second: Town

@saveable
class Scribe:
    '''Its key comes before those of the towns.'''

    book: Saved[dict[Town, int]]
    seen: Saved[list[int]]

    def __init__(self):
        self.book, self.seen = {}, []

    @on_activate
    def count(self, reason):
        called.append("scribe")
        self.seen = [self.book[town] for town in self.book]

class Towns(set[Town]):
    def update(self, *members):
        raise RuntimeError

class Index(dict[Town, int]):
    def __setitem__(self, town, number):
        raise RuntimeError

@saveable
class Atlas:
    towns: Saved[set[Town]]
    frozen: Saved[frozenset[Town]]
    roads: Saved[dict[Road, int]]
    pairs: Saved[dict[frozenset[Town], str]]
    ordered: Saved[OrderedDict[Town, int]]
    counted: Saved[Counter[Town]]
    groups: Saved[defaultdict[str, set[Town]]]
    deep: Saved[list[dict[tuple[Town, int], list[frozenset[Road]]]]]
    roots: Saved[dict[Town, dict[Town, int]]]
    known: Saved[Towns]
    index: Saved[dict[str, Index]]

    def __init__(self, a, b):
        road = Road(a, b)
        self.towns = {a, b}
        self.frozen = frozenset([a, b])
        self.roads = {Road(a, b): 1, Road(b, a): 2}
        self.pairs = {frozenset([a, b]): "ab", frozenset([a]): "a"}
        self.ordered = OrderedDict([(b, 1), (a, 2)])
        self.counted = Counter({a: 3})
        self.groups = defaultdict(set, {"x": {a}})
        self.deep = [{(a, 1): [frozenset([road])]}]
        self.roots = {a: {b: 5}}
        self.known = Towns([a, b])
        self.index = {"x": Index({a: 6})}

    def found(self, a, b):
        road = Road(a, b)
        return [
            a in self.towns, b in self.towns, a in self.frozen, b in self.frozen,
            self.roads.get(road), self.roads.get(Road(b, a)),
            self.pairs.get(frozenset([b, a])), self.pairs.get(frozenset([a])),
            [*self.ordered] == [b, a], self.ordered.get(a),
            self.counted.get(a), a in self.groups["x"],
            road in self.deep[0].get((a, 1), [[]])[0], self.roots.get(a, {}).get(b),
            a in self.known, type(self.known) is Towns, self.index["x"].get(a),
        ]

@saveable(transient=("twisted",))
class Twister:
    town: Saved[Town]

    def __init__(self, town):
        self.town = town

    @on_activate
    def twist(self, reason):
        called.append("twister")
        self.town._id += "!"

@saveable(transient=("_number",))
class Lonely:
    name: Saved[str]

    def __init__(self, name):
        self.name = name
        self._number = len(name)

    def __hash__(self):
        return hash(self._number)

    def __eq__(self, other):
        return self is other

@saveable
class Hermits:
    all: Saved[dict[Lonely, str]]
    first: Saved[Lonely | None]
    name: Saved[str] = "hermits"

    def __init__(self, *hermits):
        self.all = {each: each.name for each in hermits}
        self.first = hermits[0]

@saveable(transient=("_id",))
class Ghost(pygame.sprite.Sprite):
    name: Saved[str]

    def __init__(self, name):
        super().__init__()
        self.name = name
        self._id = name.upper()

    def __hash__(self):
        return hash(self._id)

    @on_activate
    def wake(self, reason):
        called.append(self.name)
        self._id = self.name.upper()

@saveable
class House:
    ghosts: Saved[pygame.sprite.Group[Ghost]]

    def __init__(self):
        self.ghosts = pygame.sprite.Group()
"""
FOUND = [True] * 4 + [1, 2, "ab", "a", True, 2, 3, True, True, 5, True, True, 6]


def new_world(play: Play) -> tuple[Any, Any, Any, Any]:
    manager, game = play.manager(), play.game
    scribe = manager.add(game.Scribe())
    a, b = manager.add(game.Town("a")), manager.add(game.Town("b"))
    atlas = manager.add(game.Atlas(a, b))
    scribe.book = {b: 20, a: 10}
    game.called.clear()
    return manager, atlas, a, b


def test_objects_that_are_keys_are_woken_first_and_then_found(
    game: Game, play: Play
) -> None:
    manager, atlas, a, b = new_world(play)
    assert atlas.found(a, b) == FOUND
    snapshot = manager.create_snapshot(strict=True)
    data = encode(snapshot, strict=True)
    manager.apply_snapshot(snapshot)
    assert play.game.called == ["a", "b", "scribe"] and atlas.found(a, b) == FOUND
    manager.apply_snapshot(decode(data, manager))
    assert play.game.called == ["a", "b", "scribe"] * 2
    scribe, a, b, atlas = manager.objects
    assert atlas.found(a, b) == FOUND and scribe.seen == [20, 10]
    (game.folder / "save").write_bytes(data)
    text = game.script("""
        manager = SaveLoadManager(REGISTRY)
        manager.apply_snapshot(decode(Path("save").read_bytes(), manager))
        scribe, a, b, atlas = manager.objects
        print(game.called, scribe.seen, atlas.found(a, b))
        """)
    assert text.strip() == f"['a', 'b', 'scribe'] [20, 10] {FOUND}"


def test_what_a_hook_changes_of_a_hash_is_found_all_the_same(play: Play) -> None:
    manager, atlas, a, b = new_world(play)
    manager.add(play.game.Twister(a))
    a._id = "A"  # it was found by it until now
    history = History(manager)
    history.record()
    snapshot = manager.create_snapshot()
    manager.apply_snapshot(snapshot)
    assert a._id == "A!" and atlas.found(a, b) == FOUND
    history.record()
    a.name = "c"
    history.rewind(1)
    # Only what has changed is woken: not the twister.
    assert (a.name, a._id) == ("a", "A") and atlas.found(a, b) == FOUND
    manager.apply_snapshot(decode(encode(snapshot), manager))
    _, a, b, atlas, _ = manager.objects
    assert a._id == "A!" and atlas.found(a, b) == FOUND


def test_what_a_hook_changes_of_a_hash_is_found_after_a_load_that_fails(
    play: Play,
) -> None:
    manager, atlas, a, b = new_world(play)
    manager.add(play.game.Twister(a))
    a._id = "A"  # it was found by it until now
    manager.apply_snapshot(snapshot := manager.create_snapshot())
    assert a._id == "A!" and atlas.found(a, b) == FOUND
    manager.after_load.append(lambda: 1 / 0)
    a.name = "c"
    with pytest.raises(SaveError):
        manager.apply_snapshot(snapshot)
    assert (a.name, a._id) == ("c", "C!") and atlas.found(a, b) == FOUND


def test_what_a_partial_snapshot_does_not_cover_finds_what_it_changes(
    play: Play,
) -> None:
    manager, atlas, a, b = new_world(play)
    snapshot = manager.create_snapshot(play.game.Town)
    a.name = "c"
    a.wake(None)
    manager.apply_snapshot(manager.create_snapshot(play.game.Town))
    assert a._id == "C" and atlas.found(a, b) == FOUND
    manager.apply_snapshot(snapshot)
    assert a._id == "A" and atlas.found(a, b) == FOUND


def test_only_what_waits_for_a_hook_is_filled_after_it(play: Play) -> None:
    manager, game = play.manager(), play.game
    scribe = manager.add(game.Scribe())
    far, near = manager.add(game.Town("far")), manager.add(game.Town("near"))
    scribe.book, far.near = {near: 1}, near
    game.called.clear()
    data = encode(manager.create_snapshot())
    manager.apply_snapshot(decode(data, manager))
    # `far` is no key: it is woken in its turn.
    assert game.called == ["near", "scribe", "far"]


def test_a_hash_that_needs_what_only_init_sets_is_told_when_it_is_saved(
    game: Game, play: Play
) -> None:
    manager = play.manager()
    hermit = play.game.Lonely("Anthony")
    hermits = manager.add(play.game.Hermits(hermit))
    with pytest.raises(SaveError, match="Lonely.__hash__` needs `_number`"):
        manager.create_snapshot(strict=True)
    refused("strict", lambda: encode(manager.create_snapshot(), strict=True), "_number")
    snapshot = manager.create_snapshot()
    manager.apply_snapshot(snapshot)
    assert hermits.all == {hermit: "Anthony"}, "in memory nothing is lost"
    (game.folder / "save").write_bytes(encode(snapshot))
    text = game.script("""
        manager = SaveLoadManager(REGISTRY)
        report = manager.apply_snapshot(decode(Path("save").read_bytes(), manager))
        hermits = manager.objects[0]
        print(hermits.first.name, hermits.name, hasattr(hermits, "all"))
        """)
    assert text.strip() == "Anthony hermits False"


def test_groups_find_their_sprites(play: Play) -> None:
    game = play.game

    def new_group(manager: Any) -> Any:
        manager.groups["all"] = group = game.pygame.sprite.Group()
        return group

    manager = play.manager()
    group = new_group(manager)
    house = manager.add(game.House())
    ghosts = [game.Ghost("x"), game.Ghost("y")]
    for ghost in ghosts:
        ghost.add(group, house.ghosts)
    snapshot = manager.create_snapshot(strict=True)
    ghosts[0].kill()
    ghosts[0].name, ghosts[0]._id = "z", "Z"
    manager.apply_snapshot(snapshot)
    assert [ghost in group for ghost in ghosts] == [True, True]
    assert [ghost in house.ghosts for ghost in ghosts] == [True, True]
    other = play.manager()
    group = new_group(other)
    other.apply_snapshot(decode(encode(snapshot), other))
    house = other.objects[0]
    assert [each.name for each in group] == ["x", "y"] == [g.name for g in house.ghosts]
    for ghost in [*group]:
        assert ghost in group and ghost in house.ghosts
        ghost.kill()
    assert not group and not house.ghosts


def test_a_round_trip_calls_the_hooks_of_what_it_loads(play: Play) -> None:
    manager, atlas, a, b = new_world(play)
    assert_round_trip(atlas, play.registry)
    assert sorted(play.game.called) == ["a", "b"] and atlas.found(a, b) == FOUND
