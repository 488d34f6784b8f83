"""A snapshot becomes a file and comes back exactly; nothing else is read."""

from __future__ import annotations

import math
import re
from abc import ABC, ABCMeta
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import UNSET, Raw, msgpack
from msgspec.structs import astuple, replace

from savegen.runtime.snapshots.tables import Recording, Table
from savegen.runtime.values.folds import NOT_SET, TAKES_DEFAULT, typed, untyped
from savegen.runtime.values.references import NO_REFERENCES, References
from savegen.runtime.values.rows import Key, Row
from savegen.runtime.values.saveable import SaveLoadable
from savegen.runtime.values.stored import parse
from savegen.runtime.errors import (
    SaveApplyError,
    SaveCorruptError,
    SaveError,
    SaveLimitError,
    SaveVersionError,
)
from savegen.runtime.generated.registry import FORMAT, ClassEntry, Registry
from savegen.runtime.reports import LostValue
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.saves import Limits, Metadata, decode, encode
from savegen.saves.body import SavedField, WorldPart
from savegen.saves.coding import encoded, read
from savegen.saves.encoding import encode as encode_part, encode_any
from savegen.saves import file
from savegen.saves.file import (
    DIGEST_SIZE,
    MAGIC,
    MAX_HEADER_SIZE,
    METADATA_OFFSET,
    FileWriter,
    Section,
    digest_of,
    read_header,
    read_thumbnail,
    sections,
)
from savegen.saves.limits import MIB, Guard
from savegen.saves.reports import SaveReport
from savegen.saves.schema import are_referred_as_declared, fingerprint, row_schema_of
from savegen.saves.writing import SnapshotWriter
from tests.saves.rows_game import (
    ACTOR,
    BAG,
    REGISTRY,
    ActorFields,
    Mood,
    actor,
    actors,
    bag,
    rich,
    snapshot,
)
from tests.soaking import examples

KINDS: list[dict[str, Any]] = [
    {},
    {"compress": "zlib"},
    {"compress": "lzma"},
    {"compress": "zstd"},
]
kinds = pytest.mark.parametrize("kind", KINDS, ids=str)
PICTURE = bytes(range(256)) * 9
ABOUT = Metadata(
    title="At the gate — 門",
    time="2026-01-31T18:05:09Z",
    playtime=61.5,
    save_version=3,
    level="town",
    lineage="a" * 32,
    extra={"difficulty": "hard", "deaths": 3},
)
some = settings(max_examples=examples(40), suppress_health_check=[*HealthCheck])


def saved(found: Snapshot, metadata: Metadata = ABOUT, **kind: Any) -> bytes:
    return encode(found, metadata, registry=REGISTRY, **kind)


def loaded(data: bytes, **limits: Any) -> Snapshot:
    return decode(data, REGISTRY, limits=Limits(**limits))


def report_of(found: Snapshot, **options: Any) -> SaveReport:
    writer = SnapshotWriter(found, REGISTRY, **options)
    for _ in writer.steps():
        pass
    writer.finish(ABOUT)
    return writer.report


def plain(found: Snapshot) -> Any:
    """Return everything in a snapshot as data that can be compared."""
    tables = {
        number: (
            table.keys,
            [text_of(row) for row in table.rows],
            text_of(table.extras),
            text_of(table.recordings),
        )
        for number, table in found.tables.items()
    }
    names = "placements generators tombstones slots next_reached dangling"
    return tables, text_of(found.states), [getattr(found, n) for n in names.split()]


def text_of(value: Any) -> str:
    """Return a text that is the same for NaN and NaN, and for a list and a tuple."""
    return re.sub("[()]", lambda bracket: "[]"["()".index(bracket[0])], repr(value))


# -- there and back


@kinds
def test_a_snapshot_comes_back_exactly(kind: Any) -> None:
    found = loaded(saved(rich(), **kind))
    assert plain(found) == plain(rich())
    assert found.world is None


@kinds
def test_what_was_read_and_is_saved_again_has_the_same_bytes(kind: Any) -> None:
    data = saved(rich(), **kind)
    assert saved(loaded(data), **kind) == data


def test_the_order_in_which_states_were_added_does_not_change_the_bytes() -> None:
    states = {"b": (parse("int"), 1), "a": (parse("str"), "x")}
    one, two = (
        encode(Snapshot(states=dict(order)))
        for order in (states.items(), reversed(states.items()))
    )
    assert one == two == encode(decode(one, REGISTRY_0), registry=REGISTRY_0)


