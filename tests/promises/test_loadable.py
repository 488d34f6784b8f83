"""What is saved can be loaded: kept hashes, objects that `__new__` shares, keys of dicts and sets."""

from __future__ import annotations

from typing import Any

import pytest

from tests.promises.door import (
    History,
    SaveApplyError,
    SaveError,
    assert_round_trip,
    decode,
    encode,
)
from tests.promises.games import Game, Play, Slot

GAME = """
import attrs

@attrs.frozen(cache_hash=True)
class Tile:
    x: int
    name: str = "grass"

@attrs.define(unsafe_hash=True, cache_hash=True, slots=False)
class Mark:
    x: int

@dataclass(frozen=True)
class Spot:
    x: str
    kept: int | None = field(default=None, compare=False)

    def __hash__(self):
        if self.kept is None:
            object.__setattr__(self, "kept", hash(self.x))
        return self.kept

@dataclass(frozen=True)
class Hex:
    q: int
    r: int

    def __post_init__(self):
        object.__setattr__(self, "_code", self.q * 1000 + self.r)

    def __hash__(self):
        return self._code

@attrs.define(eq=False, slots=False)
class Word:
    text: str
    made: int = 0

    def __attrs_post_init__(self):
        self.folded = self.text.casefold()
        self.made += 1  # of what a save has, nothing changes again

    def __hash__(self):
        return hash(self.folded)

    def __eq__(self, other):
        return self.folded == other.folded

@dataclass(frozen=True)
class Claim:
    town: Town

    def __post_init__(self):
        object.__setattr__(self, "_name", self.town.name)

    def __hash__(self):
        return hash(self._name)

@saveable
@attrs.frozen(cache_hash=True)
class Card:
    suit: Saved[str]

@saveable
@attrs.define(unsafe_hash=True, cache_hash=True)
class Piece:
    name: Saved[str]

@saveable(transient=("_hash",))
class Town:
    name: Saved[str]

    def __init__(self, name):
        self.name = name
        self._hash = None

    def __eq__(self, other):
        return type(other) is Town and other.name == self.name

    def __hash__(self):
        if self._hash is None:
            self._hash = hash(self.name)
        return self._hash

@saveable
class Board:
    tiles: Saved[dict[Tile, int]]
    marks: Saved[set[Mark]]
    spots: Saved[dict[Spot, int]]
    cards: Saved[dict[Card, str]]
    pieces: Saved[set[Piece]]
    towns: Saved[dict[Town, int]]
    hexes: Saved[dict[Hex, int]]
    words: Saved[set[Word]]
    claims: Saved[dict[Claim, int]]

    def __init__(self):
        self.tiles = {Tile(1): 1}
        self.marks = {Mark(2)}
        self.spots = {Spot("here"): 3}
        self.cards = {Card("s"): "x"}
        self.pieces = {Piece("rook")}
        self.towns = {Town("Ys"): 4}
        self.hexes = {Hex(1, 2): 5}
        self.words = {Word("Yes")}
        self.claims = {Claim(town): 6 for town in self.towns}

    def found(self):
        return [
            self.tiles.get(Tile(1)),
            Mark(2) in self.marks,
            self.spots.get(Spot("here")),
            self.cards.get(Card("s")),
            Piece("rook") in self.pieces,
            self.towns.get(Town("Ys")),
            *[each in self.towns for each in self.towns],
            self.hexes.get(Hex(1, 2)),
            [word.made for word in self.words if Word("YES") in self.words],
            *[self.claims.get(Claim(each)) for each in self.towns],
        ]

@saveable
@attrs.define(eq=False)
class Hero:
    strength: Saved[int] = 3

    @cached_property
    def damage(self):
        return self.strength * 2

@saveable
@attrs.define(eq=False)
class Knight(Hero):
    armour: Saved[int] = 1

    @cached_property
    def defence(self):
        return self.armour + self.damage

@saveable
class Coin:
    pool: ClassVar[dict] = {}
    value: Saved[int]

    def __new__(cls, value=0):
        if value not in cls.pool:
            cls.pool[value] = super().__new__(cls)
            cls.pool[value].value = value
        return cls.pool[value]

@saveable
class Purse:
    coins: Saved[list[Coin]]

    def __init__(self):
        self.coins = [Coin(1), Coin(5), Coin(1)]

@saveable(transient=("started",))
class Settings:
    _instance: ClassVar[Settings | None] = None
    volume: Saved[int]

    def __new__(cls):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
            cls._instance.volume = 5
            cls._instance.started = 0
        return cls._instance

    def __init__(self):
        self.started = 1

@saveable
class Menu:
    settings: Saved[Settings]
    again: Saved[Settings]

    def __init__(self):
        self.settings = self.again = Settings()

class Numbered:
    made: ClassVar[int] = 0

    def __new__(cls, *args, **keywords):
        obj = super().__new__(cls)
        Numbered.made += 1
        obj.mixed = True
        return obj

@saveable(transient=("mixed",))
class Robot(Numbered):
    name: Saved[str] = "r2"

class Shape:
    def __new__(cls, corners=0):
        return super().__new__(Square if corners == 4 else Round)

@saveable
class Round(Shape):
    size: Saved[int] = 1

@saveable
class Square(Shape):
    size: Saved[int] = 2
@saveable(override=True)
class Forgetful:
    hp: Saved[int] = 3

    def save_data(self, references=NO_REFERENCES):
        return self.save_data_(references)

    def load_data(self, data, references=NO_REFERENCES):
        self.hp = 1
"""
EVERYWHERE = """
import sys
manager = SaveLoadManager(REGISTRY)
manager.apply_snapshot(decode(Path("save").read_bytes(), manager))
"""


