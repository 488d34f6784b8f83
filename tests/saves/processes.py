"""What the processes do that `test_processes` starts: `python -m tests.saves.processes …`."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from savegen.runtime import SlotBusyError
from savegen.saves.stores import files
from savegen.saves.slots.slots import SaveSlots
from tests.saves import small_world
from tests.saves.small_world import World

STEPS: dict[str, Callable[[SaveSlots], object]] = {
    "save": lambda slots: slots.save("one", World(4)),
    "delete": lambda slots: slots.delete("one"),
    "import": lambda slots: slots.import_(slots.store.path + "/../out.sav", "three"),  # type: ignore[attr-defined]
    "export": lambda slots: slots.export("one", slots.store.path + "/../new.sav"),  # type: ignore[attr-defined]
}


class Unsynced(files.FileSystem):
    """A kill takes nothing from what was written, as a power cut does: this is faster."""

    def sync(self, file: int) -> None:
        """Do nothing."""

    def sync_folder(self, path: str) -> None:
        """Do nothing."""


class Deadly(Unsynced):
    """The system of a process that is killed before its n-th operation."""

    def __init__(self, number: int) -> None:
        self._left = number

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("_"):
            return super().__getattribute__(name)
        self._left -= 1
        if not self._left:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__getattribute__(name)


def kills(folder: Path, step: str) -> None:
    """Kill processes, each one operation later, until one comes through; print what was left."""
    prepare(folder / "start")
    number, killed = 0, True
    while killed:
        number += 1
        saves = folder / str(number) / "saves"
        shutil.copytree(folder / "start", saves.parent)
        child = os.fork()
        if not child:
            slots = SaveSlots(saves)
            slots.load("one", World())
            files.SYSTEM = Deadly(number)
            STEPS[step](slots)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
        killed = os.WIFSIGNALED(status)
        print(json.dumps({"killed": killed, **left(saves)}))


def prepare(folder: Path) -> None:
    slots = SaveSlots(folder / "saves")
    for state in (1, 2, 3):
        slots.save("one", World(state))
    slots.export("one", folder / "out.sav")


def left(folder: Path) -> dict[str, Any]:
    """Return what a new process finds, and what there is when it has saved itself."""
    slots = SaveSlots(folder)
    found, world = {}, World()
    for info in slots.list(verify=True):
        slots.load(info.slot, world)
        found[info.slot] = world.state
    exported = folder.parent / "new.sav"
    if exported.exists():
        slots.import_(exported, "exported")
        slots.load("exported", world)
        found["exported"] = world.state
    slots.save("one", World(9))
    slots.load("one", world)
    names = [path.name for path in folder.glob("one/*") if path.suffix != ".sav"]
    return {"found": found, "next": world.state, "strange": names}


def compete(folder: Path, name: str, times: int) -> None:
    """Save again and again, among others; print the generations."""
    slots = SaveSlots(folder)
    done: list[int] = []
    while len(done) < times:
        try:
            done.append(slots.save("one", World(int(name)), title=name).generation)
        except SlotBusyError:
            continue
        slots.load("one", World())
        assert not slots.list(verify=True)[0].notes
    print(json.dumps(done))


if __name__ == "__main__":
    small_world.install()
    files.SYSTEM = Unsynced()
    what, path, *rest = sys.argv[1:]
    if what == "kills":
        kills(Path(path), *rest)
    else:
        compete(Path(path), rest[0], int(rest[1]))