def test_a_world_that_a_slot_has_just_packed_is_written_as_any_other() -> None:
    parts, _ = encoded(rich(), ABOUT, registry=REGISTRY, is_own=True)
    assert b"".join(parts) == saved(rich())


# -- references that generated code has just packed: it asks `isinstance`


def referring(
    number: int, *bases: Any, to: str = "0", made_by: Any = type
) -> ClassEntry:
    """Return a class with some bases, with a reference `to` objects of some classes."""

    class Data(Row, gc=False):
        __numbers__ = _ReferenceFields
        other: Key

    names = {"other": _ReferenceFields.OTHER}
    number_type: Any = IntEnum("number_type", {"N": number})
    content = {"save_type": number_type.N}
    mixin: Any = type(
        f"Mixin{number}",
        (SaveLoadable,),
        content | {"save_load_field_names": names},
    )
    made_by(f"Class{number}", (mixin, *bases), {})
    field = ("other", f"optional<ref<{to}>>")
    return ClassEntry(mixin, lambda: None, row=Data, fields=(field,))


class _ReferenceFields(IntEnum):
    OTHER = 1


class _Lenient(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return True


def report_of_reference(*entries: ClassEntry) -> SaveReport:
    """Return the report on a world in which an object of the first class refers to the last."""
    last = len(entries)
    tables = {
        each.number: Table(each, [key], [each.row(last if key == 1 else 0)])
        for key, each in enumerate(entries, 1)
    }
    found, registry = Snapshot(tables=tables), Registry(FORMAT, entries)
    parts, report = encoded(found, Metadata(), registry=registry, is_own=True)
    checked, report_of_checked = encoded(found, Metadata(), registry=registry)
    assert b"".join(parts) == b"".join(checked)
    assert report == report_of_checked
    return report


def test_an_object_of_a_declared_class_is_no_mismatch_when_generated_code_packed_it() -> (
    None
):
    foe, hero = referring(31), referring(32, to="31")
    assert are_referred_as_declared((hero, foe), Registry(FORMAT, (hero, foe)))
    assert report_of_reference(hero, foe).is_exact


class _Base:
    """Is no saveable class, but a field may declare it."""


def _subclass() -> Iterator[ClassEntry]:
    foe = referring(31)
    yield referring(32, to="31")
    yield foe
    yield referring(33, foe.load_class())


def _other_of_a_base() -> Iterator[ClassEntry]:
    yield referring(32, to="31 34")  # declares `_Base`
    yield referring(31, _Base)
    yield referring(34, _Base)
    yield referring(33, _Base)


def _registered() -> Iterator[ClassEntry]:
    foe, other = referring(31, made_by=ABCMeta), referring(33)
    cls: Any = foe.load_class()
    cls.register(other.load_class())
    yield referring(32, to="31")
    yield foe
    yield other


def _let_in_by_a_metaclass() -> Iterator[ClassEntry]:
    yield referring(32, to="31")
    yield referring(31, made_by=_Lenient)
    yield referring(33)


class _Hooked(ABC):
    @classmethod
    def __subclasshook__(cls, other: type) -> bool:
        raise ValueError("a hook of the game")


def _with_a_hook() -> Iterator[ClassEntry]:
    yield referring(32, to="31")
    yield referring(31, _Hooked, made_by=ABCMeta)
    yield referring(33)


@pytest.mark.parametrize(
    "entries",
    [_subclass, _other_of_a_base, _registered, _let_in_by_a_metaclass, _with_a_hook],
)
def test_an_object_of_a_class_that_the_field_does_not_know_is_a_mismatch_even_if_generated_code_let_it_in(
    entries: Any,
) -> None:
    assert report_of_reference(*entries()).mismatched == 1


def test_the_body_does_not_depend_on_the_metadata() -> None:
    one, two = saved(rich()), saved(rich(), Metadata(title="Another"))
    start = read_header(one).body_offset, read_header(two).body_offset
    assert one[start[0] : -DIGEST_SIZE] == two[start[1] : -DIGEST_SIZE]


def test_the_snapshot_stays_as_it_is() -> None:
    found = snapshot([actor(n, hp=2.5, pos=(1, 2)) for n in range(5)])
    before = plain(found)
    saved(found)
    assert plain(found) == before


def test_an_empty_world_can_be_saved() -> None:
    data = encode(Snapshot())
    assert len(data) < 200
    assert plain(decode(data, REGISTRY_0)) == plain(Snapshot())


REGISTRY_0 = type(REGISTRY)(FORMAT, ())


def test_numbers_keep_their_bits() -> None:
    odd = [math.inf, -math.inf, -0.0, 0.0, 5e-324, 1e308]
    rows = [actor(n, x=value) for n, value in enumerate(odd)]
    rows.append(actor(9, hp=2**64 - 1, items=[-(2**63)], x=math.nan))
    found = loaded(saved(snapshot(rows))).tables[7].rows
    assert [repr(row.x) for row in found] == [*map(repr, [*odd, math.nan])]
    assert (found[-1].hp, found[-1].items) == (2**64 - 1, [-(2**63)])


def test_an_int_in_a_float_field_stays_an_int() -> None:
    rows = [actor(0, x=2**60 + 1, pos=(1, 2.5)), actor(1, x=7)]
    found = loaded(saved(snapshot(rows))).tables[7]
    assert not found.extras
    assert repr([(row.x, row.pos) for row in found.rows]) == (
        "[(1152921504606846977, (1, 2.5)), (7, (1.5, 1.0))]"
    )


def test_a_shared_generator_is_saved_once() -> None:
    one, many = actors(1), actors(1000)
    size = len(saved(one))
    assert 2500 < size < 3500
    assert len(saved(many)) < size + 1000 * 100


def test_components_and_objects_are_counted() -> None:
    report = report_of(rich())
    assert (report.objects, report.components, report.dangling) == (8, 8, 2)
    assert report.bytes == len(saved(rich()))


# -- values that do not fit

WRONG = [
    ("hp", 1.5),
    ("hp", "full"),
    ("hp", None),
    ("hp", True),
    ("hp", Mood.ANGRY),
    ("x", "left"),
    ("x", True),
    ("name", b"bytes"),
    ("note", 7),
    ("pos", ("a", 2.5)),
    ("items", [1, 2.5, None]),
    ("stats", {"a": "b"}),
]
LONG = [
    ("hp", 2**70),
    ("name", "lone \ud800"),
    ("items", [2**70]),
    ("stats", {"a": 2**64}),
    ("stats", {"\udfff": 1}),
]


@pytest.mark.parametrize(("cell", "value"), WRONG, ids=str)
def test_a_value_of_another_type_is_saved_and_comes_back_as_it_was(
    cell: str, value: Any
) -> None:
    rows = [actor(n) for n in range(2500)]
    setattr(rows[1700], cell, value)
    data = saved(snapshot(rows))
    table = loaded(data).tables[7]
    assert table.extras.keys() == {1700}
    (found,) = table.extras[1700].items()
    assert found[0] == cell
    references = References(REGISTRY.values)
    back = untyped(found[1], references)
    assert (type(back), repr(back)) == (type(value), repr(value))
    assert getattr(table.rows[1700], cell) is UNSET
    assert saved(loaded(data)) == data
    others = [row for n, row in enumerate(table.rows) if n != 1700]
    assert not any(UNSET in astuple(row) for row in others)


@pytest.mark.parametrize(("cell", "value"), LONG, ids=str)
def test_a_value_that_fits_and_cannot_be_encoded_comes_back_into_its_row(
    cell: str, value: Any
) -> None:
    rows = [actor(n) for n in range(2500)]
    setattr(rows[1700], cell, value)
    data = saved(snapshot(rows))
    table = loaded(data).tables[7]
    assert not table.extras and repr(table.rows[1700]) == repr(rows[1700])
    assert saved(loaded(data)) == data
    assert report_of(snapshot(rows)).is_exact


def test_the_report_names_object_field_value_and_type() -> None:
    report = report_of(snapshot([actor(0), actor(1, hp=1.5)]))
    assert [str(each) for each in report.mismatches] == [
        "`Actor.hp` of object #2 is 1.5; the field is declared `int`"
    ]
    assert not report.is_exact
    assert "1 mismatch" not in repr(report) and "mismatch: `Actor.hp`" in repr(report)


def test_many_mismatches_are_counted_and_some_described() -> None:
    report = report_of(snapshot([actor(n, hp=0.5) for n in range(3000)]))
    assert (report.mismatched, len(report.mismatches)) == (3000, 1000)
    assert "and 2,995 more" in repr(report)


def test_a_reference_to_an_object_of_another_class_is_a_mismatch() -> None:
    data = saved(snapshot([actor(0, target=2)], [bag(refs=[1, 2])]))
    table = loaded(data).tables[7]
    assert table.extras == {0: {"target": (parse("optional<ref<0>>"), 2)}}
    assert saved(loaded(data)) == data


def test_what_nothing_can_hold_is_lost_and_told() -> None:
    rows = [actor(0, hp=print), actor(1)]
    table = loaded(saved(snapshot(rows))).tables[7]
    assert table.extras == {0: {"hp": TAKES_DEFAULT}}
    (lost,) = report_of(snapshot(rows)).lost
    assert lost[:3] == (1, "Actor", "hp") and "builtin_function" in lost.value


def test_a_cell_without_a_value_takes_the_default_or_is_not_set() -> None:
    found = snapshot(
        [actor(n) for n in range(3)], lost=(LostValue(2, "Actor", "hp", ""),)
    )
    found.tables[7].rows[1][ActorFields.HP] = UNSET
    found.tables[7].rows[2][ActorFields.NAME] = UNSET
    extras = loaded(saved(found)).tables[7].extras
    assert extras == {1: {"hp": TAKES_DEFAULT}, 2: {"name": NOT_SET}}
    assert report_of(found).lost == found.lost


def test_attributes_that_are_not_set_are_saved() -> None:
    found = snapshot([actor(n) for n in range(3)])
    found.tables[7].rows[1][ActorFields.HP] = UNSET
    found.tables[7].extras[1] = {"hp": NOT_SET}
    assert loaded(saved(found)).tables[7].extras == {1: {"hp": NOT_SET}}
    assert report_of(found).mismatched == 1


def test_values_nested_too_deep_are_lost_not_the_save() -> None:
    found = loaded(saved(snapshot([actor(0)], [bag(depth=60)])))
    assert "twig" in repr(found.tables[9].rows)
    rows = snapshot([actor(0)], [bag(depth=500), bag("here")])
    table = loaded(saved(rows)).tables[9]
    assert table.extras == {0: {"tree": NOT_SET}}
    assert table.rows[1].anything == (parse("str"), "here")
    endless: list[Any] = []
    endless.append(endless)
    report = report_of(snapshot([actor(0, items=endless)]))
    assert "contains itself" in report.lost[0].value


@pytest.mark.parametrize(
    "found",
    [
        snapshot([actor(0, hp=1.5)]),
        snapshot([actor(0, hp=print)]),
        snapshot([actor(0)], dangling=1),
        snapshot([actor(0)], lost=(LostValue(1, "Actor", "hp", "gone"),)),
    ],
    ids=["mismatch", "lost", "dangling", "lost before"],
)
def test_strict_refuses_what_would_come_back_otherwise(found: Snapshot) -> None:
    saved(found)
    with pytest.raises(SaveError):
        saved(found, strict=True)


def test_strict_names_every_fault() -> None:
    rows = [actor(0, hp=1.5), actor(1, x=print)]
    with pytest.raises(SaveError, match=r"Actor\.hp.* is 1\.5; .*Actor\.x.*not saved"):
        saved(snapshot(rows), strict=True)
    saved(snapshot([actor(0)]), strict=True)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.binary()
    | st.sampled_from([Mood.CALM, numpy.float64(0.5), print, UNSET]),
    lambda inner: st.lists(inner, max_size=3)
    | st.lists(inner, max_size=3).map(tuple)
    | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3),
    max_leaves=8,
)


