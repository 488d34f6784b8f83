"""What every store does, whatever it keeps its bytes in. A new store is one line here."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from savegen.runtime import NoSuchSave, SaveError, SaveWriteError, SlotBusyError
from savegen.saves.stores import files
from savegen.saves.stores.folder import FolderStore
from savegen.saves.stores.store import MemoryStore
from savegen.saves.stores.store import NotAFileError, Store
from tests.project import program, try_python
from tests.saves.virtual import ROOT, Patch, VirtualDisk


class Least(Store):
    """The four methods and nothing else, as a cloud's may be."""

    def __init__(self) -> None:
        self._inner = MemoryStore()

    def names(self) -> list[str]:
        return self._inner.names()

    def read(self, name: str, start: int = 0, size: int | None = None) -> bytes:
        return self._inner.read(name, start, size)

    def write(
        self,
        name: str,
        pieces: Iterable[bytes],
        confirm: Callable[[], object] | None = None,
    ) -> None:
        self._inner.write(name, pieces, confirm)

    def remove(self, name: str) -> None:
        self._inner.remove(name)


Make = Callable[[Path], Store]
STORES: dict[str, Make] = {
    "folder": lambda path: FolderStore(path / "saves"),
    "virtual folder": lambda path: FolderStore(ROOT),
    "memory": lambda path: MemoryStore(),
    "least": lambda path: Least(),
}


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path, use: Patch) -> Store:
    if request.param == "virtual folder":
        use(VirtualDisk())
    return STORES[request.param](tmp_path)


def test_what_is_written_is_read(store: Store) -> None:
    data = bytes(range(256)) * 20
    store.write("slot-1/1.sav", [data[:7], b"", data[7:]])
    assert store.read("slot-1/1.sav") == data
    assert store.read("slot-1/1.sav", 3, 5) == data[3:8]
    assert store.read("slot-1/1.sav", 5000) == data[5000:]
    assert store.read("slot-1/1.sav", 0, 99999) == data
    assert store.read("slot-1/1.sav", 99999, 5) == b""
    store.write("slot-1/2.sav", [])
    assert store.read("slot-1/2.sav") == b""


def test_behind_the_end_is_nothing(store: Store) -> None:
    """A hostile file's head may name any place; no system's seek takes all of them."""
    store.write("one/1.sav", [b"abc"])
    for start in (3, 4, 2**63, 2**64 + 5):
        assert store.read("one/1.sav", start) == b""
        assert store.read("one/1.sav", start, 5) == b""


def test_the_names_are_sorted_and_all_there_is(store: Store) -> None:
    assert store.names() == []
    names = ["b/2.sav", "b/1.sav", "a é/1.journal", ".trash/x~1.sav"]
    for name in names:
        store.write(name, [b"x"])
    assert store.names() == sorted(names)


def test_a_name_is_given_once(store: Store) -> None:
    store.write("a/1.sav", [b"old"])
    with pytest.raises(SaveWriteError) as raised:
        store.write("a/1.sav", [b"new"])
    assert not raised.value.committed and "a/1.sav" in str(raised.value)
    assert store.read("a/1.sav") == b"old" and store.names() == ["a/1.sav"]


def test_what_is_not_there_says_so(store: Store) -> None:
    for name in ("a/1.sav", "a/2.sav"):
        with pytest.raises(NoSuchSave, match=name):
            store.read(name)
        with pytest.raises(NoSuchSave, match=name):
            store.remove(name)
        with pytest.raises(NoSuchSave, match=name):
            store.move(name, "a/3.sav")
        store.write("a/1.sav", [b"x"])
        store.remove("a/1.sav")
    assert store.names() == []


@pytest.mark.parametrize(
    "name",
    ["1.sav", "a/b/1.sav", "/1.sav", "a/", "../1.sav", "a/..", "a\\b/1.sav", "a/\0"]
    + ["/etc/passwd", "", "./a", "C:/1.sav"],
)
def test_a_name_leads_nowhere_else(store: Store, name: str) -> None:
    for step in (store.read, store.remove, lambda name: store.write(name, [b"x"])):
        with pytest.raises(SaveError, match="is not a name in a store"):
            step(name)
    assert store.names() == []


def test_what_pieces_raise_comes_out_and_nothing_is_left(store: Store) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"x"
        raise FileNotFoundError("of the game's own")

    with pytest.raises(FileNotFoundError, match="of the game's own"):
        store.write("a/1.sav", pieces())
    assert store.names() == []
    if isinstance(files.SYSTEM, VirtualDisk):
        assert not files.SYSTEM.opened
        assert not [path for path in files.SYSTEM.names if path.endswith(".tmp")]
    store.write("a/1.sav", [b"x"])


def test_a_write_that_is_not_confirmed_stores_nothing(store: Store) -> None:
    seen = []

    def confirm() -> None:
        seen.append(store.names())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.write("a/1.sav", [b"x"], confirm)
    assert seen == [[]] and store.names() == []


