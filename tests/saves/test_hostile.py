"""Broken and hostile files: each is refused by name, in bounded memory, with nothing run."""

from __future__ import annotations

import gc
import lzma
import random
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from savegen.runtime.errors import SaveCorruptError, SaveError, SaveLimitError
from savegen.runtime.values.folds import NOT_SET, untyped, wrong
from savegen.runtime.values.references import NO_REFERENCES
from savegen.runtime.values.stored import StoredType, annotation, has_keys, parse
from savegen.runtime.values.basics.strict_json import json_of
from savegen.saves import Metadata, decode, encode, file
from savegen.saves.body import SavedField
from savegen.saves.limits import MIB, Limits, containers_in
from savegen.saves.schema import row_schema_of
from tests.project import python
from tests.saves.rows_game import ACTOR, BAG, REGISTRY, actor, bag, rich, snapshot
from tests.saves.test_file import (
    KINDS,
    ONE,
    ROW,
    changed,
    kinds,
    loaded,
    parts_of,
    plain,
    resealed,
    rows,
    saved,
    section,
    table_part,
    types,
    world,
)
from tests.saves.victim import everything
from tests.soaking import examples

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    import backports.zstd as zstd

ROOT = Path(__file__).parents[2]
TABLE = bytes(row_schema_of(ACTOR).description)
BAGS = bytes(row_schema_of(BAG).description)


def small(**kind: Any) -> bytes:
    found = snapshot([], [bag("any", 1), bag([1, 2])], generators={})
    return encode(found, Metadata(title="x"), registry=REGISTRY, thumbnail=b"P", **kind)


def is_refused(data: bytes) -> bool:
    """Return whether a file is refused, or its thumbnail, which a load does not need."""
    try:
        found = everything(data)
    except SaveError:
        return True
    return bool((found.report or {}).get("notes"))


# -- accidents


