"""Saving and loading while the game goes on."""

from __future__ import annotations

import asyncio
import errno
import gc
import os
import textwrap
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from savegen.runtime import NoSuchSave, SaveCorruptError, SaveError, SaveWriteError
from savegen.saves.stores import files
from savegen.saves.stores.folder import FolderStore
from savegen.saves.stores.store import MemoryStore
from savegen.saves.slots.slots import SaveSlots
from tests.project import program, python
from tests.saves.small_world import World

pytestmark = pytest.mark.usefixtures("small")


class Gated(MemoryStore):
    """Memory whose writes wait: before the first piece, and when all is written."""

    def __init__(self) -> None:
        super().__init__()
        self.may_begin, self.may_end = threading.Event(), threading.Event()
        self.has_begun, self.has_ended = threading.Event(), threading.Event()
        self.threads: set[str] = set()
        self.written: list[str] = []
        self.at_work = 0

    def open(self) -> None:
        self.may_begin.set()
        self.may_end.set()

    def write(
        self,
        name: str,
        pieces: Iterable[bytes],
        confirm: Callable[[], object] | None = None,
    ) -> None:
        self.threads.add(threading.current_thread().name)
        self.at_work += 1
        assert self.at_work == 1, "two writes interleave"
        try:
            self.has_begun.set()
            self.may_begin.wait()
            data = [*pieces]
            self.has_ended.set()
            self.may_end.wait()
            super().write(name, data, confirm)
            self.written.append(name)
        finally:
            self.at_work -= 1


@pytest.fixture
def store() -> Iterator[Gated]:
    store = Gated()
    yield store
    store.open()  # a test that fails leaves nobody waiting


@pytest.fixture
def slots(store: Gated) -> SaveSlots:
    return SaveSlots(store)