def test_what_is_appended_comes_in_order(store: Store) -> None:
    assert store.appended("a/1.journal") == b""
    parts = [b"%d," % number for number in range(12)]
    for part in parts:
        store.append("a/1.journal", part)
    assert store.appended("a/1.journal") == b"".join(parts)
    assert all(name.startswith("a/1.journal") for name in store.names())
    store.append("a/11.journal", b"other")
    assert store.appended("a/1.journal") == b"".join(parts)


def test_what_is_moved_has_its_new_name_alone(store: Store) -> None:
    store.write("a/1.sav", [b"x"])
    store.write("b/1.sav", [b"y"])
    store.move("a/1.sav", "c/7.sav")
    assert store.names() == ["b/1.sav", "c/7.sav"] and store.read("c/7.sav") == b"x"
    with pytest.raises(SaveWriteError):
        store.move("b/1.sav", "c/7.sav")
    assert store.read("c/7.sav") == b"x" and store.read("b/1.sav") == b"y"


def test_a_slot_has_one_writer(store: Store) -> None:
    with store.lock("Slot"):
        with pytest.raises(SlotBusyError, match="is writing 'slot'"):
            with store.lock("slot"):
                pytest.fail("there are two")
        with store.lock("other"):
            pass
    with store.lock("slot"):
        pass


def test_a_busy_slot_is_waited_for_a_moment(store: Store) -> None:
    locked, done = threading.Event(), threading.Event()

    def hold() -> None:
        with store.lock("a"):
            locked.set()
            done.wait(0.05)

    other = threading.Thread(target=hold)
    other.start()
    locked.wait()
    with store.lock("a"):
        pass
    done.set()
    other.join()


# -- what a folder alone does


def test_a_folder_is_made_when_something_is_written(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "deep" / "below")
    assert store.names() == [] and not (tmp_path / "deep").exists()
    store.write("a/1.sav", [b"x"])
    assert (tmp_path / "deep" / "below" / "a" / "1.sav").read_bytes() == b"x"


