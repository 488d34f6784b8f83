"""A room with one or more objects of each class of the sample game, connected to each other."""

from __future__ import annotations

from collections import deque
from datetime import datetime, timedelta
from uuid import UUID

from sample_game.boss import GoblinChief
from sample_game.camera import CameraArea
from sample_game.doors import Door, Switch
from sample_game.enemies import Bat, Goblin
from sample_game.hud import HUD
from sample_game.items import Chest, Coin, Colour, Heart, Item, Key, Rarity
from sample_game.landmarks import Exit, Flag, Sign, Spring
from sample_game.platforms import CrumblingPlatform, MovingPlatform
from sample_game.player import Ability, Player
from sample_game.progress import Progress, Quest, Run
from sample_game.settings import Action, Settings
from sample_game.shapes import Box, Facing, Vec2
from sample_game.spawners import Spawner
from sample_game.weapons import (
    Missile,
    MissileTurret,
    MissileType,
    PlayerGun,
    Sentry,
)
from savegen.runtime import SaveLoadable

NOON = datetime(2024, 5, 17, 12)
KNIFE = Item("knife", 0.5)
CROWN = Item("crown", 2.0, Rarity.UNIQUE)


class Room:
    """The room. `spoil` changes every object in it."""

    def __init__(self) -> None:
        self.hud = HUD
        self._furnish()
        self._people()
        self._arm()
        self.camera = CameraArea(Vec2(10, 5))
        self.camera.target = self.player
        self.settings = Settings()
        self.progress, self.run = Progress(UUID(int=7), NOON, rooms=4), Run()
        errand = Quest("a crown", giver=self.chief, steps=[("find it", False)])
        self.progress.quests.append(errand)

    @property
    def cast(self) -> list[SaveLoadable]:
        """All saved objects in the room."""
        return [each for each in vars(self).values() if isinstance(each, SaveLoadable)]

    def _furnish(self) -> None:
        self.gate = Door(Vec2(20, 4), Colour.GREEN)
        self.vault = Door(Vec2(30, 4))
        self.lever = Switch(Vec2(18, 4), self.gate, self.vault)
        self.plate = Switch(Vec2(19, 4), self.gate)
        self.ferry = MovingPlatform(Vec2(0, 6), Vec2(8, 6), speed=2)
        self.bridge = CrumblingPlatform(Vec2(10, 6), Vec2(14, 6))
        self.coin = Coin(Vec2(4, 4), worth=5)
        self.heart, self.key = Heart(), Key()
        self.chest = Chest(Vec2(31, 4), CROWN, KNIFE, price="2.50")
        self.flag, self.spring, self.sign = Flag(), Spring(), Sign()
        self.cave = Spawner(Vec2(5, 0), Vec2(6, 0))

    def _people(self) -> None:
        ammo = (MissileType.ROCKET, MissileType.BOUNCER, MissileType.PEBBLE)
        self.gun = PlayerGun(*ammo)
        self.player = Player("Pip", self.gun, Vec2(3, 4))
        self.grub = Goblin(Vec2(9, 4), name="Grub", post=(Vec2(9, 4), Facing.LEFT))
        self.chief = GoblinChief(Vec2(12, 4), self.grub)
        self.bat = Bat(Vec2(5, 1), rounds=deque([Vec2(5, 1), Vec2(9, 1)]))
        self.exit = Exit()
        self.exit.guard = self.chief

    def _arm(self) -> None:
        self.shot = Missile(MissileType.SEEKER, Vec2(4, 4), prey=self.grub)
        self.turret = MissileTurret(Vec2(13, 4), MissileType.PEBBLE)
        self.sentry = Sentry(self.turret)
        self.sentry.notice(self.shot)
        (self.answer,) = self.turret.flying

    def spoil(self) -> None:
        """Change every object in the room."""
        self._fight()
        self._move()
        self._take()
        for switch in self.plate, self.lever:
            switch.press(self.player)
        self.settings.bind(Action.PAUSE, "space")
        self.settings.frame_limit = "unlimited"
        self.settings.buttons[Action.FIRE] = "north"
        self.settings.subtitles = False
        self.progress.enter(2, after=timedelta(minutes=9))
        self.progress.secrets.add((3, 1))
        self.progress.end("thief")
        self.progress.find("hall/coin")
        self.run.dice.random()

    def _fight(self) -> None:
        self.player.fire()
        self.grub.hit(self.player, damage=3)
        self.bat.hit(self.player)
        self.bat.notice(self.player)
        self.chief.hit(self.player)
        self.chief.loot["note"] = "for the baker"
        self.turret.flying.clear()
        self.sentry.answers.clear()
        self.player.hit(damage=1.5)
        self.answer.prey = self.player
        self.exit.guard = None

    def _move(self) -> None:
        self.player.bounce(6.0)
        self.bridge.board(self.player)
        self.ferry.riders.append(self.player)
        self.shot.smoke.append(self.shot.position)
        for moving in (self.player, self.grub, self.ferry, self.shot):
            moving.position += Vec2(1, -1)
        self.bat.cave = Box(Vec2(), Vec2(6, 6))
        self.camera.shake()
        self.camera.target = self.chief
        self.camera.follow()

    def _take(self) -> None:
        for item in self.chest.open(NOON + timedelta(minutes=9)):
            self.player.inventory.take(item)
        self.player.learn(Ability.DASH | Ability.SWIM)
        self.player.stats.finish("cellar", timedelta(seconds=61.5))
        self.player.take_coins(self.coin.take())
        self.heart.taken = self.key.taken = True
        self.flag.is_up, self.player.flag = True, self.flag
        self.spring.power, self.sign.words = 12.0, "mind the gap"
        self.cave.made += 1
        self.cave.light.warm(by=50)
        (errand,) = self.progress.quests
        errand.do("find it")
        errand.giver = None
        self.progress.hear("vault", "the chief has a key")