@some
@given(
    values=st.lists(
        st.tuples(st.sampled_from(ACTOR.row.__struct_fields__), VALUES),
        max_size=12,
    )
)
def test_whatever_stands_in_cells_can_be_saved_and_loads(values: Any) -> None:
    rows = [actor(n, **{cell: value}) for n, (cell, value) in enumerate(values)]
    data = saved(snapshot(rows))
    found = loaded(data)
    assert saved(found) == data
    for table, place, _, row in found.items():
        for cell in ACTOR.row.__struct_fields__:
            if getattr(row, cell) is UNSET:
                assert cell in table.extras[place]


# -- sections and chunks


def test_a_section_has_at_most_a_thousand_rows() -> None:
    found = read(saved(actors(2500))).body.tables[0]
    assert [len(part.keys) for _, part in found.parts] == [100, 899, 1000, 501]


def test_sections_of_long_rows_have_fewer() -> None:
    """Encoding one holds up the game's thread."""
    rows = [actor(n, name="x" * 1000) for n in range(2500)]
    data = saved(snapshot(rows))
    counts = [len(part.keys) for _, part in read(data).body.tables[0].parts]
    assert sum(counts) == 2500 and counts[0] == 100
    assert max(map(len, whole_sections(data))) < MIB // 4 < 300 * 1000


