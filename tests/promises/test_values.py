"""Every value comes back exactly: from memory, from bytes, from a slot, a journal and a merge."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator
from fractions import Fraction  # noqa: F401: for `eval`
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.oracle import difference, shares_mutable
from tests.promises.door import (
    Autosave,
    History,
    MemoryStore,
    SaveSlots,
    decode,
    encode,
    load_report,
    lost,
)
from tests.promises.games import Games, Play, Slot
from tests.promises.value_table import (
    SOURCE as GAME,
    PLACES,
    PLAIN,
    TABLE,
    fields_of,
    value_of,
)


class World:
    """A manager with two foes, and objects of one row of the table."""

    def __init__(self, play: Play, key: str) -> None:
        self.play = play
        self.key = key
        self.manager = play.manager()
        classes = play.game.Foe, play.game.Foe, play.game.Door
        self.foes = [self.manager.add(cls()) for cls in classes]
        self.foes[0].hp, self.foes[1].hp = 100, 200
        self._generators: dict[Any, Any] = {}
        turns = range(len(TABLE[key].all))
        self.objects = [self.manager.add(self.made(turn)) for turn in turns]

    def made(self, turn: int) -> Any:
        made = getattr(self.play.game, f"Row{PLACES[self.key]}")()
        for name in fields_of(self.key):
            setattr(made, name, self._value(name, turn))
        return made

    def _value(self, name: str, turn: int) -> Any:
        first, second, door = self.foes
        names = {
            "foe": lambda n: (first, second)[n],
            "door": lambda: door,
            "rng": self._rng,
        }
        text = value_of(self.key, name, turn)
        return eval(text, {**vars(self.play.game), **names})

    def _rng(self, seed: int | str) -> Any:
        """Return a generator, Python's or numpy's: the same one in all of this world."""
        if seed not in self._generators:
            bits = self.play.game.np.random
            self._generators[seed] = (
                random.Random(seed)
                if isinstance(seed, int)
                else bits.Generator(getattr(bits, seed)(7))
            )
        return self._generators[seed]

    def spoil(self) -> None:
        """Give every object the values of another one, and let every generator go on."""
        for place, each in enumerate(self.objects):
            other = self.made(place + 1)
            for name in fields_of(self.key):
                setattr(each, name, getattr(other, name))
        for generator in self._generators.values():
            generator.random()

    def check(
        self, objects: list[Any], foes: list[Any], *, spoilt: bool = False
    ) -> None:
        """Check that objects, of any world, hold what they did at first, or since `spoil`."""
        fresh = World(self.play, self.key)
        if spoilt:
            fresh.spoil()
        assert len(objects) == len(fresh.objects)
        fresh_foes = {id(foe): foes[place] for place, foe in enumerate(fresh.foes)}

        def counterpart(reference: Any) -> Any:
            return fresh_foes.get(id(reference), reference)

        generators: dict[int, Any] = {}

        def paired(reference: Any) -> Any:
            return generators.get(id(reference), counterpart(reference))

        for found, wanted in zip(objects, fresh.objects, strict=True):
            for name in fields_of(self.key):
                left, right = getattr(wanted, name), getattr(found, name)
                _pair_generators(left, right, generators)
                where = difference([left], [right], paired)
                assert where is None, f"{name}: {where}"


def _pair_generators(left: Any, right: Any, pairs: dict[int, Any]) -> None:
    """Note which generator stands for which: one for one, wherever it is."""
    for one, other in zip(_generators(left), _generators(right), strict=True):
        assert pairs.setdefault(id(one), other) is other, "a shared generator is not"
        assert difference([_state(one)], [_state(other)]) is None


def _generators(value: Any) -> list[Any]:
    if hasattr(value, "random"):
        return [value]
    if isinstance(value, list | tuple):
        return [found for each in value for found in _generators(each)]
    if isinstance(value, dict):
        return [found for each in value.values() for found in _generators(each)]
    if hasattr(value, "it"):
        return _generators([value.it, value.more])
    return []


def _state(generator: Any) -> Any:
    if isinstance(generator, random.Random):
        return generator.getstate()
    return repr(generator.bit_generator.state)


def loaded_by(world: World, step: Callable[[Any], Any]) -> tuple[list[Any], list[Any]]:
    """Load into a new manager; return its objects and its foes."""
    manager = world.play.manager()
    step(manager)
    things = [*manager.objects]
    return things[3:], things[:3]


every_row = pytest.mark.parametrize("key", TABLE)


@every_row
def test_a_snapshot_brings_every_value_back(play: Play, key: str) -> None:
    world = World(play, key)
    snapshot = world.manager.create_snapshot()
    world.spoil()
    world.manager.apply_snapshot(snapshot)
    world.check(world.objects, world.foes)
    for each in world.objects:
        assert shares_mutable([each], [world.made(0)]) is None


@every_row
def test_bytes_bring_every_value_back(play: Play, key: str) -> None:
    world = World(play, key)
    data = encode(world.manager.create_snapshot())
    world.spoil()
    found = loaded_by(world, lambda new: new.apply_snapshot(decode(data, new)))
    world.check(*found)


@every_row
def test_a_merge_brings_every_value_back(play: Play, key: str) -> None:
    world = World(play, key)
    snapshot = world.manager.create_snapshot()
    world.spoil()
    world.check(*loaded_by(world, lambda new: new.merge(snapshot)))


@every_row
def test_a_history_brings_every_value_back(play: Play, key: str) -> None:
    world = World(play, key)
    history = History(world.manager)
    history.record()
    world.spoil()
    history.record()
    history.rewind()
    world.check(world.objects, world.foes)


@every_row
def test_what_was_saved_and_loaded_is_saved_with_the_same_bytes(
    play: Play, key: str
) -> None:
    world = World(play, key)
    first = world.manager.create_snapshot()
    data = encode(first)
    assert encode(first) == data == encode(world.manager.create_snapshot())
    manager = play.manager()
    manager.apply_snapshot(decode(data, manager))
    second = manager.create_snapshot()
    assert second.digest() == first.digest()
    assert encode(second) == data


@every_row
def test_a_digest_tells_different_values_apart(play: Play, key: str) -> None:
    world = World(play, key)
    before = world.manager.create_snapshot().digest()
    assert World(play, key).manager.create_snapshot().digest() == before
    if len(TABLE[key].all) > 1:
        world.spoil()
        assert world.manager.create_snapshot().digest() != before


@every_row
def test_a_journal_brings_every_value_back(play: Play, key: str) -> None:
    world = World(play, key)
    world.manager.add(play.game.Ballast())
    store = MemoryStore()
    slots = SaveSlots(store)
    autosave = Autosave(slots, world.manager)
    autosave.record()
    world.spoil()
    autosave.record()
    has_changed = len(TABLE[key].all) > 1
    if has_changed and not any("journal" in name for name in store.names()):
        raise RuntimeError(f"the save is too small for a journal: {store.names()}")
    things, foes = loaded_by(world, lambda new: slots.load("auto", new))
    rows = [each for each in things if type(each) is not play.game.Ballast]
    world.check(rows, foes, spoilt=True)


def test_keys_of_a_typed_dict_come_back_in_declared_order(play: Play) -> None:
    manager = play.manager()
    row = manager.add(getattr(play.game, f"Row{PLACES['bag']}")())
    for name in fields_of("bag"):
        setattr(row, name, eval(value_of("bag", name, 0), vars(play.game)))
    row.it = {"names": ["x"], "lost": {}, "coins": 3}
    snapshot = manager.create_snapshot(strict=True)
    for loaded in (snapshot, decode(encode(snapshot), manager)):
        row.it = None
        manager.apply_snapshot(loaded)
        (row,) = manager.objects
        assert [*row.it.items()] == [("coins", 3), ("names", ["x"]), ("lost", {})]


def test_padding_between_the_fields_of_an_array_is_not_saved(play: Play) -> None:
    numpy = play.game.np
    dtype = numpy.dtype([("a", "u1"), ("b", "f8")], align=True)
    digests = set()
    for filler in (0, 255):
        manager = play.manager()
        row = manager.add(getattr(play.game, f"Row{PLACES['structured array']}")())
        row.it = numpy.frombuffer(bytes([filler]) * 32, dtype).copy()
        row.it["a"], row.it["b"] = 1, 2.5
        digests.add(manager.create_snapshot().digest())
        data = encode(manager.create_snapshot())
        manager.apply_snapshot(decode(data, manager))
        (loaded,) = manager.objects
        assert loaded.it.dtype == dtype and loaded.it.tolist() == [(1, 2.5)] * 2
    assert len(digests) == 1


SETS = {
    "ints": ("set[int]", "[*range(30)] + [2**70, -1]"),
    "texts": ("set[str]", "[f'text {n}' for n in range(30)]"),
    "floats": ("set[float]", "[n / 7 for n in range(30)] + [-0.5]"),
    "no numbers": ("set[float]", "[nan(n) for n in range(30)]"),
    "tuples": ("set[tuple[int, str]]", "[(n % 3, str(n)) for n in range(30)]"),
    "vectors": ("set[Vec2]", "[Vec2(n % 3, n / 7) for n in range(30)]"),
    "vectors of no numbers": ("set[Vec2]", "[Vec2(1, nan(n)) for n in range(30)]"),
    "ints among floats": (
        "set[Vec2]",
        "[Vec2(n, -0.0 if n else 0.0) for n in range(9)]",
    ),
    "enums": ("set[Mood]", "[Mood.CALM, Mood.ANGRY]"),
    "frozen sets": (
        "set[frozenset[int]]",
        "[frozenset({n, n + 1}) for n in range(30)]",
    ),
    "unions": ("set[int | str | None]", "[None, *range(9), *map(str, range(9))]"),
    "fractions": ("set[Fraction]", "[Fraction(n, 7) for n in range(30)]"),
}


@pytest.mark.parametrize(("type", "text"), SETS.values(), ids=[*SETS])
def test_equal_sets_have_equal_bytes_whatever_order_they_were_filled_in(
    games: Games, type: str, text: str
) -> None:
    fields = "".join(
        f"    f{place}: Saved[{kind}]\n"
        for place, (kind, _) in enumerate(SETS.values())
    )
    place = [*SETS.values()].index((type, text))
    with games(f"{PLAIN}\n\n@saveable\nclass Sets:\n{fields}").playing() as play:
        values = eval(text, vars(play.game))
        dice, data = random.Random(1), set()
        for _ in range(40):
            manager = play.manager()
            holder = manager.add(play.game.Sets())
            dice.shuffle(values)
            setattr(holder, f"f{place}", {*values})
            data.add(encode(manager.create_snapshot()))
    assert len(data) == 1


# -- any value at all

ANY = """
from datetime import datetime
from decimal import Decimal

