"""The sample game in a process of its own, which prints what has become of the world.

    python -m tests.game.process play SCRIPT FOLDER [EVERY]
    python -m tests.game.process go-on SCRIPT FOLDER FRAMES FRAME…
    python -m tests.game.process until-killed SCRIPT FOLDER FRAMES

`play` saves each `EVERY` frames, in a slot with the number of the frame. `go-on` loads such saves
one after the other, and plays so many frames from each. `until-killed` goes on where the autosave
is, and is killed so many frames later. `tests.game.scripts` says what a script is.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from sample_game.game import AUTOSAVE, Game
from tests.game.scripts import begin, keys_of, straight


def play(script: str, folder: str, every: str = "50") -> dict[str, Any]:
    """Return the digests of the frames at which the world is saved, and how it ends."""
    game, digests = begin(script, Path(folder)), {}
    for frame, keys in enumerate(straight(keys_of(script))):
        if frame % int(every) == 0:
            digests[frame] = game.digest()
            game.save(str(frame))
        game.step(keys)
    game.close()
    end = {"level": game.level_name, "finished": game.finished, "digest": game.digest()}
    return {"digests": digests, **end}


def go_on(script: str, folder: str, frames: str, *begin: str) -> dict[str, Any]:
    """Return the digests some frames after each of some saves."""
    game, keys = Game(Path(folder), "cellar"), straight(keys_of(script))
    digests = {}
    for frame in map(int, begin):
        game.load(str(frame))
        for pressed in keys[frame : frame + int(frames)]:
            game.step(pressed)
        digests[frame] = game.digest()
    return {"digests": digests}


def until_killed(script: str, folder: str, frames: str) -> None:
    """Print the frame of the autosave and its digest, go on, and be killed."""
    autosave = Path(folder) / "auto"
    game = Game(Path(folder), None if autosave.exists() else script)
    start = game.steps
    print(json.dumps([start, game.digest()]), flush=True)
    keys = straight(keys_of(script))
    for pressed in keys[start : start + int(frames)]:
        if game.steps % AUTOSAVE == AUTOSAVE - 1:
            game.slots.wait()  # as long as a second of play, in which the last one is written
        game.step(pressed)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    command, *words = sys.argv[1:]
    if command == "until-killed":
        until_killed(*words)
    else:
        print(json.dumps(play(*words) if command == "play" else go_on(*words)))
