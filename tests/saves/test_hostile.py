"""Broken and hostile files: each is refused by name, in bounded memory, with nothing run."""

from __future__ import annotations

import random
import struct
import subprocess
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
from savegen.runtime.saves.container import body, container, layout, prices
from savegen.runtime.saves.container.body import Part
from savegen.runtime.saves.container.container import read, write
from savegen.runtime.saves.document import Column, Document, Form, Table
from savegen.runtime.saves.journal.journal import Chain
from savegen.runtime.saves.container.layout import Header
from savegen.runtime.saves.container.limits import MIB
from savegen.runtime.saves.metadata import Metadata
from savegen.runtime.strict import json_of
from tests.saves.documents import SHAPES, documents, walls
from tests.saves.victim import JOURNAL, everything
from tests.soaking import examples

ROOT = Path(__file__).parents[2]
KINDS: list[dict[str, Any]] = [{}, {"compress": True}, {"format": "json"}]
pack = msgspec.msgpack.encode


def small(**kind: Any) -> bytes:
    columns = [Column(16, "name", "str"), Column(17, "bag", ["list", "int"])]
    bags = Table(7, "Bag", columns, 3, [[["a", "b", "säge"], [[], [1], [2, 300]]]])
    return b"".join(write(Document([bags], 3), Metadata(title="x"), b"PNG", **kind))


def is_refused(data: bytes) -> bool:
    try:
        everything(data)
    except SaveError:
        return True
    return False


# -- accidents


