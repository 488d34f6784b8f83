"""Several versions of one small game: each generated for, and played in this very process."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

from savegen.runtime.registry import Registry
from tests.cli.games import Game as Folder

HEAD = """\
from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, Any

from savegen import Recorder, Save, Saved, SaveOverride, converter, migration, saveable
from savegen.runtime import NO_REFERENCES, GameObject
"""


class Version:
    """One version of a game, as it is imported; `play` makes it the one that runs."""

    def __init__(
        self, folder: Path, source: str, before: Version | None = None
    ) -> None:
        """`source` is its one module; its lock goes on from that of the version `before`."""
        self._folder = folder
        folder.mkdir()
        text = HEAD + dedent(source)
        (folder / "old_game.py").write_text(text, encoding="utf-8")
        if before is not None:
            lock = (before._folder / "savegen.lock").read_bytes()
            (folder / "savegen.lock").write_bytes(lock)
        self._modules: dict[str, ModuleType] = {}

    def generate(self, save_version: int = 0) -> Version:
        if save_version:
            told = f"[tool.savegen]\nsource = ['.']\nsave_version = {save_version}\n"
            (self._folder / "pyproject.toml").write_text(told, encoding="utf-8")
        for command in ("wire", "components"):
            arguments = [] if save_version else ["old_game.py"]
            said = Folder(self._folder).run(command, *arguments)
            assert said.code == 0, said.out + said.err
        return self

    @contextmanager
    def playing(self) -> Iterator[tuple[Any, Registry]]:
        """Have this version imported under the name that each of them has."""
        mine = ("old_game", "_savegen")
        others = {n: m for n, m in sys.modules.items() if n.split(".")[0] in mine}
        for name in others:
            del sys.modules[name]
        sys.modules.update(self._modules)
        sys.path.insert(0, str(self._folder))
        importlib.invalidate_caches()
        try:
            game = importlib.import_module("old_game")
            registry = importlib.import_module("_savegen.registry").REGISTRY
            yield game, registry
        finally:
            sys.path.remove(str(self._folder))
            found = {n: m for n, m in sys.modules.items() if n.split(".")[0] in mine}
            self._modules = found
            for name in found:
                del sys.modules[name]
            sys.modules.update(others)
