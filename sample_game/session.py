"""A game session: a world, its save slots, and an autosave."""

from __future__ import annotations

import os
from typing import Any

from savegen.levels import Level
from savegen.runtime import NoSuchSave, OnUnknown, SaveLoadManager
from savegen.saves import Autosave, SaveInfo, SaveSlots

from sample_game._savegen.prefab_info import PREFAB_INFO
from sample_game._savegen.registry import REGISTRY
from sample_game.enemies import Enemy
from sample_game.items import Coin
from sample_game.level import enter
from sample_game.platforms import MovingPlatform
from sample_game.player import Player
from sample_game.scene import Scene
from sample_game.shapes import Vec2
from sample_game.weapons import Missile

VERSION = "0.5"
SLOT = "quick"
AUTOSAVE = 2.0  # seconds between two autosave records
MOVING: tuple[type[Any], ...] = (MovingPlatform, Player, Enemy, Missile)
REACH = 0.7  # how far the player can reach, in units


class Session:
    """A game session. Everything in it comes from the manager, so a load replaces all of it."""

    def __init__(
        self, folder: str | os.PathLike[str], level: str | None = None
    ) -> None:
        """Continue from the autosave in the folder, if it has one.

        Otherwise start the level, or the room if no level is named.
        """
        # A tile that was removed from a level must not make its saves unloadable.
        self.manager = SaveLoadManager(REGISTRY, PREFAB_INFO, on_unknown=OnUnknown.DROP)
        self.slots = SaveSlots(folder, game_version=VERSION)
        self.playtime = 0.0
        self.level: Level | None = None
        self._recorded = 0.0  # the playtime at the last autosave record
        try:
            self._load("auto")
        except NoSuchSave:
            self._begin(level)
        self._autosave = Autosave(self.slots, self.manager, slot="auto")

    def _begin(self, level: str | None) -> None:
        if level is not None:
            self.level = enter(self.manager, level)
            return
        for thing in Scene().cast:
            self.manager.add(thing)

    @property
    def player(self) -> Player:
        return next(self.manager.find(Player))

    @property
    def title(self) -> str:
        """The title that a list of saves shows."""
        player = self.player
        return f"{player.name}: {player.coins} coins, {player.hp:g} hearts"

    def tick(self, seconds: float) -> None:
        """Move everything, take items in reach, and write an autosave record now and then."""
        for cls in MOVING:
            for moving in self.manager.find(cls):
                moving.update(seconds)
        player = self.player
        for coin in self.manager.find(Coin):
            if not coin.taken and (coin.position - player.position).length < REACH:
                player.pick_up(coin)
        self.playtime += seconds
        if self.playtime - self._recorded >= AUTOSAVE:
            self._recorded = self.playtime
            self._autosave.record(
                title=self.title, playtime=self.playtime, level=self._level_name
            )

    def steer(self, x: int, y: int) -> None:
        self.player.velocity = Vec2(4 * x, 4 * y)

    def fire(self) -> None:
        """Fire the gun. In the sample game it needs no time to cool down."""
        missile = self.player.fire()
        if missile is not None:
            self.manager.add(missile)
            self.player.gun.cool_down()

    def save(self, thumbnail: bytes = b"") -> SaveInfo:
        """Save to the slot. Raises `SaveError` if that fails."""
        report = self.slots.save(
            SLOT,
            self.manager,
            title=self.title,
            playtime=self.playtime,
            thumbnail=thumbnail,
            level=self._level_name,
        )
        return report.info

    def load(self) -> SaveInfo:
        """Load the slot. Raises `SaveError`; the world is then unchanged."""
        return self._load(SLOT)

    def _load(self, slot: str) -> SaveInfo:
        levels: list[Level] = []
        report = self.slots.load(
            slot,
            self.manager,
            levels=lambda name: levels.append(enter(self.manager, name)),
        )
        self.level = levels[-1] if levels else None
        self.playtime = self._recorded = report.info.playtime
        return report.info

    @property
    def _level_name(self) -> str | None:
        return None if self.level is None else self.level.name
