"""`python -m sample_game.window [FOLDER [LEVEL]]`: the room, or a level, in a window.

Arrows fly, F5 saves, F9 loads. It needs pygame-ce. Saves are in the folder; without one, where
the system keeps such things. Beside the saves of a level nothing else is begun.
"""

from __future__ import annotations

import io
import sys
from typing import Any

import pygame

from savegen.runtime import SaveError

from sample_game.doors import Door, Switch
from sample_game.enemies import Bat, Goblin
from sample_game.hud import HUD
from sample_game.items import Chest, Coin
from sample_game.level import stones
from sample_game.platforms import MovingPlatform
from sample_game.player import Player
from sample_game.session import Session
from sample_game.shapes import Vec2
from sample_game.weapons import Missile, MissileTurret

SIZE = 1120, 320
UNIT = 32  # pixels
THUMBNAIL = 280, 80
ARROWS = {
    pygame.K_LEFT: (-1, 0),
    pygame.K_RIGHT: (1, 0),
    pygame.K_UP: (0, -1),
    pygame.K_DOWN: (0, 1),
}
# What is seen, in the order in which it is drawn: colour, width and height.
LOOKS: dict[type[Any], tuple[str, float, float]] = {
    Door: ("saddlebrown", 0.6, 2),
    Switch: ("gold", 0.3, 0.6),
    Chest: ("peru", 1, 0.7),
    MovingPlatform: ("slategray", 2, 0.4),
    MissileTurret: ("dimgray", 0.8, 0.8),
    Coin: ("yellow", 0.4, 0.4),
    Goblin: ("olivedrab", 0.8, 1),
    Bat: ("indigo", 0.8, 0.4),
    Missile: ("red", 0.5, 0.2),
    Player: ("deepskyblue", 0.8, 1.2),
}


class Window:
    """Shows a session, and hands on what is pressed."""

    def __init__(self, session: Session) -> None:
        pygame.display.init()
        pygame.font.init()
        self._session = session
        self._screen = pygame.display.set_mode(SIZE)
        self._font = pygame.font.Font(None, 24)
        self.said = "F5 saves, F9 loads"

    def run(self) -> None:
        """Play until the window is closed."""
        clock = pygame.time.Clock()
        while all(map(self.handle, pygame.event.get())):
            self.step(clock.tick(60) / 1000)

    def step(self, seconds: float) -> None:
        """Show the next moment."""
        pressed = pygame.key.get_pressed()
        held = [way for key, way in ARROWS.items() if pressed[key]]
        self._session.steer(sum(x for x, _ in held), sum(y for _, y in held))
        self._session.tick(seconds)
        self.draw()
        pygame.display.flip()

    def handle(self, event: pygame.Event) -> bool:
        """Do what a key asks for; return whether the game goes on."""
        if event.type == pygame.KEYDOWN:
            try:
                self._press(event.key)
            except SaveError as error:
                self.said = str(error)
        return event.type != pygame.QUIT

    def _press(self, key: int) -> None:
        if key == pygame.K_F5:
            self.said = f"saved: {self._session.save(self.picture()).title}"
        elif key == pygame.K_F9:
            self.said = f"loaded: {self._session.load().title}"
        elif key == pygame.K_SPACE:
            self._session.fire()

    def draw(self) -> None:
        """Draw all that there is to see, and what there is to say."""
        self._draw_room()
        ammo = " ".join(missile.name.lower() for missile in HUD.ammo) or "no ammo"
        for line, words in enumerate((self._session.title, ammo, self.said)):
            text = self._font.render(words, True, "white")
            self._screen.blit(text, (8, 8 + 20 * line))

    def _draw_room(self) -> None:
        self._screen.fill("midnightblue")
        corner = self._corner()
        for middle, size in stones(self._session.manager):
            box = _box(middle - corner, size.x, size.y)
            pygame.draw.rect(self._screen, "dimgray", box)
        for cls, (colour, width, height) in LOOKS.items():
            for thing in self._session.manager.find(cls):
                if not getattr(thing, "taken", False):
                    box = _box(thing.position - corner, width, height)
                    pygame.draw.rect(self._screen, colour, box)

    def _corner(self) -> Vec2:
        """Return what is at the top left: a level is larger than the window."""
        if self._session.level is None:
            return Vec2()
        width, height = (side / UNIT for side in SIZE)
        return self._session.player.position - Vec2(width / 2, height / 2)

    def picture(self) -> bytes:
        """Return the room as a small PNG."""
        self._draw_room()
        small = pygame.transform.smoothscale(self._screen, THUMBNAIL)
        file = io.BytesIO()
        pygame.image.save(small, file, "picture.png")
        return file.getvalue()


def _box(middle: Vec2, width: float, height: float) -> pygame.FRect:
    box = pygame.FRect(0, 0, width * UNIT, height * UNIT)
    box.center = (middle.x + 1) * UNIT, (middle.y + 1) * UNIT
    return box


def main() -> None:
    kept = sys.argv[1:] or [pygame.system.get_pref_path("savegen", "sample_game")]
    try:
        window = Window(Session(*kept[:2]))
    except pygame.error as error:
        sys.exit(f"there is no window to play in: {error}")
    window.run()


if __name__ == "__main__":
    main()