def test_a_small_world_is_one_section() -> None:
    counts = [
        len(whole_sections(saved(each))) for each in (rich(), actors(999), actors(1000))
    ]
    assert counts == [1, 1, 2]
    long = snapshot([actor(n, name="x" * 20_000) for n in range(99)])
    assert len(whole_sections(saved(long))) > 1


@kinds
def test_chunks_are_at_most_a_mebibyte_unless_a_row_is_longer(kind: Any) -> None:
    rows = [actor(n, name="x" * 40_000) for n in range(100)]
    rows[50].name = "y" * 3 * MIB
    data = saved(snapshot(rows), **kind)
    assert [row.name for row in loaded(data).tables[7].rows] == [r.name for r in rows]
    sizes = [len(each.data) for each in sections_of(data)]
    assert sum(size > MIB for size in sizes) == 1
    assert read_header(data).chunks >= (2 if kind == {"compress": "lzma"} else 5)


def test_compression_makes_it_smaller_and_no_different() -> None:
    files = [saved(actors(5000), **kind) for kind in KINDS]
    stored, zlib, lzma, zstd = map(len, files)
    assert lzma < zlib < stored / 3 and zstd < stored / 3
    assert all(plain(loaded(data)) == plain(loaded(files[0])) for data in files)
    names = ["", "zlib", "lzma", "zstd"]
    assert [read_header(data).compression for data in files] == names
    assert len({read_header(data).raw_size for data in files}) == 1
    assert saved(actors(5000), compress="zlib", compression_level=1) != files[1]
    assert saved(actors(5000), compress="zstd", compression_level=3) == files[3]
    assert saved(actors(5000), compress="zstd", compression_level=9) != files[3]


