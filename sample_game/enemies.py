"""The enemies of the player: bats and goblins."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Annotated
from weakref import ref

from pygame.sprite import Sprite

from savegen import Activation, Save, Saved, on_activate, saveable

from sample_game._savegen.components.enemies import (
    BatSaveLoad,
    EnemySaveLoad,
    GoblinSaveLoad,
)
from sample_game.items import Loot
from sample_game.physics import FASTEST_FALL, GRAVITY, SECONDS, Area
from sample_game.player import Player
from sample_game.shapes import Box, Facing, Vec2
from sample_game.things import standing

if TYPE_CHECKING:
    from sample_game.boss import GoblinChief
    from sample_game.world import World

AWAKE = 26.0  # units: who is farther from the player does not move
DAZED = 18  # frames after a hit


@saveable
@dataclass(eq=False)
class Enemy(EnemySaveLoad, Sprite):
    """The base class of enemies. Subclasses inherit its fields and their numbers."""

    SIZE = Vec2(0.75, 1)

    class Mood(Enum):
        """What an enemy does at the moment."""

        ASLEEP = "asleep"
        GUARD = "guard"
        HUNT = "hunt"

    position: Saved[Vec2]
    hp: Annotated[int, Save("health", ge=1, le=99)] = 3
    facing: Saved[Facing] = Facing.LEFT
    mood: Annotated[Mood, Save(editor=False)] = Mood.GUARD
    prey: Annotated[Player | None, Save(editor=False)] = None
    velocity: Annotated[Vec2, Save(editor=False)] = Vec2()
    dazed: Annotated[int, Save(editor=False)] = 0

    def __post_init__(self) -> None:
        Sprite.__init__(self)

    @property
    def area(self) -> Area:
        return Area.around(self.position, self.SIZE)

    @property
    def speed(self) -> float:
        return 2.0

    @property
    def pose(self) -> str:
        """What the enemy looks like: `stand`, `walk`, `hurt`, or more in subclasses."""
        if self.dazed:
            return "hurt"
        return "walk" if self.velocity.x else "stand"

    def update(self, world: World) -> None:
        """Act, if the player is not far away."""
        if abs(world.player.position.x - self.position.x) > AWAKE:
            return
        self.dazed = max(0, self.dazed - 1)
        self.act(world)
        if self.area.meets(world.player.area):
            self.touch(world.player, world)

    def act(self, world: World) -> None:
        """Do what this enemy does in one step."""

    def touch(self, player: Player, world: World) -> None:
        """Hurt the player, who may also jump on the enemy's head."""
        if player.velocity.y > 1 and player.area.bottom < self.position.y:
            self.hit(player)
            player.bounce(11.0)
            world.tell("hit", self.position)
        elif not self.dazed:
            world.hurt(player, 1.0)

    def sees(self, player: Player, world: World, far: float) -> bool:
        way = player.position - self.position
        return way.length <= far and world.ground.sees(self.position, player.position)

    def notice(self, player: Player) -> None:
        """Start to hunt the player."""
        self.prey = player
        self.mood = self.Mood.HUNT

    def face(self, place: Vec2) -> None:
        self.facing = Facing.LEFT if place.x < self.position.x else Facing.RIGHT

    def hit(self, by: Player, damage: int = 1) -> None:
        """Lose some health, and remember the attacker."""
        if self.hp <= 0:
            return
        self.hp -= damage
        self.dazed = DAZED
        self.notice(by)
        if self.hp <= 0:
            by.stats.kills[type(self).__name__] += 1

    def die(self, world: World) -> None:
        """Leave the world. A subclass says what stays behind."""
        self.kill()


