"""A world of one number: what the tests of slots save and load, so that they test slots alone."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from savegen.runtime import LoadReport, SaveApplyError, SaveVersionError
from savegen.runtime.registry import FORMAT, Registry
from savegen.runtime.saves import loading
from savegen.runtime.saves.world import pack
from savegen.runtime.saves.document import Column, Document, Table


class _World:
    """Stands for a `SaveLoadManager`: `state` is all there is, in `rows` rows."""

    def __init__(self, state: int = 0, rows: int = 1, save_version: int = 0) -> None:
        self.state = state
        self.rows = rows
        self.raises: Exception | None = None
        self.registry = Registry(FORMAT, (), save_version=save_version)
        self.on_piece: Callable[[], object] = lambda: None

    def create_snapshot(self) -> Any:
        if self.raises:
            raise self.raises
        world = SimpleNamespace(registry=self.registry)
        about = {"state": self.state, "rows": self.rows, "on_piece": self.on_piece}
        return SimpleNamespace(world=world, **about)


World: Any = _World


def packed(snapshot: Any) -> Document:
    columns = [Column(16, "state", "int")]
    pieces = Pieces(snapshot)
    table = Table(7, "World", columns, snapshot.rows, pieces)
    return Document([table], snapshot.world.registry.save_version)


class Packing:
    """Stands in for savegen's own."""

    def __init__(self, snapshot: Any, pause: Callable[[], object] = bool) -> None:
        self._snapshot = snapshot

    def document(self) -> Document:
        return packed(self._snapshot)

    def let_go(self, pause: Callable[[], object]) -> None:
        pass


class Pieces:
    def __init__(self, snapshot: Any) -> None:
        self._snapshot = snapshot

    def __iter__(self) -> Any:
        left = self._snapshot.rows
        while left:
            many = min(left, 10)
            self._snapshot.on_piece()
            yield [[self._snapshot.state] * many]
            left -= many


def applied(
    manager: Any,
    document: Document,
    levels: Callable[[], object] | None = None,
    *,
    read_only: bool = False,
) -> LoadReport:
    if document.save_version > manager.registry.save_version and not read_only:
        raise SaveVersionError("the save is of a newer game")
    (state,) = {*document.table(7).values(0)}
    if manager.raises:
        raise SaveApplyError(str(manager.raises))
    if levels:
        manager.state = None
        levels()
    manager.state = state
    return LoadReport(changed=1)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let worlds of one number be what is saved."""
    monkeypatch.setattr(pack, "Packing", Packing)
    monkeypatch.setattr(loading, "apply", applied)
