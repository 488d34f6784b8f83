"""How each thing of the world is drawn. What it does is read from its state, so a rewind plays it backwards."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pygame

from sample_game.boss import GoblinChief
from sample_game.doors import Door, Switch
from sample_game.enemies import Bat, Goblin
from sample_game.items import Chest, Coin, Heart, Key
from sample_game.landmarks import Exit, Flag, Sign, Spring
from sample_game.physics import Area
from sample_game.platforms import CrumblingPlatform, MovingPlatform
from sample_game.player import Player
from sample_game.screen.painter import CANVAS, UNIT, Painter
from sample_game.shapes import Facing, Vec2
from sample_game.spawners import Spawner
from sample_game.weapons import Missile, MissileTurret, MissileType, Sentry
from sample_game.world import World

Drawer = Callable[["Stage", Any, float, float], None]
LARGEST = 3  # units: nothing is drawn farther from its place
OPENING = 12  # frames that a door takes
SMOKE = "#465268", "#6f7f96", "#aebccb"


class Stage:
    """Draws the things in view. What lasts only for the eye, such as a door's way, is kept here."""

    def __init__(self, art: Painter) -> None:
        self.art = art
        self.time = 0  # frames, for what moves in place; a rewind turns it back
        self.sprung: dict[Vec2, int] = {}  # when springs were used, by their places
        self._opened: dict[int, int] = {}

    def forget(self) -> None:
        """Another level begins."""
        self.sprung.clear()
        self._opened.clear()

    def draw(self, world: World, left: int, top: int) -> None:
        """Draw what is in view, the farthest first."""
        x, y = left / UNIT, top / UNIT
        right, bottom = x + CANVAS.width / UNIT, y + CANVAS.height / UNIT
        view = Area(x - LARGEST, y - LARGEST, right + LARGEST, bottom + LARGEST)
        cast = [
            *(each for cls in MACHINES for each in world.manager.find(cls)),
            *dict.fromkeys(world.things.near(view)),
            *world.platforms,
            *world.enemies,
            *world.players,
            *world.missiles,
        ]
        for thing in sorted(cast, key=lambda thing: ACTORS[type(thing)][0]):
            place = _place_of(thing)
            if view.left < place.x < view.right and view.top < place.y < view.bottom:
                draw = ACTORS[type(thing)][1]
                draw(self, thing, place.x * UNIT - left, place.y * UNIT - top)

    def stand(self, name: str, thing: Any, x: float, y: float, time: int = 0) -> None:
        """Draw a thing on the ground; it looks where it faces."""
        left = getattr(thing, "facing", Facing.RIGHT) is Facing.LEFT
        self.art.stand(name, x, y + thing.SIZE.y * UNIT / 2, time, left)

    def opening(self, thing: object, is_open: bool) -> float:
        """Return how far something has opened, from 0 to 1; the eye needs some frames for it."""
        goal = OPENING if is_open else 0
        shown = self._opened.get(id(thing), goal)
        self._opened[id(thing)] = shown = shown + (goal > shown) - (goal < shown)
        return shown / OPENING


def _place_of(thing: Any) -> Vec2:
    match thing:
        case Sentry():
            return thing.turret.position
        case Spawner():
            return thing.home
        case _:
            place: Vec2 = thing.position
            return place


def _player(stage: Stage, player: Player, x: float, y: float) -> None:
    pose, time = player.pose, stage.time
    if pose != "hurt" and player.safe % 8 > 4:
        return  # blinks while nothing can hurt
    if pose == "run":  # a picture for each 0.3 units, whatever the speed
        time = int(player.position.x * 3.4) * 5 * player.facing.value
    elif pose == "climb":
        time = int(player.position.y * 2) * 9
    if player.squash and pose in ("stand", "run"):
        pose = "land"
    stage.stand(f"pip.{pose}", player, x, y, time)


def _goblin(stage: Stage, goblin: Goblin, x: float, y: float) -> None:
    time = stage.time + int(goblin.position.x) * 7  # not all at once
    stage.stand(f"goblin.{goblin.pose}", goblin, x, y, time)


def _chief(stage: Stage, chief: GoblinChief, x: float, y: float) -> None:
    stage.stand(f"chief{chief.rage}.{chief.pose}", chief, x, y, stage.time)


def _bat(stage: Stage, bat: Bat, x: float, y: float) -> None:
    stage.art.centre(f"bat.{bat.pose}", x, y, stage.time + int(bat.position.y) * 3)