@saveable
class Holder:
    floats: Saved[list[float]]
    ints: Saved[list[int]]
    texts: Saved[list[str]]
    decimals: Saved[list[Decimal]]
    moments: Saved[list[datetime]]
"""
_TEXTS = st.text(st.characters(exclude_categories=()), max_size=5)
_KEYS = st.integers(-(2**70), 2**70) | _TEXTS | st.booleans() | st.none() | st.binary()
_DATA = st.recursive(
    _KEYS | st.floats() | st.decimals() | st.fractions() | st.complex_numbers(),
    lambda inner: st.lists(inner)
    | st.dictionaries(_KEYS, inner)
    | st.lists(inner).map(tuple)
    | st.sets(_KEYS)
    | st.lists(inner).map(deque),
    max_leaves=12,
)
VALUES = {
    "floats": st.lists(st.floats()),
    "ints": st.lists(st.integers(-(2**200), 2**200) | st.booleans()),
    "texts": st.lists(st.text(st.characters(exclude_categories=()))),
    "decimals": st.lists(st.decimals()),
    "moments": st.lists(st.datetimes(timezones=st.none() | st.timezones())),
}
one_process = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def any_play(games: Games) -> Iterator[Play]:
    with games(ANY).playing() as play:
        yield play


@one_process
@given(values=st.fixed_dictionaries(VALUES))
def test_any_scalar_comes_back(any_play: Play, values: dict[str, Any]) -> None:
    manager = any_play.manager()
    holder = manager.add(any_play.game.Holder())
    for name, value in values.items():
        setattr(holder, name, value)
    other = any_play.manager()
    other.apply_snapshot(decode(encode(manager.create_snapshot()), other))
    (loaded,) = other.objects
    for name, value in values.items():
        assert difference([value], [getattr(loaded, name)]) is None, name


@one_process
@given(value=_DATA)
def test_any_plain_data_comes_back_as_the_state_of_a_game(
    any_play: Play, value: Any
) -> None:
    found: list[Any] = []
    manager, other = any_play.manager(), any_play.manager()
    manager.add_state("turn", lambda: value, lambda value: None)
    other.add_state("turn", lambda: None, found.append)
    other.apply_snapshot(decode(encode(manager.create_snapshot()), other))
    assert difference(found, [value]) is None


# -- whatever a save writes, a load accepts

MANY = {
    "list of ints": "[*range(20_000)]",
    "lists of lists": "[[] for _ in range(5_000)]",
    "sets": "[{1} for _ in range(3_000)]",
    "dicts": "[{'a': {}} for _ in range(3_000)]",
    "floats": "[0.5] * 20_000",
    "empty texts": "[''] * 20_000",
    "one long text": "'x' * 3_000_000",
    "one long list in a tuple": "([0] * 100_000,)",
    "fractions": "[Fraction(1, 3)] * 3_000",
}


@pytest.mark.parametrize("text", MANY.values(), ids=[*MANY])
def test_an_honest_save_is_never_refused_for_what_it_costs(
    any_play: Play, text: str
) -> None:
    value = eval(text)
    manager, other = any_play.manager(), any_play.manager()
    found: list[Any] = []
    manager.add_state("turn", lambda: value, lambda value: None)
    other.add_state("turn", lambda: None, found.append)
    data = encode(manager.create_snapshot())
    other.apply_snapshot(decode(data, other))
    assert found == [value]


SIMPLE = {
    "many small objects": ("floats", "[]", 20_000),
    "many small lists": ("ints", "[1]", 20_000),
    "equal lists": ("floats", "[0.0] * 50", 1_000),
    "empty texts": ("texts", "[''] * 50", 1_000),
}


@pytest.mark.parametrize(("name", "text", "count"), SIMPLE.values(), ids=[*SIMPLE])
def test_an_honest_save_of_many_objects_is_never_refused(
    any_play: Play, name: str, text: str, count: int
) -> None:
    manager, other = any_play.manager(), any_play.manager()
    for _ in range(count):
        each = manager.add(any_play.game.Holder())
        each.floats, each.ints, each.texts, each.decimals, each.moments = (
            *([], [], [], [], []),
        )
        setattr(each, name, eval(text))
    other.apply_snapshot(decode(encode(manager.create_snapshot()), other))
    assert len(other) == count


PLAYER_GUN = """
from typing import TypedDict

