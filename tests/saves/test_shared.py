"""One object that all slots share, such as the settings of a player."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from savegen.runtime import (
    GameObject,
    SaveApplyError,
    SaveError,
    SaveLoadManager,
    SaveVersionError,
    SaveWriteError,
)
from savegen.runtime.generated.registry import Registry
from savegen.saves import FolderStore, MemoryStore, SaveSlots, SharedSave
from savegen.saves.stores.store import Store
from tests.project import ENVIRONMENT, Project, mypy, savegen
from tests.saves import virtual
from tests.saves.test_background import Gated
from tests.saves.test_stores import STORES
from tests.saves.virtual import ROOT, Patch, VirtualDisk, failing_at


class Copy:
    """One running copy of a game, whose settings are a unit."""

    def __init__(
        self, game: ModuleType, registry: Registry, store: Any, merge: Any = None
    ) -> None:
        self.slots = SaveSlots(store)
        self.given = game.Unit(80)  # the default
        self.shared: SharedSave[Any] = self.slots.shared(
            "settings", self.given, registry, merge=merge
        )

    @property
    def hp(self) -> int:
        return self.shared.value.hp

    def save(self, hp: int) -> tuple[str, ...]:
        """Change a setting and save it; return the notes."""
        self.shared.value.hp = hp
        return self.shared.save().info.notes


def added(mine: Any, theirs: Any) -> Any:
    mine.hp += theirs.hp
    return mine


def highest(mine: Any, theirs: Any) -> Any:
    mine.hp = max(mine.hp, theirs.hp)
    return mine


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path, use: Patch) -> Store:
    if request.param == "virtual folder":
        use(VirtualDisk())
    return STORES[request.param](tmp_path)


@pytest.fixture
def copy(game: ModuleType, registry: Registry) -> Callable[..., Copy]:
    return lambda store, merge=None: Copy(game, registry, store, merge)


def test_a_shared_object_is_loaded_into_the_one_with_the_defaults(
    copy: Callable[..., Copy], store: Store
) -> None:
    first = copy(store)
    assert first.hp == 80 and first.shared.report is None and not first.shared.notes
    first.save(30)
    second = copy(store)
    assert second.hp == 30 and second.shared.value is second.given
    assert second.shared.report and second.shared.report.info.generation == 1


def test_it_is_in_no_list_and_has_generations(
    copy: Callable[..., Copy], game: ModuleType, registry: Registry, store: Store
) -> None:
    running = copy(store)
    for hp in range(5):
        running.save(hp)
    manager = SaveLoadManager(registry)
    manager.add(game.Unit(1))
    running.slots.save("settings", manager)
    running.slots.quick(manager)
    assert [info.slot for info in running.slots.list()] == ["quick-1", "settings"]
    assert running.slots.trash() == []
    inside = store.within("_shared").names()
    assert inside == [f"settings/{n}.sav" for n in (3, 4, 5)]
    running.slots.load("settings", manager)
    assert [unit.hp for unit in manager.find(game.Unit)] == [1]
    assert copy(store).hp == 4


def test_its_folder_is_that_of_no_slot(
    copy: Callable[..., Copy], manager: SaveLoadManager, tmp_path: Path
) -> None:
    running = copy(tmp_path)
    running.save(3)
    assert (tmp_path / "_shared/settings/1.sav").is_file()
    for name in ("_shared", "_SHARED"):
        with pytest.raises(SaveError, match="all slots share"):
            running.slots.save(name, manager)
    for wrong in ("../x", "", "a/b", "CON"):
        with pytest.raises(SaveError, match="a shared save cannot be called"):
            running.slots.shared(wrong, running.given, manager)


def test_what_it_refers_to_is_saved_with_it(
    game: ModuleType, registry: Registry, copy: Callable[..., Copy]
) -> None:
    store = MemoryStore()
    running = copy(store)
    running.shared.value.foe = game.Unit(7)
    running.shared.save()
    manager = SaveLoadManager(registry)
    value = SaveSlots(store).shared("settings", game.Unit(1), manager).value
    assert value.foe.hp == 7 and len(manager) == 0, "the world has no part in it"


def test_two_names_are_two_saves(game: ModuleType, registry: Registry) -> None:
    slots = SaveSlots(MemoryStore())
    for name in ("settings", "achievements"):
        shared = slots.shared(name, game.Unit(1), registry)
        shared.value.hp = len(name)
        shared.save()
    assert slots.shared("settings", game.Unit(1), registry).value.hp == 8
    assert slots.shared("achievements", game.Unit(1), registry).value.hp == 12


def test_it_is_saved_in_the_background(copy: Callable[..., Copy], store: Store) -> None:
    running = copy(store)
    for hp in range(1, 5):
        running.shared.value.hp = hp
        saving = running.shared.save_in_background()
    running.shared.value.hp = 99
    running.slots.wait()
    last = saving.result().generation
    assert saving.done() and last <= 4, "of those that wait, the newest is written"
    assert running.shared.notes == () and copy(store).hp == 4

    async def scene() -> int:
        return (await running.shared.save_in_background()).generation

    assert asyncio.run(scene()) == last + 1 and copy(store).hp == 99


def test_commands_show_and_verify_it(
    copy: Callable[..., Copy], tmp_path: Path, manager: SaveLoadManager
) -> None:
    running = copy(tmp_path / "saves")
    running.save(30)
    running.slots.save("one", manager)
    for words, shown in (
        (("list", "saves"), "one"),
        (("list", "saves/_shared"), "settings"),
        (("show", "saves/_shared/settings", "Unit"), "30"),
        (("verify", "saves"), "2 saves, none damaged"),
    ):
        said = savegen(tmp_path, "saves", *words, together=True)
        assert said.code == 0 and shown in said.out, said
    assert "settings" not in savegen(tmp_path, "saves", "list", "saves").out


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_in_place_of_its_folder_is_not_followed(
    copy: Callable[..., Copy], tmp_path: Path
) -> None:
    copy(tmp_path / "other").save(30)
    (tmp_path / "saves").mkdir()
    (tmp_path / "saves/_shared").symlink_to(tmp_path / "other/_shared")
    running = copy(tmp_path / "saves")
    assert running.hp == 80
    with pytest.raises(SaveWriteError, match="symbolic link"):
        running.shared.save()
    assert [each.name for each in tmp_path.glob("other/_shared/settings/*")] == [
        "1.sav"
    ]


# -- damage, and what cannot be loaded


def damage(store: MemoryStore, name: str) -> bytes:
    """Change a byte of a file in its middle; return the file as it is then."""
    (full,) = [each for each in store.names() if each.endswith(name)]
    data = bytearray(store.read(full))
    data[-30] ^= 1
    store._files[full] = bytes(data)
    return bytes(data)


@pytest.mark.parametrize("merge", [None, added])
def test_a_damaged_save_gives_the_one_before_it_and_stays(
    copy: Callable[..., Copy], merge: Any
) -> None:
    store = MemoryStore()
    for hp in (1, 2):
        copy(store).save(hp)
    damaged = damage(store, "settings/2.sav")
    running = copy(store, merge)
    assert running.hp == 1
    assert "2.sav" in running.shared.notes[0] and len(running.shared.notes) == 1
    assert running.save(5) == ()
    assert damaged in store._files.values()
    assert copy(store, merge).hp == 5


@pytest.mark.parametrize("merge", [None, added])
def test_if_all_are_damaged_the_defaults_are_used_and_nothing_is_lost(
    copy: Callable[..., Copy], merge: Any
) -> None:
    store = MemoryStore()
    copy(store).save(1)
    damaged = damage(store, "settings/1.sav")
    running = copy(store, merge)
    assert running.hp == 80 and running.shared.report is None
    (note,) = running.shared.notes
    assert "no save in 'settings' can be read" in note and "the defaults" in note
    assert running.save(5) == () and running.save(6) == ()
    assert damaged in store._files.values()
    again = copy(store, merge)
    assert again.hp == 6 and again.shared.notes == ()


def test_a_save_of_a_newer_game_is_refused_without_advice_for_slots(
    copy: Callable[..., Copy],
) -> None:
    store = MemoryStore()
    for hp in (1, 2):
        copy(store).save(hp)
    newest = store._files["_shared~settings/2.sav"]
    newer = newest[:8] + b"\x09" + newest[9:]
    store._files["_shared~settings/2.sav"] = newer
    with pytest.raises(
        SaveVersionError, match=r"settings/2.sav: .* format 9"
    ) as caught:
        copy(store)
    assert "generation=" not in str(caught.value)
    assert newer in store._files.values()


def test_a_save_of_another_class_is_refused(
    game: ModuleType, registry: Registry, copy: Callable[..., Copy]
) -> None:
    store = MemoryStore()
    copy(store).save(1)
    boss = game.Coin(1, game.Unit(1))
    with pytest.raises(SaveApplyError, match="'settings' does not hold a Coin"):
        SaveSlots(store).shared("settings", boss, registry)
    assert copy(store).hp == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((12, None), "an int cannot be saved"),
        ((GameObject(), None), "a `GameObject` cannot be shared"),
        (("unit", "registry"), "`registry` must be the generated `REGISTRY`"),
    ],
)
def test_wrong_arguments_are_refused(
    game: ModuleType, registry: Registry, arguments: Any, message: str
) -> None:
    value, other = arguments
    value = game.Unit(1) if value == "unit" else value
    with pytest.raises(SaveError, match=message):
        SaveSlots(MemoryStore()).shared("settings", value, other or registry)
    with pytest.raises(SaveError, match="`merge` must be a function"):
        SaveSlots(MemoryStore()).shared("x", game.Unit(1), registry, merge=7)  # type: ignore[arg-type]


# -- two copies of the game


def test_merge_runs_only_if_another_copy_has_saved(
    copy: Callable[..., Copy], store: Store
) -> None:
    calls = []

    def merge(mine: Any, theirs: Any) -> Any:
        calls.append((mine.hp, theirs.hp))
        return added(mine, theirs)

    one = copy(store, merge)
    for hp in (1, 2):
        one.save(hp)
    other = copy(store, merge)
    other.save(10)
    assert calls == []
    one.shared.value.hp = 5
    report = one.shared.save()
    assert calls == [(5, 10)] and one.hp == 15 and report.info.notes == ()
    assert not report.info.diverged and one.shared.value is one.given
    one.save(16)
    assert calls == [(5, 10)] and copy(store, merge).hp == 16
    other.save(10)
    assert calls == [(5, 10), (10, 16)] and other.hp == 26
    assert copy(store, merge).hp == 26 and len(calls) == 2


def test_the_first_saves_of_two_copies_are_merged(
    copy: Callable[..., Copy], store: Store
) -> None:
    one, other = copy(store, added), copy(store, added)
    for n in range(4):
        one.save(one.hp + 1)
        other.save(other.hp + 1)
    assert other.hp > 4 * 80 and copy(store, added).hp == other.hp


def test_without_merge_the_other_save_stays_and_a_note_names_it(
    copy: Callable[..., Copy],
) -> None:
    store = MemoryStore()
    copy(store).save(1)
    one, other = copy(store), copy(store)
    other.save(2)
    theirs = store.within("_shared").read("settings/2.sav")
    (note,) = one.save(3)
    assert "settings/2.sav was saved by another copy of the game" in note
    for hp in range(4, 9):
        assert one.save(hp) == (), "it is told once"
    assert theirs in store._files.values() and copy(store).hp == 8


def test_a_save_in_the_background_is_merged_too(copy: Callable[..., Copy]) -> None:
    store = MemoryStore()
    one, other = copy(store, added), copy(store, added)
    one.save(1)
    other.shared.value.hp = 2
    other.shared.save_in_background()
    assert other.hp == 3, "before it returns"
    other.slots.wait()
    one.shared.save_in_background()
    one.slots.wait()
    assert one.hp == 4 == copy(store, added).hp


class Full(Gated):
    """A gate before a disk that may be full."""

    is_full = False

    def write(self, name: str, pieces: Any, confirm: Any = None) -> None:
        def check() -> None:
            if self.is_full:
                raise SaveWriteError(errno.ENOSPC, f"writing {name}", False, "full")
            if confirm is not None:
                confirm()

        super().write(name, pieces, check)


@pytest.mark.parametrize("merge", [None, added])
@pytest.mark.parametrize("fails", [False, True])
def test_no_call_waits_for_a_save_in_the_background(
    copy: Callable[..., Copy], merge: Any, fails: bool
) -> None:
    store = Full()
    running = copy(store, merge)
    savings = []
    for hp in range(4):
        running.shared.value.hp = hp
        savings.append(running.shared.save_in_background())
        store.has_begun.wait()
    assert not any(saving.done() for saving in savings)
    store.is_full = fails
    store.open()
    running.slots.wait()
    assert fails or copy(store, merge).hp == 3
    store.is_full = False
    assert running.save(5) == () and running.shared.notes == ()
    assert copy(store, merge).hp == 5, "its own saves are not merged"


def test_two_objects_of_one_name_in_a_game_are_merged_like_two_games(
    game: ModuleType, registry: Registry, store: Store
) -> None:
    slots = SaveSlots(store)
    one, other = (
        slots.shared("settings", game.Unit(0), registry, merge=highest)
        for _ in range(2)
    )
    for hp in range(1, 30):
        one.value.hp = max(one.value.hp, hp if hp < 20 else 0)
        one.save_in_background()
        other.save_in_background()
    slots.wait()
    again = slots.shared("settings", game.Unit(0), registry, merge=highest)
    assert again.value.hp == 19


def test_what_two_machines_saved_is_merged_when_it_is_loaded(
    copy: Callable[..., Copy], tmp_path: Path
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    copy(here).save(1)
    shutil.copytree(here, there)
    copy(here).save(10)
    copy(there).save(100)
    settings = here / "_shared/settings"
    # A synchronisation program has found two files of one name.
    shutil.copy(there / "_shared/settings/2.sav", settings / "2 (conflict).sav")
    merged = copy(here, added)
    assert merged.hp == 110
    (settings / "2 (conflict).sav").read_bytes()  # files of others are not removed
    again = copy(here, added)
    assert again.hp == 110 and again.shared.notes == ()
    again.save(111)
    for hp in range(112, 118):
        again.save(hp)
    assert copy(here, added).hp == 117, "the copy is not merged again"


def test_several_copies_of_one_file_are_merged_once(
    copy: Callable[..., Copy], tmp_path: Path
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    copy(here).save(1)
    shutil.copytree(here, there)
    copy(here).save(10)
    copy(there).save(100)
    for name in ("2 (conflict)", "2 (1)", "2.sync-conflict-PC"):
        theirs = there / "_shared/settings/2.sav"
        shutil.copy(theirs, here / f"_shared/settings/{name}.sav")
    assert copy(here, added).hp == 110 == copy(here, added).hp


@pytest.mark.parametrize("fault", ["raises", "other class"])
def test_a_merge_that_fails_changes_and_saves_nothing(
    game: ModuleType, copy: Callable[..., Copy], fault: str
) -> None:
    def merge(mine: Any, theirs: Any) -> Any:
        mine.hp = theirs.hp = 0
        if fault == "raises":
            raise ValueError("what a thing")
        return None

    store = MemoryStore()
    one, other = copy(store, merge), copy(store)
    other.save(2)
    one.shared.value.hp = 3
    message = "`merge` (raised ValueError: what a thing|must return a Unit, but returned nothing)"
    with pytest.raises(SaveApplyError, match=message):
        one.shared.save()
    assert one.hp == 3 and copy(store).hp == 2


def test_a_save_of_another_copy_that_is_damaged_is_noted_and_left(
    copy: Callable[..., Copy],
) -> None:
    store = MemoryStore()
    one, other = copy(store, added), copy(store)
    other.save(2)
    damage(store, "settings/1.sav")
    one.save(3)
    assert one.hp == 3
    (note,) = one.shared.notes
    assert "settings/1.sav could not be merged" in note
    one.save(4)
    assert len(one.shared.notes) == 1


def test_processes_that_save_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    game = """
        from savegen import Saved, saveable

        @saveable
        class Achievements:
            names: Saved[set[str]]

            def __init__(self):
                self.names = set()
    """
    play = """
        import sys
        from _savegen.registry import REGISTRY
        from game import Achievements
        from savegen.saves import SaveSlots, SlotBusyError

        def union(mine, theirs):
            mine.names |= theirs.names
            return mine

        slots = SaveSlots("saves")
        shared = slots.shared("achievements", Achievements(), REGISTRY, merge=union)
        for number in range(40):
            shared.value.names.add(f"{sys.argv[1]} {number}")
            try:
                shared.save() if number % 3 else shared.save_in_background()
            except SlotBusyError:
                pass  # the machine is busy; the next one saves it
        while True:
            try:
                shared.save()
                break
            except SlotBusyError:
                pass
        if sys.argv[1] == "last":
            print(len(shared.value.names), *shared.notes)
    """
    project = Project(tmp_path, {"game.py": game, "play.py": play})
    project.run("-m", "savegen", "wire", "game.py")
    project.components("game.py")
    games = [
        subprocess.Popen(
            [sys.executable, "play.py", str(n)],
            cwd=tmp_path,
            env={**os.environ, **ENVIRONMENT},
        )
        for n in range(3)
    ]
    assert [each.wait(200) for each in games] == [0, 0, 0]
    assert project.run("play.py", "last") == "160\n"


# -- power cuts and full disks


def play_on(game: ModuleType, registry: Registry, reached: list[int]) -> None:
    running = Copy(game, registry, FolderStore(ROOT))
    for hp in range(1, 6):
        running.save(hp)
        reached[0] = hp


def state_of(game: ModuleType, registry: Registry) -> int:
    found = Copy(game, registry, FolderStore(ROOT), added)
    return found.hp if found.shared.report else 0


def test_a_power_cut_at_any_operation_loses_nothing(
    game: ModuleType, registry: Registry, use: Patch
) -> None:
    reached = [0]

    def start() -> tuple[VirtualDisk, Callable[[], object]]:
        reached[0] = 0
        return use(VirtualDisk()), lambda: play_on(game, registry, reached)

    for outcome, _ in virtual.cuts(start):
        use(outcome)
        assert state_of(game, registry) in (reached[0], reached[0] + 1)


@pytest.mark.parametrize("sticky", [False, True])
def test_an_error_at_any_operation_is_told_and_loses_nothing(
    game: ModuleType, registry: Registry, use: Patch, sticky: bool
) -> None:
    whole = use(VirtualDisk())
    play_on(game, registry, [0])
    told = 0
    for number in range(1, len(whole.log) + 1):
        full, reached = use(VirtualDisk()), [0]
        full.before = failing_at(number, errno.ENOSPC, sticky)
        is_stored = False
        try:
            play_on(game, registry, reached)
        except SaveError as raised:
            told += isinstance(raised, SaveWriteError)
            is_stored = isinstance(raised, SaveWriteError) and raised.committed
        full.before = virtual.nothing
        assert state_of(game, registry) in (reached[0], reached[0] + is_stored)
        assert not full.opened, "a descriptor is left"
    assert told


def test_an_error_in_between_does_not_make_a_game_merge_its_own_saves(
    game: ModuleType, registry: Registry, use: Patch
) -> None:
    def play(system: VirtualDisk, number: int) -> tuple[int, int]:
        """Return the number of operations, and what is saved in the end."""
        running = Copy(game, registry, FolderStore(ROOT), added)
        first = len(system.log)
        system.before = failing_at(first + number, errno.EIO, False)
        for hp in range(1, 5):
            running.shared.value.hp = hp
            try:
                if hp % 2:
                    running.shared.save()
                else:
                    running.shared.save_in_background()
                    running.slots.wait()
            except SaveError:
                pass
            assert running.hp == hp
        system.before = virtual.nothing
        running.shared.save()
        assert running.hp == 4
        return (
            len(system.log) - first,
            Copy(game, registry, FolderStore(ROOT), added).hp,
        )

    count, _ = play(use(VirtualDisk()), 0)
    for number in range(1, count + 1):
        assert play(use(VirtualDisk()), number)[1] == 4


def test_what_was_merged_is_not_merged_again_though_the_disk_was_full(
    copy: Callable[..., Copy], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = MemoryStore()
    one, other = copy(store, added), copy(store, added)
    one.save(1)

    def fail(*arguments: Any) -> None:
        raise SaveWriteError(errno.ENOSPC, "writing", False, "the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(store, "write", fail)
        other.shared.value.hp = 10
        with pytest.raises(SaveWriteError, match="the disk is full"):
            other.shared.save()
    assert other.hp == 11
    other.shared.save()
    assert other.hp == 11 == copy(store, added).hp


def test_a_merge_at_the_start_that_cannot_be_written_is_noted(
    copy: Callable[..., Copy], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = MemoryStore()
    copy(store).save(1)
    one, other = copy(store), copy(store)
    one.save(10)
    other.save(100)

    def fail(*arguments: Any) -> None:
        raise SaveWriteError(errno.ENOSPC, "writing", False, "the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(store, "write", fail)
        third = copy(store, added)
    assert third.hp == 110 and "the disk is full" in third.shared.notes[-1]
    third.shared.save()
    assert third.hp == 110 == copy(store, added).hp


# -- the game changes

OLD = """
    from dataclasses import dataclass
    from savegen import Saved, saveable

    @saveable
    @dataclass
    class Options:
        volume: Saved[int] = 80
        theme: Saved[str] = "dark"
