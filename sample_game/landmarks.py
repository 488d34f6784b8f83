"""Places that matter on the way: flags, signs, springs and exits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from savegen import Activation, Save, Saved, on_activate, saveable

from sample_game._savegen.components.landmarks import (
    ExitSaveLoad,
    FlagSaveLoad,
    LandmarkSaveLoad,
    SignSaveLoad,
    SpringSaveLoad,
)
from sample_game.shapes import Vec2
from sample_game.things import Thing, standing

if TYPE_CHECKING:
    from sample_game.enemies import Enemy
    from sample_game.player import Player
    from sample_game.world import World


@saveable
class Landmark(LandmarkSaveLoad, Thing):
    """Something that stands on the ground."""

    position: Saved[Vec2] = Vec2()

    @on_activate
    def settle(self, reason: Activation) -> None:
        if reason is Activation.PLACED:
            self.position = standing(self.position, self.SIZE)


@saveable
class Flag(FlagSaveLoad, Landmark):
    """A flag. Who has touched it comes back to it."""

    SIZE = Vec2(1, 2)

    is_up: Annotated[bool, Save(editor=False)] = False

    def touch(self, player: Player, world: World) -> None:
        if player.flag is not self:
            self.is_up, player.flag = True, self
            world.tell("flag", self.position)


@saveable
class Spring(SpringSaveLoad, Landmark):
    """A spring throws up who falls on it."""

    SIZE = Vec2(1, 0.5)

    power: Annotated[float, Save(gt=0, le=40)] = 24.0

    def touch(self, player: Player, world: World) -> None:
        if player.velocity.y >= 0:
            player.bounce(self.power)
            world.tell("spring", self.position)


@saveable
class Sign(SignSaveLoad, Landmark):
    """A sign with a hint, which the player reads in passing."""

    SIZE = Vec2(1, 1)

    words: Saved[str] = ""

    def touch(self, player: Player, world: World) -> None:
        world.say(self.words)
        world.progress.hear(world.level_name, self.words)


@saveable
class Exit(ExitSaveLoad, Landmark):
    """The way out. It may have a guard, without whom it is open."""

    SIZE = Vec2(1.5, 2)

    to: Saved[str | None] = None
    """The name of the next level; `null` for the end of the game."""
    guard: Saved[Enemy | None] = None

    @property
    def is_open(self) -> bool:
        return self.guard is None or self.guard.hp <= 0

    def touch(self, player: Player, world: World) -> None:
        if self.is_open:
            world.left_by = self
        elif self.guard is not None:
            world.say("the way out is guarded")