def run(scene: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(scene)


async def until(event: threading.Event) -> None:
    await asyncio.to_thread(event.wait)


def loaded(slots: SaveSlots, slot: str = "one") -> int:
    world = World(-1)
    slots.load(slot, world)
    return world.state


def test_the_snapshot_is_of_when_it_was_asked_for(
    slots: SaveSlots, store: Gated
) -> None:
    async def scene() -> None:
        world = World(1)
        saving = slots.save_async("one", world, title="then")
        world.state = 2
        store.open()
        info = (await saving).info
        assert info.title == "then" and slots.list() == [info]

    run(scene())
    assert loaded(slots) == 1


def test_the_game_goes_on_while_it_is_written(slots: SaveSlots, store: Gated) -> None:
    async def scene() -> None:
        saving = asyncio.create_task(slots.save_async("one", World(1)))
        await until(store.has_begun)
        assert not saving.done()
        await asyncio.sleep(0)  # a frame
        store.open()
        await saving

    run(scene())
    assert threading.current_thread().name not in store.threads


def test_what_goes_wrong_comes_out_where_it_is_awaited(slots: SaveSlots, store) -> None:
    store.open()

    async def scene() -> None:
        world = World(1)
        world.on_piece = raising(SaveError("what a thing"))
        with pytest.raises(SaveError, match="what a thing"):
            await slots.save_async("one", world)
        world.raises = SaveError("at once")
        with pytest.raises(SaveError, match="at once"):
            await slots.save_async("one", world)
        await slots.save_async("one", World(2))

    run(scene())
    assert store.names() == ["one/1.sav"] and loaded(slots) == 2


def raising(error: Exception) -> Callable[[], None]:
    def step() -> None:
        raise error

    return step


# -- giving up


def given_up(slots: SaveSlots, store: Gated, at: threading.Event | None) -> list[str]:
    """Cancel a save at a point; return the names in the store when all is quiet."""

    async def scene() -> None:
        saving = asyncio.create_task(slots.save_async("one", World(2)))
        if at is not None:
            await until(at)
        saving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await saving
        store.open()
        await asyncio.to_thread(slots.wait)

    store.open()
    slots.save("one", World(1))
    for event in (store.may_begin, store.may_end, store.has_begun, store.has_ended):
        event.clear()
    if at is store.has_ended:
        store.may_begin.set()
    run(scene())
    return store.names()


def test_who_cancels_before_it_begins_leaves_the_old_one(
    slots: SaveSlots, store
) -> None:
    assert given_up(slots, store, None) == ["one/1.sav"] and loaded(slots) == 1


def test_who_cancels_while_it_is_written_leaves_the_old_one(slots, store) -> None:
    assert given_up(slots, store, store.has_begun) == ["one/1.sav"]
    assert loaded(slots) == 1


def test_who_cancels_when_all_is_written_leaves_the_old_one(slots, store) -> None:
    """That it is whole is not yet that it is there."""
    assert given_up(slots, store, store.has_ended) == ["one/1.sav"]
    slots.save("one", World(3))
    assert loaded(slots) == 3


def test_a_timeout_leaves_the_old_one_and_says_so(
    slots: SaveSlots, store: Gated
) -> None:
    async def scene() -> None:
        with pytest.raises(SaveWriteError, match="longer than 0.001 seconds") as raised:
            await slots.save_async("one", World(2), timeout=0.001)
        assert raised.value.errno == errno.ETIMEDOUT and not raised.value.committed
        store.open()
        await asyncio.to_thread(slots.wait)
        assert store.names() == []
        assert (await slots.save_async("one", World(3), timeout=60)).generation == 1

    run(scene())
    assert loaded(slots) == 3


def test_a_timeout_that_comes_too_late_is_none(store: Gated) -> None:
    class Slow(Gated):
        """The new file has its name; the folder is not synced yet."""

        def remove(self, name: str) -> None:
            self.has_ended.set()
            self.may_end.wait()
            super().remove(name)

        def write(
            self,
            name: str,
            pieces: Iterable[bytes],
            confirm: Callable[[], object] | None = None,
        ) -> None:
            MemoryStore.write(self, name, pieces, confirm)

    slow = Slow()
    slots = SaveSlots(slow, keep=1)
    slots.save("one", World(1))

    async def scene() -> None:
        saving = asyncio.create_task(slots.save_async("one", World(2), timeout=0.01))
        await until(slow.has_ended)
        await asyncio.sleep(0.02)  # the timeout is over: it is what is tested
        assert not saving.done()
        slow.may_end.set()
        assert (await saving).generation == 2

    run(scene())


def test_who_cancels_leaves_no_temporary_file(tmp_path: Path, monkeypatch) -> None:
    begun, go_on = threading.Event(), threading.Event()

    class Slow(files.FileSystem):
        def sync(self, file: int) -> None:
            begun.set()
            go_on.wait()
            super().sync(file)

    slots = SaveSlots(tmp_path)
    slots.save("one", World(1))
    monkeypatch.setattr(files, "SYSTEM", Slow())

    async def scene() -> None:
        saving = asyncio.create_task(slots.save_async("one", World(2)))
        await until(begun)
        assert len([*(tmp_path / "one").iterdir()]) == 2
        saving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await saving
        go_on.set()
        await asyncio.to_thread(slots.wait)

    run(scene())
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["1.sav"]


# -- several at once


def test_of_saves_that_wait_the_latest_wins_and_all_are_told(
    slots: SaveSlots, store: Gated
) -> None:
    async def scene() -> list[int]:
        world = World(1)
        first = asyncio.create_task(slots.save_async("one", world))
        await until(store.has_begun)
        others = []
        for world.state in range(2, 9):
            others.append(asyncio.create_task(slots.save_async("one", world)))
        await asyncio.sleep(0)
        store.open()
        return [info.generation for info in await asyncio.gather(first, *others)]

    assert run(scene()) == [1] + 7 * [2]
    assert store.names() == ["one/1.sav", "one/2.sav"] and loaded(slots) == 8


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_a_new_lineage_begins_though_a_later_save_takes_its_place(
    slots: SaveSlots, store: Gated, is_cancelled: bool
) -> None:
    async def scene() -> list[str]:
        first = asyncio.create_task(slots.save_async("one", World(1)))
        await until(store.has_begun)
        new = slots.save_async("one", World(2), new_lineage=True)
        second = asyncio.create_task(new)
        await asyncio.sleep(0)
        if is_cancelled:
            second.cancel()
            await asyncio.sleep(0)
        third = asyncio.create_task(slots.save_async("one", World(3)))
        await asyncio.sleep(0)
        store.open()
        return [(await each).info.metadata.lineage for each in (first, third)]

    one, other = run(scene())
    assert (one == other) is is_cancelled and loaded(slots) == 3


def test_whoever_cancels_one_of_several_cancels_not_the_others(
    slots: SaveSlots, store: Gated
) -> None:
    async def scene() -> None:
        first = asyncio.create_task(slots.save_async("one", World(1)))
        await until(store.has_begun)
        second = asyncio.create_task(slots.save_async("one", World(2)))
        await asyncio.sleep(0)
        third = asyncio.create_task(slots.save_async("one", World(3)))
        await asyncio.sleep(0)
        third.cancel()
        store.open()
        assert [(await each).generation for each in (first, second)] == [1, 2]

    run(scene())
    # Who waits for the second one has what came later: it was taken over already.
    assert loaded(slots) == 3


def test_whoever_has_cancelled_is_not_told_that_the_save_has_failed(
    slots: SaveSlots, store: Gated
) -> None:
    told: list[Any] = []

    async def scene() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda loop, context: told.append(context))
        first = asyncio.create_task(slots.save_async("one", World(1)))
        await until(store.has_begun)
        world = World(2)
        world.on_piece = raising(SaveError("what a thing"))
        second, third = (
            asyncio.create_task(slots.save_async("one", world)) for _ in range(2)
        )
        await asyncio.sleep(0)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        store.open()
        await first
        with pytest.raises(SaveError, match="what a thing"):
            await third

    run(scene())
    gc.collect()
    assert not told and store.names() == ["one/1.sav"]