def test_a_folder_goes_with_its_last_file(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    for name in ("a/1.sav", "a/2.sav"):
        store.write(name, [b"x"])
    store.remove("a/1.sav")
    assert (tmp_path / "a").is_dir()
    store.move("a/2.sav", "b/2.sav")
    assert not (tmp_path / "a").exists()
    store.write("a/3.sav", [b"y"])
    assert store.names() == ["a/3.sav", "b/2.sav"]


def test_what_is_none_of_ours_is_left_alone(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    store.write("a/1.sav", [b"x"])
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "a" / "deep").mkdir()
    left = tmp_path / "a" / f"1.sav-{'0f' * 8}.tmp"
    others = [
        tmp_path / "a" / name
        for name in ("notes.tmp", "1.sav-00.tmp", f"mine-{'0f' * 8}.tmp")
    ]
    for path in (left, *others):
        path.write_text("half")
    (tmp_path / os.fsdecode(b"\xff")).mkdir()
    (tmp_path / os.fsdecode(b"\xff") / "1.sav").write_text("odd")
    assert store.names() == ["a/1.sav"]
    with store.lock("a"):
        assert not left.exists() and all(path.exists() for path in others)
    assert (tmp_path / "notes.txt").exists() and (tmp_path / "a" / "deep").is_dir()


@pytest.mark.skipif(sys.platform == "win32", reason="has no pipes with names")
@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_links_that_lead_nowhere_hide_nothing(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    store.write("one/1.sav", [b"abc"])
    for place in (tmp_path, tmp_path / "one"):
        (place / "circle").symlink_to("circle")
        (place / "nothing").symlink_to("nowhere")
    found = store.names()
    assert "one/1.sav" in found
    assert {*found} <= {"one/1.sav", "one/circle", "one/nothing"}
    with store.lock("one"):
        store.write("one/2.sav", [b"abc"])


def test_a_pipe_is_no_save_and_is_not_waited_for(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    store.write("a/1.sav", [b"x"])
    os.mkfifo(tmp_path / "a" / "2.sav")
    (tmp_path / "a" / "3.sav").mkdir()
    for name in ("a/2.sav", "a/3.sav"):
        with pytest.raises(NotAFileError, match=f"{name} is not a regular file"):
            store.read(name)


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_links_are_not_followed(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "saves")
    store.write("a/1.sav", [b"x"])
    secret = tmp_path / "secret"
    secret.write_text("mine")
    (tmp_path / "saves" / "a" / "2.sav").symlink_to(secret)
    (tmp_path / "saves" / "a" / "1.journal").symlink_to(secret)
    (tmp_path / "saves" / ".locks").mkdir()
    (tmp_path / "saves" / ".locks" / "a").symlink_to(tmp_path / "nowhere")
    assert store.names() == ["a/1.journal", "a/1.sav", "a/2.sav"]
    for name in ("a/2.sav", "a/1.journal"):
        with pytest.raises(NotAFileError, match=f"{name} is not a regular file"):
            store.read(name)
    with pytest.raises(SaveWriteError, match="appending to a/1.journal"):
        store.append("a/1.journal", b"more")
    with pytest.raises(SaveWriteError, match="writing a/2.sav|renaming a/2.sav"):
        store.write("a/2.sav", [b"y"])
    with pytest.raises(SaveWriteError, match="locking a"):
        with store.lock("a"):
            pytest.fail("it is locked")
    assert secret.read_text() == "mine" and not (tmp_path / "nowhere").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_a_slot_that_is_a_link_to_another_folder_is_left_alone(tmp_path: Path) -> None:
    store = FolderStore(tmp_path / "saves")
    store.write("a/1.sav", [b"x"])
    other = tmp_path / "other"
    other.mkdir()
    left = other / f"1.sav-{'0f' * 8}.tmp"
    for path in (left, other / "1.sav"):
        path.write_text("theirs")
    (tmp_path / "saves" / "b").symlink_to(other)
    assert store.names() == ["a/1.sav"]
    with pytest.raises(NoSuchSave):
        store.read("b/1.sav")
    with store.lock("b"):
        pass
    for step in (
        lambda: store.write("b/2.sav", [b"x"]),
        lambda: store.append("b/1.journal", b"x"),
        lambda: store.move("a/1.sav", "b/2.sav"),
    ):
        with pytest.raises(SaveWriteError, match="it is a symbolic link"):
            step()
    assert sorted(other.iterdir()) == sorted([left, other / "1.sav"])
    (tmp_path / "link").symlink_to(tmp_path / "saves")
    assert FolderStore(tmp_path / "link").names() == ["a/1.sav"]


def test_another_process_gets_its_answer_after_less_than_a_second(
    tmp_path: Path,
) -> None:
    text = f"""
        import time
        from savegen.runtime import SlotBusyError
        from savegen.saves.stores.folder import FolderStore
        pauses = []
        time.sleep = pauses.append
        try:
            with FolderStore({str(tmp_path)!r}).lock("A"):
                print("locked", sum(pauses))
        except SlotBusyError:
            print("busy", sum(pauses))
    """

    def ask() -> tuple[str, float]:
        word, seconds = program(text).split()
        return word, float(seconds)

    with FolderStore(tmp_path).lock("a"):
        word, seconds = ask()
        assert word == "busy" and 0 < seconds < 1
    assert ask() == ("locked", 0)


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    text = f"""
        import os, signal
        from savegen.saves.stores.folder import FolderStore
        with FolderStore({str(tmp_path)!r}).lock("a"):
            os.kill(os.getpid(), signal.SIGKILL)
    """
    assert try_python("-c", textwrap.dedent(text)).returncode
    with FolderStore(tmp_path).lock("a"):
        pass


def test_a_drive_without_locks_still_saves(tmp_path: Path, monkeypatch) -> None:
    fcntl = pytest.importorskip("fcntl")

    def refuse(*args: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with FolderStore(tmp_path).lock("a"):
        pass


def test_a_folder_that_may_not_be_synced_was_there_before(
    tmp_path: Path, monkeypatch
) -> None:
    """The one above the game's own may be none that it can open."""

    class Strict(files.FileSystem):
        def sync_folder(self, path: str) -> None:
            if path == str(tmp_path):
                raise PermissionError(13, "Permission denied")
            super().sync_folder(path)

    monkeypatch.setattr(files, "SYSTEM", Strict())
    (tmp_path / "saves").mkdir()
    FolderStore(tmp_path / "saves").write("a/1.sav", [b"x"])
    with pytest.raises(SaveWriteError, match="making the folder"):
        FolderStore(tmp_path / "new").write("a/1.sav", [b"x"])


def test_a_file_system_without_synced_folders_is_one(
    tmp_path: Path, monkeypatch
) -> None:
    real = os.fsync

    def fsync(file: int) -> None:
        import stat

        if stat.S_ISDIR(os.fstat(file).st_mode):
            raise OSError(22, "Invalid argument")
        real(file)

    monkeypatch.setattr(os, "fsync", fsync)
    store = FolderStore(tmp_path)
    store.write("a/1.sav", [b"x"])
    assert store.read("a/1.sav") == b"x"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_process_that_was_forked_meanwhile_does_not_keep_the_lock(
    tmp_path: Path,
) -> None:
    store = FolderStore(tmp_path)
    with store.lock("one"):
        child = os.fork()
        if not child:
            time.sleep(60)
            os._exit(0)
    try:
        with store.lock("one"):
            pass
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_folder_of_locks_that_was_removed_is_made_again(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    for number in (1, 2):
        with store.lock("one"):
            store.write(f"one/{number}.sav", [b"once"])
        shutil.rmtree(tmp_path / ".locks")
    assert store.names() == ["one/1.sav", "one/2.sav"]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("name", ["one", ".locks"])
def test_a_folder_that_is_a_link_in_a_circle_is_told_of(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).symlink_to(name)
    store = FolderStore(tmp_path)
    assert store.names() == []
    with pytest.raises(SaveWriteError, match="one"):
        with store.lock("one"):
            store.write("one/1.sav", [b"once"])
