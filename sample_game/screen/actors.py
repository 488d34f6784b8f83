"""How each thing of the world is drawn. What it does is read from its state, so a rewind plays it backwards."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pygame

from sample_game.boss import GoblinChief, Phase
from sample_game.doors import Door, Switch
from sample_game.enemies import Bat, Enemy, Goblin
from sample_game.items import Chest, Coin, Heart, Key
from sample_game.landmarks import Exit, Flag, Sign, Spring
from sample_game.physics import Area
from sample_game.platforms import CrumblingPlatform, MovingPlatform
from sample_game.player import SAFE, Player
from sample_game.shapes import Facing, Vec2
from sample_game.spawners import Spawner
from sample_game.weapons import Missile, MissileTurret, MissileType, Sentry
from sample_game.world import World
from sample_game.screen.sheet import CANVAS, UNIT, Sheet, Tint

Drawer = Callable[["Stage", Any, float, float], None]
OPENING = 12  # frames that a door takes


class Stage:
    """Draws the things in view. What lasts only for the eye, as a door that opens, is kept here."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.canvas = pygame.Surface(CANVAS)
        self.time = 0  # frames, for what moves in place
        self.tint: Tint = ""
        self.sprung: dict[Vec2, int] = (
            {}
        )  # when the springs were last used, by their places
        self._opened: dict[int, int] = {}

    def forget(self) -> None:
        """Another level begins."""
        self.sprung.clear()
        self._opened.clear()

    def draw(
        self, canvas: pygame.Surface, world: World, corner: tuple[int, int]
    ) -> None:
        """Draw what is in view, the farthest first."""
        self.canvas = canvas
        left, top = corner
        view = Area(left / UNIT - 3, top / UNIT - 3, (left + CANVAS[0]) / UNIT + 3, (top + CANVAS[1]) / UNIT + 3)  # fmt: skip
        find = world.manager.find
        cast = [
            *(each for cls in MACHINES for each in find(cls)),
            *dict.fromkeys(world.things.near(view)),
            *world.platforms,
            *world.enemies,
            *world.players,
            *world.missiles,
        ]
        seen = []
        for thing in cast:
            place = _place_of(thing)
            if view.left < place.x < view.right and view.top < place.y < view.bottom:
                seen.append((ACTORS[type(thing)], thing, place))
        for (_, draw), thing, place in sorted(seen, key=_depth):
            draw(self, thing, place.x * UNIT - left, place.y * UNIT - top)

    def stand(self, name: str, thing: Any, x: float, y: float, time: int = 0) -> None:
        """Draw a thing on the ground; it looks where it faces."""
        left = getattr(thing, "facing", Facing.RIGHT) is Facing.LEFT
        foot = math.floor(y + thing.SIZE.y * UNIT / 2 + 0.5)
        self.sheet.put(self.canvas, name, (round(x), foot), time, left, self.tint)

    def middle(self, name: str, x: float, y: float, time: int = 0) -> None:
        frame = self.sheet.frame(name, time, tint=self.tint)
        width, height = frame.get_size()
        self.canvas.blit(frame, (round(x) - width // 2, round(y) - height // 2))

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
    pose = player.pose
    if pose != "hurt" and player.safe % 8 > 4:
        return  # blinks while nothing can hurt
    time = stage.time
    if pose == "run":
        time = int(player.position.x * 3.4) * (1 if player.facing.value > 0 else -1)
        time *= 5  # a picture for each 0.3 units, whatever the speed
    elif pose == "climb":
        time = int(player.position.y * 2) * 9
    elif pose == "stand" and player.gun.wait > 6:
        pose = "shoot"
    if player.squash and pose in ("stand", "run"):
        frame = stage.sheet.frame(
            "pip.stand", 0, player.facing is Facing.LEFT, stage.tint
        )
        width, height = frame.get_size()
        flat = height - 3 if player.squash > 4 else height - 1
        wide = width + 3 if player.squash > 4 else width + 1
        foot = math.floor(y + player.SIZE.y * UNIT / 2 + 0.5)
        frame = pygame.transform.scale(frame, (wide, flat))
        stage.canvas.blit(frame, (round(x) - wide // 2, foot - flat + 1))
        return
    stage.stand(f"pip.{pose}", player, x, y, time)


def _goblin(stage: Stage, goblin: Goblin, x: float, y: float) -> None:
    time = stage.time + int(goblin.position.x) * 7  # not all at once
    pose = "hunt" if goblin.mood is Enemy.Mood.HUNT else "walk"
    if goblin.dazed:
        pose = "hurt"
    elif not goblin.velocity.x:
        pose = "stand"
    stage.stand(f"goblin.{pose}", goblin, x, y, time)


def _chief(stage: Stage, chief: GoblinChief, x: float, y: float) -> None:
    look = {Phase.CALLS: 2, Phase.RAGES: 3}.get(chief.phase, 1)
    pose = "walk" if chief.velocity.x else "stand"
    time = stage.time
    if chief.dazed:
        pose = "tired"
    elif chief.phase is not Phase.WAITS and chief.pause < 10:
        pose, time = "strike", 0
    elif chief.phase is not Phase.WAITS and chief.pause > 40:
        pose, time = ("strike", 10) if chief.pause % 200 > 46 else (pose, time)
    stage.stand(f"chief{look}.{pose}", chief, x, y, time)


def _bat(stage: Stage, bat: Bat, x: float, y: float) -> None:
    pose = "hurt" if bat.dazed else "fly"
    if bat.mood is Enemy.Mood.ASLEEP:
        pose = "hang"
    stage.middle(f"bat.{pose}", x, y, stage.time + int(bat.position.y) * 3)


def _missile(stage: Stage, missile: Missile, x: float, y: float) -> None:
    smokes = missile.kind in (MissileType.ROCKET, MissileType.SEEKER)
    for number, place in enumerate(missile.smoke if smokes else ()):
        way = (place - missile.position) * UNIT
        grey = ("#465268", "#6f7f96", "#aebccb")[number // 3]
        pygame.draw.circle(stage.canvas, grey, (x + way.x, y + way.y), 1 + number // 4)
    angle = math.degrees(math.atan2(-missile.heading.y, missile.heading.x))
    frame = stage.sheet.turned(
        f"missile.{missile.kind.name.lower()}", stage.time, angle
    )
    stage.canvas.blit(frame, frame.get_rect(center=(round(x), round(y))))


def _turret(stage: Stage, turret: MissileTurret, x: float, y: float) -> None:
    angle = math.degrees(math.atan2(-turret.aim.y, turret.aim.x))
    barrel = stage.sheet.turned("turret.barrel", 0, angle)
    recoil = 3 if turret.wait > turret.PAUSE - 8 else 6
    place = x + turret.aim.x * recoil, y + turret.aim.y * recoil
    stage.canvas.blit(barrel, barrel.get_rect(center=place))
    stage.stand(f"turret.{turret.missile_to_launch.name.lower()}", turret, x, y)


def _sentry(stage: Stage, sentry: Sentry, x: float, y: float) -> None:
    stage.middle("turret.watch", x, y - 1)


def _item(name: str, depth: float) -> Drawer:
    def draw(stage: Stage, item: Any, x: float, y: float) -> None:
        if not item.taken:
            time = stage.time + int(item.position.x) * 4
            colour = f".{item.colour.value}" if isinstance(item, Key) else ""
            stage.middle(f"{name}{colour}", x, y + depth * math.sin(time / 16), time)

    return draw


def _door(stage: Stage, door: Door, x: float, y: float) -> None:
    colour = "none" if door.colour is None else door.colour.value
    picture = stage.sheet.frame(f"door.{colour}", tint=stage.tint)
    height = picture.get_height()
    left, top = round(x) - 8, round(y) - height // 2
    hidden = round(stage.opening(door, door.is_open) * (height - 5))
    stage.canvas.blit(picture, (left, top), (0, hidden, 16, height - hidden))
    stage.middle("door.lintel", x, top)


def _switch(stage: Stage, switch: Switch, x: float, y: float) -> None:
    stage.stand("switch.on" if switch.is_on else "switch.off", switch, x, y)


def _chest(stage: Stage, chest: Chest, x: float, y: float) -> None:
    stage.stand("chest.open" if chest.opened else "chest.closed", chest, x, y)


def _spring(stage: Stage, spring: Spring, x: float, y: float) -> None:
    since = stage.time - stage.sprung.get(spring.position, -99)
    pose = "up" if 0 <= since < 12 else "down" if 0 <= since < 18 else "rest"
    stage.stand(f"spring.{pose}", spring, x, y)


def _flag(stage: Stage, flag: Flag, x: float, y: float) -> None:
    foot = math.floor(y + flag.SIZE.y * UNIT / 2 + 0.5)
    pose = "up" if flag.is_up else "down"
    stage.sheet.put(stage.canvas, f"flag.{pose}", (round(x) + 8, foot), stage.time, tint=stage.tint)  # fmt: skip


def _sign(stage: Stage, sign: Sign, x: float, y: float) -> None:
    stage.stand("sign", sign, x, y)


def _exit(stage: Stage, way_out: Exit, x: float, y: float) -> None:
    stage.stand("exit.open" if way_out.is_open else "exit.closed", way_out, x, y, stage.time)  # fmt: skip


def _platform(stage: Stage, platform: MovingPlatform, x: float, y: float) -> None:
    look = "steel"
    if isinstance(platform, CrumblingPlatform):
        if platform.state == "gone":
            return
        look = platform.state if len(platform.cracks) < 2 else "broken"
    pieces = max(2, round(platform.SIZE.x))
    left, top = x - pieces * UNIT / 2, y - platform.SIZE.y * UNIT / 2 - 1
    for piece in range(pieces):
        part = 0 if piece == 0 else 2 if piece == pieces - 1 else 1
        picture = stage.sheet.part(f"platform.{look}", part)
        stage.canvas.blit(picture, (round(left + piece * UNIT), round(top)))


def _spawner(stage: Stage, spawner: Spawner, x: float, y: float) -> None:
    stage.middle("cave.dark" if stage.time % 190 < 8 else "cave", x, y)


_DRAWERS: list[tuple[type[Any], Drawer]] = [
    (Spawner, _spawner),
    (Exit, _exit),
    (Sign, _sign),
    (Flag, _flag),
    (Door, _door),
    (Switch, _switch),
    (Spring, _spring),
    (Chest, _chest),
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


def _depth(seen: tuple[tuple[int, Drawer], Any, Vec2]) -> int:
    return seen[0][0]