"""
NEW = """
    from dataclasses import dataclass
    from typing import Annotated
    from savegen import Save, converter, saveable
    from savegen import Saved

    @saveable(was="Options")
    @dataclass
    class Settings:
        loudness: Annotated[float, Save(was="volume")] = 8.0
        theme: Saved[bool] = True
        subtitles: Saved[bool] = True

    @converter(Settings, "theme")
    def theme(value: str) -> bool:
        return value == "dark"
"""
OPEN = """
    from game import *
    import sys
    from _savegen.registry import REGISTRY
    from savegen.saves import SaveSlots

    cls = globals().get("Settings") or Options
    shared = SaveSlots("saves").shared("settings", cls(), REGISTRY)
"""


def test_it_evolves_with_the_game(tmp_path: Path) -> None:
    project = Project(tmp_path, {"game.py": OLD})
    project.run("-m", "savegen", "wire", "game.py")
    project.components("game.py")
    project.script(OPEN + "    shared.value.theme = 'light'; shared.save()")
    Project(tmp_path, {"game.py": NEW})
    project.run("-m", "savegen", "wire", "game.py")
    project.components("game.py")
    shown = project.script(OPEN + "    print(shared.value); shared.save()")
    assert shown == "Settings(loudness=80.0, theme=False, subtitles=True)\n"
    assert project.script(OPEN + "    print(shared.value)") == shown
    quiet = OPEN.replace("cls()", "cls(subtitles=False, theme=True)")
    shutil.copy(tmp_path / "saves/_shared/settings/1.sav", tmp_path / "old.sav")
    shutil.rmtree(tmp_path / "saves")
    (tmp_path / "saves/_shared/settings").mkdir(parents=True)
    shutil.copy(tmp_path / "old.sav", tmp_path / "saves/_shared/settings/1.sav")
    shown = project.script(quiet + "    print(shared.value)")
    assert shown == "Settings(loudness=80.0, theme=False, subtitles=False)\n"


def test_it_is_typed(tmp_path: Path) -> None:
    text = """
        from game import Options
        from _savegen.registry import REGISTRY
        from savegen.saves import SaveSlots, SharedSave

        def merge(mine: Options, theirs: Options) -> Options:
            return mine

        shared = SaveSlots.for_app("pip").shared("settings", Options(), REGISTRY, merge=merge)
        shared.value.volume = 3
        reveal_type(shared)
        SaveSlots("x").shared("settings", 12, REGISTRY, merge=merge)
    """
    project = Project(tmp_path, {"game.py": OLD, "typed.py": text})
    project.run("-m", "savegen", "wire", "game.py")
    project.components("game.py")
    said = mypy(tmp_path, "typed.py").stdout
    assert "SharedSave[game.Options]" in said and said.count("error:") == 1
    assert "typed.py:12: error" in said or "typed.py:13: error" in said
