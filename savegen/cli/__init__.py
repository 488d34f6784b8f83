"""The command line: the list of commands, and `run`, which executes one.

Each command is a file here with a click command called `command`, which returns its exit code:
0 for success, 1 for errors or outdated files. If it raises an exception, `run` prints it.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import TextIO

import click

from savegen.cli._console import Console, write
from savegen.cli._options import common, group_of

# In the order in which a new user needs them. Help and completion use only this table: the file
# of a command is imported when the command runs.
COMMANDS = {
    "init": "Set up savegen for the game in this folder.",
    "adopt": "Propose or write the marks of a game that has none.",
    "mark": "Wrap the annotations of marked classes in `Saved[...]`.",
    "components": "Write the save and load code of the marked classes (pass 1).",
    "prefabs": "Write the code that lets levels place prefabs (pass 2).",
    "links": "Build each prefab once and record its defaults (pass 3).",
    "build": "Wire new classes, and write all generated code that is out of date.",
    "watch": "Build whenever a file of the game changes.",
    "check": "Report errors and outdated generated files; write nothing.",
    "breaking": "Report changes that would break older saves, levels or code.",
    "wire": "Add the generated base class to newly marked classes; `build` does it, too.",
    "show": "Show the saved classes and prefabs as tables or as a diagram.",
    "lock": "Show, retire or reset the stable numbers in savegen.lock.",
    "release": "Copy savegen.lock when you ship a version.",
    "saves": "List, show, verify, compare, migrate and export save files.",
    "level": "Create, check, preview, compress and upgrade levels.",
    "explain": "Explain a finding, with examples.",
    "rules": "List every kind of finding.",
    "clean": "Remove the generated files and the cache.",
    "completion": "Print the completion script for bash, zsh or fish.",
}

# The groups in the help. Commands without a group are listed last.
GROUPS = {
    "Everyday commands": (
        "init",
        "adopt",
        "mark",
        "wire",
        "build",
        "watch",
        "check",
        "show",
        "explain",
    ),
    "Levels": ("level",),
    "Saves": ("saves",),
    "Releases": ("breaking", "release", "lock"),
    "Single passes": ("components", "prefabs", "links"),
}

_BUG = (
    "this is a bug in savegen, not in your game: please report it with the lines above"
)

_EPILOG = """\
In the game, save and load the world like this:

\b
  from savegen.runtime import SaveLoadManager
  from savegen.saves import SaveSlots
  from _savegen.registry import REGISTRY
  manager = SaveLoadManager(REGISTRY)
  manager.add(Player())          # once for each object to save
  slots = SaveSlots("saves")
  slots.save("slot-1", manager)  # later: slots.load("slot-1", manager)

Exit codes: 0 success, possibly with warnings; 1 errors, or files out of date;
2 wrong usage or configuration; 3 a bug in savegen.

Documentation: docs/ in savegen's repository.
"""


def _print_version(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        from savegen.build.config import VERSION

        write(f"savegen {VERSION}")
        context.exit()


@click.group(
    cls=group_of(COMMANDS, __name__, GROUPS),
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_EPILOG,
)
@common
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version and exit.",
)
def savegen_command() -> None:
    """Write the code that saves and loads your Python game.

    \b
    To start:
      1. Run `savegen init`.
      2. Mark classes with `@saveable` and their fields with `Saved[...]`:
         from savegen import Saved, saveable
      3. Run `savegen build`. It adds the generated base classes, and writes the save and
         load code.

    `savegen COMMAND --help` explains each command.
    """


def run(args: Sequence[str] | None = None) -> int:
    """Run a command line, print the error if it fails, and return the exit code."""
    console = Console()
    _escape_unencodable(sys.stdout)
    try:
        return int(
            savegen_command.main(args, "savegen", standalone_mode=False, obj=console)
            or 0
        )
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except ModuleNotFoundError as error:
        if error.name and not error.name.startswith("savegen"):
            raise  # a missing package, such as click: `__main__` prints the error
        return report_failure(error, console)
    except Exception as error:
        return report_failure(error, console)


def _escape_unencodable(stream: TextIO | None) -> None:
    """Make a stream escape the characters that its encoding lacks."""
    if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
        stream.reconfigure(errors="backslashreplace")


def report_failure(error: Exception, console: Console) -> int:
    """Print an exception that ended a command, and return the exit code."""
    from savegen import disk
    from savegen.build import write
    from savegen.findings import SavegenError

    if isinstance(error, (SavegenError, write.Refused, disk.Busy)):
        console.error(str(error))
        return 2
    if isinstance(error, OSError) and error.filename is not None:
        console.error(f"{os.fsdecode(error.filename)}: {error.strerror}")
        return 2
    import traceback

    console.error("".join(traceback.format_exception(error)) + _BUG)
    return 3