def flips(data: bytes) -> Iterator[bytes]:
    for place in range(len(data) * 8):
        flipped = bytearray(data)
        flipped[place // 8] ^= 1 << place % 8
        yield bytes(flipped)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_bit_that_flips_is_found(kind: Any) -> None:
    missed = [n for n, data in enumerate(flips(small(**kind))) if not is_refused(data)]
    assert not missed


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_truncation_is_found(kind: Any) -> None:
    data = small(**kind)
    assert not [n for n in range(len(data)) if not is_refused(data[:n])]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_nothing_may_stand_behind_a_save(kind: Any) -> None:
    data = small(**kind)
    assert not is_refused(data)
    for more in (b"\0", b"\n", data):
        assert is_refused(data + more)


def test_without_digests_flips_would_be_missed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The control arm: the tests above see what digests do."""
    monkeypatch.setattr(layout, "digest", lambda *_: bytes(layout.DIGEST))
    monkeypatch.setattr(layout, "_chunk_digest", lambda *_: bytes(layout.DIGEST))
    found = [is_refused(data) for data in flips(small())]
    assert found.count(False) > 200


@settings(max_examples=examples(200), suppress_health_check=[*HealthCheck])
@given(data=st.binary(max_size=300), rest=st.booleans())
def test_bytes_of_any_kind_are_refused(data: bytes, rest: bool) -> None:
    assert is_refused(data)
    assert is_refused(layout.MAGIC + data)
    assert is_refused(b"{" + data)
    assert is_refused(small()[:100] + data)


def test_chunks_of_another_file_or_place_are_refused() -> None:
    one, other = [b"".join(write(walls(3000), Metadata(title=t))) for t in "ab"]
    header = layout.header_of(one)
    chunks = [
        *layout.chunks(memoryview(one), header.body_starts, len(one) - layout.DIGEST)
    ]
    swapped = bytearray(one)
    start, end = chunks[2].offset, chunks[2].end
    swapped[start:end] = other[start:end]
    with pytest.raises(SaveCorruptError, match="a chunk is damaged"):
        read(bytes(swapped))
    first, second = (one[c.offset : c.end] for c in chunks[1:3])
    moved = one.replace(first + second, second + first)
    assert moved != one
    with pytest.raises(SaveCorruptError, match="a chunk is damaged"):
        read(moved)


# -- intent: bytes that say anything, with right digests


def resealed(
    payloads: list[tuple[int, bytes]],
    compress: bool = False,
    about: bytes = b"{}",
    **lies: Any,
) -> bytes:
    kept = [*body.cut(payloads, compress)]
    header = body.header_for(kept, about, b"", compress)._replace(**lies)
    first, key = layout.sealed(header, about)
    return first + b"".join(body.sealed(kept, key))


def payloads_of(data: bytes) -> list[tuple[int, bytes]]:
    found = body.put_together(body.opened(data, layout.header_of(data)))
    return [(kind, bytes(payload)) for kind, _, payload in found]


def test_resealing_what_was_written_gives_the_same_file() -> None:
    data = b"".join(write(walls(3000), Metadata()))
    assert resealed(payloads_of(data)) == data


@settings(max_examples=examples(150), suppress_health_check=[*HealthCheck])
@given(document=documents(), seed=st.integers(0, 2**32), compress=st.booleans())
def test_resealed_bytes_lead_to_typed_errors_only(
    document: Document, seed: int, compress: bool
) -> None:
    chance = random.Random(seed)
    payloads = payloads_of(b"".join(write(document, Metadata())))
    for _ in range(5):
        changed = [(kind, mutated(payload, chance)) for kind, payload in payloads]
        chance.shuffle(changed) if chance.random() < 0.1 else None
        is_refused(resealed(changed, compress))


def mutated(payload: bytes, chance: random.Random) -> bytes:
    data = bytearray(payload)
    for _ in range(chance.choice([0, 1, 1, 3])):
        place = chance.randrange(len(data) + 1)
        match chance.randrange(4):
            case 0 if data:
                data[place % len(data)] ^= 1 << chance.randrange(8)
            case 1:
                del data[place : place + chance.randrange(5)]
            case 2:
                data[place:place] = chance.choice(
                    [b"\xdd\xff\xff\xff\xff", b"\x91" * 200, b"\xc1"]
                )
            case _:
                data[place : place + 4] = chance.randbytes(4)
    return bytes(data)


def described(
    form: Form, count: int, shapes: Any = SHAPES, name: str = "T"
) -> tuple[int, bytes]:
    return layout.DESCRIPTION, pack(
        [0, 0, shapes, [[7, name, [[16, "field", form]], count]]]
    )


def piece(column: bytes, rows: int = 1, first: int = 0) -> tuple[int, bytes]:
    head = struct.pack("<IIHI", 0, first, rows, len(column) + 1)
    return layout.ROWS, head + b"\x91" + column


def many(item: bytes, count: int) -> bytes:
    return b"\xdd" + count.to_bytes(4, "big") + item * count


def of_one_cell(form: Form, cell: bytes) -> bytes:
    """Return a file with one object, which has one field."""
    return resealed([described(form, 1), piece(b"\x91" + cell)])


def nested(form: Form, depth: int) -> Form:
    for _ in range(depth):
        form = ["list", form]
    return form


MANY = 4_000_000
BOMBS = {
    "empty lists": lambda: of_one_cell(["list", ["list", "int"]], many(b"\x90", MANY)),
    "small lists": lambda: of_one_cell(
        ["list", ["list", "int"]], many(b"\x91\x00", MANY)
    ),
    "odd ints": lambda: of_one_cell(["list", "int"], many(b"\xe0", 2 * MANY)),
    "short texts": lambda: of_one_cell(["list", "str"], many(b"\xa2ab", MANY)),
    "short bytes": lambda: of_one_cell(["list", "bytes"], many(b"\xc4\x01a", MANY)),
    "empty dicts": lambda: of_one_cell(
        ["list", ["dict", "str", "int"]], many(b"\x80", MANY)
    ),
    "small dicts": lambda: of_one_cell(
        ["list", ["dict", "str", "int"]], many(b"\x81\xa0\x00", MANY)
    ),
    "empty sets": lambda: of_one_cell(["list", ["set", "int"]], many(b"\x90", MANY)),
    "pairs": lambda: of_one_cell(
        ["list", ["places", "int", "int"]], many(b"\x92\0\0", MANY)
    ),
    "records": lambda: of_one_cell(
        ["list", ["record", "game:Point"]], many(b"\x92\0\0", MANY)
    ),
    "recursive records": lambda: of_one_cell(
        ["list", ["record", "game:Node"]], many(b"\x92\xa0\xc0", MANY)
    ),
    "unions": lambda: of_one_cell(
        ["list", ["union", "int", "str"]], many(b"\x92\0\0", MANY)
    ),
    "any": lambda: of_one_cell(
        "any", b"\xc6" + (MANY + 5).to_bytes(4, "big") + many(b"\x90", MANY)
    ),
    "a list that lies": lambda: of_one_cell(
        ["list", "int"], b"\xdd\xff\xff\xff\xff" + b"\0" * 99
    ),
    "a dict that lies": lambda: of_one_cell(
        ["dict", "str", "int"], b"\xdf\xff\xff\xff\xff" + b"\0" * 99
    ),
    "a text that lies": lambda: of_one_cell("str", b"\xdb\xff\xff\xff\xff"),
    "rows that lie": lambda: resealed(
        [described("int", 1000), piece(b"\xdd\x7f\xff\xff\xff")]
    ),
    "more rows than said": lambda: resealed(
        [described("int", 1), piece(many(b"\0", MANY))]
    ),
    "a deep value": lambda: of_one_cell(
        ["record", "game:Node"], b"\x92\xa0" * 100_000 + b"\xc0"
    ),
    "a deep any": lambda: of_one_cell(
        "any", b"\xc6\x00\x01\x00\x00" + b"\x91" * 65_535 + b"\0"
    ),
    "a deep form": lambda: resealed(
        [
            (
                0,
                b"\x94\0\0\x80\x91\x94\7\xa1T\x91\x93\x10\xa1f"
                + b"\x92\xa4list" * 50_000
                + b"\xa3int\0",
            )
        ]
    ),
    "a form as deep as Python": lambda: resealed([described(nested("int", 900), 0)]),
    "a form of lists": lambda: resealed([described([[]] * 500_000, 0)]),
    "a form that is none": lambda: resealed([described(["pickle", "os:system"], 0)]),
    "many objects of nothing": lambda: resealed(
        [(0, pack([0, 0, {}, [[7, "T", [], 40_000_000]]]))]
    ),
    "more objects than allowed": lambda: resealed(
        [(0, pack([0, 0, {}, [[7, "T", [], 2**40]]]))]
    ),
    "many tables": lambda: resealed(
        [(0, pack([0, 0, {}, [[n, "", [], 0] for n in range(300_000)]]))]
    ),
    "many columns": lambda: resealed(
        [(0, pack([0, 0, {}, [[7, "", [[n, "", "int"] for n in range(190_000)], 0]]]))]
    ),
    "many shapes": lambda: resealed(
        [
            (
                0,
                pack(
                    [
                        0,
                        0,
                        {
                            str(n): [["a", ["record", str(n + 1)]]]
                            for n in range(90_000)
                        },
                        [],
                    ]
                ),
            )
        ]
    ),
    "many pieces": lambda: resealed(
        [described("int", 200_000), *(piece(b"\x91\0", 1, n) for n in range(200_000))]
    ),
    "many wide pieces": lambda: resealed(
        [
            (
                0,
                pack([0, 0, {}, [[7, "", [[n, "", "int"] for n in range(5000)], 100]]]),
            ),
            *(
                (
                    1,
                    struct.pack("<IIH", 0, n, 1)
                    + b"\3\0\0\0" * 5000
                    + b"\x91\x91\0" * 5000,
                )
                for n in range(100)
            ),
        ]
    ),
    "ballast that is none": lambda: resealed(
        [described("int", 0), (layout.BALLAST, b"\0\1")]
    ),
    "a chunk of no kind": lambda: resealed([described("int", 0), (33, b"\0\1")]),
    "no tables": lambda: resealed([]),
    "a size that lies": lambda: resealed([described("int", 0)], raw=2**40),
    "chunks that lie": lambda: resealed([described("int", 0)], chunks=7),
    "decompression": lambda: resealed([(0, bytes(900 * MIB))], True)[:-1],
    "a chunk that grows": lambda: growing(),
    "a journal of bombs": lambda: journal(
        [record(n, many(b"\x90", 120_000)) for n in range(60)]
    ),
    "a journal of JSON": lambda: journal([small(format="json")]),
    "a journal of anything": lambda: journal([b"anything"]),
    "JSON brackets": lambda: b'{"savegen": 1, "a": ' + b"[" * 5_000_000,
    "JSON braces": lambda: b'{"savegen": 1, "a": ' + b'{"":' * 5_000_000,
    "JSON lists": lambda: b'{"savegen": 1, "a": [' + b"[]," * 3_000_000 + b"0]}",
    "JSON dicts": lambda: b'{"savegen": 1, "a": [' + b'{"":0},' * 2_000_000 + b"0]}",
    "JSON texts": lambda: b'{"savegen": 1, "a": [' + b'"a",' * 3_000_000 + b"0]}",
    "JSON quotes": lambda: b'{"savegen": 1, "a": "' + b'\\"' * 3_000_000,
    "JSON digits": lambda: b'{"savegen": 1, "a": ' + b"7" * 3_000_000 + b"}",
    "JSON keys": lambda: b'{"savegen": 1, '
    + b",".join(b'"%d":0' % n for n in range(300_000))
    + b', "7":0}',
}


def journal(records: list[bytes]) -> bytes:
    """Return a save of nothing with a journal, as `victim` reads it."""
    base = resealed([described("int", 0)])
    chain = Chain(container.digest_of(base))
    length = len(base).to_bytes(4, "big")
    return b"".join([JOURNAL, length, base, *map(chain.framed, records)])


def record(key: int, cell: bytes) -> bytes:
    """Return a record that adds an object to a class with one field."""
    form: Form = ["list", ["list", "int"]]
    columns = [[-1, "row", "int"], [16, "field", form]]
    about = layout.DESCRIPTION, pack([0, 0, {}, [[8, "T", columns, 1]]])
    cells = [b"\x91" + pack([key]), b"\x91\x91" + cell]
    head = struct.pack("<IIH2I", 0, 0, 1, *map(len, cells))
    return resealed([about, (layout.ROWS, head + b"".join(cells))])


def growing() -> bytes:
    """Return a file with a chunk that becomes larger than it says."""
    stored = zlib.compress(bytes(200 * MIB), 9)
    header = Header(
        1,
        layout.COMPRESSED,
        2,
        0,
        layout.CHUNK_HEAD_SIZE + len(stored),
        9,
        1,
        layout.digest(b""),
        b"",
    )
    first, key = layout.sealed(header, b"{}")
    return first + b"".join(body.sealed([Part(0, 9, stored)], key))


def outcomes(folder: Path, files: dict[str, bytes], *flags: str) -> dict[str, str]:
    for name, data in files.items():
        (folder / name).write_bytes(data)
    command = [sys.executable, "-m", "tests.saves.victim", *flags]
    names = [str(folder / name) for name in files]
    run = subprocess.run([*command, *names], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return dict(zip(files, run.stdout.splitlines(), strict=True))


linux = pytest.mark.skipif(
    sys.platform != "linux", reason="limits memory as Linux does"
)


@linux
def test_bombs_are_refused_in_bounded_memory_and_run_nothing(tmp_path: Path) -> None:
    found = outcomes(tmp_path, {name: make() for name, make in BOMBS.items()})
    bad = {name: said for name, said in found.items() if not said.startswith("Save")}
    assert not bad


@linux
def test_a_reader_that_does_not_count_would_burst(tmp_path: Path) -> None:
    names = (
        "a journal of bombs",
        "empty lists",
        "small lists",
        "odd ints",
        "short texts",
        "small dicts",
    )
    found = outcomes(tmp_path, {name: BOMBS[name]() for name in names}, "--guardless")
    assert {*found.values()} == {
        "SaveError: there is not enough memory to read the save"
    }


@linux
def test_a_reader_that_opens_a_file_would_be_seen(tmp_path: Path) -> None:
    found = outcomes(tmp_path, {"good": small()}, "--curious")
    assert found["good"].startswith("EVENTS ['open'")


@linux
def test_honest_files_are_read_in_the_memory_that_they_pay_for(tmp_path: Path) -> None:
    def table(form: Form, value: Any, count: int) -> bytes:
        rows = [[[value] * 1000]] * (count // 1000)
        document = Document(
            [Table(7, "T", [Column(16, "f", form)], count, rows)], 0, SHAPES
        )
        return b"".join(write(document, Metadata()))

    found = outcomes(
        tmp_path,
        {
            "small": small(),
            "small, compressed": small(compress=True),
            "JSON": small(format="json"),
            "empty lists": table(["list", "int"], [], 300_000),
            "pairs": table(["places", "float", "float"], [0.5, 1.5], 200_000),
            "dicts": table(
                ["dict", "str", "int"], {"hp": 300, "strength": 12}, 100_000
            ),
            "maps": table(["list", ["list", "int"]], [[1] * 100] * 100, 1000),
            "texts": table("str", "abc", 300_000),
            "a wide character": table("str", "a" * 9000 + "𝄞", 1000),
            "records": table(
                ["list", ["record", "game:Node"]], [["a", ["b", None]]], 100_000
            ),
        },
    )
    assert {*found.values()} == {"read"}


# -- refused by name


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"a": 1, "b": 2, "a": 3}', "the key 'a' twice"),
        (b'{"a": NaN}', "NaN, which JSON has not"),
        (b'{"a": -Infinity}', "-Infinity, which JSON has not"),
        (b'{"a": 1e999}', "a number out of range: 1e999"),
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
def test_metadata_is_read_as_strictly(about: bytes) -> None:
    data = resealed([described("int", 0)], about=about)
    for door in (read, container.read_head):
        with pytest.raises((SaveCorruptError, SaveLimitError)):
            door(data)


def test_the_price_of_a_file_is_that_of_its_worst_reading() -> None:
    costs = prices.Prices(SHAPES)
    lists = costs.of(["list", ["list", "int"]], 1, many(b"\x90", 1000))
    assert lists > 1000 * sys.getsizeof([])
    texts = costs.of(["list", "str"], 1, many(b"\xa1a", 1000))
    assert texts > 1000 * (sys.getsizeof("a") + 8)
