"""A slot that cannot be listed has a fault of its own, and the other slots are well."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from savegen.runtime.errors import NoSuchSave, SaveError
from savegen.saves.slots.slots import SaveSlots
from savegen.saves.stores.folder import FolderStore
from tests.project import program
from tests.saves.small_world import World
from tests.saves.test_stores import Least
from tests.saves.virtual import ROOT, Patch, VirtualDisk

pytestmark = pytest.mark.usefixtures("small")


class Faulty(VirtualDisk):
    """A disk on which some folders cannot be listed."""

    error = errno.EACCES

    def __init__(self) -> None:
        super().__init__()
        self.faulty: set[str] = set()
        self.listed: list[str] = []

    def list(self, path: str) -> list[tuple[str, bool]]:
        name = path.removeprefix(f"{ROOT}/")
        self.listed.append(name)
        if name in self.faulty:
            raise OSError(self.error, os.strerror(self.error), path)
        return super().list(path)


@pytest.fixture(params=[errno.EACCES, errno.EIO])
def disk(request: pytest.FixtureRequest, use: Patch) -> Faulty:
    disk = Faulty()
    disk.error = request.param
    use(disk)
    return disk


@pytest.fixture
def slots(disk: Faulty) -> SaveSlots:
    slots = SaveSlots(ROOT)
    for slot, state in (("one", 1), ("two", 2), ("three", 3)):
        slots.save(slot, World(state))
    return slots


def loaded(slots: SaveSlots, slot: str) -> int:
    world = World(-1)
    slots.load(slot, world)
    return int(world.state)


def test_the_list_has_its_fault_and_the_others(slots: SaveSlots, disk: Faulty) -> None:
    disk.faulty = {"one"}
    for verify in (False, True):
        one, three, two = slots.list(verify)
        assert one.fault == f"one cannot be listed: {os.strerror(disk.error)}"
        assert (one.slot, one.generations, one.title, one.time) == ("one", (), "", "")
        assert not three.fault and not two.fault
        assert (three.generations, two.generations) == ((1,), (1,))


def test_the_other_slots_are_used_as_ever(slots: SaveSlots, disk: Faulty) -> None:
    disk.faulty = {"one"}
    slots.save("two", World(7))
    assert loaded(slots, "two") == 7
    slots.copy("two", "four")
    slots.delete("two")
    assert [info.slot for info in slots.trash()] == ["two"]
    slots.restore("two")
    assert loaded(slots, "two") == loaded(slots, "four") == 7


def test_itself_it_says_why_and_keeps_its_saves(slots: SaveSlots, disk: Faulty) -> None:
    disk.faulty = {"one"}
    for step in (
        lambda: slots.load("one", World(-1)),
        lambda: SaveSlots(ROOT).save("one", World(9)),
        lambda: slots.delete("one"),
        lambda: slots.copy("one", "four"),
        lambda: slots.copy("two", "one"),
    ):
        with pytest.raises(SaveError, match="one cannot be listed") as raised:
            step()
        assert not isinstance(raised.value, NoSuchSave)
    disk.faulty = set()
    assert loaded(slots, "one") == 1


def test_only_the_slot_in_use_is_listed(slots: SaveSlots, disk: Faulty) -> None:
    disk.listed.clear()
    slots.save("two", World(5))
    loaded(slots, "two")
    assert {*disk.listed} & {"one", "three"} == set()


@pytest.mark.parametrize("kind", ["quick", "auto"])
def test_turns_pass_over_it_and_stay_above_it(
    slots: SaveSlots, disk: Faulty, kind: str
) -> None:
    save = getattr(slots, kind)
    for state in range(1, 6):
        save(World(state))  # the fifth goes to the second slot
    disk.faulty = {f"{kind}-2"}
    assert slots.latest(kind) == f"{kind}-1"
    assert [save(World(n)).slot for n in (6, 7)] == [f"{kind}-3", f"{kind}-1"]
    disk.faulty = set()
    assert slots.latest(kind) == f"{kind}-1" and loaded(slots, f"{kind}-1") == 7
    disk.faulty = {f"{kind}-{n}" for n in (1, 2, 3)}
    for step in (lambda: save(World(8)), lambda: slots.latest(kind)):
        with pytest.raises(SaveError, match=f"{kind}-1 cannot be listed"):
            step()


def test_a_trash_that_cannot_be_listed_disturbs_no_slot(
    slots: SaveSlots, disk: Faulty
) -> None:
    slots.delete("three")
    disk.faulty = {".trash"}
    assert [info.slot for info in slots.list()] == ["one", "two"]
    slots.save("one", World(5))
    for step in (slots.trash, lambda: slots.delete("one")):
        with pytest.raises(SaveError, match=".trash cannot be listed"):
            step()
    assert loaded(slots, "one") == 5


def test_a_slot_with_a_similar_name_is_still_found(
    slots: SaveSlots, disk: Faulty
) -> None:
    for faulty in (set[str](), {"one"}):
        disk.faulty = faulty
        with pytest.raises(SaveError, match="the slot 'one' exists"):
            slots.save("One", World(1))


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
@pytest.mark.parametrize(
    "put, kind",
    [
        (lambda path: path.write_text("mine"), "a file"),
        (lambda path: path.symlink_to("nowhere"), "a symbolic link"),
        (lambda path: path.symlink_to("two"), "a symbolic link"),
    ],
)
def test_what_is_in_place_of_its_folder_is_told_of(
    tmp_path: Path, put: Callable[[Path], object], kind: str
) -> None:
    slots = SaveSlots(tmp_path)
    for slot in ("one", "two"):
        slots.save(slot, World(4))
    shutil.rmtree(tmp_path / "one")
    put(tmp_path / "one")
    # These were never slots.
    (tmp_path / "readme").write_text("mine")
    (tmp_path / "link").symlink_to("two")
    os.mkdir(os.fsencode(tmp_path) + b"/\xff")
    one, two = slots.list()
    assert one.fault == f"one cannot be listed: it is {kind}, not a folder"
    assert not two.fault and loaded(slots, "two") == 4
    with pytest.raises(SaveError, match=f"it is {kind}"):
        slots.load("one", World(-1))
    slots.save("two", World(5))


def test_an_entry_whose_kind_cannot_be_read_is_a_folder_with_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slots = SaveSlots(tmp_path)
    for slot in ("one", "two"):
        slots.save(slot, World(4))
    real = os.scandir

    class Entry:
        def __init__(self, entry: os.DirEntry[str]) -> None:
            self.name, self._entry = entry.name, entry

        def is_dir(self, follow_symlinks: bool = True) -> bool:
            if self.name == "one":
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return self._entry.is_dir(follow_symlinks=follow_symlinks)

    class Scan:
        def __init__(self, path: str) -> None:
            if os.path.basename(path) == "one":
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            self._entries = real(path)

        def __enter__(self) -> list[Entry]:
            return [*map(Entry, self._entries)]

        def __exit__(self, *error: object) -> None:
            self._entries.close()

    monkeypatch.setattr(os, "scandir", Scan)
    one, two = slots.list()
    assert one.fault == f"one cannot be listed: {os.strerror(errno.EIO)}"
    assert not two.fault and loaded(slots, "two") == 4


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="there are no such rights")
@pytest.mark.parametrize("mode", [0o000, 0o300, 0o400])
def test_a_folder_without_rights_is_one_fault(mode: int) -> None:
    code = f"""
        import os, sys
        from savegen.runtime import SaveError, SaveLoadManager
        from savegen.runtime.generated.registry import FORMAT, Registry
        from savegen.saves import SaveSlots
        saves = os.path.join(sys.argv[1], "saves")
        slots, game = SaveSlots(saves), SaveLoadManager(Registry(FORMAT, ()))
        for slot in ("one", "two"):
            slots.save(slot, game)
            slots.load(slot, game)
        slots.list()
        if os.getuid() == 0:  # everything is imported, so rights can be dropped
            for folder, _, names in os.walk(sys.argv[1]):
                for path in (folder, *(os.path.join(folder, n) for n in names)):
                    os.chown(path, 65534, 65534)
            os.setgroups([]); os.setgid(65534); os.setuid(65534)
        os.chmod(os.path.join(saves, "one"), {mode})
        one, two = slots.list()
        print("Permission denied" in one.fault, two.fault == "")
        print(slots.save("two", game).generation, slots.load("two", game).is_newest)
        try: slots.load("one", game)
        except SaveError as error: print("Permission denied" in str(error))
        os.chmod(os.path.join(saves, "one"), 0o700)
    """
    with tempfile.TemporaryDirectory() as folder:
        assert program(code, folder).split() == ["True", "True", "2", "True", "True"]


class Renamed(FolderStore):
    """A folder of which a subclass hides something."""

    def names(self) -> list[str]:
        return [name for name in super().names() if not name.startswith("hidden/")]


def test_stores_of_others_need_nothing_new(tmp_path: Path) -> None:
    store = Least()
    for inner in (store, store.within("deep"), store.within("deep").within("er")):
        slots = SaveSlots(inner)
        slots.save("one", World(1))
        slots.quick(World(2))
        assert [info.slot for info in slots.list()] == ["one", "quick-1"]
        assert loaded(slots, slots.latest()) == 2
    hiding = SaveSlots(Renamed(tmp_path / "b"))
    for slot in ("hidden", "seen"):
        hiding.save(slot, World(1))
    assert [info.slot for info in hiding.list()] == ["seen"]
    with pytest.raises(NoSuchSave):
        hiding.load("hidden", World(-1))


def test_what_slots_share_is_apart_from_them(slots: SaveSlots, disk: Faulty) -> None:
    shared = SaveSlots(slots.store.within("_shared"))
    shared.save("settings", World(1))
    shared.save("scores", World(2))
    disk.faulty = {"one", "_shared/scores"}
    assert loaded(shared, "settings") == 1
    assert [bool(info.fault) for info in shared.list()] == [True, False]
