"""What players have saved with any release of the sample game loads with today's, and means the same."""

from __future__ import annotations

import json
import shutil
import tomllib
from copy import copy
from pathlib import Path

import pytest

from sample_game._savegen.prefab_info import PREFAB_INFO
from sample_game._savegen.registry import REGISTRY
from savegen import cli
from savegen.runtime import SaveError, SaveLoadManager
from savegen.saves import MemoryStore, SaveSlots, SlotLoadReport
from savegen.saves.coding import read
from savegen.saves.file import read_header, read_thumbnail
from savegen.saves.opening import open_save
from savegen.saves.text import export, imported
from tests.golden import AFTER, GONE, HERE, JOURNAL, LOCK, RELEASES, SAVE, WORLD
from tests.golden.changes import CHANGES, World, as_of_today
from tests.golden.play import BORN, LEVEL, PICTURE, TITLE, Counted, hall, manager_of
from tests.golden.spelling import counted_by_content as counted
from tests.golden.spelling import spelled

GAME = Path(__file__).parents[2] / "sample_game"
OLD = [release for release in RELEASES if release != RELEASES[-1]]
each_release = pytest.mark.parametrize("release", RELEASES)
each_old_release = pytest.mark.parametrize("release", OLD)


def load(release: str, manager: SaveLoadManager) -> SlotLoadReport:
    """Load as a game does that starts anew."""
    slots = SaveSlots(MemoryStore())
    slots.import_(HERE / release / SAVE, "slot")
    return slots.load("slot", manager, levels=lambda _: hall(manager))


def told(release: str, file: str = WORLD) -> World:
    """Return the world as the game that saved it has told of it."""
    text = (HERE / release / file).read_text(encoding="utf-8")
    pairs = (line.split(" = ", 1) for line in text.splitlines())
    return {what: how for what, how in pairs}


@each_release
def test_a_save_of_each_release_loads_and_means_the_same(release: str) -> None:
    manager = manager_of()
    state = Counted(manager)
    report = load(release, manager)
    assert counted(spelled(manager)) == counted(as_of_today(told(release), release))
    assert state.born == BORN
    assert report.is_newest and not report.notes
    assert not (report.mismatches or report.lost or report.preserved)


@each_release
def test_a_journal_of_each_release_leads_on_from_its_save(
    release: str, tmp_path: Path
) -> None:
    kept = HERE / release
    (tmp_path / "auto").mkdir()
    shutil.copy(kept / SAVE, tmp_path / "auto" / "1.sav")
    shutil.copy(kept / JOURNAL, tmp_path / "auto" / "1.journal")
    manager = manager_of()
    Counted(manager)
    SaveSlots(tmp_path).load("auto", manager, levels=lambda _: hall(manager))
    after = told(release) | told(release, AFTER)
    world = {what: how for what, how in after.items() if how != GONE}
    assert (
        counted(spelled(manager))
        == counted(as_of_today(world, release))
        != counted(as_of_today(told(release), release))
    )


@each_release
def test_a_release_is_saved_anew_without_a_change(release: str) -> None:
    manager = manager_of()
    Counted(manager)
    load(release, manager)
    words, digest = spelled(manager), manager.create_snapshot().digest()
    slots = SaveSlots(MemoryStore())
    slots.save("slot", manager, level=LEVEL)
    again = manager_of()
    Counted(again)
    report = slots.load("slot", again, levels=lambda _: hall(again))
    assert not report.migrations
    assert spelled(again) == words
    assert again.create_snapshot().digest() == digest


@each_release
def test_loading_a_release_leaves_its_file_as_it_is(release: str) -> None:
    before = (HERE / release / SAVE).read_bytes()
    manager = manager_of()
    Counted(manager)
    load(release, manager)
    assert (HERE / release / SAVE).read_bytes() == before


@each_release
def test_the_list_shows_a_save_of_each_release_without_the_game(release: str) -> None:
    data = (HERE / release / SAVE).read_bytes()
    about = read_header(data).metadata
    assert (about.title, about.level, about.playtime) == (TITLE, LEVEL, 61.5)
    assert about.game_version == release
    assert about.save_version == read(data).body.world.save_version
    assert read_thumbnail(data) == PICTURE


@each_release
def test_show_counts_the_objects_of_then_and_a_load_those_of_today(
    release: str, capsys: pytest.CaptureFixture[str]
) -> None:
    world = told(release)
    path = str(HERE / release / SAVE)
    assert cli.run(["saves", "show", path, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["objects"] == objects_in(world)
    today = objects_in(as_of_today(world, release))
    assert load(release, manager_of()).objects == today


def objects_in(world: World) -> int:
    """Return how many objects are no part of another."""
    things = {line.partition(".")[0] for line in world}
    parts = [how for line, how in world.items() if line.endswith(".parts")]
    return len(things - {part for how in parts for part in how.strip("[]").split(", ")})


@each_release
def test_an_export_of_each_release_is_imported_with_the_same_content(
    release: str, tmp_path: Path
) -> None:
    save = tmp_path / SAVE
    shutil.copy(
        HERE / release / SAVE, save
    )  # without its journal, which is exported too
    found = open_save(str(save))
    exported = export(found)
    save.write_bytes(imported(exported))
    assert export(open_save(str(save))) == exported


@each_old_release
def test_each_migration_since_a_release_is_applied(release: str) -> None:
    manager = manager_of()
    Counted(manager)
    saved = read_header((HERE / release / SAVE).read_bytes()).metadata.save_version
    report = load(release, manager)
    assert report.migrations == (*range(saved + 1, REGISTRY.save_version + 1),)


@each_release
def test_breaking_has_no_error_against_a_release(
    release: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(GAME)
    assert cli.run(["breaking", "--against", str(HERE / release)]) == 0


@each_old_release
def test_without_its_migrations_the_game_would_refuse_an_old_release(
    release: str,
) -> None:
    """The control: what the tests above show is the work of the migrations."""
    unmigrated = copy(REGISTRY)
    unmigrated.migrations = ()
    manager = SaveLoadManager(unmigrated, PREFAB_INFO)
    Counted(manager)
    before = manager.create_snapshot().digest()
    with pytest.raises(SaveError):
        load(release, manager)
    assert manager.create_snapshot().digest() == before


@each_old_release
def test_an_old_release_is_not_what_today_is(release: str) -> None:
    """The control: a load that changed nothing would be found."""
    assert as_of_today(told(release), release) != told(release)


def test_what_the_game_saves_today_is_kept_for_later() -> None:
    about = tomllib.loads((GAME / "pyproject.toml").read_text(encoding="utf-8"))
    today = ".".join(about["project"]["version"].split(".")[:2])
    assert RELEASES[-1] == today, f"run `python -m tests.golden --record {today}`"


def test_there_are_enough_releases_and_each_differs_from_the_others() -> None:
    locks = {(HERE / release / LOCK).read_bytes() for release in RELEASES}
    assert len(locks) == len(RELEASES) >= 5
    assert [*CHANGES] == RELEASES[1:]
