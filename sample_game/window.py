"""A sample game in a window: arrows fly, space fires, F5 saves, F9 loads.

Start it with `python -m sample_game.window`. It needs pygame-ce. Each level has its own folder of
saves.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any

import pygame

from savegen.runtime import SaveError

from sample_game.arguments import LEVELS, parser
from sample_game.doors import Door, Switch
from sample_game.enemies import Bat, Goblin
from sample_game.hud import HUD
from sample_game.items import Chest, Coin
from sample_game.platforms import MovingPlatform
from sample_game.player import Player
from sample_game.scenery import Scenery
from sample_game.session import Session
from sample_game.shapes import Vec2
from sample_game.view import SIZE, View
from sample_game.weapons import Missile, MissileTurret

THUMBNAIL = 280, 140
DARK = "#0e0c14"  # the background, and the outline of objects
BLUE = "midnightblue"
ROOM = Vec2(16.5, 4)  # the middle of the room
ARROWS = {
    pygame.K_LEFT: (-1, 0),
    pygame.K_RIGHT: (1, 0),
    pygame.K_UP: (0, -1),
    pygame.K_DOWN: (0, 1),
}
# The colour, width and height of each class, in the order of drawing.
LOOKS: dict[type[Any], tuple[str, float, float]] = {
    Door: ("chocolate", 0.6, 3),
    Switch: ("gold", 0.3, 1),
    Chest: ("sandybrown", 1, 1),
    MovingPlatform: ("lightsteelblue", 2, 0.4),
    MissileTurret: ("tomato", 0.8, 1),
    Coin: ("yellow", 0.4, 0.4),
    Goblin: ("yellowgreen", 0.8, 1),
    Bat: ("mediumpurple", 0.8, 0.4),
    Missile: ("red", 0.5, 0.2),
    Player: ("deepskyblue", 0.8, 1.2),
}
SEEING = (Goblin, Bat, Player)  # are drawn with eyes
UNSEEN = ("dummy", "offscreen")  # the drivers that SDL uses without a display


class Window:
    """Shows a session and passes key presses to it."""

    def __init__(self, session: Session) -> None:
        pygame.display.init()
        pygame.font.init()
        self._session = session
        self._screen = pygame.display.set_mode(SIZE)
        self._font = pygame.font.Font(None, 24)
        self._scenery: Scenery | None = None
        self.said = "F5 saves, F9 loads"

    def run(self) -> None:
        """Play until the window is closed."""
        clock = pygame.time.Clock()
        while all(map(self.handle, pygame.event.get())):
            self.step(clock.tick(60) / 1000)

    def step(self, seconds: float) -> None:
        """Advance the game by one frame and draw it."""
        pressed = pygame.key.get_pressed()
        held = [way for key, way in ARROWS.items() if pressed[key]]
        self._session.steer(sum(x for x, _ in held), sum(y for _, y in held))
        self._session.tick(seconds)
        self.draw()
        pygame.display.flip()

    def handle(self, event: pygame.Event) -> bool:
        """Handle a key press; return whether the game continues."""
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
        """Draw the world and the messages."""
        self._draw_world()
        ammo = " ".join(missile.name.lower() for missile in HUD.ammo) or "no ammo"
        words = "\n".join((self._session.title, ammo, self.said))
        text = self._font.render(words, True, "white")
        ground = pygame.Surface((text.get_width() + 16, text.get_height() + 12))
        ground.set_alpha(170)
        self._screen.blit(ground, (0, 0))
        self._screen.blit(text, (8, 6))

    def _draw_world(self) -> None:
        view = View.of(ROOM)
        if scenery := self._look_around():
            view = View.of(self._session.player.position, scenery.bounds)
        self._screen.fill(DARK if scenery else BLUE)
        if scenery:
            scenery.draw(self._screen, view)
        for cls in LOOKS:
            for thing in self._session.manager.find(cls):
                if not getattr(thing, "taken", False):
                    self._draw(cls, thing, view)

    def _look_around(self) -> Scenery | None:
        """Return the scenery of the current level; a load may have changed the level."""
        level = self._session.level
        if level is None:
            self._scenery = None
        elif self._scenery is None or self._scenery.level is not level:
            self._scenery = Scenery(level, self._session.manager)
        return self._scenery

    def _draw(self, cls: type[Any], thing: Any, view: View) -> None:
        colour, width, height = LOOKS[cls]
        box = view.box(thing.position, width, height)
        if not box.colliderect(self._screen.get_rect()):
            return
        pygame.draw.rect(self._screen, DARK, box.inflate(6, 6), border_radius=6)
        pygame.draw.rect(self._screen, colour, box, border_radius=4)
        if cls in SEEING:
            for side in (-4, 4):
                eye = pygame.FRect(box.centerx + side - 2, box.top + 4, 4, 5)
                pygame.draw.rect(self._screen, DARK, eye)

    def picture(self) -> bytes:
        """Return the current view as a small PNG."""
        self._draw_world()
        small = pygame.transform.smoothscale(self._screen, THUMBNAIL)
        file = io.BytesIO()
        pygame.image.save(small, file, "picture.png")
        return file.getvalue()


def begin(level: str = "cellar", folder: str | None = None) -> Session:
    """Start a level, or continue from its autosave."""
    kept = folder or pygame.system.get_pref_path("savegen", "sample_game")
    return Session(Path(kept, level), None if level == "room" else level)


def open_display() -> None:
    """Open the display. Raises `pygame.error` if no screen can show a window."""
    pygame.display.init()
    if pygame.display.get_driver() in UNSEEN and not os.environ.get("SDL_VIDEODRIVER"):
        raise pygame.error("SDL found no screen")


def main() -> None:
    command = parser("python -m sample_game.window", __doc__, [*LEVELS, "room"])
    default = "for the saves; default: where the system keeps data of applications"
    command.add_argument("folder", nargs="?", metavar="FOLDER", help=default)
    options = command.parse_args()
    try:
        open_display()
        window = Window(begin(options.level or "cellar", options.folder))
    except SaveError as error:
        sys.exit(str(error))
    except pygame.error as error:
        print(f"This game needs a display to open its window: {error}", file=sys.stderr)
        sys.exit(2)
    window.run()


if __name__ == "__main__":
    main()
