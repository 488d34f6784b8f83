"""The player, with inventory, abilities and statistics."""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Flag, auto
from typing import TYPE_CHECKING, Annotated

from pygame.sprite import Sprite

from savegen import Activation, Save, on_activate, saveable

from sample_game._savegen.components.player import PlayerSaveLoad
from sample_game.items import Item
from sample_game.keys import NONE, Keys
from sample_game.physics import FASTEST_FALL, GRAVITY, SECONDS, Area, Matter
from sample_game.shapes import Facing, Vec2, approach
from sample_game.things import standing
from sample_game.weapons import Missile, PlayerGun

if TYPE_CHECKING:
    from sample_game.landmarks import Flag as Checkpoint
    from sample_game.platforms import MovingPlatform
    from sample_game.world import World

RUN = 7.0  # units a second
CLIMB = 4.0
TAKE_OFF = 16.5  # the speed of a jump
SHORT_JUMP = 5.0  # and what is left of it when the key is let go
SPEED_UP = {True: 70.0, False: 40.0}  # on the ground, in the air
GRACE = 6  # frames in which one may still jump behind a ledge
EARLY = 7  # frames that the key may be pressed before landing
SAFE = 75  # frames after a hit
HEARTS = 5.0


class Ability(Flag):
    """The abilities that the player has learned, in any combination."""

    JUMP = auto()
    DASH = auto()
    CLIMB = auto()
    SWIM = auto()


@dataclass
class Stats:
    """The player's statistics. A plain dataclass is saved with all its fields."""

    kills: Counter[str] = field(default_factory=Counter)
    deaths: list[Vec2] = field(default_factory=list)
    best_times: OrderedDict[str, timedelta] = field(default_factory=OrderedDict)

    def finish(self, level: str, time: timedelta) -> None:
        """Record the time for a level if it is the best so far."""
        self.best_times[level] = min(time, self.best_times.get(level, time))


@dataclass
class Inventory:
    """The items that the player carries."""

    pockets: dict[Item, int] = field(default_factory=dict)
    in_hand: Item | None = None

    def take(self, item: Item) -> None:
        self.pockets[item] = self.pockets.get(item, 0) + 1

    def use(self, item: Item) -> bool:
        """Use up an item, and return whether there was one."""
        left = self.pockets.pop(item, 0)
        if left > 1:
            self.pockets[item] = left - 1
        return left > 0


