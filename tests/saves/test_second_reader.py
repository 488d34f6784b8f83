"""A reader that was written by docs/save-format.md alone reads what savegen reads and was given."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET, Raw, msgpack
from msgspec.structs import replace

from savegen.runtime.values.basics.keys import key_at
from savegen.runtime.generated.registry import FORMAT, Registry
from savegen.runtime.values.rows import Key
from savegen.runtime.reports import LostValue
from savegen.runtime.values.references import NO_REFERENCES
from savegen.runtime.world.placements import Placement
from savegen.runtime.values.folds import (
    ANY_OBJECT,
    NOT_SET,
    TAKES_DEFAULT,
    Typed,
    typed,
)
from savegen.runtime.values.stored import ATOMS, parse
from savegen.saves import Metadata, decode, encode
from savegen.saves import journal
from savegen.saves.body import Body, Types
from savegen.saves.coding import read
from savegen.saves.encoding import decode_any, encode_any
from savegen.saves.file import digest_of, read_thumbnail
from savegen.saves.limits import Guard, Limits
from savegen.saves.older.saved_objects import by_class
from tests.golden import HERE, JOURNAL, RELEASES, SAVE
from tests.promises.games import Games, Play
from tests.promises.test_values import World
from tests.promises.value_table import SOURCE, TABLE, fields_of
from tests.saves.rows_game import ACTOR, BAG, REGISTRY, actor, bag, rich, snapshot
from tests.second_reader import (
    MAPPINGS,
    Save,
    read_journal,
    read_save,
    type_of,
    value,
)

GOLDEN = [*(HERE / release / SAVE for release in RELEASES)]
GOLDEN += [Path(__file__).parent / "golden" / "rich.sav"]
KINDS: list[Any] = [{}, *({"compress": each} for each in ("zlib", "lzma", "zstd"))]
kinds = pytest.mark.parametrize("kind", KINDS, ids=str)
TYPES = """optional list tuple set frozenset deque Counter dict defaultdict OrderedDict fixed
ref class weak enum flag literal value record rec codec numpy union"""
ABOUT = Metadata(title="At the gate — 門", playtime=61.5, extra={"deaths": [3]})


# -- comparing


def exactly(value: Any, *, sorts: bool = False) -> bytes:
    """Return bytes that two values share if and only if they are the same.

    A value that no field declares does not say that a `dict` is what a `TypedDict` declares;
    `sorts` forgets the order of entries, which such a cell has not.
    """
    return encode_any(_exact(value, sorts))


def _exact(value: Any, sorts: bool) -> Any:
    if not isinstance(value, list):
        return value
    word, *label, inside = value
    if word in ("list", "tuple", "set", "frozenset", "?", *MAPPINGS):
        inside = [_exact(each, sorts) for each in inside]
    elif word in ("codec", "subclass"):
        inside = _exact(inside, sorts)
    elif word == "deque":
        inside = [inside[0], [_exact(each, sorts) for each in inside[1]]]
    elif word == "value":
        inside = [[*names, _exact(each, sorts)] for *names, each in inside]
        if sorts and label[0].endswith(("Bag", "BagLink")):
            present = (
                (name, each)
                for _, name, cell in inside
                for each in (
                    cell[1] if isinstance(cell, list) and cell[0] == "?" else [cell]
                )
            )
            word, label, inside = "dict", [], [*chain.from_iterable(present)]
    if word in ("set", "frozenset"):
        inside.sort(key=encode_any)
    if sorts and word == "dict":
        pairs = sorted(zip(inside[::2], inside[1::2]), key=encode_any)
        inside = [*chain.from_iterable(pairs)]
    return [word, *label, inside]


def as_read(typed: Typed) -> Any:
    """Return a value of savegen as the second reader gives it."""
    stored, cell = typed
    types = Types()
    return value(
        type_of(str(stored)), as_in_a_file(types.closed(typed)[1]), types.texts
    )


def as_in_a_file(cell: Any) -> Any:
    return decode_any(encode_any(cell))


class Seen:
    """What savegen itself reads in a body, without its game."""

    def __init__(self, body: Body) -> None:
        self.classes: dict[Key, int] = {}
        self.values: dict[Key, dict[int, tuple[str, Any]]] = {}
        self.recordings: dict[Key, Any] = {}
        guard = Guard(Limits(), 0)
        for number, saved in by_class(body).items():
            saved.read(guard)
            self.classes |= dict.fromkeys(saved.rows, number)
            for key, (dirty, values) in saved.recordings.items():
                recorded = {name: as_read(each) for name, each in values.items()}
                self.recordings[key] = {0: ["list", [*dirty]], **recorded}
            for key, cells in saved.rows.items():
                known = self.values.setdefault(key, {})
                for n, cell in cells.items():
                    known[n] = cell.field.name, exactly(as_read(cell.typed))


def values_of(save: Save) -> dict[Key, dict[int, Any]]:
    """Return names and values by key and field number, as `exactly` spells them."""
    return {
        key: {n: (name, exactly(value)) for n, (name, _, _, value) in known.items()}
        for key, known in save.values.items()
    }


def check(data: bytes) -> Save:
    """Read a file with both readers; they must agree."""
    found, content = read_save(data), read(data)
    body, seen = content.body, Seen(content.body)
    # Older files also have the rectangle of a tile.
    placed = {key: each[:3] for key, each in found.maps[0].items()}
    states = {name: as_read(each) for name, each in body.states.items()}
    maps = [body.placements, body.generators, states, body.tombstones]
    assert found.classes == seen.classes
    assert values_of(found) == seen.values
    plain = [found.world, [placed, *found.maps[1:]], found.recordings, found.metadata]
    world = msgpack.decode(msgpack.encode(body.world))[1:]
    known = [world, maps, seen.recordings, content.metadata]
    assert [*map(encode_any, plain)] == [*map(encode_any, known)]
    assert found.thumbnail == read_thumbnail(data)
    assert found.digest.hex() == digest_of(data)
    return found


# -- saves of other times and of every form


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.parent.name)
def test_saves_of_every_release_are_read(path: Path) -> None:
    assert check(path.read_bytes()).values


@pytest.mark.parametrize("release", RELEASES)
def test_journals_of_every_release_are_read(release: str) -> None:
    data = (HERE / release / SAVE).read_bytes()
    behind = (HERE / release / JOURNAL).read_bytes()
    ((removed, new),) = read_journal(behind, read_save(data).digest)
    content = journal.apply_journal(read(data), behind, "journal")
    assert content.records == 1
    was, now = read_save(data), Seen(content.body)
    for number, keys in removed[0].items():
        assert all(was.classes.pop(key) == number for key in keys)
    assert was.classes | new.classes == now.classes
    for key, known in new.values.items():
        assert {n: exactly(each[-1]) for n, each in known.items()} == {
            n: each for n, (_, each) in now.values[key].items()
        }
    assert [*read_journal(behind[:-1], read_save(data).digest)] == []
    assert [*read_journal(behind, bytes(16))] == []


def test_a_record_says_what_it_removes_key_by_key() -> None:
    data = encode(rich(), registry=REGISTRY)
    removed = journal.Removals({7: [1, 3]}, [1, 4], [1], ["rng"], ["camp 2", "camp 3"])
    changed = encode(snapshot([actor(5)]), registry=REGISTRY, compress="zlib")
    chain = journal.RecordChain(digest_of(data))
    behind = chain.record(journal.payload_of(removed, [changed]))
    behind += chain.record(journal.payload_of(journal.Removals(), [changed]))
    (head, new), (nothing, _) = read_journal(behind, read_save(data).digest)
    assert head == [{7: [1, 3]}, [1, 4], [1], ["rng"], ["camp 2", "camp 3"], True]
    assert nothing == [{}, [], [], [], [], True]
    found = journal.apply_journal(read(data), behind, "journal")
    left = read_save(data).classes.keys() - {1, 3}
    assert (
        found.records == 2
        and Seen(found.body).classes.keys() == left | new.classes.keys()
    )
    assert not (found.body.placements or found.body.states or found.body.tombstones)


@kinds
def test_a_save_with_something_of_everything_is_read(kind: Any) -> None:
    found = check(encode(rich(), ABOUT, registry=REGISTRY, thumbnail=b"PNG", **kind))
    key = key_at(8, 3)
    assert found.values[key][22] == ("target", "optional<ref<7>>", key, ["ref", key])
    assert found.values[3][18] == ("hp", "float", 1.5, 1.5)
    assert found.maps[0] == {
        1: [4, "camp 1", "valley"],
        4: [None, "x", None],
    }
    assert found.maps[2:] == [
        {"rng": ["tuple", [1, 2.5]]},
        {"camp 2": "valley", "camp 3": None},
    ]
    (recording,) = found.recordings.values()
    assert recording == {0: ["list", ["Bag.Behaviors.FILL"]], "n": 7}


@kinds
def test_many_rows_in_several_sections_and_chunks_are_read(kind: Any) -> None:
    many = [actor(n, name=f"{n}" * 600, items=[*range(n % 300)]) for n in range(3_500)]
    wrong = {n: actor(n, hp=f"wounded {n}", x=None) for n in range(0, 3_500, 7)}
    made = snapshot(
        [wrong.get(n, row) for n, row in enumerate(many)],
        placements={n: Placement(n % 3, f"{n}", None) for n in range(1, 2_500)},
        tombstones={f"gone {n}": None for n in range(1_500)},
        states={f"state {n}": typed(n, NO_REFERENCES) for n in range(1_500)},
    )
    made.placements[5] = Placement(None, "tile", "town")
    data = encode(made, registry=REGISTRY, **kind)
    chunks = int.from_bytes(data[36:40], "little")
    found = check(data)
    assert chunks > (kind != KINDS[2]) and len(found.values) == 3_500
    assert found.values[8][18] == ("hp", "str", *["wounded 7"] * 2)
    assert found.values[9][17] == ("name", "str", *["8" * 600] * 2)
    assert [*map(len, found.maps)] == [2_499, 1, 1_500, 1_500]


def test_values_that_are_lost_or_not_set_are_read() -> None:
    made = snapshot([actor(n) for n in range(3)], [bag(typed([1], NO_REFERENCES), 9)])
    table = made.tables[7]
    for place, hp in enumerate((TAKES_DEFAULT, TAKES_DEFAULT, NOT_SET)):
        setattr(table.rows[place], "hp", UNSET)
        table.extras[place] = {"hp": hp}
    found = check(encode(made, registry=REGISTRY))
    assert 18 not in found.values[1] and 18 not in found.values[2]
    assert found.values[3][18] == ("hp", "unset", None, ["unset", None])


def test_what_message_pack_has_no_type_for_is_read() -> None:
    long = {"a": 2**70, "\ud800": -(2**64)}
    made = snapshot(
        [actor(items=[2**64, 1], name="\udc80")], [bag(typed(long, NO_REFERENCES))]
    )
    found = check(encode(made, registry=REGISTRY))
    assert found.values[1][21][1:3] == ("list<int>", [2**64, 1])
    assert found.values[1][17][2] == "\udc80"
    assert found.values[2][30][3] == ["dict", ["a", 2**70, "\ud800", -(2**64)]]


def test_counters_and_objects_of_subclasses_are_read() -> None:
    deck = parse("subclass game.Deck<list<int>>"), [1, 2]
    values = parse("list<any>"), [deck, (parse("count"), 2)]
    made = snapshot([actor()], [bag(values)])
    made.generators[2] = ["count", ["int", "5"], ["int", "1"]]
    found = check(encode(made, registry=REGISTRY))
    known = ["subclass", "game.Deck", ["list", [1, 2]]], ["count", 2]
    assert found.values[2][30][3] == ["list", [*known]]


# -- what a game does not know


@pytest.mark.parametrize(
    "left", [(ACTOR,), (BAG,), ()], ids=["actors", "bags", "nothing"]
)
def test_what_is_preserved_is_read_as_what_it_was(left: tuple[Any, ...]) -> None:
    refers = actor(1, target=3, items=[2**70])
    data = encode(
        snapshot([actor(), refers], [bag((ANY_OBJECT, 1), 2, [1, 2, 0])]),
        registry=REGISTRY,
    )
    smaller = Registry(FORMAT, left, save_version=3)
    again = encode(decode(data, smaller), registry=smaller)
    assert values_of(check(again)) == values_of(check(data))


def test_what_was_cut_counts_until_the_object_changes() -> None:
    data = encode(snapshot([actor()], [bag(None, 1, [1, 2])]), registry=REGISTRY)
    smaller = Registry(FORMAT, (BAG,), save_version=3)
    kept = decode(data, smaller)
    assert getattr(kept.tables[9].rows[0], "refs") == [2]
    assert check(encode(kept, registry=smaller)).values[2][32][2] == [1, 2]
    kept.tables[9].rows[0] = bag(None, 1, [2, 2])
    assert check(encode(kept, registry=smaller)).values[2][32][2] == [2, 2]


def test_a_condition_in_the_file_that_fails_is_not_applied() -> None:
    """savegen writes no such row: the object changed after it was written."""
    data = encode(snapshot([actor()], [bag(None, 1, [1, 2])]), registry=REGISTRY)
    smaller = Registry(FORMAT, (BAG,), save_version=3)
    content = read(encode(decode(data, smaller), registry=smaller))
    (_, part), *_ = content.body.tables[0].parts
    start, end = bytes(part.rows).rsplit(b"\x91\x02", 1)
    part.rows = Raw(start + b"\x91\x00" + end)
    found = check(content.to_bytes(Limits()))
    assert found.values[2][32][2] == [0]


# -- every type


@pytest.fixture(scope="module")
def game(games: Games) -> Iterator[Play]:
    with games(SOURCE).playing() as play:
        yield play


@pytest.mark.parametrize("key", TABLE)
def test_values_of_every_type_are_those_of_the_world(game: Play, key: str) -> None:
    world = World(game, key)
    save = check(encode(world.manager.create_snapshot()))
    assert wrong(world, save) == []


def test_every_stored_type_is_in_some_save(game: Play) -> None:
    types = [text for entry in game.registry for _, text in entry.fields]
    for path in GOLDEN:
        for table in read(path.read_bytes()).body.tables:
            types += [field.stored for field in table.fields]
    found = {part.name for text in types for part in parse(text).walk()}
    assert found >= {*ATOMS, *TYPES.split()} - {"count"}


def test_a_changed_value_is_noticed(game: Play) -> None:
    for key in ("int", "float", "foe_set", "tree", "counter"):
        world = World(game, key)
        save = read_save(encode(world.manager.create_snapshot()))
        world.spoil()
        assert wrong(world, save) != []
    assert exactly(1) != exactly(1.0) != exactly(True)
    assert exactly(0.0) != exactly(-0.0)


def wrong(world: World, save: Save) -> list[str]:
    """Return the fields of a world that are not in a save as they are."""
    found, manager = [], world.manager
    for thing in world.objects:
        known = {
            name: value
            for name, *_, value in save.values[manager.key_of(thing)].values()
        }
        assert known.keys() == {*fields_of(world.key)}
        for name, value in known.items():
            expected = as_read(typed(getattr(thing, name), manager))
            sorts = world.key in ("bag", "partial", "bag_link")
            if exactly(value, sorts=sorts) != exactly(expected, sorts=sorts):
                found.append(f"{name}: {value!r} is not {expected!r}")
    return found


# -- damage


@kinds
def test_a_flipped_bit_is_refused_everywhere(kind: Any) -> None:
    data = encode(rich(), ABOUT, registry=REGISTRY, thumbnail=b"PNG", **kind)
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= 1 << place % 8
        with pytest.raises(ValueError):
            read_save(bytes(damaged))
    for wrong_length in (data[:-1], data + b"\0", b""):
        with pytest.raises(ValueError):
            read_save(wrong_length)
