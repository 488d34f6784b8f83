"""What is left of a damaged file is a save: it loads, and nobody refers to what is lost."""

from __future__ import annotations

import random
from types import ModuleType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from savegen.runtime import SaveError, SaveLoadManager
from savegen.runtime.registry import Registry
from savegen.runtime.saves.container import container, layout
from savegen.runtime.saves import loading
from savegen.runtime.saves.document import RECORDS, REMOVED, Column, Document, Table
from savegen.runtime.saves.metadata import Metadata
from savegen.runtime.saves.world.pack import pack
from savegen.runtime.saves.container.salvage import salvage
from tests.runtime.worlds import Storm, assert_consistent
from tests.saves.documents import documents, said, walls
from tests.soaking import examples


def written(document: Document, compress: bool = False) -> bytes:
    return b"".join(
        container.write(document, Metadata(title="x"), b"PNG", compress=compress)
    )


def chunks_of(data: bytes) -> list[layout.Chunk]:
    header = layout.header_of(data)
    return [
        *layout.chunks(memoryview(data), header.body_starts, len(data) - layout.DIGEST)
    ]


def damaged(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :]


@settings(max_examples=examples(30), suppress_health_check=[*HealthCheck])
@given(document=documents(), compress=st.booleans())
def test_of_a_whole_file_nothing_is_lost(document: Document, compress: bool) -> None:
    found, lost = salvage(written(document, compress))
    assert (said(found), lost) == (said(document), [])


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("where", ["head", "digest", "stored"])
def test_a_damaged_chunk_costs_its_rows_alone(compress: bool, where: str) -> None:
    data = written(walls(5000), compress)
    chunk = chunks_of(data)[3]
    offset = {"head": 0, "digest": 12, "stored": 40}[where]
    found, lost = salvage(damaged(data, chunk.offset + offset))
    assert lost == ["1,000 of 5,000 rows of Wall"]
    rows = [*walls(5000).tables[0].rows()]
    assert [*map(tuple, found.tables[0].rows())] == rows[:2000] + rows[3000:]


def test_a_damaged_header_costs_nothing_behind_it() -> None:
    data = written(walls(3000))
    found, lost = salvage(damaged(data, layout.HEADER_SIZE + 4))
    assert (said(found), lost) == (said(walls(3000)), [])


def test_a_file_cut_short_has_the_rows_before() -> None:
    data = written(walls(3000))
    chunks = chunks_of(data)
    for chunk, rows in zip(chunks[1:], (0, 1000, 2000)):
        found, _ = salvage(data[: chunk.offset + 50])
        assert found.tables[0].count == rows


def test_half_of_a_long_value_is_no_value() -> None:
    column = Column(16, "text", "str")
    pieces = [[["x" * 400_000]], [["short"]]]
    data = written(Document([Table(7, "Book", [column], 2, pieces)]))
    chunks = chunks_of(data)
    assert [chunk.is_rest for chunk in chunks] == [False, False, True, False]
    for lost in (1, 2):
        found, said_lost = salvage(damaged(data, chunks[lost].offset + 30))
        assert found.tables[0].values(0) == ["short"]
        assert said_lost == ["1 of 2 rows of Book"]


def test_references_to_what_is_lost_lead_nowhere_and_others_where_they_did() -> None:
    nodes = [[[n, (n + 1) % 3000] for n in range(s, s + 1000)] for s in (0, 1000, 2000)]
    columns = [Column(16, "near", ["list", "ref"])]
    data = written(
        Document([Table(7, "Node", columns, 3000, [[cells] for cells in nodes])])
    )
    found, _ = salvage(damaged(data, chunks_of(data)[2].offset + 30))
    table, gone = found.tables
    assert (gone.number, gone.count) == (REMOVED, 1)
    expected = [[n, n + 1] for n in range(2000)]
    expected[999] = [999, 2000]
    expected[1999] = [1999, 0]
    assert table.values(0) == expected


def test_without_its_tables_nothing_can_be_told() -> None:
    data = written(walls(3000))
    with pytest.raises(SaveError, match="the tables of the save are lost"):
        salvage(damaged(data, chunks_of(data)[0].offset + 30))


@settings(max_examples=examples(25), suppress_health_check=[*HealthCheck])
@given(seed=st.integers(0, 10**6), data=st.data())
def test_what_is_left_of_a_world_loads(
    game: ModuleType, registry: Registry, seed: int, data: st.DataObject
) -> None:
    manager = SaveLoadManager(registry)
    Storm(game, manager, random.Random(seed)).blow(30)
    saved = written(pack(manager.create_snapshot()))
    chunks = chunks_of(saved)[1:]
    for chunk in data.draw(st.lists(st.sampled_from(chunks), max_size=3)):
        saved = damaged(saved, chunk.offset + 30)
    document, _ = salvage(saved)
    other = SaveLoadManager(registry)
    records = document.table(RECORDS).count
    loading.apply(other, document)
    assert_consistent(other)
    assert len([*other.objects]) == records


def test_salvage_refuses_what_is_no_save() -> None:
    for data in (b"", b"PK\x03\x04", layout.MAGIC, layout.MAGIC + bytes(500)):
        with pytest.raises(SaveError):
            salvage(data)