def _missile(stage: Stage, missile: Missile, x: float, y: float) -> None:
    if missile.kind in (MissileType.ROCKET, MissileType.SEEKER):
        for number, place in enumerate(missile.smoke):
            way = (place - missile.position) * UNIT
            puff = pygame.Vector2(x + way.x, y + way.y)
            pygame.draw.circle(
                stage.art.canvas, SMOKE[number // 3], puff, 1 + number // 4
            )
    name = f"missile.{missile.kind.name.lower()}"
    stage.art.turned(name, x, y, _angle(missile.heading), stage.time)


def _turret(stage: Stage, turret: MissileTurret, x: float, y: float) -> None:
    stage.stand(f"turret.{turret.missile_to_launch.name.lower()}", turret, x, y)
    out = 7 if turret.wait > turret.PAUSE - 8 else 10
    aim = turret.aim * out
    stage.art.turned("turret.barrel", x + aim.x, y - 1 + aim.y, _angle(turret.aim))


def _angle(way: Vec2) -> float:
    return math.degrees(math.atan2(-way.y, way.x))


def _item(name: str, sway: float) -> Drawer:
    def draw(stage: Stage, item: Any, x: float, y: float) -> None:
        if not item.taken:
            time = stage.time + int(item.position.x) * 4
            colour = f".{item.colour.value}" if isinstance(item, Key) else ""
            stage.art.centre(name + colour, x, y + sway * math.sin(time / 16), time)

    return draw


def _door(stage: Stage, door: Door, x: float, y: float) -> None:
    """Draw a door that goes up into its lintel."""
    picture = stage.art.frame(f"door.{door.colour.value if door.colour else 'none'}")
    width, height = picture.get_size()
    hidden = round(stage.opening(door, door.is_open) * (height - 5))
    left, top = round(x) - width // 2, round(y) - height // 2
    stage.art.canvas.blit(picture, (left, top), (0, hidden, width, height - hidden))
    stage.art.centre("door.lintel", x, top)


def _spring(stage: Stage, spring: Spring, x: float, y: float) -> None:
    since = stage.time - stage.sprung.get(spring.position, -99)
    pose = "up" if 0 <= since < 12 else "down" if 0 <= since < 18 else "rest"
    stage.stand(f"spring.{pose}", spring, x, y)


def _platform(stage: Stage, platform: MovingPlatform, x: float, y: float) -> None:
    look = "steel"
    if isinstance(platform, CrumblingPlatform):
        if platform.state == "gone":
            return
        look = platform.state if len(platform.cracks) < 2 else "broken"
    last = round(platform.SIZE.x) - 1
    left, top = x - (last + 1) * UNIT / 2, y - platform.SIZE.y * UNIT / 2 - 1
    for piece in range(last + 1):
        part = 0 if piece == 0 else 2 if piece == last else 1
        stage.art.piece(f"platform.{look}", part, left + piece * UNIT, top)


def _still(name: str, look: Callable[[Any], bool] | None = None) -> Drawer:
    """Draw something that stands; it may look in one of two ways, named `name.on` and `.off`."""

    def draw(stage: Stage, thing: Any, x: float, y: float) -> None:
        way = "" if look is None else ".on" if look(thing) else ".off"
        stage.stand(name + way, thing, x, y, stage.time)

    return draw


def _spawner(stage: Stage, _: Spawner, x: float, y: float) -> None:
    stage.art.centre("cave.dark" if stage.time % 190 < 8 else "cave", x, y)


def _sentry(stage: Stage, _: Sentry, x: float, y: float) -> None:
    stage.art.centre("turret.watch", x, y - 1)


_DRAWERS: list[tuple[type[Any], Drawer]] = [
    (Spawner, _spawner),
    (Exit, _still("exit", lambda way_out: way_out.is_open)),
    (Sign, _still("sign")),
    (Flag, _still("flag", lambda flag: flag.is_up)),
    (Door, _door),
    (Switch, _still("switch", lambda switch: switch.is_on)),
    (Spring, _spring),
    (Chest, _still("chest", lambda chest: chest.opened)),
    (MovingPlatform, _platform),
    (CrumblingPlatform, _platform),
    (MissileTurret, _turret),
    (Sentry, _sentry),
    (Coin, _item("coin.spin", 0)),
    (Heart, _item("heart.beat", 1.5)),
    (Key, _item("key", 2)),
    (Goblin, _goblin),
    (GoblinChief, _chief),
    (Bat, _bat),
    (Player, _player),
    (Missile, _missile),
]
# For each class its place in the order of drawing, the farthest first, and how it is drawn.
ACTORS = {cls: (depth, draw) for depth, (cls, draw) in enumerate(_DRAWERS)}
MACHINES = Spawner, MissileTurret, Sentry
