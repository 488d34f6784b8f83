"""The fight with the chief of the goblins."""

from __future__ import annotations

from pathlib import Path

from sample_game.boss import GoblinChief, Phase
from sample_game.game import Game
from sample_game.keys import NONE, Keys
from sample_game.shapes import Vec2


def test_the_chief_fights_who_shoots_at_him_from_afar(tmp_path: Path) -> None:
    game = Game(tmp_path, "mountain")
    player, (chief,) = game.player, game.world.manager.find(GoblinChief)
    player.position = chief.position - Vec2(20, -0.6875)
    for _ in range(60):
        game.step(NONE)
    phases = [chief.phase]
    for step in range(240):
        game.step(NONE if step else Keys.FIRE)
    phases.append(chief.phase)
    assert phases == [Phase.WAITS, Phase.THROWS]
    assert chief.position.x - player.position.x < 18