def test_slots_do_not_take_each_others_place(slots: SaveSlots, store: Gated) -> None:
    async def scene() -> None:
        saves = [slots.save_async(f"slot {n}", World(n)) for n in range(5)]
        store.open()
        await asyncio.gather(*saves)

    run(scene())
    assert [loaded(slots, f"slot {n}") for n in range(5)] == [*range(5)]


def test_a_save_waits_for_the_one_in_the_background(slots: SaveSlots, store) -> None:
    async def scene() -> None:
        background = asyncio.create_task(slots.save_async("one", World(1)))
        await until(store.has_begun)
        other = asyncio.create_task(asyncio.to_thread(slots.save, "one", World(2)))
        await asyncio.sleep(0)
        store.open()
        assert (await background).generation == 1
        assert (await other).generation == 2

    run(scene())
    assert loaded(slots) == 2


def test_a_snapshot_that_was_overtaken_is_not_written(slots: SaveSlots, store) -> None:
    store.open()

    async def scene() -> None:
        waiting = slots.save_async("one", World(1))  # nobody has begun with it
        later = slots.save("one", World(2))
        assert await waiting == later

    run(scene())
    assert store.names() == ["one/1.sav"] and loaded(slots) == 2


def test_a_load_sees_what_is_being_saved(slots: SaveSlots, store: Gated) -> None:
    async def scene() -> int:
        saving = asyncio.create_task(slots.save_async("one", World(1)))
        await until(store.has_begun)
        world = World()
        loading = asyncio.create_task(slots.load_async("one", world))
        await asyncio.sleep(0)
        store.open()
        await asyncio.gather(saving, loading)
        return int(world.state)

    assert run(scene()) == 1


# -- progress, loading


def test_a_load_that_takes_longer_than_its_timeout_leaves_the_world() -> None:
    may_read = threading.Event()
    told: list[tuple[int, ...]] = []

    class Slow(MemoryStore):
        def read(self, name: str, start: int = 0, size: int | None = None) -> bytes:
            may_read.wait()
            return super().read(name, start, size)

    slots, world = SaveSlots(Slow()), World(1)
    slots.save("one", World(5))

    async def scene() -> None:
        def progress(*numbers: int) -> None:
            told.append(numbers)

        with pytest.raises(SaveError, match="'one' took longer than 0.001 seconds"):
            await slots.load_async("one", world, timeout=0.001, progress=progress)
        may_read.set()
        with pytest.raises(SaveError, match="saves to 'one' are refused: .* 0.001 sec"):
            slots.save("one", world)
        assert world.state == 1
        await asyncio.get_running_loop().shutdown_default_executor()

    run(scene())
    assert not told, "the thread ends at its next step"

    async def again() -> None:
        await slots.load_async("one", world, timeout=60)

    run(again())
    assert world.state == 5 and slots.save("one", world).generation == 2


def test_progress_is_told_on_the_games_thread(slots: SaveSlots, store: Gated) -> None:
    store.open()
    told: list[tuple[int, int, str]] = []

    def progress(done: int, total: int) -> None:
        told.append((done, total, threading.current_thread().name))

    async def scene() -> None:
        await slots.save_async("one", World(1, rows=35), progress=progress)
        await asyncio.sleep(0)

    run(scene())
    here = threading.current_thread().name
    assert told == [(done, 35, here) for done in (10, 20, 30, 35)]
    told.clear()

    async def second() -> None:
        await slots.load_async("one", World(), progress=progress)
        await asyncio.sleep(0)

    run(second())
    assert told and all(name == here and done <= of for done, of, name in told)


