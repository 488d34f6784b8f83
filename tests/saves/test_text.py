"""A save as JSON: everything comes back, and nothing but what was exported is accepted."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
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
from savegen.saves.coding import read
from savegen.saves.limits import Limits
from savegen.saves.text import _from_json, _to_json, export, imported
from tests.saves.rows_game import actor, actors, bag, rich, snapshot
from tests.saves.test_file import ABOUT, PICTURE, kinds, plain, loaded, saved
from tests.soaking import examples


def exported(data: bytes) -> bytes:
    return export(read(data))


@kinds
def test_an_imported_save_is_the_exported_one(kind: Any) -> None:
    data = saved(rich(), thumbnail=PICTURE, **kind)
    again = imported(exported(data))
    assert exported(again) == exported(data)
    assert plain(loaded(again)) == plain(loaded(data))


def test_many_rows_come_back() -> None:
    data = saved(actors(2500))
    assert exported(imported(exported(data))) == exported(data)


def test_values_without_a_form_in_json_come_back() -> None:
    odd = [
        math.inf,
        -math.inf,
        math.nan,
        b"bytes",
        {1: 2},
        {"$bytes": "x"},
        -0.0,
        1e300,
        2**70,
        {-(2**64): "\ud800", "\udc80": "é"},
    ]
    rows = [actor(0, stats={"$map": 1, "": 2}, hp=2**64 - 1)]
    found = snapshot(rows, [bag([each]) for each in odd])
    data = saved(found)
    assert exported(imported(exported(data))) == exported(data)
    assert repr(plain(loaded(imported(exported(data))))) == repr(plain(loaded(data)))


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None))
    | st.binary(),
    lambda inner: st.lists(inner)
    | st.dictionaries(st.text() | st.integers() | st.just("$bytes"), inner),
)


@settings(max_examples=examples(100), suppress_health_check=[*HealthCheck])
@given(value=PLAIN)
def test_plain_data_comes_back_type_for_type(value: Any) -> None:
    text = json.dumps(_to_json(value))
    assert repr(_from_json(json.loads(text))) == repr(value)


def test_a_row_is_a_line() -> None:
    lines = exported(saved(actors(3))).decode().splitlines()
    assert sum('"goblin ' in line for line in lines) == 3


def test_a_changed_value_is_in_the_import() -> None:
    text = exported(saved(actors(3))).replace(b'"goblin 1"', b'"orc"')
    assert loaded(imported(text)).tables[7].rows[1].name == "orc"
    spread = text.replace(b"],", b"] ,\r\n ")
    assert imported(spread) == imported(text)


def test_the_metadata_is_in_it() -> None:
    assert json.loads(exported(saved(actors(1))))["metadata"]["title"] == ABOUT.title


CHANGES: dict[str, tuple[Callable[[Any], Any], type[SaveError]]] = {
    "a long int": (lambda f: cells(f).__setitem__(3, 2**70), SaveCorruptError),
    "a lone surrogate": (lambda f: cells(f).__setitem__(2, "\ud800"), SaveCorruptError),
    "a surrogate in a name": (
        lambda f: f["tables"][0].__setitem__("class", "\ud800"),
        SaveCorruptError,
    ),
    "a surrogate in the title": (
        lambda f: f["metadata"].__setitem__("title", "\ud800"),
        SaveError,
    ),
    "a cell too many": (lambda f: cells(f).append(1), SaveCorruptError),
    "a cell too few": (lambda f: cells(f).pop(), SaveCorruptError),
    "no key": (lambda f: cells(f).__setitem__(0, "x"), SaveCorruptError),
    "no row": (lambda f: f["tables"][0]["rows"].append([]), SaveCorruptError),
    "no row of a class without fields": (
        lambda f: f["tables"][0].update(fields=[], rows=[[]]),
        SaveCorruptError,
    ),
    "an unknown form": (
        lambda f: cells(f).__setitem__(1, {"$pickle": "x"}),
        SaveCorruptError,
    ),
    "no base64": (
        lambda f: cells(f).__setitem__(1, {"$bytes": "!"}),
        SaveCorruptError,
    ),
    "a list as a key": (
        lambda f: cells(f).__setitem__(1, {"$map": [[[], 1]]}),
        SaveCorruptError,
    ),
    "half a pair": (
        lambda f: cells(f).__setitem__(1, {"$map": [[1]]}),
        SaveCorruptError,
    ),
    "an unknown key": (lambda f: f.__setitem__("more", 1), SaveCorruptError),
    "an unknown key of the world": (
        lambda f: f["world"].__setitem__("more", 1),
        SaveCorruptError,
    ),
    "a missing part": (lambda f: f.pop("states"), SaveCorruptError),
    "an unknown type": (
        lambda f: f["tables"][0]["fields"][0].__setitem__(2, "os"),
        SaveCorruptError,
    ),
    "a later format": (lambda f: f.__setitem__("savegen", 4), SaveVersionError),
    "an unknown type of a value": (
        lambda f: cells(f).__setitem__(1, {"$typed": ["os", 1]}),
        SaveCorruptError,
    ),
    "a value of another type than it says": (
        lambda f: cells(f).__setitem__(1, {"$typed": ["list<any>", [1]]}),
        SaveCorruptError,
    ),
    "a type that is only in memory": (
        lambda f: cells(f).__setitem__(1, {"$typed": ["live", 1]}),
        SaveCorruptError,
    ),
    "an unknown compression": (
        lambda f: f.__setitem__("compression", "rar"),
        SaveCorruptError,
    ),
    "slots that are none": (
        lambda f: f["world"].__setitem__("slots", [-1]),
        SaveCorruptError,
    ),
}


def cells(found: Any) -> Any:
    return found["tables"][0]["rows"][0]


@pytest.mark.parametrize("name", CHANGES)
def test_what_export_never_writes_is_a_typed_error(name: str) -> None:
    change, kind = CHANGES[name]
    found = json.loads(exported(saved(actors(3))))
    change(found)
    with pytest.raises(kind):
        imported(json.dumps(found).encode())


def test_the_size_is_limited() -> None:
    with pytest.raises(SaveLimitError):
        imported(exported(saved(actors(3))), Limits(size=100))
