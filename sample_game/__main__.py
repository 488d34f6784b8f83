"""Play the sample game: run, jump, climb and shoot, through three levels.

Without a level, the game goes on where it was left. R lets the time run back, F5 saves, F9 loads,
Esc opens the menu.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import NoReturn

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

from savegen.runtime import SaveError

from sample_game.game import Game, reason
from sample_game.keys import NONE, Keys, ScriptError, read_script, script_of
from sample_game.level import LEVELS

HOUR = 60 * 60 * 60  # frames


class Parser(argparse.ArgumentParser):
    """Prints a wrong argument in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (--help explains the arguments)\n")


def parser() -> Parser:
    result = Parser("python -m sample_game", description=__doc__)
    add = result.add_argument
    names = ", ".join(LEVELS)
    add("level", nargs="?", metavar="LEVEL", help=f"{names}, or the folder of a level")
    add("--saves", type=Path, metavar="FOLDER", help="where to keep the saves")
    add(
        "--script",
        type=Path,
        metavar="FILE",
        help="keys to play, a line for each time that they change: `90 RIGHT+JUMP`",
    )
    add("--record", type=Path, metavar="FILE", help="write the keys that are pressed")
    add("--headless", action="store_true", help="play a script without a window")
    add("--frames", type=int, metavar="N", help="how long to play without a window")
    return result


def main() -> None:
    """Play. Wrong arguments end the program with exit code 2."""
    command = parser()
    options = command.parse_args()
    for name in "frames", "script":
        if not options.headless and getattr(options, name) is not None:
            command.error(f"--{name} needs --headless")
    if options.frames is not None and not 0 <= options.frames <= HOUR:
        command.error(f"--frames must be from 0 to {HOUR}")
    try:
        script = read_script(options.script) if options.script else []
        if options.record:
            options.record.open("a").close()  # to see now whether that works
        game = Game(options.saves, options.level)
    except (ScriptError, SaveError, OSError) as error:
        command.exit(2, f"{command.prog}: {reason(error)}\n")
    if options.headless:
        played = play_script(game, script, options.frames)
    else:
        from sample_game.screen.window import play

        game.offer_old_save()
        played = play(game)
    game.close()
    tell(game)
    if options.record:
        try:
            options.record.write_text(script_of(played))
        except OSError as error:
            command.exit(1, f"{command.prog}: {reason(error)}\n")


def play_script(game: Game, script: list[Keys], frames: int | None) -> list[Keys]:
    """Play without a window, print what has become of the world, and return the keys."""
    count = len(script) if frames is None else frames
    played = [*script[:count], *[NONE] * (count - len(script))]
    said = tell(game)
    for keys in played:
        game.step(keys)
        said = tell(game, said)
    player = game.player
    print(f"digest {game.digest()}")
    print(f"level {game.level_name}, step {game.steps}, position {player.position}")
    print(f"coins {player.coins}, hearts {player.hp:g}")
    if game.finished:
        print("the game is finished")
    return played


def tell(game: Game, said: str = "") -> str:
    """Print what the game has to say, unless it has just said the same, and return it."""
    notice, game.notice = game.notice, ""
    if notice and notice != said:
        print(notice, file=sys.stderr)
    return notice or said


if __name__ == "__main__":
    main()