class MissileType(Enum):
    IMPULSE = 1
    HOMING = 2

class Mount(Flag):
    LEFT = 1
    RIGHT = 2

@dataclass
class Blast:
    type: MissileType
    anything: object  # savegen cannot know its type, but the class saves it itself

class Shown(TypedDict):
    mount: Mount

@saveable(override=True)
class PlayerGun:
    ammo: Annotated[list[MissileType], SaveOverride()]
    blasts: Annotated[dict[str, Blast], SaveOverride()]
    shown: Annotated[Shown | None, SaveOverride()] = None
    missile_check: Saved[bool] = True

    def save_data(self, references=NO_REFERENCES):
        data = self.save_data_(references)
        data[self.SaveLoadFields.AMMO] = self.ammo
        data.blasts, data.shown = self.blasts, self.shown
        return data

    def load_data(self, data, references=NO_REFERENCES):
        self.load_data_(data, references)
        self.ammo = data[self.SaveLoadFields.AMMO]
        self.blasts, self.shown = data.blasts, data.shown
"""


def test_the_type_of_a_field_that_the_class_saves_itself_is_enough_to_save_its_values(
    games: Games, slot: Slot
) -> None:
    with games(PLAYER_GUN).playing() as play:
        manager, game = play.manager(), play.game
        gun = manager.add(game.PlayerGun())
        gun.ammo = ammo = [game.MissileType.IMPULSE, game.MissileType.HOMING]
        gun.blasts = blasts = {"a": game.Blast(ammo[1], 7)}
        gun.shown = shown = {"mount": game.Mount(3)}
        slot.save(manager)
        manager = play.manager()
        assert not lost(load_report(slot.load(manager)))
        (gun,) = manager.find(game.PlayerGun)
        assert (gun.ammo, gun.blasts, gun.shown) == (ammo, blasts, shown)