@pytest.fixture(autouse=True)
def _fresh_pools(play: Play) -> None:
    play.game.Coin.pool.clear()
    play.game.Settings._instance = None


def elsewhere(game: Game, manager: Any, text: str) -> str:
    """Load the world in a fresh process, and return what it prints then."""
    (game.folder / "save").write_bytes(encode(manager.create_snapshot(), strict=True))
    return game.script(EVERYWHERE + text).strip()


# -- hashes that objects keep


def test_a_kept_hash_is_no_obstacle_to_a_load(game: Game, play: Play) -> None:
    manager = play.manager()
    board = manager.add(play.game.Board())
    wanted = [1, True, 3, "x", True, 4, True, 5, [1], 6]
    assert board.found() == wanted
    snapshot = manager.create_snapshot(strict=True)
    assert_round_trip(board, play.registry)
    assert elsewhere(game, manager, "print(manager.objects[0].found())") == str(wanted)
    manager.clear()
    manager.apply_snapshot(snapshot)
    assert manager.objects[0].found() == wanted


def test_a_kept_hash_is_forgotten_when_a_load_changes_what_it_was_made_of(
    play: Play,
) -> None:
    manager, (board, other) = play.manager(), (play.game.Board(), play.game.Town("Is"))
    for each in (board, other):
        manager.add(each)
    (town,) = board.towns
    history = History(manager)
    history.record()
    before = manager.create_snapshot()
    for name in ("Thebes", "Ur"):
        (piece,) = board.pieces
        board.pieces, board.towns = set(), {}
        piece.name = town.name = name
        piece._attrs_cached_hash = town._hash = None
        board.pieces, board.towns = {piece}, {town: 4}
        assert hash(town) and hash(piece) and not board.found()[4]
        if name == "Ur":
            history.rewind(0)
        else:
            manager.apply_snapshot(before)
        assert board.found() == [1, True, 3, "x", True, 4, True, 5, [1], 6]


def test_a_kept_hash_is_as_it_was_after_a_load_that_failed(play: Play) -> None:
    manager = play.manager()
    board = manager.add(play.game.Board())
    before = manager.create_snapshot()
    (town,) = board.towns
    board.towns = {}
    town.name, town._hash = "Ur", None
    board.towns = {town: 7}
    manager.after_load.append(lambda: 1 / 0)
    with pytest.raises(SaveApplyError):
        manager.apply_snapshot(before)
    assert town.name == "Ur" and board.towns[play.game.Town("Ur")] == 7
    assert town in board.towns


def test_a_property_that_attrs_keeps_in_a_slot_is_computed_again(play: Play) -> None:
    manager = play.manager()
    knight = manager.add(play.game.Knight())
    assert (knight.damage, knight.defence) == (6, 7)
    history = History(manager)
    history.record()
    before = manager.create_snapshot(strict=True)
    assert_round_trip(knight, play.registry)

    def change() -> None:
        knight.strength = 10
        for name in ("damage", "defence"):
            object.__delattr__(knight, name)
        assert knight.defence == 21

    change()
    manager.apply_snapshot(before)
    assert (knight.damage, knight.defence) == (6, 7)
    change()
    history.record()
    history.rewind(1)
    assert (knight.damage, knight.defence) == (6, 7)
    change()
    manager.after_load.append(lambda: knight.defence / 0)
    with pytest.raises(SaveApplyError):
        manager.apply_snapshot(before)
    assert knight.strength == 10 and (knight.damage, knight.defence) == (20, 21)


