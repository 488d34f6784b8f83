"""Real processes: killed at every file operation, and several at one slot."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from savegen.saves.slots.slots import SaveSlots
from tests.saves.processes import STEPS

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "tests.saves.processes"]

# What is in the slots before, and when all is done.
BEFORE = {"one": 3}
AFTER = {
    "save": {"one": 4},
    "delete": {},
    "import": {"one": 3, "three": 3},
    "export": {"one": 3, "exported": 3},
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system forks no processes")
@pytest.mark.parametrize("step", STEPS)
def test_a_kill_at_any_file_operation_loses_nothing(tmp_path: Path, step: str) -> None:
    command = [*COMMAND, "kills", str(tmp_path), step]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    for line in lines:
        assert line["found"] in (BEFORE, AFTER[step])
        assert line["next"] == 9 and line["strange"] == []
    assert len(lines) > 10 and lines[0]["found"] == BEFORE
    assert [line["killed"] for line in lines] == [True] * (len(lines) - 1) + [False]
    assert lines[-1]["found"] == AFTER[step]


@pytest.mark.usefixtures("small")
def test_eight_processes_share_one_slot(tmp_path: Path) -> None:
    """No save takes another's place, none is torn, and each is told how it went."""
    each = 4
    started = [
        subprocess.Popen(
            [*COMMAND, "compete", str(tmp_path), str(number), str(each)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(8)
    ]
    outputs = [process.communicate()[0] for process in started]
    assert not any(process.returncode for process in started)
    numbers = [number for output in outputs for number in json.loads(output)]
    assert sorted(numbers) == [*range(1, 8 * each + 1)]
    (info,) = SaveSlots(tmp_path).list(verify=True)
    assert info.generation == 8 * each and not info.notes


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="nothing to count")
@pytest.mark.usefixtures("small")
def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    from tests.saves.small_world import World

    def count() -> int:
        return len(os.listdir("/proc/self/fd"))

    slots = SaveSlots(tmp_path / "saves")
    slots.save("one", World(1))
    before = count()
    for state in range(5):
        slots.save("one", World(state))
        slots.load("one", World())
        slots.list(verify=True)
    slots.delete("one")
    slots.restore("one")
    slots.export("one", tmp_path / "out.sav")
    (tmp_path / "saves" / "one" / "9.sav").write_bytes(b"broken")
    slots.load("one", World())
    assert count() == before