@saveable
@dataclass(eq=False)
class Bat(BatSaveLoad, Enemy):
    """A bat that flies rounds. It refers to the player weakly, without keeping the player alive."""

    SIZE = Vec2(0.75, 0.5)

    cave: Saved[Box] = Box(Vec2(-10, -4), Vec2(10, 4))  # the bat stays inside
    rounds: Saved[deque[Vec2]] = field(default_factory=deque)
    echo: Annotated[ref[Player] | None, Save(editor=False)] = None
    home: Annotated[Vec2, Save(editor=False)] = Vec2()  # rounds and cave begin there
    rest: Annotated[int, Save(editor=False)] = 0  # frames until it listens again

    @on_activate
    def settle(self, reason: Activation) -> None:
        if reason in (Activation.PLACED, Activation.SPAWNED):
            self.home = self.position

    @property
    def speed(self) -> float:
        return 5.0 if self.mood is self.Mood.HUNT else 3.0

    @property
    def pose(self) -> str:
        if self.dazed:
            return "hurt"
        return "fly" if self.rounds else "hang"

    def notice(self, player: Player) -> None:
        self.echo = ref(player)

    def act(self, world: World) -> None:
        """Fly to the next point of the rounds, or to the source of the echo."""
        self.rest = max(0, self.rest - 1)
        player = self.echo() if self.echo else None
        if player is not None:
            self.rounds.appendleft(self.cave.nearest(player.position - self.home))
            self.echo, self.mood = None, self.Mood.HUNT
        elif self.mood is self.Mood.GUARD and not self.rest:
            if self.sees(world.player, world, 6.0):
                self.notice(world.player)
        if self.rounds:
            self._fly(self.home + self.rounds[0], world)

    def _fly(self, goal: Vec2, world: World) -> None:
        self.face(goal)
        way = self.position.towards(goal, self.speed * SECONDS) - self.position
        contact = world.move(self, way)
        if self.position != goal and not (
            contact.wall or contact.floor or contact.ceiling
        ):
            return
        if self.mood is self.Mood.HUNT:
            self.rounds.popleft()
            self.mood, self.rest = self.Mood.GUARD, 60
        else:
            self.rounds.rotate(-1)


@saveable
@dataclass(eq=False)
class Goblin(GoblinSaveLoad, Enemy):
    """A goblin that guards a post, drops loot, and remembers who hit it."""

    name: Saved[str] = "a goblin"
    post: Saved[tuple[Vec2, Facing]] = (Vec2(), Facing.LEFT)
    loot: Saved[Loot] = field(default_factory=lambda: Loot(gold=1, items=[]))
    grudges: Annotated[set[str], Save(editor=False)] = field(default_factory=set)
    chief: Annotated[GoblinChief | None, Save(editor=False)] = None

    @on_activate
    def settle(self, reason: Activation) -> None:
        if reason is Activation.PLACED:
            self.position = standing(self.position, self.SIZE)
            self.post = self.position, self.facing

    @property
    def speed(self) -> float:
        if self.mood is not self.Mood.HUNT:
            return 1.5
        return 4.0 if self.grudges else 3.0

    @property
    def pose(self) -> str:
        pose = super().pose
        return "hunt" if pose == "walk" and self.mood is self.Mood.HUNT else pose

    def hit(self, by: Player, damage: int = 1) -> None:
        super().hit(by, damage)
        self.grudges.add(by.name)

    def act(self, world: World) -> None:
        """Walk up and down, or hunt the player who is in sight."""
        player = world.player
        if self.mood is self.Mood.HUNT:
            self.face(player.position)
            if (player.position - self.position).length > 14:
                self.return_to_post()
        elif self.sees(player, world, 8.0):
            self.notice(player)
            world.tell("goblin", self.position)
        self.walk(world)

    def walk(self, world: World) -> None:
        """Go ahead: turn at ledges and walls, or jump up while hunting."""
        hunts = self.mood is self.Mood.HUNT
        ahead = self.facing.value * self.speed * (not self.dazed)
        if self.stands(world) and not world.holds(self._step_ahead()):
            ahead = 0.0
            if not hunts:
                self.facing = Facing(-self.facing.value)
        fall = min(self.velocity.y + GRAVITY * SECONDS, FASTEST_FALL)
        contact = world.move(self, Vec2(ahead, fall) * SECONDS)
        if contact.wall and not hunts:
            self.facing = Facing(-self.facing.value)
        if contact.wall and hunts and contact.floor:
            fall = -13.0  # over what is in the way
        elif contact.floor or contact.ceiling:
            fall = 0.0
        self.velocity = Vec2(ahead, fall)

    def stands(self, world: World) -> bool:
        return self.velocity.y >= 0 and world.holds(self.area)

    def _step_ahead(self) -> Area:
        x = self.facing.value * 0.5
        area = self.area.moved(x, 0.0)
        middle = self.position.x + x
        return Area(middle - 0.125, area.top, middle + 0.125, area.bottom)

    def return_to_post(self) -> None:
        self.face(self.post[0])
        self.mood, self.prey = self.Mood.GUARD, None

    def die(self, world: World) -> None:
        """Drop the loot."""
        world.player.take_coins(self.loot["gold"])
        for item in self.loot["items"]:
            world.player.inventory.take(item)
        if note := self.loot.get("note"):
            world.progress.hear(world.level_name, note)
        if self.chief is not None:
            self.chief.dismiss(self)
        world.tell("goblin-dead", self.position)
        super().die(world)
