"""A slot's name is a folder's on every system, and leads nowhere else."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from savegen.runtime import SaveError
from savegen.saves.slots.names import check_distinct, is_slot_name, slot_name

GOOD = [
    "slot-1",
    "a",
    "7",
    "Chapter 2.1",
    "quick_save",
    "été",
    "Ωmega",
    "存档",
    "セーブ",
    "เซฟ",
]
GOOD += ["सहेजें", "_x", "console", "com10", "nullify", "x.con", "a" * 64]
BAD = [
    "",
    ".",
    "..",
    "../x",
    "a/b",
    "a\\b",
    "C:",
    "/etc",
    "~",
    "x\0y",
    "x\ny",
    ".hidden",
    "end.",
]
BAD += [
    "end ",
    " start",
    "-flag",
    "a*b",
    "a?b",
    'a"b',
    "a<b",
    "a|b",
    "a:b",
    "x\u202ey",
    "x\u200by",
]
BAD += [
    "CON",
    "con",
    "nul",
    "Aux.txt",
    "COM1",
    "lpt9.sav",
    "con .x",
    "CONIN",
    "a" * 65,
    "存" * 60,
]
BAD += ["\ud800", "\u3164", "x\ufe0f", "x\u00a0y", "½", "😀", "%2e%2e", "a\u2044b", "²"]


@pytest.mark.parametrize("name", GOOD)
def test_letters_of_any_script_make_a_name(name: str) -> None:
    assert slot_name(name) == name and is_slot_name(name)


@pytest.mark.parametrize("name", BAD, ids=ascii)
def test_what_is_no_folder_of_its_own_everywhere_is_refused(name: str) -> None:
    assert not is_slot_name(name)
    with pytest.raises(SaveError, match="a slot cannot be called"):
        slot_name(name)


@pytest.mark.parametrize("name", [None, 1, b"slot", ("a",)])
def test_a_name_is_a_text(name) -> None:
    with pytest.raises(SaveError, match="the name of a slot must be a str"):
        slot_name(name)


def test_letters_with_marks_are_spelled_in_one_way() -> None:
    apart = unicodedata.normalize("NFD", "Zoë")
    assert apart != "Zoë" and slot_name(apart) == "Zoë" and not is_slot_name(apart)


@pytest.mark.parametrize(
    ("name", "other"),
    [("slot", "Slot"), ("Straße", "STRASSE"), ("Σας", "ΣΑΣ"), ("K", "\u212a")],
)
def test_names_that_some_systems_take_for_one_are_refused(
    name: str, other: str
) -> None:
    with pytest.raises(
        SaveError, match="some systems do not distinguish the two names"
    ):
        check_distinct(name, ["else", other])
    check_distinct(name, [name, "else"])


@given(st.text(max_size=12))
def test_a_name_is_refused_or_a_single_part_of_a_path(name: str) -> None:
    try:
        found = slot_name(name)
    except SaveError:
        return
    assert not set(found) & set('/\\:*?"<>|\0') and found.strip(" .") == found != ""
    assert slot_name(found) == found
