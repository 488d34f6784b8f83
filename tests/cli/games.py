"""A game in a fresh folder, and the commands run on it: in this process, or by the real door."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.project import ENVIRONMENT, Said, python, savegen

MARKS = "from savegen import Saved, saveable\n"
SAVEGEN = ("-m", "savegen")
TABLE = '[tool.savegen]\nsource = "game"\n'


class Game:
    """One game. Paths are posix, below its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, path: str, content: str | bytes) -> None:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)

    def marked(self, path: str, name: str, *fields: str) -> None:
        """Write a file with one marked class."""
        body = "".join(f"    {field}\n" for field in fields or ("hp: Saved[int] = 3",))
        self.write(path, f"{MARKS}\n\n@saveable\nclass {name}:\n{body}")

    def read(self, path: str) -> str:
        return (self.folder / path).read_bytes().decode()

    def lock(self, path: str = "savegen.lock") -> str:
        """Return the text of a lock file without its checksums."""
        return re.sub(" ~[0-9a-f]{4}(?= )", "", self.read(path))

    def remove(self, path: str) -> None:
        (self.folder / path).unlink()

    def append(self, path: str, text: str) -> None:
        self.write(path, self.read(path) + text)

    def replace(self, path: str, old: str, new: str) -> None:
        text = self.read(path)
        assert old in text
        self.write(path, text.replace(old, new))

    def files(self) -> dict[str, bytes]:
        """Everything but the cache, with what it holds."""
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and ".savegen_cache" not in path.parts
        }

    def generated(self) -> list[str]:
        """The paths of the output, below `game/_savegen`."""
        output = self.folder / "game" / "_savegen"
        found = (path for path in output.rglob("*") if path.is_file())
        return sorted(path.relative_to(output).as_posix() for path in found)

    def run(self, *words: str, cwd: str = ".") -> Said:
        """Run a command in this process."""
        return savegen(self.folder / cwd, *words)

    def start(self, *words: str, cwd: str = ".", **options: Any) -> subprocess.Popen:
        """Start `python -m savegen` in a process of its own."""
        env = {k: v for k, v in os.environ.items() if not k.endswith("_COLOR")}
        return subprocess.Popen(
            [sys.executable, "-m", "savegen", *words],
            cwd=self.folder / cwd,
            env=env | ENVIRONMENT | {"COLUMNS": "80"},
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            **({"stderr": subprocess.PIPE} | options),
        )

    def door(self, *words: str, cwd: str = ".", **options: Any) -> Said:
        """Run `python -m savegen` to its end."""
        with self.start(*words, cwd=cwd, **options) as process:
            out, err = process.communicate(timeout=120)
        return Said(process.returncode, out, err)

    def terminal(
        self, *words: str, columns: int = 80, program: str = "", **env: str
    ) -> str:
        """Run `python -m savegen`, or a program, on a terminal; return all it is sent."""
        import fcntl
        import pty
        import struct
        import termios

        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
        kept = {k: v for k, v in os.environ.items() if not k.endswith("_COLOR")}
        for name in ("CI", "COLUMNS"):
            kept.pop(name, None)
        process = subprocess.Popen(
            [sys.executable, *(["-c", program] if program else SAVEGEN), *words],
            cwd=self.folder,
            env=kept | ENVIRONMENT | {"TERM": "xterm"} | env,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        sent = b""
        with contextlib.suppress(OSError):  # Linux says so when the other end is closed
            while data := os.read(ours, 65536):
                sent += data
        os.close(ours)
        process.wait(60)
        return sent.decode().replace("\r\n", "\n")

    def python(self, code: str) -> str:
        """Run a line of Python in the game's folder; return what it prints."""
        return python("-c", code, folder=self.folder)