def flips(data: bytes) -> Iterator[bytes]:
    for place in range(len(data) * 8):
        flipped = bytearray(data)
        flipped[place // 8] ^= 1 << place % 8
        yield bytes(flipped)


@kinds
def test_every_bit_that_flips_is_found(kind: Any) -> None:
    missed = [n for n, data in enumerate(flips(small(**kind))) if not is_refused(data)]
    assert not missed


@kinds
def test_every_truncation_is_found(kind: Any) -> None:
    data = saved(rich(), **kind)
    assert not [n for n in range(len(data)) if not is_refused(data[:n])]


@kinds
def test_nothing_may_stand_behind_a_save(kind: Any) -> None:
    data = small(**kind)
    assert not is_refused(data)
    for more in (b"\0", b"\n", data):
        assert is_refused(data + more)


def test_without_digests_flips_would_be_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control arm: the tests above see what digests do."""
    monkeypatch.setattr(file, "digest", lambda *_: bytes(file.DIGEST_SIZE))
    data = small()
    missed = [each for each in flips(data) if not is_refused(each)]
    assert len(missed) > 50


@settings(max_examples=examples(200), suppress_health_check=[*HealthCheck])
@given(data=st.binary(max_size=300))
def test_bytes_of_any_kind_are_refused(data: bytes) -> None:
    for each in (data, file.MAGIC + data, b"{" + data, small()[:100] + data):
        assert is_refused(each)


def test_chunks_of_another_file_or_place_are_refused() -> None:
    texts = [[actor(n, name=letter * 90_000) for n in range(40)] for letter in "ab"]
    one, other = (saved(snapshot(rows)) for rows in texts)
    chunks = [*file._chunks(one, file.read_header(one).body_offset)]
    spans = [slice(a.offset, b.offset) for a, b in zip(chunks, chunks[1:])]
    swapped = bytearray(one)
    swapped[spans[1]] = other[spans[1]]
    moved = one.replace(one[spans[0]] + one[spans[1]], one[spans[1]] + one[spans[0]])
    for data in (bytes(swapped), moved):
        assert data != one
        with pytest.raises(SaveCorruptError, match="the checksum at the end"):
            everything(data)


# -- intent: bytes that say anything, with right digests


@settings(max_examples=examples(150), suppress_health_check=[*HealthCheck])
@given(seed=st.integers(0, 2**32), kind=st.sampled_from(["", "zlib"]))
def test_resealed_bytes_lead_to_typed_errors_only(seed: int, kind: str) -> None:
    chance = random.Random(seed)
    parts = parts_of(saved(rich()))
    for _ in range(8):
        made = [mutated(part, chance) for part in parts]
        if chance.random() < 0.1:
            chance.shuffle(made)
        check_fuzzed(resealed(section(*made), compression=kind))


def check_fuzzed(data: bytes) -> None:
    """A file that loads can be saved, and loads again as the same; others are refused."""
    try:
        found = loaded(data)
    except SaveError:
        return
    again = saved(found)
    assert plain(loaded(again)) == plain(found)
    assert saved(loaded(again)) == again


def test_some_fuzzed_files_load() -> None:
    """The control arm: the test above does not only see refused files."""
    chance = random.Random(7)
    parts = parts_of(saved(rich()))
    made = (
        resealed(section(*(mutated(part, chance, 0.05) for part in parts)))
        for _ in range(300)
    )
    refused = [*map(is_refused, made)]
    assert 20 < sum(refused) < 280


def mutated(data: bytes, chance: random.Random, rate: float = 0.2) -> bytes:
    if chance.random() > rate or not data:
        return data
    made = bytearray(data)
    for _ in range(chance.choice([1, 1, 1, 3])):
        place = chance.randrange(len(made) + 1)
        match chance.randrange(5):
            case 0 if made:
                made[place % len(made)] ^= 1 << chance.randrange(8)
            case 1:
                del made[place : place + chance.randrange(5)]
            case 2:
                odd = [
                    b"\xdd\xff\xff\xff\xff",
                    b"\x91" * 200,
                    b"\xc1",
                    b"\xd6\xff\0\0\0\0",
                ]
                made[place:place] = chance.choice(odd)
            case 3 if place < len(made):
                made[place] = chance.choice(
                    b"\x00\x01\x7f\xe0\xff\xc0\xc2\xc3\x80\x90\xa0"
                )
            case _:
                made[place : place + 4] = chance.randbytes(4)
    return bytes(made)


def many(item: bytes, count: int) -> bytes:
    return b"\xdd" + count.to_bytes(4, "big") + item * count


def of_one_cell(field: int, cell: bytes) -> bytes:
    """Return a file with one actor, one cell of which is other bytes."""
    made = rows([1], changed(field, msgspec.Raw(cell)))
    return resealed(section(world(**ONE), TABLE, made))


def of_anything(cell: bytes, type: int = 0) -> bytes:
    """Return a file with one bag, which holds any value."""
    row: list[Any] = [[type, msgspec.Raw(cell)], None, []]
    return resealed(section(world(**ONE), BAGS, rows([1], row), ANY_TYPES))


def of_tree(tree: bytes) -> bytes:
    row: list[Any] = [[1, None], msgspec.Raw(tree), []]
    return resealed(section(world(**ONE), BAGS, rows([1], row), ANY_TYPES))


ANY_TYPES = types("list<list<int>>", "none", "list<dict<str, int>>", "list<int>")
FLOAT = types("float")


MANY = 1_500_000
ITEMS, STATS = 5, 9  # positions of cells
BOMBS = {
    "empty lists": lambda: of_anything(many(b"\x90", 2 * MANY)),
    "small lists": lambda: of_anything(many(b"\x91\x00", MANY)),
    "empty maps": lambda: of_anything(many(b"\x80", 2 * MANY), 2),
    "small maps": lambda: of_anything(many(b"\x81\xa0\x00", MANY), 2),
    "trees": lambda: of_tree(b"\x92\xa0" + many(b"\x92\xa0\x90", MANY)),
    "lists in chunks": lambda: in_chunks(b"\x90", ""),
    "lists in small chunks": lambda: in_chunks(b"\x90", "zlib"),
    "maps in small chunks": lambda: in_chunks(b"\x80", "lzma"),
    "ints in small chunks": lambda: in_chunks(b"\x07", "zlib"),
    "a list that lies": lambda: of_one_cell(
        ITEMS, b"\xdd\xff\xff\xff\xff" + b"\0" * 99
    ),
    "a map that lies": lambda: of_one_cell(STATS, b"\xdf\xff\xff\xff\xff" + b"\0" * 99),
    "a text that lies": lambda: of_one_cell(1, b"\xdb\xff\xff\xff\xff"),
    "rows that lie": lambda: resealed(
        section(world(**ONE), TABLE, b"\x94\x02\x91\x01\xdd\x7f\xff\xff\xff")
    ),
    "a section that lies": lambda: resealed([b"\xdd\xff\xff\xff\xff" + world()]),
    "many parts": lambda: resealed([many(b"\x92\x04\x80", MANY // 5)]),
    "many types": lambda: resealed(
        section(world(), types(*(f"ref<{n}>" for n in range(500_000))))
    ),
    "many extras": lambda: resealed(
        section(
            world(slots=[1, 300_000]),
            TABLE,
            rows(
                [1] * 300_000,
                *[ROW] * 300_000,
                extras=dict.fromkeys(range(300_000), {18: (0, 7)}),
            ),
            types("int"),
        )
    ),
    "a number that lies": lambda: resealed(
        section(world(**ONE), BAGS, rows([1], [[2**63, None], None, []]), ANY_TYPES)
    ),
    "a negative number": lambda: resealed(
        section(world(**ONE), BAGS, rows([1], [[-1, None], None, []]), ANY_TYPES)
    ),
    "a long int": lambda: of_anything(b"\xc9\0\x10\0\0\x01" + b"\x7f" * 2**20),
    "a deep tree": lambda: of_tree(b"\x92\xa0\x91" * 100_000 + b"\x92\xa0\x90"),
    "a deep value": lambda: of_anything(b"\x91" * 500_000 + b"\0"),
    "a deep state": lambda: resealed(
        section(world(), b"\x92\x05\x81\xa1a\x92\0" + b"\x91" * 9999 + b"\0", ANY_TYPES)
    ),
    "a deep mismatch": lambda: resealed(
        section(
            world(**ONE),
            TABLE,
            rows([1], ROW, extras={0: {18: (0, msgspec.Raw(b"\x91" * 9999 + b"\0"))}}),
            ANY_TYPES,
        )
    ),
    "an extra of its field's type that is of another": lambda: resealed(
        section(world(**ONE), TABLE, rows([1], ROW, extras={0: {16: (0, "x")}}), FLOAT)
    ),
    "many long types": lambda: resealed(
        section(world(), *(table_part(n, "", [long_enum(n)]) for n in range(100, 140))),
        compression="zlib",
    ),
    "many missing cells": lambda: resealed(
        section(
            world(slots=[1, 10_000]),
            table_part(
                7007, "T", [SavedField(1, "x", f"({', '.join(['int'] * 9999)})")]
            ),
            rows(
                [1] * 10_000,
                [[0] * 9999],
                *[[None]] * 9999,
                extras={place: {1: (0, None)} for place in range(1, 10_000)},
            ),
            types("default"),
        )
    ),
    "a deep type": lambda: of_type("list<" * 10_000 + "int" + ">" * 10_000),
    "a long type": lambda: of_type("x" * 70_000),
    "a type that is none": lambda: of_type("os:system"),
    "many tables": lambda: resealed(
        section(world(), *(table_part(n, "", []) for n in range(100, 900_100)))
    ),
    "many fields": lambda: resealed(
        section(
            world(),
            table_part(7, "", [SavedField(n, "", "int") for n in range(1_500_000)]),
        )
    ),
    "many slots": lambda: resealed(section(world(slots=[1, 2**40]))),
    "many retired slots": lambda: resealed(section(world(slots=[2**31, 5_000_000]))),
    "a run of slots": lambda: resealed(section(world(slots=[1, 5_000_000]))),
    "many runs of slots": lambda: resealed(section(world(slots=[1, 1] * MANY))),
    "many runs of nothing": lambda: resealed(section(world(slots=[1, 0] * MANY))),
    "empty sections": lambda: resealed([*section(world()), *[b""] * 100_000]),
    "a chunk of two": lambda: two_sections(),
    "a size that lies": lambda: lying(raw=2**40),
    "a body that lies": lambda: lying(body=2**60),
    "chunks that lie": lambda: lying(chunks=7),
    "another length": lambda: lying(chunk_raw=9),
    "decompression": lambda: growing(zlib.compress(bytes(200 * MIB), 9), "zlib", 9),
    "honest decompression": lambda: growing(zlib.compress(bytes(200 * MIB), 9), "zlib"),
    "lzma decompression": lambda: growing(lzma.compress(bytes(200 * MIB)), "lzma", 9),
    "zstd decompression": lambda: growing(zstd.compress(bytes(200 * MIB)), "zstd", 9),
    "a hungry zstd": lambda: growing(windowed(), "zstd", 1),
    "half a zstd stream": lambda: growing(zstd.compress(b"abc")[:-3], "zstd", 3),
    "two zstd streams": lambda: growing(zstd.compress(b"abc") * 2, "zstd", 6),
    "no zstd stream": lambda: growing(b"\x50\x2a\x4d\x18\0\0\0\0", "zstd", 1),
    "a hungry lzma": lambda: growing(hungry(), "lzma", 1),
    "half a stream": lambda: growing(zlib.compress(b"abc")[:-3], "zlib", 3),
    "more than a stream": lambda: growing(zlib.compress(b"abc") + b"d", "zlib", 3),
}


def in_chunks(item: bytes, compression: str) -> bytes:
    """Return a file with many rows that are lists or maps of `item`."""
    count = 250_000 if item == b"\x07" else 400_000
    type = {b"\x90": 0, b"\x80": 2, b"\x07": 3}[item]
    parts = [
        rows([n, *[1] * 1], *[[[type, msgspec.Raw(many(item, count))], None, []]] * 2)
        for n in range(1, 41, 2)
    ]
    sections = [
        section(each)[0] for each in (world(slots=[1, 40]), BAGS, *parts, ANY_TYPES)
    ]
    return resealed(sections, compression=compression)


def of_type(stored: str) -> bytes:
    return resealed(section(world(), table_part(7, "T", [SavedField(1, "x", stored)])))


def long_enum(number: int) -> SavedField:
    members = " ".join(map(chr, range(0x4E00, 0xCD00)))
    return SavedField(1, "x", f"enum Long{number}{{{members}}}")


def nested_records(depth: int) -> str:
    """Return a type in which each record contains all records around it."""
    made = "int"
    for number in reversed(range(depth)):
        around = "".join(f", {n + 2} r{n}: rec R{n}" for n in range(number))
        made = f"record R{number}{{1 x: {made}{around}}}"
    return made


def two_sections() -> bytes:
    """Return a file with two sections in a chunk that exceeds the size of chunks."""
    long = b"\x91\x92\x04\x80" + bytes(file.CHUNK_SIZES[0])
    data = resealed([*section(world()), long])
    return lying_about(data[file.read_header(data).body_offset :])


def lying_about(chunks: bytes) -> bytes:
    parts = [bytes(each.stored) for each in file._chunks(chunks, 0)]
    return _file([(b"".join(parts), sum(map(len, parts)))])


def growing(stored: bytes, compression: str, raw: int = 200 * MIB) -> bytes:
    """Return a file with one chunk that says it holds `raw` bytes."""
    return _file([(stored, raw)], compression=file.COMPRESSIONS.index(compression))


def windowed() -> bytes:
    """Return a zstd stream that asks for a window of 128 MiB."""
    window = zstd.CompressionParameter.window_log
    writer = zstd.ZstdCompressor(options={window: 27})
    return writer.compress(b"x") + writer.flush()


def hungry() -> bytes:
    """Return an xz stream that asks for a dictionary of 4 GiB."""
    stream = bytearray(lzma.compress(b"x", check=lzma.CHECK_NONE))
    size = (stream[12] + 1) * 4  # of the header of the only block
    place = stream.index(b"\x21\x01", 12) + 2
    stream[place] = 40
    checked = zlib.crc32(stream[12 : 12 + size - 4])
    stream[12 + size - 4 : 12 + size] = checked.to_bytes(4, "little")
    return bytes(stream)


def lying(chunk_raw: int | None = None, **lies: Any) -> bytes:
    (whole,) = section(world())
    content = len(whole).to_bytes(4, "little") + whole
    raw = len(content) if chunk_raw is None else chunk_raw
    return _file([(content, raw)], **lies)


def _file(contents: list[tuple[bytes, int]], **lies: Any) -> bytes:
    """Return a file of any chunks, with right digests."""
    heads = [file._CHUNK.pack(len(stored), raw) for stored, raw in contents]
    seals = [file.digest(h, stored) for h, (stored, _) in zip(heads, contents)]
    body = b"".join(h + s + c for h, s, (c, _) in zip(heads, seals, contents))
    facts = {
        "version": file.VERSION,
        "compression": 0,
        "metadata": 2,
        "thumbnail": 0,
        "body": len(body),
        "raw": sum(raw for _, raw in contents),
        "chunks": len(contents),
        "thumbnail_digest": file.digest(b""),
    }
    fixed = file._FIXED.pack(file.MAGIC, *(facts | lies).values())
    seal = file.digest(fixed, b"{}")
    return fixed + seal + b"{}" + body + file.digest(seal, *seals)


def test_a_file_that_does_not_lie_is_read() -> None:
    """The control arm of the files that lie."""
    assert lying() == resealed(section(world()), Metadata())
    assert not is_refused(lying())


def outcomes(folder: Path, files: dict[str, bytes], *flags: str) -> dict[str, str]:
    for name, data in files.items():
        (folder / name).write_bytes(data)
    names = [str(folder / name) for name in files]
    told = python("-m", "tests.saves.victim", *flags, *names)
    return dict(zip(files, told.splitlines(), strict=True))


linux = pytest.mark.skipif(
    sys.platform != "linux", reason="limits memory as Linux does"
)


@linux
def test_bombs_are_refused_in_bounded_memory_and_run_nothing(tmp_path: Path) -> None:
    found = outcomes(tmp_path, {name: make() for name, make in BOMBS.items()})
    bad = {name: said for name, said in found.items() if not said.startswith("Save")}
    assert not bad
    for name, said in found.items():
        assert "enough memory" not in said, name


@linux
def test_a_reader_that_does_not_count_would_burst(tmp_path: Path) -> None:
    names = ("lists in small chunks", "maps in small chunks")
    found = outcomes(tmp_path, {name: BOMBS[name]() for name in names}, "--guardless")
    assert {*found.values()} == {"SaveError: there is not enough memory for the save"}


@linux
def test_a_reader_that_opens_a_file_would_be_seen(tmp_path: Path) -> None:
    found = outcomes(tmp_path, {"good": small()}, "--curious")
    assert found["good"].startswith("EVENTS ['open'")


@linux
def test_honest_files_are_read(tmp_path: Path) -> None:
    def table(**cells: Any) -> list[Any]:
        return [actor(n, **cells) for n in range(3000)]

    files = {
        "rich": rich(),
        "empty lists": snapshot(table(items=[])),
        "floats": snapshot(table(), [bag([0.5] * 90_000) for _ in range(5)]),
        "maps": snapshot(table(stats={"hp": 300, "strength": 12})),
        "texts": snapshot(table(name="a" * 9000 + "𝄞")),
        "anything": snapshot([], [bag([[1, 2], {"a": [3]}]) for _ in range(9000)]),
        "a large row": snapshot([actor(0, items=[300] * 700_000)]),
    }
    data = {name: saved(found) for name, found in files.items()}
    data |= {f"{name}, zlib": saved(rich(), compress="zlib") for name in ("rich",)}
    assert {*outcomes(tmp_path, data).values()} == {"read"}


# -- memory that is not there


# Python reports a MemoryError that it meets while it closes a generator, and goes on.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_allocation_that_fails_is_a_typed_error() -> None:
    testcapi = pytest.importorskip("_testcapi")
    data, limits = saved(rich(), compress="zlib"), Limits()
    decode(data, REGISTRY, limits=limits)
    found = {outcome_without(testcapi, n, data, limits) for n in range(0, 2500, 3)}
    assert found == {"read", "refused"}


def outcome_without(testcapi: Any, place: int, data: bytes, limits: Limits) -> str:
    """Return what comes of reading if one allocation fails."""
    testcapi.set_nomemory(place, place + 1)
    try:
        decode(data, REGISTRY, limits=limits)
        return "read"
    except SaveError:
        return "refused"
    except MemoryError:
        return "bare"
    except SystemError as error:
        # C code of Python or of a library lost the MemoryError; that is not ours to mend.
        assert "without exception set" in str(error)
        return "refused"
    finally:
        testcapi.remove_mem_hooks()


# -- looking at MessagePack without decoding it

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=300)
    | st.binary(max_size=300),
    lambda inner: st.lists(inner, max_size=80)
    | st.dictionaries(st.integers(-9, 300), inner, max_size=30),
    max_leaves=200,
)


def containers(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + sum(map(containers, value.values()))
    return 1 + sum(map(containers, value)) if isinstance(value, list) else 0


@settings(max_examples=examples(100), suppress_health_check=[*HealthCheck])
@given(value=PLAIN, count=st.integers(0, 200))
def test_containers_are_counted_without_decoding(value: Any, count: int) -> None:
    value = [value, [0.5] * count, {n: n for n in range(count)}, "x" * count * 300]
    data = msgspec.msgpack.encode(value)
    count = containers(value)
    assert containers_in(data) == containers_in(memoryview(data)) == count
    assert containers_in(data, count) == count


def test_counting_containers_ends_above_the_maximum() -> None:
    """To count those of a file of 20 kB, compressed, would take half a minute."""
    assert containers_in(many(b"\x90", MANY), 7) == 8


@pytest.mark.parametrize(
    "odd", [b"\xd4\1\1", b"\xc7\0\1", b"\xd6\xff\0\0\0\0", b"\x81\1\2"], ids=bytes.hex
)
def test_what_messagepack_has_beyond_plain_values_is_no_value(odd: bytes) -> None:
    with pytest.raises(SaveCorruptError):
        row = loaded(of_anything(odd)).tables[9].rows[0]
        untyped(row.anything, NO_REFERENCES)


@pytest.mark.parametrize("limit", [1000, 10**6])
def test_depth_is_bounded_whatever_limit_the_game_has_set(limit: int) -> None:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        with pytest.raises(SaveLimitError, match="the depth of the values in the body"):
            everything(BOMBS["a deep value"]())
        assert sys.getrecursionlimit() == limit
        tree = bag()
        tree.tree = deep_tree(200_000)
        found = loaded(saved(snapshot([], [tree])))
        assert found.tables[9].extras == {0: {"tree": NOT_SET}}
    finally:
        sys.setrecursionlimit(before)
    while tree.tree.children:  # else Python would use up its stack to free it
        tree.tree = tree.tree.children[0]


def deep_tree(depth: int) -> Any:
    return bag(depth=depth).tree


# -- refused by name


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a deep value", "the depth of the values in the body is 65; at most 64"),
        ("a deep state", "the depth of the values in the body is 65"),
        ("lists in small chunks", "the memory for the save is"),
        ("decompression", "a chunk gives a wrong length for its content"),
        ("honest decompression", "the memory for the save is"),
        ("a size that lies", "the size of the save is"),
        ("many tables", "the memory for the save is"),
        ("many fields", "the memory for the save is"),
        ("many parts", "one part of the world"),
        ("many types", "the length of all types is"),
        ("many slots", "the number of slots is"),
        ("many retired slots", "5,000,000 slots have used up their generations"),
        ("a run of slots", "the save has 5,000,000 slots, but fewer objects"),
        ("many long types", "the memory for the save is"),
        ("many missing cells", "the memory for the save is"),
        ("a deep type", "nested more than 64 deep"),
        ("a chunk of two", "with several sections is too long"),
    ],
)
def test_bombs_are_refused_by_name(name: str, message: str) -> None:
    with pytest.raises(SaveError, match=message):
        everything(BOMBS[name]())


def test_no_type_of_a_file_outlives_the_file() -> None:
    def kept() -> int:
        gc.collect()
        types = (each for each in gc.get_objects() if type(each) is StoredType)
        return sum(stored.label.startswith("Stranger") for stored in types)

    stored = (
        "list<record Stranger{1 x: enum StrangerToo{A B}, 2 y: optional<rec Stranger>}>"
    )
    cell = [["A", None]]
    row = rows([1], [msgspec.Raw(msgspec.msgpack.encode(cell))])
    table = table_part(7007, "T", [SavedField(1, "x", stored)])
    found: Any = loaded(resealed(section(world(**ONE), table, row)))
    stored_type = parse(stored)
    wrong(stored_type, [cell])
    assert kept() > 0  # the control arm
    del stored_type
    again = saved(found)
    del found
    assert kept() == 0 and b"Stranger" in again


@pytest.mark.parametrize("depth", [25])
def test_records_that_contain_all_records_around_them_take_no_time(depth: int) -> None:
    stored = parse(nested_records(depth))
    for _ in range(depth):
        assert stored.is_recursive == ("rec" in stored.names_inside)
        assert not has_keys(stored) and len(annotation(stored)) < 9
        stored = stored.inner[0]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"a": 1, "b": 2, "a": 3}', "the key 'a' twice"),
        (b'{"a": NaN}', "NaN, which JSON does not allow"),
        (b'{"a": -Infinity}', "-Infinity, which JSON does not allow"),
        (b'{"a": 1e999}', "a number that is too large: 1e999"),
        (b'{"a": 1', "the JSON cannot be read"),
        (b"\xff", "the JSON cannot be read"),
        (b'{"a": ' + b"7" * 5000 + b"}", "the JSON cannot be read"),
    ],
)
def test_json_that_is_none_is_refused_by_name(data: bytes, message: str) -> None:
    with pytest.raises(SaveCorruptError, match=message):
        json_of(data)


def test_json_too_deep_is_refused_by_name_and_brackets_in_texts_are_none() -> None:
    assert json_of(b"[" * 64 + b"]" * 64)
    with pytest.raises(SaveLimitError, match="the depth of the JSON is 65; at most 64"):
        json_of(b"[" * 65 + b"]" * 65)
    assert json_of(b'["' + b"[" * 99 + b'\\""]') == ["[" * 99 + '"']


@pytest.mark.parametrize(
    "about",
    [
        b'{"title": "a", "title": "b"}',
        b'{"playtime": NaN}',
        b'{"title": 7}',
        b"[]",
        b"[" * 9999,
    ],
)
def test_metadata_is_read_as_strictly(
    about: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "metadata_bytes", lambda _: about)
    data = resealed(section(world()))
    with pytest.raises((SaveCorruptError, SaveLimitError)):
        file.read_header(data)


def test_limits_can_be_lowered() -> None:
    with pytest.raises(SaveLimitError, match="the number of slots is 9"):
        loaded(saved(rich()), objects=3)
    assert Limits().memory == 1024 * MIB
    assert KINDS[0] == {}
