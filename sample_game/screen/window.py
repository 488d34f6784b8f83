"""The window: fixed steps of the game, the keyboard, and what is drawn where."""

from __future__ import annotations

import io
import os
import sys
from time import perf_counter

import pygame

from sample_game.game import VERSION, Game
from sample_game.keys import NONE, Keys
from sample_game.screen.actors import Stage
from sample_game.screen.camera import Camera
from sample_game.screen.hud import Overlay
from sample_game.screen.menu import End, Pause, Title
from sample_game.screen.pages import Page
from sample_game.screen.particles import Particles
from sample_game.screen.scenery import SKY, Backdrop, Scenery
from sample_game.screen.sheet import CANVAS, Font, Sheet
from sample_game.screen.sound import Sounds
from sample_game.settings import Action

STEP = 1 / 60
MOST = 4  # steps in one frame; a computer that is too slow plays slowly, it never falls behind
THUMBNAIL = 256, 144
UNSEEN = ("dummy", "offscreen")  # the drivers that SDL uses without a display
FIXED = {
    pygame.K_F5: Keys.QUICKSAVE, pygame.K_F9: Keys.QUICKLOAD,
}  # fmt: skip


class Window:
    """Shows a game, and passes the keys to it."""

    version = VERSION

    def __init__(self, game: Game) -> None:
        pygame.display.init()
        pygame.display.set_caption("Pip")
        self.game = game
        self.time = 0  # frames of the window, for what moves in menus
        self._display = pygame.display.set_mode(self._size())
        self.sheet, self.font, self.sounds = Sheet(), Font(), Sounds()
        pygame.display.set_icon(self.sheet.frame("coin.spin"))
        self.canvas = pygame.Surface(CANVAS).convert()
        self.shot: pygame.Surface | None = None  # what is seen of the world
        self.logo = _logo(self.font)
        self.stage, self.camera = Stage(self.sheet), Camera()
        self.particles, self.overlay = Particles(), Overlay(self.sheet, self.font)
        self.recorded: list[Keys] = []
        self.is_open = True
        self._backdrops: dict[str, Backdrop] = {}
        self._scenery: Scenery | None = None
        self._pages: list[Page] = []
        self._held: set[int] = set()
        self._tapped: set[int] = set()  # and perhaps released within one frame
        self._rewinds = False
        self._flash = 0
        self.apply_settings()

    # -- the loop

    def run(self) -> None:
        """Play until the window is closed."""
        clock, owed, before = pygame.time.Clock(), 0.0, perf_counter()
        while self.is_open:
            now = perf_counter()
            owed, before = min(owed + now - before, MOST * STEP), now
            for event in pygame.event.get():
                self.handle(event)
            while owed >= STEP:
                owed -= STEP
                self.step()
            self.draw()
            pygame.transform.scale(self.canvas, self._display.get_size(), self._display)
            pygame.display.flip()
            clock.tick(120)

    def handle(self, event: pygame.Event) -> None:
        """React to the keyboard and to the window."""
        if event.type == pygame.QUIT:
            self.is_open = False
        elif event.type == pygame.WINDOWFOCUSLOST:
            self._held.clear()
        elif event.type == pygame.KEYUP:
            self._held.discard(event.key)
        elif event.type == pygame.KEYDOWN:
            if self._pages:
                self._pages[-1].press(event.key)
            elif event.key == pygame.K_ESCAPE:
                self.open(Pause(self))
            else:
                self._held.add(event.key)
                self._tapped.add(event.key)

    def step(self) -> None:
        """Do what happens in one sixtieth of a second."""
        self.time += 1
        if self._pages:
            self._pages[-1].update()
        else:
            self._play(self.keys())
        self.particles.update()
        self._tapped.clear()

    def keys(self) -> Keys:
        """Return the keys of the game that are down."""
        down = self._held | self._tapped
        found = NONE
        for key, action in (*self._bound, *FIXED.items()):
            if key in down:
                found |= action
        return found

    def _play(self, keys: Keys) -> None:
        game = self.game
        self.recorded.append(keys)
        before, steps = game.level, game.steps
        game.step(keys)
        self.overlay.notice(game.notice)
        game.notice = ""
        self._rewinds = Keys.REWIND in keys and game.steps < steps
        if game.level is not before:
            self.arrive()
        if Keys.REWIND in keys:
            self.stage.time -= 2 if self._rewinds else 0
            self.overlay.strip.forget_after(game.steps)
            if self._rewinds and self.time % 14 == 0:
                self.hear("rewind")
        else:
            self.stage.time += 1
            for event in game.events:
                self._show(event)
        if game.finished and not self._rewinds and not self._pages:
            self.open(End(self))

    # -- what happens

    def _show(self, event: object) -> None:
        kind, place = event  # type: ignore[misc]
        self.hear(kind)
        self.particles.add(event)  # type: ignore[arg-type]
        self.overlay.strip.add(event, self.game.steps)  # type: ignore[arg-type]
        if kind in ("hurt", "boss-phase", "player-dead"):
            self.camera.shake(16 if kind == "hurt" else 34)
        if kind == "hurt":
            self._flash = 6
        elif kind == "spring":
            self.stage.sprung[place] = self.stage.time

    def hear(self, sound: str) -> None:
        self.sounds.play(sound, self.time)

    def say(self, words: str) -> None:
        """Show one line."""
        self.overlay.notice(words)

    # -- pages

    def open(self, page: Page) -> None:
        self._held.clear()
        self._pages.append(page)

    def back(self) -> None:
        self._pages.pop()

    def resume(self) -> None:
        """Close all pages, and play."""
        self._pages.clear()

    @property
    def page(self) -> Page | None:
        """The page that is shown; `None` while one plays."""
        return self._pages[-1] if self._pages else None

    def quit(self) -> None:
        self.is_open = False

    def arrive(self) -> None:
        """Look at another level, or at another time of this one."""
        self.stage.forget()
        self.camera = Camera()
        self.overlay.strip.forget()

    # -- settings

    def apply_settings(self) -> None:
        """Do what the settings say, and keep them."""
        settings = self.game.settings
        self._bound = [
            (pygame.key.key_code(name), Keys[action.name])
            for action in Action
            for name in settings.keys.get(action, ())
            if action.name in Keys.__members__
        ]
        self.sounds.volume = settings.volume / 100 if settings.sounds else 0.0
        if self._display.get_size() != self._size():
            self._display = pygame.display.set_mode(self._size())
        self.game.save_settings()

    def _size(self) -> tuple[int, int]:
        """Return the size of the window: the canvas, scaled by a whole number."""
        scale = self.game.settings.scale
        return CANVAS[0] * scale, CANVAS[1] * scale

    # -- drawing

    def draw(self) -> None:
        """Draw everything to the canvas."""
        page = self.page
        if page is None or page.sees_world:
            self.draw_world()
        if page is None:
            self.overlay.draw(self.canvas, self.game, self._rewinds)
        else:
            if page.sees_world:
                self.canvas.fill((90, 90, 110), special_flags=pygame.BLEND_RGB_MULT)
            page.draw(self.canvas)

    def draw_world(self) -> None:
        """Draw the level and what is in it."""
        game, canvas = self.game, self.canvas
        level = game.level
        if level is None:
            canvas.fill("#0d1220")
            return
        if self._scenery is None or self._scenery.level is not level:
            self._scenery = Scenery(level)
            self.camera = Camera()
        if self.page is None or self.time == 0:
            self.camera.follow(game.world.camera, game.player.facing.value, self._scenery.bounds)  # fmt: skip
        corner = self.camera.corner
        self.backdrop("sky" if level.name in SKY else "cave").draw(canvas, corner)
        self._scenery.draw(canvas, corner)
        self.stage.draw(canvas, game.world, corner)
        self.particles.draw(canvas, corner)
        if self._rewinds:
            self._draw_rewind(canvas)
        if self._flash:
            self._flash -= 1
            canvas.fill((12 * self._flash, 0, 0), special_flags=pygame.BLEND_RGB_ADD)

    def _draw_rewind(self, canvas: pygame.Surface) -> None:
        """Time that runs back is blue, with lines that run down."""
        canvas.fill((150, 185, 255), special_flags=pygame.BLEND_RGB_MULT)
        canvas.fill((0, 6, 26), special_flags=pygame.BLEND_RGB_ADD)
        for number in range(3):
            y = (self.time * (3 + number) + 131 * number) % (CANVAS[1] + 40) - 20
            band = pygame.Rect(0, y, CANVAS[0], 3 + 4 * number)
            canvas.fill((18, 22, 34), band, special_flags=pygame.BLEND_RGB_ADD)

    def backdrop(self, name: str) -> Backdrop:
        if name not in self._backdrops:
            self._backdrops[name] = Backdrop(name)
        return self._backdrops[name]

    def thumbnail(self) -> bytes:
        """Return the view of the world as a small PNG."""
        self.draw_world()
        file = io.BytesIO()
        small = pygame.transform.smoothscale(self.canvas, THUMBNAIL)
        pygame.image.save(small, file, "picture.png")
        self.shot = small
        return file.getvalue()


