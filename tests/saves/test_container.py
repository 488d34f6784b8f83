"""What is written is read again, exactly; and nothing else is read."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from savegen.runtime.errors import (
    SaveCorruptError,
    SaveError,
    SaveLimitError,
    SaveVersionError,
)
from savegen.runtime.saves.container import body, layout, prices
from savegen.runtime.saves.container.container import (
    HEAD_SIZE,
    digest_of,
    read,
    read_head,
    read_thumbnail,
    write,
)
from savegen.runtime.saves.document import GENERATORS, Column, Document, Table
from savegen.runtime.saves.container.limits import MIB, Limits
from savegen.runtime.saves.metadata import Metadata
from tests.saves.documents import documents, said, same, walls
from tests.soaking import examples

KINDS: list[dict[str, Any]] = [{}, {"compress": True}, {"format": "json"}]
PICTURE = bytes(range(256)) * 9
ABOUT = Metadata(
    title="At the gate — 門",
    time="2026-01-31T18:05:09Z",
    playtime=61.5,
    save_version=7,
    level="town",
    lineage="a" * 32,
    extra={"difficulty": "hard", "deaths": 3},
)
some = settings(max_examples=examples(40), suppress_health_check=[*HealthCheck])


def bytes_of(
    document: Document, metadata: Metadata = ABOUT, *args: Any, **kind: Any
) -> bytes:
    return b"".join(write(document, metadata, *args, **kind))


# -- there and back


@pytest.mark.parametrize("kind", KINDS, ids=str)
@some
@given(document=documents())
def test_a_document_comes_back_exactly(kind: Any, document: Document) -> None:
    data = bytes_of(document, ABOUT, PICTURE, **kind)
    metadata, found = read(data)
    assert metadata == ABOUT
    assert same(found, document)
    assert read_thumbnail(data) == PICTURE
    assert found.save_version == document.save_version


@pytest.mark.parametrize("kind", KINDS, ids=str)
@some
@given(document=documents())
def test_what_was_read_and_is_written_again_has_the_same_bytes(
    kind: Any, document: Document
) -> None:
    data = bytes_of(document, **kind)
    metadata, found = read(data)
    assert bytes_of(found, metadata, **kind) == data


@some
@given(document=documents())
def test_json_and_binary_say_the_same(document: Document) -> None:
    _, text = read(bytes_of(document, format="json"))
    _, binary = read(bytes_of(document))
    assert same(text, binary)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_numbers_keep_their_bits_and_their_kind(kind: Any) -> None:
    odd = [math.inf, -math.inf, -0.0, 0.0, 5e-324, 1, True, 2**64 - 1]
    table = Table(7, "N", [Column(16, "n", "float")], len(odd), [[odd]])
    (found,) = read(bytes_of(Document([table]), **kind))[1].tables
    assert [*map(repr, found.values(0))] == [*map(repr, odd)]


def test_pieces_may_be_gone_through_again() -> None:
    _, found = read(bytes_of(walls(2500)))
    assert said(found) == said(found) == said(walls(2500))


def test_pieces_may_be_of_any_size_up_to_a_thousand_rows() -> None:
    (table,) = walls(1500).tables
    columns = [table.values(place) for place in range(2)]
    cuts = [(0, 1), (1, 1000), (1000, 1500)]
    table.pieces = [[column[a:b] for column in columns] for a, b in cuts]
    for kind in KINDS:
        assert same(read(bytes_of(Document([table]), **kind))[1], walls(1500))
    table.pieces = [columns]
    with pytest.raises(SaveError, match="a piece of Wall has 1500 rows"):
        write(Document([table]), ABOUT)


def test_a_value_longer_than_a_chunk_comes_back() -> None:
    long = "säge" * 500_000
    table = Table(7, "Book", [Column(16, "text", "str")], 2, [[[long, ""]]])
    for kind in KINDS:
        data = bytes_of(Document([table]), **kind)
        assert read(data)[1].tables[0].values(0) == [long, ""]


def test_a_save_of_nothing_is_one() -> None:
    metadata, document = read(bytes_of(Document([]), Metadata()))
    assert metadata == Metadata() and document.tables == []


def test_parts_are_about_a_mebibyte() -> None:
    parts = [*write(walls(300_000), ABOUT)]
    assert len(parts) > 3
    assert max(map(len, parts)) < 2 * MIB


def test_compression_makes_it_smaller_and_no_different() -> None:
    stored, small = bytes_of(walls(5000)), bytes_of(walls(5000), compress=True)
    assert len(small) < len(stored) / 2
    assert read_head(small).is_compressed and not read_head(stored).is_compressed
    assert read_head(small).raw_size == read_head(stored).raw_size


# -- what is told without reading it


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_first_bytes_are_enough_for_the_head(kind: Any) -> None:
    data = bytes_of(walls(9000), ABOUT, PICTURE, **kind)
    head = read_head(data[:HEAD_SIZE])
    assert head.metadata == ABOUT
    assert head.size in (len(data), None)
    assert head.thumbnail_size in (len(PICTURE), None)


def test_a_thumbnail_needs_nothing_behind_it() -> None:
    data = bytes_of(walls(9000), ABOUT, PICTURE)
    assert read_thumbnail(data[: HEAD_SIZE + len(PICTURE)]) == PICTURE


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_digest_names_a_file_and_all_that_it_holds(kind: Any) -> None:
    one = bytes_of(walls(3), **kind)
    assert digest_of(one) == digest_of(bytes_of(walls(3), **kind))
    others = [
        bytes_of(walls(4), **kind),
        bytes_of(walls(3), Metadata(), **kind),
        bytes_of(walls(3), ABOUT, PICTURE, **kind),
    ]
    assert len({*map(digest_of, [one, *others])}) == 4


def test_progress_is_told_up_to_the_end() -> None:
    data, seen = bytes_of(walls(9000)), []
    read(data, progress=lambda done, whole: seen.append((done, whole)))
    assert seen == sorted(seen) and len(seen) > 5
    assert all(whole == len(data) for _, whole in seen)
    assert seen[-1][0] == len(data) - layout.DIGEST


# -- what is not written, since it would not be read


def test_metadata_above_its_size_is_not_written() -> None:
    with pytest.raises(SaveLimitError, match="the size of the metadata is"):
        write(walls(1), Metadata(title="x" * 65_536))


@pytest.mark.parametrize(
    "extra", [{"at": math.nan}, {"at": (1, 2)}, {"at": {1, 2}}, {"at": "\ud800"}]
)
def test_metadata_that_is_no_json_is_not_written(extra: Any) -> None:
    with pytest.raises(SaveError, match="metadata"):
        write(walls(1), Metadata(extra=extra))


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize(
    ("limit", "most"),
    [
        ("objects", 99),
        ("tables", 0),
        ("columns", 1),
        ("name", 3),
        ("size", 50),
        ("thumbnail", 9),
    ],
)
def test_what_is_above_a_limit_is_neither_written_nor_read(
    kind: Any, limit: str, most: int
) -> None:
    limits = Limits(**{limit: most})
    with pytest.raises(SaveLimitError, match=f"at most {most:,}"):
        write(walls(100), ABOUT, PICTURE, limits=limits, **kind)
    data = bytes_of(walls(100), ABOUT, PICTURE, **kind)
    if limit == "thumbnail" and kind == {"format": "json"}:
        return  # it counts towards the size
    with pytest.raises(SaveLimitError, match=f"at most {most:,}"):
        read(data, limits)


@pytest.mark.parametrize("value", [2**64, "\ud800", object(), {1: object()}])
def test_a_value_that_is_none_of_a_file_is_refused_with_its_place(value: Any) -> None:
    table = Table(7, "Wall", [Column(16, "height", "any")], 1, [[[value]]])
    with pytest.raises(SaveError, match=r"Wall\.height"):
        write(Document([table]), ABOUT)


def test_a_table_that_says_another_count_is_refused() -> None:
    document = walls(10)
    document.tables[0].count = 11
    with pytest.raises(SaveError, match="Wall has 10 rows, not 11"):
        write(document, ABOUT)


# -- what is not read


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b"\x89SGN", "the file ends within its header"),
        (layout.MAGIC, "the file ends within its header"),
        (b"PK\x03\x04 and more", "the file is no save"),
        (
            layout.MAGIC.replace(b"\r\n", b"\n") + bytes(100),
            "changed by a transfer as text",
        ),
        (b"{}", "the JSON is no save"),
        (b'{"savegen": 1', "the JSON cannot be read"),
    ],
)
def test_what_is_no_save_is_refused_with_the_reason(data: bytes, message: str) -> None:
    for door in (read, read_head, read_thumbnail):
        with pytest.raises(SaveCorruptError, match=message):
            door(data)


def test_a_file_of_a_later_format_is_refused_with_both_versions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = bytes_of(walls(1))
    newer = data[:8] + b"\x02\x00" + data[10:]
    for door in (read, read_head):
        with pytest.raises(
            SaveVersionError, match="format 2, this savegen reads up to 1"
        ):
            door(newer)
    text = bytes_of(walls(1), format="json").replace(b'"savegen": 1', b'"savegen": 2')
    with pytest.raises(SaveVersionError, match="format 2, this savegen reads up to 1"):
        read(text.replace(digest_of(text).encode(), b""))


def test_json_may_be_changed_by_hand_if_its_digest_is_emptied() -> None:
    data = bytes_of(walls(3), format="json")
    assert b'[1, "wall 1"]' in data
    changed = data.replace(b'[1, "wall 1"]', b'[55, "gate"]')
    with pytest.raises(SaveCorruptError, match="end it with"):
        read(changed)
    freed = changed.replace(digest_of(data).encode(), b"")
    assert [*read(freed)[1].tables[0].rows()][1] == (55, "gate")
    spread = freed.replace(b",", b" ,\r\n ")
    assert [*read(spread)[1].tables[0].rows()][1] == (55, "gate")
    assert read_head(spread).metadata == ABOUT


def test_a_value_of_another_form_is_refused_with_its_place() -> None:
    data = bytes_of(walls(3), format="json")
    wrong = data.replace(b'[1, "wall 1"]', b'["tall", "wall 1"]')
    with pytest.raises(SaveCorruptError, match=r"Wall\.height"):
        [*read(wrong.replace(digest_of(data).encode(), b""))[1].tables[0].rows()]


# -- ballast


def test_a_file_weighs_what_it_costs() -> None:
    """A million empty lists take 80 MB; a file of 1 MB may not do that."""
    pieces: list[Any] = [[[[]] * 1000] for _ in range(1000)]
    table = Table(7, "Bag", [Column(16, "items", ["list", "int"])], 1_000_000, pieces)
    for kind in KINDS[:2]:
        data = bytes_of(Document([table]), **kind)
        raw = read_head(data).raw_size
        assert raw is not None and 16 * raw + 32 * MIB > 300 * 1_000_000
        found = read(data)[1].tables[0]
        assert found.count == sum(len(column) for (column,) in found.pieces)


def test_a_common_world_has_no_ballast() -> None:
    data = bytes_of(walls(50_000))
    header = layout.header_of(data)
    assert layout.BALLAST not in {chunk.kind for chunk, _ in body.opened(data, header)}


def test_generators_and_their_like_are_no_objects() -> None:
    table = Table(
        GENERATORS, "generators", [Column(0, "kind", "str")], 9, [[["r"] * 9]]
    )
    assert prices.of_rows(table) < prices.of_rows(Table(1, "", table.columns, 9, []))


# -- the file as it is today: a change of format must be meant


def test_the_format_is_what_it_was() -> None:
    golden = Path(__file__).with_name("golden")
    old = (golden / "walls_in_lists.sav").read_bytes()  # before columns could be runs
    assert same(read(old)[1], walls(3))
    for name, kind in [("walls.sav", {}), ("walls.json", {"format": "json"})]:
        data = bytes_of(walls(3), ABOUT, b"\x89PNG", **kind)
        assert (golden / name).read_bytes() == data
        assert same(read(data)[1], walls(3))


@pytest.mark.parametrize("fields", [31, 43, 86, 171, 1366])
def test_the_price_of_an_object_with_many_fields_is_that_of_its_own_dict(
    fields: int,
) -> None:
    class Wide:
        pass

    for _ in range(3):  # the first ones teach Python what its objects have
        wide = Wide()
        for number in range(fields):
            setattr(wide, f"field_{number}", None)
    columns = [Column(16 + n, f"field_{n}", "bool") for n in range(fields)]
    taken = sys.getsizeof(wide) + sys.getsizeof(vars(wide)) + 8 * fields  # and its row
    assert prices.of_rows(Table(7, "Wide", columns, 1, [])) > taken
