"""The chief of the goblins, who fights in phases."""

from __future__ import annotations

from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Literal

from savegen import Save, Saved, saveable

from sample_game._savegen.components.boss import GoblinChiefSaveLoad
from sample_game.enemies import Goblin
from sample_game.player import Player
from sample_game.shapes import Vec2
from sample_game.weapons import Missile, MissileType

if TYPE_CHECKING:
    from sample_game.world import World

Order = Literal["guard", "fetch", "flee"]


class Phase(Enum):
    """What the chief does; later phases are worse."""

    WAITS = "waits"
    THROWS = "throws"
    CALLS = "calls"
    RAGES = "rages"


PAUSES = {Phase.THROWS: 80, Phase.CALLS: 110, Phase.RAGES: 55}
BAND = 16.0  # units: goblins in this distance obey


@saveable
class GoblinChief(GoblinChiefSaveLoad, Goblin):
    """A goblin that commands others. A subclass of a dataclass need not be a dataclass itself."""

    SIZE = Vec2(1.75, 2.75)

    bounty: Saved[Decimal] = Decimal("10.00")
    phase: Annotated[Phase, Save(editor=False)] = Phase.WAITS
    pause: Annotated[int, Save(editor=False)] = 0  # frames until the next throw
    band: Annotated[list[Goblin], Save(editor=False)]
    orders: Annotated[dict[Goblin, Order], Save(editor=False)]

    def __init__(self, position: Vec2, *band: Goblin) -> None:
        super().__init__(position, hp=9, name="the chief")
        self.band = []
        self.orders = {}
        for goblin in band:
            self.recruit(goblin)

    @property
    def speed(self) -> float:
        return {Phase.CALLS: 2.5, Phase.RAGES: 6.0}.get(self.phase, 1.5)

    @property
    def rage(self) -> int:
        """How angry the chief looks: 1, 2 or 3."""
        return {Phase.CALLS: 2, Phase.RAGES: 3}.get(self.phase, 1)

    @property
    def pose(self) -> str:
        if self.dazed:
            return "tired"
        if self.phase is not Phase.WAITS and self.pause > PAUSES[self.phase] - 16:
            return "strike"
        return "walk" if self.velocity.x else "stand"

    def recruit(self, goblin: Goblin) -> None:
        goblin.chief = self
        self.band.append(goblin)
        self.orders[goblin] = "guard"

    def dismiss(self, goblin: Goblin) -> None:
        self.band.remove(goblin)
        del self.orders[goblin]

    def hit(self, by: Player, damage: int = 1) -> None:
        """Send the whole band after the attacker."""
        if self.dazed:
            return
        super().hit(by, damage)
        self.bounty += 5
        for goblin in self.band:
            self.orders[goblin] = "fetch"
            goblin.notice(by)

    def act(self, world: World) -> None:
        """Fight, in the phase that the lost health has come to."""
        player = world.player
        if self.phase is Phase.WAITS and self.mood is not self.Mood.HUNT:
            if not self.sees(player, world, 11.0):
                return
        self._enter(self._next_phase(), world)
        self.face(player.position)
        self.pause = max(0, self.pause - 1)
        if not self.pause:
            self._throw(player, world)
            self.pause = PAUSES[self.phase]
        self.walk(world)

    def _next_phase(self) -> Phase:
        if self.hp <= 3:
            return Phase.RAGES
        return Phase.CALLS if self.hp <= 6 else Phase.THROWS

    def _enter(self, phase: Phase, world: World) -> None:
        if phase is self.phase:
            return
        if self.phase is Phase.WAITS:
            self._meet(world)
        self.phase, self.pause = phase, 30
        world.shake()
        world.tell("boss-phase", self.position)

    def _meet(self, world: World) -> None:
        self.notice(world.player)
        for enemy in world.enemies:
            near = (enemy.position - self.position).length <= BAND
            if near and isinstance(enemy, Goblin) and enemy.chief is None:
                if enemy is not self:
                    self.recruit(enemy)
        world.progress.accept(f"defeat {self.name}", self, self.bounty)

    def _throw(self, player: Player, world: World) -> None:
        """Throw what the phase says, and call the band."""
        hand = self.position - Vec2(0, 0.5)
        heading = Vec2().towards(player.position - hand, 1)
        kind = MissileType.BOUNCER if self.phase is Phase.THROWS else MissileType.SEEKER
        prey = player if kind is MissileType.SEEKER else None
        world.launch(Missile(kind, hand, heading, prey, hostile=True))
        if self.phase is not Phase.THROWS:
            for goblin in self.band:
                self.orders[goblin] = "fetch"
                goblin.notice(player)

    def die(self, world: World) -> None:
        """Pay the bounty, and send the band away."""
        for goblin in self.band:
            goblin.chief = None
            goblin.return_to_post()
        self.band, self.orders = [], {}
        world.player.take_coins(int(self.bounty))
        world.progress.do(f"defeat {self.name}")
        world.shake()
        super().die(world)
