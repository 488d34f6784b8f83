"""Pass 2 as far as it gives numbers: what the lock and `types.py` know of prefabs."""

from __future__ import annotations

import contextlib

from savegen.cache import Memory
from savegen.cli._session import Session
from savegen.config import load
from savegen.pipeline import prefabs
from tests.cli.games import Game


def number_prefabs(game: Game) -> None:
    """Write the lock and `types.py` as pass 2 does."""
    with contextlib.chdir(game.folder):
        config = load(str(game.folder))
        assert config is not None
        session = Session(config)
        generated = session.generate()
        model, lock = generated.model, generated.lock
        found = prefabs(model, lock, session.layout, Memory(""), session.report)
        assert not session.report.failed, list(session.report)
        generated.lock, generated.model = found.lock, found.model
        generated.files |= found.files
        session.apply(session.plan(generated))
