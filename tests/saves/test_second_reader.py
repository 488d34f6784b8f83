"""A reader that was written by docs/save-format.md alone reads what savegen reads and was given."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET, msgpack
from msgspec.structs import replace

from savegen.runtime.values.keys import key_at
from savegen.runtime.generated.registry import FORMAT, Registry
from savegen.runtime.values.rows import Key
from savegen.runtime.reports import LostValue
from savegen.runtime.world.placements import Placement
from savegen.runtime.values.stored import ATOMS, parse
from savegen.runtime.values.tagged import ABSENT, Tag, tag
from savegen.runtime.values.values import NO_VALUES
from savegen.saves import Metadata, decode, encode
from savegen.saves import journal
from savegen.saves.body import Body
from savegen.saves.coding import read
from savegen.saves.file import digest_of, read_thumbnail
from savegen.saves.limits import Guard, Limits
from savegen.saves.older.saved_objects import by_class
from savegen.saves.tagged_cells import CellTagger
from tests.golden import HERE, JOURNAL, RELEASES, SAVE
from tests.promises.games import Games, Play
from tests.promises.test_values import World
from tests.promises.value_table import SOURCE, TABLE, fields_of
from tests.saves.rows_game import ACTOR, BAG, REGISTRY, actor, bag, rich, snapshot
from tests.second_reader import Save, read_journal, read_save

GOLDEN = [*(HERE / release / SAVE for release in RELEASES)]
GOLDEN += [Path(__file__).parent / "golden" / "rich.sav"]
KINDS: list[Any] = [{}, *({"compress": each} for each in ("zlib", "lzma", "zstd"))]
kinds = pytest.mark.parametrize("kind", KINDS, ids=str)
TYPES = """optional list tuple set frozenset deque Counter dict defaultdict OrderedDict fixed
ref class weak enum flag literal value record rec codec numpy union"""
ABOUT = Metadata(title="At the gate — 門", playtime=61.5, extra={"deaths": [3]})


# -- comparing


def exactly(tagged: Any, *, sorts: bool = False) -> bytes:
    """Return bytes that two tagged values share if and only if they stand for the same.

    A cell does not say what a `defaultdict` makes of new keys, nor that a `dict` is what
    a `TypedDict` declares; `sorts` forgets the order of entries, which such a cell has not.
    """
    return msgpack.encode(_exact(tagged, sorts))


def _exact(tagged: Any, sorts: bool) -> Any:
    if not isinstance(tagged, list | tuple):
        return tagged
    number, payload = tagged
    if number in (Tag.SET, Tag.FROZENSET):
        payload = sorted((_exact(each, sorts) for each in payload), key=msgpack.encode)
    elif number == Tag.RECORD and sorts and payload[0].endswith(("Bag", "BagLink")):
        fields = zip(payload[2::3], payload[3::3])
        there = [each for each in fields if [*_pair(each[1])] != [0, None]]
        return _exact((Tag.DICT, (*chain.from_iterable(there),)), sorts)
    elif number == Tag.DEFAULTDICT:
        payload = [None, *(_exact(each, sorts) for each in payload[1:])]
    elif number in (Tag.LIST, Tag.TUPLE, Tag.DICT, Tag.ORDEREDDICT, Tag.COUNTER):
        payload = [_exact(each, sorts) for each in payload]
    elif number in (Tag.DEQUE, Tag.RECORD, Tag.FOREIGN):
        payload = [payload[0], *(_exact(each, sorts) for each in payload[1:])]
    if sorts and number == Tag.DICT:
        pairs = sorted(zip(payload[::2], payload[1::2]), key=msgpack.encode)
        payload = [*chain.from_iterable(pairs)]
    return [int(number), payload]


def _pair(tagged: Any) -> Any:
    return tagged if isinstance(tagged, list | tuple) else ()


class Seen:
    """What savegen itself reads in a body, without its game."""

    def __init__(self, body: Body) -> None:
        self.classes: dict[Key, int] = {}
        self.values: dict[Key, dict[int, tuple[str, Any]]] = {}
        self.recordings: dict[Key, Any] = {}
        tagger, guard = CellTagger(NO_VALUES), Guard(Limits(), 0)
        for number, saved in by_class(body).items():
            saved.read(guard)
            self.classes |= dict.fromkeys(saved.rows, number)
            self.recordings |= saved.recordings
            for key, cells in saved.rows.items():
                known = self.values.setdefault(key, {})
                for n, cell in cells.items():
                    tagged, stored = cell.content, parse(cell.field.stored)
                    if not cell.is_mismatch:
                        tagged = tagger.tag(stored, msgpack.decode(tagged))
                    known[n] = cell.field.name, tagged


def values_of(save: Save) -> dict[Key, dict[int, Any]]:
    """Return names and values by key and field number, as `exactly` spells them."""
    return {
        key: {n: (name, exactly(value)) for n, (name, value, *_) in known.items()}
        for key, known in save.values.items()
    }


def check(data: bytes) -> Save:
    """Read a file with both readers; they must agree."""
    found, content = read_save(data), read(data)
    body, seen = content.body, Seen(content.body)
    maps = [body.placements, body.generators, body.states, body.tombstones]
    assert found.classes == seen.classes
    assert values_of(found) == values_of(seen)  # type: ignore[arg-type]
    plain = [found.world, found.maps, found.recordings, found.metadata]
    world = msgpack.decode(msgpack.encode(body.world))[1:]
    known = [world, maps, seen.recordings, content.metadata]
    assert [*map(msgpack.encode, plain)] == [*map(msgpack.encode, known)]
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
        assert {n: exactly(each[1]) for n, each in known.items()} == {
            n: exactly(each[1]) for n, each in now.values[key].items()
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
    assert found.values[key][22] == (
        "target",
        [25, key],
        b"\xcf" + key.to_bytes(8, "big"),
    )
    assert found.values[3][18][1:] == (1.5, b"\xc1" + msgpack.encode(1.5))
    assert found.maps[0] == {
        1: [4, "camp 1", "valley", None],
        4: [None, "x", None, None],
    }
    assert found.maps[2:] == [
        {"rng": [4, [1, 2.5]]},
        {"camp 2": "valley", "camp 3": None},
    ]
    (recording,) = found.recordings.values()
    assert recording == [["Bag.Behaviors.FILL"], {"n": 7}]


@kinds
def test_many_rows_in_several_sections_and_chunks_are_read(kind: Any) -> None:
    many = [actor(n, name=f"{n}" * 600, items=[*range(n % 300)]) for n in range(3_500)]
    wrong = {n: actor(n, hp=f"wounded {n}", x=None) for n in range(0, 3_500, 7)}
    made = snapshot(
        [wrong.get(n, row) for n, row in enumerate(many)],
        placements={n: Placement(n % 3, f"{n}", None) for n in range(1, 2_500)},
        tombstones={f"gone {n}": None for n in range(1_500)},
        states={f"state {n}": n for n in range(1_500)},
    )
    made.placements[5] = Placement(None, "tile", "town", (1.0, 2.0, 16.0, 16.0))
    data = encode(made, registry=REGISTRY, **kind)
    chunks = int.from_bytes(data[36:40], "little")
    found = check(data)
    assert chunks > (kind != KINDS[2]) and len(found.values) == 3_500
    assert found.values[8][18][:2] == ("hp", "wounded 7")
    assert found.values[9][17][:2] == ("name", "8" * 600)
    assert [*map(len, found.maps)] == [2_499, 1, 1_500, 1_500]


def test_values_that_are_lost_or_not_set_are_read() -> None:
    made = snapshot([actor(n) for n in range(3)], [bag([3, [1]], 9)])
    made.tables[7].rows[0] = actor(hp=print)
    made = replace(made, lost=(LostValue(2, "Actor", "hp", "gone"),))
    for place in (1, 2):
        setattr(made.tables[7].rows[place], "hp", UNSET)
    made.tables[7].mismatches[2] = {"hp": ABSENT}
    found = check(encode(made, registry=REGISTRY))
    assert 18 not in found.values[1] and 18 not in found.values[2]
    assert found.values[3][18][1] == [0, None]


# -- what a game does not know


@pytest.mark.parametrize(
    "left", [(ACTOR,), (BAG,), ()], ids=["actors", "bags", "nothing"]
)
def test_what_is_preserved_is_read_as_what_it_was(left: tuple[Any, ...]) -> None:
    refers = actor(1, target=3, items=[2**70])
    data = encode(
        snapshot([actor(), refers], [bag([25, 1], 2, [1, 2, 0])]), registry=REGISTRY
    )
    smaller = Registry(FORMAT, left, save_version=3)
    again = encode(decode(data, smaller), registry=smaller)
    assert values_of(check(again)) == values_of(check(data))


def test_what_was_cut_counts_until_the_object_changes() -> None:
    data = encode(snapshot([actor()], [bag(None, 1, [1, 2])]), registry=REGISTRY)
    smaller = Registry(FORMAT, (BAG,), save_version=3)
    kept = decode(data, smaller)
    assert getattr(kept.tables[9].rows[0], "refs") == [2]
    assert check(encode(kept, registry=smaller)).values[2][32][1] == [
        3,
        [[25, 1], [25, 2]],
    ]
    kept.tables[9].rows[0] = bag(None, 1, [2, 2])
    assert check(encode(kept, registry=smaller)).values[2][32][1] == [
        3,
        [[25, 2], [25, 2]],
    ]


def test_a_condition_in_the_file_that_fails_is_not_applied() -> None:
    """savegen writes no such row: the object changed after it was written."""
    data = encode(snapshot([actor()], [bag(None, 1, [1, 2])]), registry=REGISTRY)
    smaller = Registry(FORMAT, (BAG,), save_version=3)
    content = read(encode(decode(data, smaller), registry=smaller))
    before = content.body.tables[0].row_sections[0]
    row = bytes(before.data)
    start, end = row.rsplit(b"\x91\x02", 1)
    changed = start + b"\x91\x00" + end
    content.body.tables[0].row_sections[0] = before._replace(data=changed)
    found = check(content.to_bytes(Limits()))
    assert found.values[2][32][1] == [3, [None]]


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
    assert found == {*ATOMS, *TYPES.split()}


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
    values = manager._world.registry.values
    for thing in world.objects:
        known = {
            name: value
            for name, value, _ in save.values[manager.key_of(thing)].values()
        }
        assert known.keys() == {*fields_of(world.key)}
        for name, value in known.items():
            expected = tag(getattr(thing, name), manager, values)
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