@pytest.mark.parametrize(
    "options", [{"compress": "zip"}, {"compress": "zlib", "compression_level": 10}]
)
def test_unknown_compression_is_refused(options: Any) -> None:
    with pytest.raises(SaveError, match="unknown compression 'zip'|level must be from"):
        saved(actors(1), **options)


def test_encoding_goes_in_steps_that_count_rows() -> None:
    writer = SnapshotWriter(actors(2500), REGISTRY)
    assert [*writer.steps()][-4:] == [100, 999, 1999, 2500]
    assert writer.total == 2500


# -- what the first bytes tell


@kinds
def test_the_first_bytes_are_enough_for_the_head(kind: Any) -> None:
    data = saved(actors(3000), thumbnail=PICTURE, **kind)
    header = read_header(data[:MAX_HEADER_SIZE])
    assert header.metadata == ABOUT
    assert (header.size, header.body_offset - header.thumbnail_offset) == (
        len(data),
        len(PICTURE),
    )


def test_a_thumbnail_needs_nothing_behind_it() -> None:
    data = saved(actors(3), thumbnail=PICTURE)
    assert read_thumbnail(data[: MAX_HEADER_SIZE + len(PICTURE)]) == PICTURE


def test_the_digest_names_a_file_and_all_that_it_holds() -> None:
    one = saved(actors(3))
    others = [
        one,
        saved(actors(4)),
        saved(actors(3), Metadata()),
        saved(actors(3), thumbnail=PICTURE),
    ]
    assert digest_of(one) == digest_of(saved(actors(3)))
    assert len({*map(digest_of, others)}) == 4


def test_the_metadata_has_the_version_of_the_game() -> None:
    assert read_header(saved(actors(1), Metadata())).metadata.save_version == 3


def test_progress_is_told_up_to_the_end() -> None:
    data, seen = saved(actors(30_000)), []
    read(data, progress=lambda done, whole: seen.append((done, whole)))
    assert seen == sorted(seen) and len(seen) > 1
    assert seen[-1] == (len(data) - DIGEST_SIZE, len(data))


def test_metadata_above_its_size_is_not_written() -> None:
    with pytest.raises(SaveLimitError, match="the size of the metadata is"):
        saved(actors(1), Metadata(title="x" * 65_536))