def test_a_load_reads_elsewhere_and_applies_here(
    slots: SaveSlots, store: Gated
) -> None:
    store.open()
    slots.save("one", World(5), level="cave")
    seen: list[str] = []

    def levels(name: str) -> None:
        seen.append(name + threading.current_thread().name)

    async def scene() -> None:
        world = World()
        result = await slots.load_async("one", world, levels=levels)
        assert world.state == 5 and result.info.generation == 1 and result.is_newest

    run(scene())
    assert seen == ["cave" + threading.current_thread().name]


def test_a_load_that_fails_refuses_saving_and_one_that_is_cancelled_does_not(
    slots: SaveSlots, store: Gated
) -> None:
    store.open()
    slots.save("one", World(5))

    async def cancelled() -> None:
        loading = asyncio.create_task(slots.load_async("one", World()))
        await asyncio.sleep(0)
        loading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await loading

    run(cancelled())
    slots.save("one", World(6))

    async def failing() -> None:
        with pytest.raises(NoSuchSave):
            await slots.load_async("two", World())
        store._files.update(dict.fromkeys(store.names(), b"broken"))
        with pytest.raises(SaveCorruptError):
            await slots.load_async("one", World())
        with pytest.raises(SaveError, match="saves to 'one' are refused"):
            await slots.save_async("one", World(7))

    run(failing())


def test_the_interpreter_waits_for_what_is_being_saved(tmp_path: Path) -> None:
    text = f"""
        import asyncio
        from savegen.runtime import GameObject, SaveLoadManager
        from savegen.runtime.generated.registry import FORMAT, Registry
        from savegen.saves.slots.slots import SaveSlots

        slots = SaveSlots({str(tmp_path)!r})
        manager = SaveLoadManager(Registry(FORMAT, ()))
        for place in range(3000):
            manager.add(GameObject(position=(place, 0.0, 0.0)))

        async def main():
            saving = slots.save_async("one", manager)
            saving.send(None)  # it has begun, and nobody waits for it

        loop = asyncio.new_event_loop()
        loop.run_until_complete(main())
    """
    program(text)
    assert FolderStore(tmp_path).names() == ["one/1.sav"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_process_that_was_forked_waits_for_nothing_of_its_parents(
    tmp_path: Path,
) -> None:
    text = f"""
        import asyncio, os, signal, threading
        from savegen.runtime import GameObject, SaveLoadManager
        from savegen.runtime.generated.registry import FORMAT, Registry
        from savegen.saves import FolderStore, SaveSlots

        begun, go_on = threading.Event(), threading.Event()

        class Slow(FolderStore):
            def write(self, name, pieces, *agree):
                if name == "one/1.sav":
                    begun.set()
                    go_on.wait(20)
                super().write(name, pieces, *agree)

        slots = SaveSlots(Slow({str(tmp_path)!r}))
        manager = SaveLoadManager(Registry(FORMAT, ()))
        thing = manager.add(GameObject())

        async def begin():
            slots.save_async("one", manager).send(None)

        asyncio.new_event_loop().run_until_complete(begin())
        begun.wait()
        child = os.fork()
        if not child:
            signal.alarm(15)
            slots.wait()
            slots.save("two", manager)
            assert slots.load("two", manager).info.generation == 1
            asyncio.run(slots.save_async("two", manager))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        go_on.set()
        slots.wait()
        assert status == 0
    """
    python("-W", "ignore", "-c", textwrap.dedent(text))
    assert FolderStore(tmp_path).names() == ["one/1.sav", "two/1.sav", "two/2.sav"]


def test_nobody_who_does_not_save_asynchronously_pays_for_it() -> None:
    told = program("import sys, savegen.saves.slots.slots; print(*sys.modules)")
    assert not {"asyncio", "concurrent.futures", "ctypes"} & {*told.split()}


def test_a_thread_that_cannot_begin_is_told_of_and_blocks_nobody(
    slots: SaveSlots, store: Gated, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    store.open()
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(SaveWriteError, match="can't start new thread") as caught:
            # no loop of asyncio's: that begins threads of its own
            slots.save_async("one", World(1)).send(None)
        assert caught.value.errno == errno.EAGAIN and not caught.value.committed
    slots.wait()
    assert slots.save("one", World(2)).generation == 1