def _logo(font: Font) -> pygame.Surface:
    """Return the name of the game in large letters of gold."""
    plain = pygame.Surface((font.width("PIP") + 4, 12), pygame.SRCALPHA)
    for x, y in ((0, 1), (2, 1), (1, 0), (1, 2), (1, 3), (2, 3), (0, 3)):
        font.put(plain, "PIP", (x, y), "#17151f", shadow=False)
    face = pygame.Surface(plain.get_size(), pygame.SRCALPHA)
    font.put(face, "PIP", (1, 1), "#ffffff", shadow=False)
    for row, colour in enumerate(("#fbfdff", "#ffe08a", "#ffe08a", "#e8b35a", "#e8b35a", "#b57a34", "#7a4a27")):  # fmt: skip
        face.fill(colour, (0, row + 1, face.get_width(), 1), special_flags=pygame.BLEND_RGB_MULT)  # fmt: skip
    plain.blit(face, (0, 0))
    return pygame.transform.scale_by(plain, 8)


def play(game: Game) -> list[Keys]:
    """Open the window, play until it is closed, and return the keys of every step.

    Ends the program if no screen can show a window.
    """
    try:
        pygame.display.init()
        driver = pygame.display.get_driver()
        if driver in UNSEEN and not os.environ.get("SDL_VIDEODRIVER"):
            raise pygame.error("SDL found no screen")
        window = Window(game)
    except pygame.error as error:
        print(f"This game needs a display to open its window: {error}", file=sys.stderr)
        sys.exit(2)
    window.open(Title(window))
    window.run()
    pygame.quit()
    return window.recorded