@pytest.mark.parametrize(
    "extra", [{"at": math.nan}, {"at": (1, 2)}, {"at": {1, 2}}, {"at": "\ud800"}]
)
def test_metadata_that_is_no_json_is_not_written(extra: Any) -> None:
    with pytest.raises(SaveError, match="metadata"):
        saved(actors(1), Metadata(extra=extra))


# -- limits

LIMITS = [
    ("objects", 99),
    ("size", 50),
    ("memory", 1000),
]


@kinds
@pytest.mark.parametrize(("limit", "most"), LIMITS)
def test_what_is_above_a_limit_is_neither_written_nor_read(
    kind: Any, limit: str, most: int
) -> None:
    rows = [actor(n, items=[0] * 6_000) for n in range(100)]
    found = snapshot(rows, [bag()] * 10)
    limits = Limits(**{limit: most})
    options = {**kind, "thumbnail": PICTURE}
    data = saved(found, **options)
    if limit == "memory" and not kind:
        loaded(data, memory=most)  # the file is large enough for it
        return
    with pytest.raises(SaveLimitError):
        saved(found, limits=limits, **options)
    with pytest.raises(SaveLimitError):
        loaded(data, **{limit: most})


@pytest.mark.parametrize(
    ("constant", "what"),
    [("MAX_SECTION", "one section"), ("MAX_THUMBNAIL", "the thumbnail")],
)
def test_a_section_or_thumbnail_that_is_too_long_is_neither_written_nor_read(
    monkeypatch: pytest.MonkeyPatch, constant: str, what: str
) -> None:
    found = snapshot([actor(0, name="x" * 2 * MIB)])
    data = saved(found, thumbnail=b"x" * 2 * MIB)
    monkeypatch.setattr(file, constant, MIB)
    with pytest.raises(SaveLimitError, match=f"the size of {what}"):
        saved(found, thumbnail=b"x" * 2 * MIB)
    with pytest.raises(SaveLimitError, match="the size of "):
        loaded(data)


def test_names_that_are_no_unicode_are_refused_when_they_are_saved() -> None:
    with pytest.raises(SaveError, match="the states cannot be saved"):
        saved(snapshot([], states={"\ud800": typed(7, NO_REFERENCES)}))
    found = snapshot([], [bag()])
    recording = Recording(("Bag.Behaviors.FILL",), {"\ud800": typed(7, NO_REFERENCES)})
    found.tables[9].recordings[0] = recording
    with pytest.raises(SaveError, match=r"records must be Unicode text, not '.ud800'"):
        saved(found)


def test_values_deeper_than_a_limit_are_lost_not_the_save_and_are_not_read() -> None:
    found, limits = snapshot([], [bag(depth=10), bag("here", 4)]), Limits(depth=5)
    with pytest.raises(SaveLimitError, match=r"the depth of `Bag\.tree` of object #1"):
        loaded(saved(found), depth=5)
    table = loaded(saved(found, limits=limits), depth=5).tables[9]
    assert not table.extras and "twig" in repr(table.rows[0].tree)
    (lost,) = report_of(found, limits=limits).lost
    assert lost.where == f"Bag.tree{'.children[0]' * 5}"
    assert lost.value.startswith("it is nested more than 5 deep; mark `Tree` with")


def test_long_names_and_types_are_refused() -> None:
    for name, stored in [("x" * 5000, "int"), ("x", "(" * 70_000)]:
        table = encode_part([1, 7, "Actor", [(1, name, stored)]])
        with pytest.raises((SaveLimitError, SaveCorruptError)):
            read(resealed(section(world(), table)))


# -- what is not read

CASES: list[tuple[bytes, str]] = [
    (b"", "the file is empty"),
    (b"\x89SGN", "the file ends within its header"),
    (MAGIC, "the file ends within its header"),
    (b"PK\x03\x04 and more", "the file is not a save"),
    (MAGIC.replace(b"\r\n", b"\n") + bytes(100), "changed by a transfer as text"),
    (b"{}", "the file is not a save"),
]


@pytest.mark.parametrize(("data", "message"), CASES)
def test_what_is_no_save_is_refused_with_the_reason(data: bytes, message: str) -> None:
    for door in (loaded, read_header, read_thumbnail):
        with pytest.raises(SaveCorruptError, match=message):
            door(data)


