"""In a folder of slots, savegen touches nothing but its own files, and nothing of others stops it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.promises.door import Autosave, SaveError, promised
from tests.promises.games import Game, Play, Slot

GAME = """
@saveable
class Hero:
    hp: Saved[int] = 10
    name: Saved[str] = ""
"""
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="pipes and links of POSIX")


def saved(play: Play, slot: Slot, times: int = 2) -> Any:
    """Save a hero with the hp 1, 2, 3 …; return the manager."""
    manager = play.manager()
    hero = manager.add(play.game.Hero())
    for hp in range(1, times + 1):
        hero.hp = hp
        slot.save(manager)
    return manager


def loaded_hp(play: Play, slot: Slot) -> tuple[int, Any]:
    """Load; return the hp of the hero, and what the load has returned."""
    manager = play.manager()
    with promised("a good save loads"):
        loaded = slot.load(manager)
    (hero,) = manager.find(play.game.Hero)
    return hero.hp, loaded


def set_hp(manager: Any, hp: int) -> None:
    (hero,) = manager.objects
    hero.hp = hp


# -- files of others

OTHERS = {
    "a text": "notes.txt",
    "a temporary file": "notes.tmp",
    "a temporary file like a save": "my.sav.tmp",
    "a hidden file": ".DS_Store",
    "a save of another name": "old.sav",
    "another number": "01.sav",
    "a journal of another name": "mine.journal",
}


@pytest.mark.parametrize(
    "name",
    OTHERS.values(),
    ids=[*OTHERS],
)
def test_files_of_others_stay(play: Play, slot: Slot, name: str) -> None:
    manager = saved(play, slot)
    for folder in (slot.folder, slot.folder.parent):
        (folder / name).write_text("mine")
    for hp in range(3, 8):
        set_hp(manager, hp)
        slot.save(manager)
    slot.slots.list(verify=True)
    slot.load(manager)
    for folder in (slot.folder, slot.folder.parent):
        assert (folder / name).exists(), "it was removed"
        assert (folder / name).read_text() == "mine"


# -- what bears the name of a save, and is none


def make_folder(path: Path) -> None:
    path.mkdir()
    (path / "mine").write_text("mine")


def make_link(path: Path) -> None:
    outside = path.parents[2] / "outside.sav"
    outside.write_text("not a save")
    path.symlink_to(outside)


def make_lost_link(path: Path) -> None:
    path.symlink_to(path.parents[2] / "nothing")


STRANGE = {
    "folder": make_folder,
    "pipe": os.mkfifo,
    "link": make_link,
    "lost link": make_lost_link,
}


@POSIX
@pytest.mark.parametrize(
    "make",
    STRANGE.values(),
    ids=[*STRANGE],
)
def test_saving_goes_on_beside_what_bears_the_next_name(
    play: Play, slot: Slot, make: Any
) -> None:
    manager = saved(play, slot)
    make(slot.folder / "3.sav")
    set_hp(manager, 7)
    with promised("saving goes on"):
        info = slot.save(manager)
    assert info.generation > 3
    assert loaded_hp(play, slot)[0] == 7
    assert os.path.lexists(slot.folder / "3.sav"), "it is not ours to remove"


@POSIX
@pytest.mark.parametrize(
    "make",
    STRANGE.values(),
    ids=[*STRANGE],
)
def test_loading_passes_over_what_bears_the_newest_name(
    play: Play, slot: Slot, make: Any
) -> None:
    saved(play, slot)
    make(slot.folder / "3.sav")
    hp, _ = loaded_hp(play, slot)
    assert hp == 2
    listed = {info.slot: info.generation for info in slot.slots.list(verify=True)}
    assert listed == {"slot": 2}


@POSIX
def test_a_load_reports_what_it_has_passed_over(play: Play, slot: Slot) -> None:
    saved(play, slot)
    make_folder(slot.folder / "3.sav")
    _, loaded = loaded_hp(play, slot)
    assert any("3.sav" in note for note in loaded.notes)


@POSIX
@pytest.mark.parametrize(
    "make",
    [STRANGE["folder"], STRANGE["pipe"]],
    ids=["folder", "pipe"],
)
def test_loading_passes_over_what_bears_the_name_of_a_journal(
    play: Play, slot: Slot, make: Any
) -> None:
    saved(play, slot)
    make(slot.folder / "2.journal")
    hp, loaded = loaded_hp(play, slot)
    assert hp == 2
    assert any("2.journal" in note for note in loaded.notes)


# -- links


@POSIX
def test_a_slot_that_is_a_link_is_no_slot(
    play: Play, slot: Slot, tmp_path: Path
) -> None:
    manager = saved(play, slot)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "1.sav").write_bytes((slot.folder / "1.sav").read_bytes())
    (slot.folder.parent / "linked").symlink_to(outside)
    before = sorted(os.listdir(outside))
    assert [info.slot for info in slot.slots.list()] == ["slot"]
    for step in (
        lambda: slot.slots.load("linked", play.manager()),
        lambda: slot.slots.save("linked", manager),
        lambda: slot.slots.delete("linked"),
    ):
        with pytest.raises(SaveError):
            step()
    assert sorted(os.listdir(outside)) == before


@POSIX
def test_a_save_that_is_a_link_is_not_read(
    play: Play, slot: Slot, tmp_path: Path
) -> None:
    saved(play, slot)
    outside = tmp_path / "outside.sav"
    outside.write_bytes((slot.folder / "1.sav").read_bytes())
    (slot.folder / "9.sav").symlink_to(outside)
    hp, loaded = loaded_hp(play, slot)
    assert hp == 2
    assert any("9.sav" in note for note in loaded.notes)


@POSIX
def test_a_journal_that_is_a_link_is_not_written_through(
    play: Play, slot: Slot, tmp_path: Path
) -> None:
    manager = play.manager()
    for number in range(30):
        manager.add(play.game.Hero()).name = f"hero {number} of a large save"
    autosave = Autosave(slot.slots, manager, slot="slot")
    autosave.record()
    outside = tmp_path / "outside"
    outside.write_bytes(b"mine")
    (slot.folder / "1.journal").symlink_to(outside)
    manager.objects[0].hp = 77
    try:
        autosave.record()
    except SaveError:
        pass
    assert outside.read_bytes() == b"mine"


@POSIX
def test_the_folder_itself_may_be_a_link(play: Play, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "saves").symlink_to(tmp_path / "real")
    slot = Slot(tmp_path / "saves")
    saved(play, slot)
    assert loaded_hp(play, slot)[0] == 2
    assert (tmp_path / "real" / "slot" / "2.sav").exists()


# -- a new lineage


def test_three_generations_are_kept(play: Play, slot: Slot) -> None:
    saved(play, slot, 6)
    assert slot.files == ["4.sav", "5.sav", "6.sav"]


def test_a_new_lineage_keeps_the_saves_of_the_one_before(
    play: Play, slot: Slot
) -> None:
    manager = saved(play, slot, 4)
    slot.save(manager, new_lineage=True)
    assert {"3.sav", "4.sav", "5.sav"} <= {*slot.files}


def test_the_saves_of_a_lost_lineage_go_in_the_end(play: Play, slot: Slot) -> None:
    manager = saved(play, slot, 4)
    slot.save(manager, new_lineage=True)
    for _ in range(5):
        slot.save(manager)
    assert {"8.sav", "9.sav", "10.sav"} <= {*slot.files}
    assert len(slot.files) <= 6


def test_after_a_failed_load_a_new_lineage_keeps_the_file_that_did_not_load(
    play: Play, slot: Slot
) -> None:
    manager = saved(play, slot, 1)
    manager.after_load.append(lambda: 1 / 0)
    with pytest.raises(SaveError):
        slot.load(manager)
    with pytest.raises(SaveError, match="new_lineage"):
        slot.save(manager)
    slot.save(manager, new_lineage=True)
    assert slot.files == ["1.sav", "2.sav"]


# -- verify


@pytest.fixture
def journaled(game: Game, tmp_path: Path) -> Iterator[tuple[Slot, Path]]:
    """Return a slot with a save and a journal of three records, and the journal."""
    slot = Slot(tmp_path / "saves")
    with game.playing() as play:
        manager = play.manager()
        heroes = [manager.add(play.game.Hero()) for _ in range(200)]
        for number, hero in enumerate(heroes):
            hero.name = f"hero {number} of a save that is larger than its journal"
        autosave = Autosave(slot.slots, manager, slot="slot")
        for hp in range(4):
            heroes[0].hp = hp
            autosave.record()
        if slot.files != ["1.journal", "1.sav"]:
            raise RuntimeError(f"there are {slot.files}")
        yield slot, slot.folder / "1.journal"


def verified(game: Game, slot: Slot) -> tuple[int, str]:
    return game.command("saves", "verify", str(slot.folder), code=None)


def test_a_whole_journal_is_whole(game: Game, journaled: tuple[Slot, Path]) -> None:
    slot, _ = journaled
    assert verified(game, slot)[0] == 0


def damage_first(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 6] ^= 1
    path.write_bytes(bytes(data))


def fill(path: Path) -> None:
    path.write_bytes(b"not a journal" * 100)


def cut_the_last(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-3])


def turn_into_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGED = {
    "a bit in a record before others": damage_first,
    "other bytes": fill,
}
ODD = {
    "the last record is cut off": cut_the_last,
    "a folder": turn_into_a_folder,
}


@pytest.mark.parametrize("change", DAMAGED.values(), ids=[*DAMAGED])
def test_verify_calls_a_damaged_journal_damaged(
    game: Game, journaled: tuple[Slot, Path], change: Any
) -> None:
    slot, journal = journaled
    change(journal)
    code, text = verified(game, slot)
    assert code == 1 and "1.journal" in text


@pytest.mark.parametrize("change", ODD.values(), ids=[*ODD])
def test_verify_mentions_a_journal_that_is_not_read_to_its_end(
    game: Game, journaled: tuple[Slot, Path], change: Any
) -> None:
    slot, journal = journaled
    change(journal)
    assert "1.journal" in verified(game, slot)[1]