# -- objects that `__new__` shares


def purse_of(manager: Any) -> tuple[list[int], int]:
    coins = manager.objects[0].coins
    return [coin.value for coin in coins], len({*map(id, coins)})


def test_flyweights_stay_apart_with_their_own_values(game: Game, play: Play) -> None:
    manager = play.manager()
    purse = manager.add(play.game.Purse())
    snapshot, wanted = manager.create_snapshot(), ([1, 5, 1], 2)
    manager.apply_snapshot(snapshot)
    assert purse_of(manager) == wanted
    data = encode(snapshot)
    for coin in purse.coins:
        coin.value += 10
    manager.apply_snapshot(decode(data, manager))  # over a living world
    assert purse_of(manager) == wanted
    other = play.manager()
    for _ in range(2):
        other.apply_snapshot(decode(data, other))
        assert purse_of(other) == wanted and purse_of(manager) == wanted
    manager.clear()
    manager.apply_snapshot(snapshot)
    assert purse_of(manager) == wanted
    assert_round_trip(manager.objects[0], play.registry)
    assert purse_of(manager) == wanted
    script = "coins = manager.objects[0].coins\nprint([c.value for c in coins], len({*coins}))"
    assert elsewhere(game, manager, script) == "[1, 5, 1] 2"


def test_a_singleton_stays_one(game: Game, play: Play) -> None:
    manager, settings = play.manager(), play.game.Settings()
    manager.add(play.game.Menu())
    settings.volume = 8
    data = encode(manager.create_snapshot())
    settings.volume = 1
    settings.started = "kept"
    for _ in range(2):
        manager.apply_snapshot(decode(data, manager))  # over a living world
        (menu,) = manager.objects
        assert menu.settings is menu.again is settings is play.game.Settings()
        assert settings.volume == 8
    manager.clear()
    manager.apply_snapshot(decode(data, manager))
    (menu,) = manager.objects
    assert menu.settings is menu.again is settings and settings.volume == 8
    script = (
        "menu = manager.objects[0]\nprint(menu.again is menu.settings is Settings(),"
    )
    assert elsewhere(game, manager, script + "Settings().volume)") == "True 8"


def test_a_singleton_of_a_living_world_is_as_it_was_after_a_load_that_failed(
    play: Play,
) -> None:
    manager, settings = play.manager(), play.game.Settings()
    manager.add(play.game.Menu())
    data = encode(manager.create_snapshot())
    settings.volume = 1
    manager.after_load.append(lambda: 1 / 0)
    digest = manager.create_snapshot().digest()
    with pytest.raises(SaveApplyError):
        manager.apply_snapshot(decode(data, manager))
    assert settings.volume == 1 and manager.create_snapshot().digest() == digest


def test_a_copy_is_another_object_than_the_singleton(play: Play) -> None:
    manager, settings = play.manager(), play.game.Settings()
    menu = manager.add(play.game.Menu())
    manager.merge(manager.create_snapshot())
    copied = next(each for each in manager.objects if each is not menu)
    assert copied.settings is copied.again is not settings
    assert menu.settings is settings


def test_new_of_a_mixin_is_called_and_one_that_makes_another_class_is_not_obeyed(
    game: Game, play: Play
) -> None:
    manager = play.manager()
    for each in (play.game.Robot(), play.game.Shape(4), play.game.Shape(3)):
        manager.add(each)
    script = "print([type(each).__name__ for each in manager.objects], manager.objects[0].mixed)"
    assert elsewhere(game, manager, script) == "['Robot', 'Square', 'Round'] True"


# -- the check of a manager


def test_a_manager_with_check_loads_what_it_saves_beside_the_living_world(
    play: Play, slot: Slot
) -> None:
    manager = play.manager(check=True)
    board = manager.add(play.game.Board())
    purse, menu = manager.add(play.game.Purse()), manager.add(play.game.Menu())
    menu.settings.volume = 9
    slot.save(manager)
    assert manager.objects == (board, purse, menu) and purse_of_coins(purse) == 2
    assert menu.settings is play.game.Settings() and menu.settings.volume == 9
    manager.add(play.game.Forgetful())
    with pytest.raises(SaveError, match="a load would not restore `Forgetful.hp`"):
        slot.save(manager)


def purse_of_coins(purse: Any) -> int:
    return len({*map(id, purse.coins)})