@pytest.mark.parametrize("version", [0, 1, 2, 4, 900])
def test_a_file_of_another_format_is_refused_with_both_versions(version: int) -> None:
    data = saved(actors(1))
    other = data[:8] + version.to_bytes(2, "little") + data[10:]
    for door in (loaded, read_header):
        with pytest.raises(SaveVersionError, match=f"format {version}, .* format 3"):
            door(other)


def world(**cells: Any) -> bytes:
    return encode_part(replace(WorldPart(save_version=3), **cells))


def section(*parts: bytes) -> list[bytes]:
    """Return one section, of some encoded parts."""
    return [encode_part([*map(Raw, parts)])]


def table_part(number: int, name: str, fields: list[SavedField]) -> bytes:
    return encode_part([1, number, name, fields])


def resealed(parts: list[bytes], about: Metadata = ABOUT, **kind: Any) -> bytes:
    """Return a file with any sections, and right digests."""
    writer = FileWriter(**kind)
    for part in parts:
        writer.add(part)
    return b"".join(writer.finish(about))


def sections_of(data: bytes) -> Iterator[Section]:
    return sections(data, read_header(data), Guard(Limits(), len(data)))


def whole_sections(data: bytes) -> list[bytes]:
    return [bytes(each.data) for each in sections_of(data)]


def parts_of(data: bytes) -> list[bytes]:
    """Return the encoded parts of all sections."""
    decode_section = msgpack.Decoder(list[Raw]).decode
    return [bytes(p) for each in sections_of(data) for p in decode_section(each.data)]


def test_resealing_what_was_written_gives_the_same_file() -> None:
    data = saved(rich())
    assert resealed(whole_sections(data)) == resealed(section(*parts_of(data))) == data


TABLE = bytes(row_schema_of(ACTOR).description)
ROW = [0.5, "a", 1, True, [0.5, 0.5], [], 0, "CALM", None, {}, 1]


def rows(keys: list[int], *cells: Any, extras: Any = {}) -> bytes:
    return encode_any([2, keys, [*cells], extras])


def types(*texts: str) -> bytes:
    return encode_part([7, [*texts]])


def changed(place: int, value: Any) -> list[Any]:
    return [*ROW[:place], value, *ROW[place + 1 :]]