@saveable(transient=("squash",))
class Player(PlayerSaveLoad, Sprite):
    """The player. Fields can also be marked where `__init__` assigns them."""

    SIZE = Vec2(0.75, 1.375)
    squash = 0  # frames in which the player is drawn flat after landing; not saved

    def __init__(self, name: str, gun: PlayerGun, position: Vec2 = Vec2()) -> None:
        super().__init__()
        self.name: Annotated[str, Save()] = name
        self.gun: Annotated[PlayerGun, Save()] = gun
        self.position: Annotated[Vec2, Save()] = position
        self.velocity: Annotated[Vec2, Save(editor=False)] = Vec2()
        self.facing: Annotated[Facing, Save()] = Facing.RIGHT
        self.hp: Annotated[float, Save("health", ge=0.5, le=10)] = HEARTS
        self.coins: Annotated[int, Save(editor=False)] = 0
        self.abilities: Annotated[Ability, Save()] = Ability.JUMP | Ability.CLIMB
        self.inventory: Annotated[Inventory, Save()] = Inventory()
        self.stats: Annotated[Stats, Save(editor=False)] = Stats()
        self.ground: Annotated[MovingPlatform | None, Save(editor=False)] = None
        self.flag: Annotated[Checkpoint | None, Save(editor=False)] = None
        self.home: Annotated[Vec2, Save(editor=False, default=Vec2())] = position
        self.held: Annotated[Keys, Save(editor=False)] = NONE
        self.grace: Annotated[int, Save(editor=False)] = 0
        self.early: Annotated[int, Save(editor=False)] = 0
        self.safe: Annotated[int, Save(editor=False)] = 0
        self.is_jumping: Annotated[bool, Save(editor=False)] = False
        self.is_climbing: Annotated[bool, Save(editor=False)] = False
        self.__luck: Annotated[float, Save(editor=False)] = 0.5

    @on_activate
    def settle(self, reason: Activation) -> None:
        if reason is Activation.PLACED:
            self.home = self.position = standing(self.position, self.SIZE)

    @property
    def area(self) -> Area:
        return Area.around(self.position, self.SIZE)

    @property
    def lucky(self) -> bool:
        return self.__luck >= 1

    @property
    def stands(self) -> bool:
        return self.grace == GRACE

    @property
    def pose(self) -> str:
        """What the player does: `hurt`, `climb`, `shoot`, `jump`, `fall`, `run` or `stand`."""
        if self.safe > SAFE - 20:
            return "hurt"
        if self.is_climbing:
            return "climb"
        if self.gun.wait > self.gun.PAUSE - 8:
            return "shoot"
        if not self.stands:
            return "jump" if self.velocity.y < 0 else "fall"
        return "run" if self.velocity.x else "stand"

    def update(self, world: World, keys: Keys) -> None:
        """Do in one step what the keys say."""
        pressed, self.held = keys & ~self.held, keys
        self.squash = max(0, self.squash - 1)
        self.safe = max(0, self.safe - 1)
        self.early = EARLY if Keys.JUMP in pressed else max(0, self.early - 1)
        self._steer(keys)
        self._climb(keys, world)
        self._jump(keys, world)
        self._move(keys, world)
        self.gun.cool_down()
        if Keys.FIRE in keys and (missile := self.fire()):
            world.launch(missile)

    def _steer(self, keys: Keys) -> None:
        way = (Keys.RIGHT in keys) - (Keys.LEFT in keys)
        if way:
            self.facing = Facing(way)
        step = SPEED_UP[self.stands] * SECONDS
        self.velocity = Vec2(
            approach(self.velocity.x, way * RUN, step),
            min(self.velocity.y + GRAVITY * SECONDS, FASTEST_FALL),
        )

    def _climb(self, keys: Keys, world: World) -> None:
        way = (Keys.DOWN in keys) - (Keys.UP in keys)
        ladder = world.ground.touched(self.area, Matter.LADDER)
        if ladder is None or Ability.CLIMB not in self.abilities:
            self.is_climbing = False
        elif way and not self.is_jumping:
            self.is_climbing = True
        if self.is_climbing:
            self.velocity = Vec2(self.velocity.x / 2, way * CLIMB)

    def _jump(self, keys: Keys, world: World) -> None:
        """Jump; let go early, the jump is a short one."""
        may = self.grace > 0 or self.is_climbing
        if self.early and may and Ability.JUMP in self.abilities:
            self.bounce(TAKE_OFF)
            self.is_jumping = True
            world.tell("jump", self.position)
        elif self.is_jumping and Keys.JUMP not in keys:
            self.is_jumping = False
            self.velocity = Vec2(self.velocity.x, max(self.velocity.y, -SHORT_JUMP))

    def bounce(self, speed: float) -> None:
        """Leave the ground upwards."""
        self.velocity = Vec2(self.velocity.x, -speed)
        self.early = self.grace = 0
        self.ground = None
        self.is_climbing = self.is_jumping = False

    def _move(self, keys: Keys, world: World) -> None:
        fell = self.velocity.y
        through = self.is_climbing or Keys.DOWN in keys
        contact = world.move(self, self.velocity * SECONDS, through)
        if contact.floor:
            if not self.grace and fell > 4:
                self.squash = 8
                world.tell("land", self.position)
            self.grace, self.is_jumping = GRACE, False
            self.ground = world.platform_under(self.area)
        else:
            self.grace, self.ground = max(0, self.grace - 1), None
        self.velocity = Vec2(
            0.0 if contact.wall else self.velocity.x,
            0.0 if contact.floor or contact.ceiling else self.velocity.y,
        )

    def learn(self, ability: Ability) -> None:
        self.abilities |= ability

    def take_coins(self, worth: int) -> None:
        """Coins bring luck."""
        self.coins += worth
        self.__luck = min(1.0, self.__luck + worth / 64)

    def heal(self, hearts: float) -> bool:
        """Return whether the player needed it."""
        before = self.hp
        self.hp = min(max(HEARTS, self.hp), self.hp + hearts)
        return self.hp > before

    def fire(self) -> Missile | None:
        """Fire the gun in the direction that the player faces."""
        hand = self.position + Vec2(self.facing.value * 0.5, -0.125)
        return self.gun.fire(hand, Vec2(self.facing.value, 0))

    def hit(self, damage: float = 1) -> bool:
        """Lose some health, in steps of a half, or luck instead; return whether it hurt."""
        if self.safe:
            return False
        self.safe = SAFE
        if self.lucky:
            self.__luck = 0.0
            return False
        self.hp = max(0.0, self.hp - damage)
        return True

    def go_on_as(self, other: Player) -> None:
        """Take over what one keeps from level to level."""
        self.hp, self.coins, self.abilities = other.hp, other.coins, other.abilities
        self.inventory, self.stats = other.inventory, other.stats
        self.gun.ammo = []
        self.gun.load(other.gun.ammo)

    def die(self) -> None:
        """Come back at the last flag."""
        self.stats.deaths.append(self.position)
        self.position = self.home if self.flag is None else self.flag.position
        self.bounce(0.0)
        self.hp, self.safe = HEARTS, SAFE
