"""The window: fixed steps of the game, the keyboard, and what is drawn where."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from time import perf_counter

import pygame

from sample_game.game import Game
from sample_game.keys import NONE, Keys
from sample_game.screen.actors import Stage
from sample_game.screen.camera import Camera
from sample_game.screen.hud import Overlay
from sample_game.screen.menu import End, Pause, Title
from sample_game.screen.pages import ENTER, Page, Picker
from sample_game.screen.painter import CANVAS, Painter
from sample_game.screen.particles import Particles
from sample_game.screen.scenery import SKY, Backdrop, Scenery
from sample_game.screen.sound import Sounds
from sample_game.settings import Action
from sample_game.world import Event

STEP = 1 / 60
MOST = 4  # steps in one frame: a slow computer plays slowly, it never falls behind
UNSEEN = ("dummy", "offscreen")  # the drivers that SDL uses without a display
SHAKES = {"hurt": 16, "player-dead": 34, "boss-phase": 34}  # frames


class Window:
    """Shows a game, and passes the keys to it."""

    def __init__(self, game: Game) -> None:
        pygame.display.init()
        pygame.display.set_caption("Pip")
        self.game = game
        self._display = pygame.display.set_mode(self._size)
        self.art, self._sounds = Painter(), Sounds()
        pygame.display.set_icon(self.art.frame("coin.spin"))
        self._stage, self._camera = Stage(self.art), Camera()
        self._particles, self._overlay = Particles(), Overlay(self.art)
        self.backdrops = {name: Backdrop(name) for name in ("cave", "sky")}
        self._scenery: Scenery | None = None
        self._pages: list[Page] = []
        self._end = End(self)
        self._held: set[int] = set()
        self._tapped: set[int] = set()  # and perhaps let go within one frame
        self._rewinds, self._flash, self._dark = False, 0, 0
        self.time = 0  # frames, for what moves in menus
        self.played: list[Keys] = []  # the keys of every step
        self.is_open = True
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
            if owed >= STEP:
                self._show_frame(int(owed / STEP))
                owed %= STEP
            clock.tick(240)

    def _show_frame(self, steps: int) -> None:
        for _ in range(steps):
            self.step()
        self.draw()
        canvas, size = self.art.canvas, self._display.get_size()
        pygame.transform.scale(canvas, size, self._display)
        pygame.display.flip()

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
            elif self.game.finished and event.key in ENTER[:2]:
                self.open(Title(self))
            elif event.key in self._pausing:
                self.open(Pause(self))
            else:
                self._held.add(event.key)
                self._tapped.add(event.key)

    def step(self) -> None:
        """Do what happens in one sixtieth of a second."""
        self.time += 1
        if self._pages:
            self._pages[-1].update()
            self.game.look_after_saves()
        else:
            self._play(self._keys())
        self.say(self.game.notice)
        self.game.notice = ""
        self._tapped.clear()

    def _keys(self) -> Keys:
        """Return the keys of the game that are down."""
        keys = NONE
        for key in self._held | self._tapped:
            keys |= self._bound.get(key, NONE)
        return keys

    def _play(self, keys: Keys) -> None:
        game, stage = self.game, self._stage
        level, steps = game.level, game.steps
        self.played.append(keys)
        game.step(keys)
        self._rewinds = Keys.REWIND in keys and game.steps < steps
        if game.level is not level or abs(game.steps - steps) > 2:
            self._look_anew()
        if Keys.REWIND in keys:
            stage.time -= 2 * self._rewinds
            if self._rewinds and self.time % 14 == 0:
                self.hear("rewind")
        else:
            stage.time += 1
            for event in game.events:
                self._show(event)
        self._particles.update()
        self._overlay.strip.forget_after(game.steps)
        self._follow()

    def _show(self, event: Event) -> None:
        """Let an event be heard and seen."""
        self.hear(event.kind)
        self._particles.add(event)
        self._overlay.strip.add(event, self.game.steps)
        self._camera.shake(SHAKES.get(event.kind, 0))
        if event.kind == "hurt":
            self._flash = 6
        elif event.kind == "player-dead":
            self.say("hold R: time runs back")
        elif event.kind == "spring":
            self._stage.sprung[event.position] = self._stage.time

    def hear(self, sound: str) -> None:
        self._sounds.play(sound, self.time)

    def say(self, words: str) -> None:
        """Show one line for some seconds."""
        self._overlay.notice(words)

    # -- pages

    @property
    def page(self) -> Page | None:
        """The page that is shown; `None` while one plays."""
        if self._pages:
            return self._pages[-1]
        return self._end if self.game.finished else None

    def open(self, page: Page) -> None:
        if not self._pages:
            self._held.clear()
            self._rewinds = False
            self._overlay.hush()
        self._pages.append(page)

    def back(self) -> None:
        self._pages.pop()

    def resume(self) -> None:
        """Close all pages, and play."""
        self._pages.clear()

    def quit(self) -> None:
        self.is_open = False

    # -- settings

    def keep_settings(self) -> None:
        self.apply_settings()
        self.game.save_settings()

    def apply_settings(self) -> None:
        """Do what the settings say. They come from a file, so there may be keys that are none."""
        settings = self.game.settings
        self._bound = {pygame.K_F5: Keys.QUICKSAVE, pygame.K_F9: Keys.QUICKLOAD}
        self._pausing = {pygame.K_ESCAPE}
        for action, names in settings.keys.items():
            for name in names:
                with suppress(ValueError):
                    code = pygame.key.key_code(name)
                    if action is Action.PAUSE:
                        self._pausing.add(code)
                    else:
                        self._bound[code] = Keys[action.name]
        self._sounds.volume = settings.volume / 100 if settings.sounds else 0.0
        if self._display.get_size() != self._size:
            self._display = pygame.display.set_mode(self._size)

    @property
    def _size(self) -> tuple[int, int]:
        """The size of the window: the canvas, scaled by a whole number."""
        scale = min(max(1, self.game.settings.scale), 3)
        return CANVAS.width * scale, CANVAS.height * scale

    # -- drawing

    def draw(self) -> None:
        """Draw everything to the canvas."""
        page = self.page
        if page is None or page.sees_world:
            self._draw_world()
        if self._dark:
            self._dark -= 1
            light = [255 - 12 * self._dark] * 3
            self.art.canvas.fill(light, special_flags=pygame.BLEND_RGB_MULT)
        if page is None:
            self._overlay.draw(self.game, self._rewinds)
        elif page.sees_world:
            dark = 90, 90, 110
            self.art.canvas.fill(dark, special_flags=pygame.BLEND_RGB_MULT)
        if page is not None:
            page.draw()
        self._overlay.draw_notice()

    def _draw_world(self) -> None:
        canvas, scenery = self.art.canvas, self._current_scenery()
        if scenery is None:
            canvas.fill("#0d1220")
            return
        corner = self._camera.corner
        self.backdrop_of(scenery.level.name).draw(canvas, corner[0])
        scenery.draw(canvas, *corner)
        self._stage.draw(self.game.world, *corner)
        self._particles.draw(canvas, *corner)
        if self._rewinds:
            self._draw_rewind()
        if self._flash:
            self._flash -= 1
            red = 12 * self._flash, 0, 0
            canvas.fill(red, special_flags=pygame.BLEND_RGB_ADD)

    def _draw_rewind(self) -> None:
        """Time that runs back is blue, with bands that run down."""
        canvas = self.art.canvas
        canvas.fill((150, 185, 255), special_flags=pygame.BLEND_RGB_MULT)
        canvas.fill((0, 6, 26), special_flags=pygame.BLEND_RGB_ADD)
        for number in range(3):
            y = (self.time * (3 + number) + 131 * number) % (CANVAS.height + 40) - 20
            band = pygame.Rect(0, y, CANVAS.width, 3 + 4 * number)
            canvas.fill((18, 22, 34), band, special_flags=pygame.BLEND_RGB_ADD)

    def _current_scenery(self) -> Scenery | None:
        """Return the scenery of the level; a load may have changed the level."""
        level = self.game.level
        if level is None:
            return None
        if self._scenery is None or self._scenery.level is not level:
            self._scenery, self._dark = Scenery(level), 20
            self._look_anew()
        return self._scenery

    def _look_anew(self) -> None:
        """Look at another place or time."""
        self._stage.forget()
        self._camera = Camera()
        self._follow()

    def _follow(self) -> None:
        if scenery := self._current_scenery():
            player, place = self.game.player, self.game.world.camera
            self._camera.follow(place, player.facing.value, scenery.bounds)

    def backdrop_of(self, level: str) -> Backdrop:
        return self.backdrops["sky" if level in SKY else "cave"]

    def picture(self) -> pygame.Surface:
        """Return a small picture of the world, for a save."""
        self._draw_world()
        return pygame.transform.smoothscale(self.art.canvas, Picker.PICTURE.size)


def play(game: Game) -> list[Keys]:
    """Open the window, play until it is closed, and return the keys of every step.

    Ends the program with exit code 2 if no screen can show a window.
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
    with suppress(KeyboardInterrupt):
        window.run()
    pygame.quit()
    return window.played