ONE = {"slots": [1, 1]}
HP = int(ActorFields.HP)
CONTRADICTIONS: dict[str, tuple[list[bytes], str]] = {
    "nothing": ([], "empty"),
    "no world": ([TABLE], "one part of the world"),
    "two worlds": ([world(), world()], "one part of the world"),
    "rows of no table": ([world(), rows([1], ROW)], "before any table"),
    "unknown part": ([world(), b"\x92\x08\x00"], "the body cannot be read"),
    "no part": ([world(), b"\xc0"], "the body cannot be read"),
    "an int too many": ([world(), b"\x94\x04\x80\x00\x00"], "the body cannot be read"),
    "nothing beside rows": (
        [world(), TABLE, b"\x93\x02\x90\x90"],
        "the body cannot be read",
    ),
    "two lists of types": ([world(), types("int"), types("str")], "two lists of types"),
    "a type twice": ([world(), types("int", "int")], "in the list of types twice"),
    "a type of memory": ([world(), types("live")], "unknown type 'live'"),
    "no such type": (
        [world(**ONE), TABLE, rows([1], ROW, extras={0: {HP: [1, 2.5]}}), types("str")],
        "the list of types has no type 1",
    ),
    "a value of another type": (
        [world(**ONE), TABLE, rows([1], ROW, extras={0: {HP: [0, 2.5]}}), types("str")],
        r"`Actor\.hp` does not fit its type `str`",
    ),
    "a field of a reserved type": (
        [world(), encode_part([1, 7, "Actor", [(1, "hp", "unset")]])],
        "unknown type 'unset'",
    ),
    "no behaviours": (
        [world(**ONE), TABLE, rows([1], ROW, extras={0: {"n": [0, 7]}}), types("int")],
        "no behaviours",
    ),
    "a cell too many": ([world(**ONE), TABLE, rows([1], [*ROW, 0])], "row"),
    "a cell too few": ([world(**ONE), TABLE, rows([1], ROW[:-1])], "row"),
    "a wrong cell": ([world(**ONE), TABLE, rows([1], changed(2, "x"))], r"Actor\.hp"),
    "a wrong enum": ([world(**ONE), TABLE, rows([1], changed(7, "SAD"))], "mood"),
    "keys too few": ([world(**ONE), TABLE, rows([], ROW)], "slots"),
    "no slot": ([world(), TABLE, rows([1], ROW)], "slots lack the key of object #1"),
    "a slot too many": ([world(slots=[1, 2]), TABLE, rows([1], ROW)], "slots"),
    "another generation": ([world(slots=[2, 1]), TABLE, rows([1], ROW)], "slots"),
    "one key twice": (
        [world(slots=[1, 2]), TABLE, rows([1, 0], ROW, ROW)],
        "the same key",
    ),
    "out of order": ([world(slots=[1, 2]), TABLE, rows([2, -1], ROW, ROW)], "in order"),
    "key 0": ([world(), TABLE, rows([0], ROW)], "slots"),
    "unknown reached": ([world(), TABLE, rows([-1], ROW)], "reached object #1"),
    "free and filled": (
        [world(slots=[1, 1], free=[0]), TABLE, rows([1], ROW)],
        "slots",
    ),
    "free twice": ([world(slots=[1, 2], free=[0, 0])], "free slots"),
    "free nowhere": ([world(slots=[1, 1], free=[7])], "free slots"),
    "generation 0": ([world(slots=[0, 1])], "slots"),
    "half a run": ([world(slots=[1])], "slots"),
    "two tables": ([world(), TABLE, TABLE], "."),
    "no such row": (
        [world(**ONE), TABLE, rows([1], ROW, extras={1: {HP: [0, 1]}})],
        "a row or field that it does not have",
    ),
    "no such key": ([world(**ONE), TABLE, rows([2**63], ROW)], "an impossible key"),
    "no such field": (
        [world(**ONE), TABLE, rows([1], ROW, extras={0: {99: [0, 1]}})],
        "a row or field that it does not have",
    ),
    "one placed twice": (
        [world(), *[b"\x93\x03\x91\x01\x91\x93\xc0\xc0\xc0"] * 2],
        "the placements do not have one entry for each key",
    ),
    "placed nothing": (
        [world(), b"\x93\x03\x91\x01\x91\x93\xc0\xc0\xc0"],
        "a placement refers to",
    ),
    "one state twice": (
        [world(), *[b"\x92\x05\x81\xa1a\x92\x00\x01"] * 2, types("int")],
        "one entry for each key",
    ),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_sections_that_contradict_themselves_are_refused(name: str) -> None:
    parts, message = CONTRADICTIONS[name]
    if name == "two tables":
        # A class may have two; older saves are matched.
        assert read(resealed(parts and section(*parts))).body
        return
    # Where sections end says nothing.
    for sections in (parts and section(*parts), [b"\x91" + part for part in parts]):
        with pytest.raises(SaveError, match=message) as caught:
            loaded(resealed(sections))
        assert type(caught.value) in (SaveCorruptError, SaveLimitError)


def test_one_row_that_fits_is_read() -> None:
    parts = [world(**ONE), TABLE, rows([1], ROW)]
    assert loaded(resealed(section(*parts))).tables[7].rows[0].name == "a"


@pytest.mark.parametrize("key", [2, 9, -1])
def test_a_reference_that_leads_to_nothing_or_another_class_is_refused(
    key: int,
) -> None:
    bags = [bytes(row_schema_of(BAG).description), rows([2], [[0, None], None, []])]
    parts = [world(slots=[1, 2]), TABLE, rows([1], changed(6, key)), *bags]
    with pytest.raises(SaveApplyError, match=r"Actor\.target.* of object #1"):
        loaded(resealed(section(*parts, types("none"))))


def test_errors_name_the_byte() -> None:
    data = resealed(section(world(**ONE), TABLE, rows([1], changed(2, "x"))))
    with pytest.raises(SaveCorruptError) as caught:
        loaded(data)
    assert caught.value.offset == read_header(data).body_offset


def test_the_format_is_what_it_was() -> None:
    """A change of format must be meant."""
    golden = Path(__file__).with_name("golden") / "rich.sav"
    assert golden.read_bytes() == saved(rich(), thumbnail=b"\x89PNG")


def test_the_fingerprint_changes_when_the_saved_classes_do() -> None:
    other = type(REGISTRY)(FORMAT, (ACTOR,))
    assert fingerprint(REGISTRY) == fingerprint(REGISTRY) != fingerprint(other)
    assert METADATA_OFFSET == 72
