"""The pages of the menu: title, pause, slots, levels, settings, what a load has changed, and the end."""

from __future__ import annotations

import io
from datetime import datetime
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

import pygame

from savegen.levels import Level
from savegen.runtime import LevelError, SaveError, SaveLoadManager
from savegen.saves import SaveInfo

from sample_game import old_saves
from sample_game._savegen.prefab_info import PREFAB_INFO
from sample_game._savegen.registry import REGISTRY
from sample_game.game import VERSION
from sample_game.level import folder_of
from sample_game.screen.pages import Entry, Menu, Message, Page, Picker, Row
from sample_game.screen.painter import BLUE, CANVAS, GOLD, GREY, PALE, RED, UNIT
from sample_game.screen.scenery import Scenery
from sample_game.settings import Action
from sample_game.world import World

if TYPE_CHECKING:
    from sample_game.screen.window import Window

FLOOR = 318  # of the title screen, in pixels
LARGEST = 1_000_000  # pixels of the picture of a save, a PNG that begins with its size


class Title(Menu):
    """The first thing that is seen."""

    sees_world = False
    hint = "↑↓ choose   Enter"
    width = 170

    def rows(self) -> list[Row]:
        window = self.window
        return [
            Row("continue" if window.game.steps else "play", window.resume),
            Row("new game", self._begin),
            Row("load", lambda: window.open(Slots(window))),
            Row("levels", lambda: window.open(Levels(window))),
            Row("settings", lambda: window.open(SettingsPage(window))),
            Row("quit", window.quit),
        ]

    def _begin(self) -> None:
        self.window.game.start(self.window.game.levels[0][0])
        self.window.resume()

    def press(self, key: int) -> None:
        if key != pygame.K_ESCAPE:
            super().press(key)

    def draw(self) -> None:
        art, time = self.art, self.window.time
        self.window.backdrops["cave"].draw(art.canvas, time // 2)
        art.centre("logo", CANVAS.centerx, 76)
        art.text("and the time that runs back", CANVAS.centerx, 134, BLUE, part=0.5)
        area = pygame.Rect(0, 0, self.width, 20 * len(self.rows()) + 18)
        area.midtop = CANVAS.centerx, 152
        self.box(area)
        self.draw_rows(area.left + 8, area.top + 9)
        Page.draw(self)
        # Pip runs after coins, and a goblin runs after Pip.
        for x in range(-(time * 2 % UNIT), CANVAS.right, UNIT):
            art.piece("platform.whole", 1, x, FLOOR)
            if (x + time * 2) // UNIT % 23 == 0:
                art.stand("sign", x, FLOOR)
        for x in (430, 470, 510):
            art.stand("coin.spin", x, FLOOR - 12, time + x // 4)
        art.stand("pip.run", 330, FLOOR, time)
        art.stand("goblin.hunt", 225, FLOOR, time)
        art.stand("bat.fly", 150, FLOOR - 40 + time // 12 % 8, time)


class Pause(Menu):
    """Esc, while one plays."""

    title = "Pause"
    hint = "↑↓ choose   Enter   Esc goes on"

    def rows(self) -> list[Row]:
        window = self.window
        return [
            Row("continue", window.resume),
            Row("save", lambda: window.open(Slots(window, saving=True))),
            Row("load", lambda: window.open(Slots(window))),
            Row("levels", lambda: window.open(Levels(window))),
            Row("settings", lambda: window.open(SettingsPage(window))),
            Row("title screen", lambda: window.open(Title(window))),
            Row("quit", window.quit),
        ]


class Slots(Picker):
    """All saves of the player; to load one, or to save to one."""

    def __init__(self, window: Window, saving: bool = False) -> None:
        super().__init__(window, [])
        self._saving = saving
        self.title = "Save" if saving else "Load"
        self._shot = window.picture()
        self._read()

    def _read(self) -> None:
        """Read the list. All bytes are read, so that damage shows here and not at a load."""
        infos: list[SaveInfo] = []
        try:
            infos = self.window.game.slots.list(verify=True)
        except SaveError as error:
            self.window.say(str(error))
        infos.sort(key=lambda info: info.time, reverse=True)
        self.entries = [*map(self._entry, infos)]
        if self._saving:
            taken = {info.slot for info in infos}
            free = next(name for n in count(1) if (name := f"slot-{n}") not in taken)
            save = Row("save here", lambda: self._save(free))
            new = Entry("a new slot", free, "icon.disk", self._shot, [], [save])
            self.entries.insert(0, new)
        self.at, self.action = max(0, min(self.at, len(self.entries) - 1)), 0

    def _entry(self, info: SaveInfo) -> Entry:
        """Return what there is to say about a slot, and what one can do with it."""
        slot, data, icon = info.slot, info.metadata, ""
        where, version = info.level or "no level", data.game_version or "?"
        below = f"{where}   {_clock(info.playtime)}   {slot}"
        details = [
            (f"{where}, after {_clock(info.playtime)}", PALE),
            (f"saved {_date(info.time)} by version {version}", GREY),
        ]
        word = "load" if info.is_newest else "use the older one"
        actions = [Row(word, lambda: self._load(slot, info.generation))]
        if info.fault:
            icon, below, actions = "icon.damaged", f"damaged   {slot}", []
            details = [("No save of this slot can be read:", RED), (info.fault, PALE)]
        elif data.save_version > REGISTRY.save_version:
            icon, below, actions = "icon.lock", f"version {version}   {slot}", []
            details.append((f"This is version {VERSION}: please update the game.", RED))
        elif not info.is_newest:
            icon = "icon.damaged"
            details.append(
                ("The newest save here is damaged; this is an older one.", RED)
            )
            details += [(note, GREY) for note in info.notes]
        elif data.save_version < REGISTRY.save_version:
            details.append(("A load brings it up to date.", BLUE))
        if info.diverged:
            details.append(("Two games were saved here; both are kept.", RED))
        older = [each for each in info.generations if each < info.generation]
        if older and not info.fault:
            actions.append(
                Row("load the one before", lambda: self._load(slot, older[0]))
            )
        if self._saving:
            actions = [Row("save here", lambda: self._save(slot))]
        actions.append(Row("delete", lambda: self._delete(slot)))
        head = info.title or slot
        return Entry(head, below, icon, self._picture(slot), details, actions)

    def _picture(self, slot: str) -> pygame.Surface | None:
        """Return the picture of a save; a file may hold anything."""
        try:
            data = self.window.game.slots.thumbnail(slot)
            width, height = (int.from_bytes(data[at : at + 4]) for at in (16, 20))
            if not 0 < width * height <= LARGEST:
                return None
            picture = pygame.image.load(io.BytesIO(data), "picture.png").convert()
        except (SaveError, pygame.error):
            return None
        return pygame.transform.smoothscale(picture, self.PICTURE.size)

    def _save(self, slot: str) -> None:
        file = io.BytesIO()
        pygame.image.save(self._shot, file, "picture.png")
        if self.window.game.save(slot, file.getvalue()) is not None:
            self.window.hear("save")
        self.window.resume()

    def _load(self, slot: str, generation: int) -> None:
        window = self.window
        try:
            report = window.game.load(slot, generation)
        except SaveError as error:
            lines = [str(error), "The game is as it was."]
            window.open(Message(window, "Not loaded", lines))
            return
        window.resume()
        if report.migrations:
            head = f"A save of version {report.info.metadata.game_version or '?'}"
            lines = [*old_saves.report_lines(report)]
            window.open(Message(window, head, lines, "play on"))

    def _delete(self, slot: str) -> None:
        try:
            self.window.game.slots.delete(slot)
        except SaveError as error:
            self.window.say(str(error))
        self._read()


class Levels(Picker):
    """The levels of a folder. Each is tried, so that a broken one tells what is wrong with it."""

    title = "Levels"

    def __init__(self, window: Window) -> None:
        super().__init__(window, [Entry(title, "…") for _, title in window.game.levels])
        self._tried = 0

    def update(self) -> None:
        """Try one level in each frame."""
        levels = self.window.game.levels
        if self._tried < len(levels):
            name, title = levels[self._tried]
            self.entries[self._tried] = self._entry(name, title)
            self._tried += 1

    def _entry(self, name: str, title: str) -> Entry:
        world, faults = World(SaveLoadManager(REGISTRY, PREFAB_INFO)), []
        try:
            world.enter(folder_of(name))
        except LevelError as error:
            faults = [f"{each.code}: {each.message}" for each in error.findings]
        except SaveError as error:
            faults = [str(error)]
        if faults or world.level is None:
            page = Message(self.window, title, faults)
            tell = Row("what is wrong", lambda: self.window.open(page))
            red = [(fault, RED) for fault in faults]
            return Entry(title, "broken", "icon.damaged", None, red, [tell])
        here = "here" if name == self.window.game.level_name else ""
        play = Row("play", lambda: self._start(name))
        return Entry(title, here, "", self._picture(world.level), [], [play])

    def _picture(self, level: Level) -> pygame.Surface:
        """Return all layers of a level, as small as a picture, before what is far behind."""
        far = pygame.Surface(CANVAS.size)
        self.window.backdrop_of(level.name).draw(far, 0)
        width, height = Scenery(level).bounds.size
        scale = min(self.PICTURE.width / width, self.PICTURE.height / height)
        picture = pygame.transform.smoothscale(far, (width * scale, height * scale))
        for visual in filter(None, level.visuals):
            pixels = visual.image
            sides = pixels.shape[1], pixels.shape[0]
            whole = pygame.image.frombuffer(pixels.tobytes(), sides, "RGBA")
            small = pygame.transform.smoothscale(whole, picture.get_size())
            picture.blit(small, (0, 0))
        return picture

    def _start(self, name: str) -> None:
        try:
            self.window.game.start(name)
        except SaveError as error:  # it has changed since it was tried
            self.window.open(Message(self.window, name, [str(error)]))
        else:
            self.window.resume()


class SettingsPage(Menu):
    """What all slots share."""

    title = "Settings"
    width = 300
    hint = "↑↓ choose   ← → change   Enter   Esc back"

    def rows(self) -> list[Row]:
        window, settings = self.window, self.window.game.settings
        size = f"{CANVAS.width * settings.scale} × {CANVAS.height * settings.scale}"
        sound = "on" if settings.sounds else "off"

        def turn_sound(_: int) -> None:
            self._set("sounds", not settings.sounds)

        def turn_volume(way: int) -> None:
            self._set("volume", min(100, max(0, settings.volume + 10 * way)))

        def turn_scale(way: int) -> None:
            self._set("scale", (settings.scale - 1 + way) % 3 + 1)

        return [
            Row("sound", turn=turn_sound, value=sound),
            Row("volume", turn=turn_volume, value=f"{settings.volume} %"),
            Row("window", turn=turn_scale, value=size),
            Row("keys", lambda: window.open(KeysPage(window))),
            Row("back", window.back),
        ]

    def _set(self, name: str, value: object) -> None:
        setattr(self.window.game.settings, name, value)
        self.window.keep_settings()


class KeysPage(Menu):
    """Which key does what."""

    title = "Keys"
    width = 300
    hint = "↑↓ choose   Enter, then the new key   Esc back"
    _waits = False

    def rows(self) -> list[Row]:
        keys = self.window.game.settings.keys
        wait = partial(setattr, self, "_waits", True)
        rows = [
            Row(action.value, wait, value=", ".join(keys.get(action, ())) or "–")
            for action in Action
        ]
        if self._waits:
            rows[self.at].value = "press a key"
        return [*rows, Row("back", self.window.back)]

    def press(self, key: int) -> None:
        if not self._waits:
            super().press(key)
            return
        self._waits = False
        if key != pygame.K_ESCAPE:
            self.window.game.settings.bind([*Action][self.at], pygame.key.name(key))
            self.window.keep_settings()


class End(Page):
    """The last exit was reached. Time still runs back."""

    title = "The end"
    hint = "hold R: back   Enter"

    def draw(self) -> None:
        super().draw()
        game, art, time = self.window.game, self.art, self.window.time
        area = pygame.Rect(0, 0, 360, 214)
        area.center = CANVAS.center
        self.box(area)
        stats, progress = game.player.stats, game.progress
        falls, beaten = len(stats.deaths), stats.kills.total()
        lines = [
            ("Pip is home.", GOLD),
            (f"{game.player.coins} coins, {len(progress.found)} finds in all", PALE),
            (f"{beaten} enemies beaten, {falls} × fallen", PALE),
            (f"{_clock(progress.played.total_seconds())} played", PALE),
            ("Even now, time runs back.", BLUE),
        ]
        for number, (text, colour) in enumerate(lines):
            art.text(text, area.centerx, area.top + 30 + 18 * number, colour, part=0.5)
        floor = area.bottom - 22
        art.stand("exit.on", area.centerx + 60, floor, time)
        art.stand("pip.cheer", area.centerx - 10, floor, time)
        for x in (60, 86, 112):
            art.stand("coin.spin", area.left + x, floor - 4, time + x // 3)
        for x in range(area.left + 20, area.right - 20, UNIT):
            art.piece("platform.whole", 1, x, floor)


def _clock(seconds: float) -> str:
    whole = int(min(seconds, 359_999))
    return f"{whole // 60}:{whole % 60:02}"


def _date(time: str) -> str:
    """Return a time of UTC as the player's clock shows it."""
    try:
        return f"{datetime.fromisoformat(time).astimezone():%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError):
        return "at an unknown time"
