"""The pages of the menu: title, pause, slots, levels, settings, what a load has changed, and the end."""

from __future__ import annotations

import importlib
import io
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pygame

from savegen.runtime import LevelError, SaveError, SaveLoadManager
from savegen.saves import SaveInfo, SlotLoadReport

from sample_game._savegen.prefab_info import PREFAB_INFO
from sample_game._savegen.registry import REGISTRY
from sample_game.level import FOLDER
from sample_game.screen.pages import (
    GOLD,
    GREY,
    PALE,
    RED,
    Menu,
    Message,
    Page,
    Picker,
    Row,
)
from sample_game.screen.sheet import CANVAS
from sample_game.settings import Action
from savegen.levels import load_level

if TYPE_CHECKING:
    from sample_game.screen.window import Window


class Title(Menu):
    """The first thing that is seen."""

    sees_world = False
    hint = "↑↓ choose   Enter"
    width = 170

    def rows(self) -> list[Row]:
        window = self.window
        return [
            Row("continue" if window.game.steps else "play", window.resume),
            Row("load", lambda: window.open(Slots(window))),
            Row("levels", lambda: window.open(Levels(window))),
            Row("settings", lambda: window.open(SettingsPage(window))),
            Row("quit", window.quit),
        ]

    def press(self, key: int) -> None:
        if key != pygame.K_ESCAPE:
            super().press(key)

    def draw(self, canvas: pygame.Surface) -> None:
        time = self.window.time
        self.window.backdrop("cave").draw(canvas, (time // 2, 0))
        logo = self.window.logo
        canvas.blit(logo, (CANVAS[0] // 2 - logo.get_width() // 2, 34))
        self.font.put(canvas, "and the time that runs back", (CANVAS[0] // 2, 122), "#8cc8ef", align="middle")  # fmt: skip
        rows = self.rows()
        area = pygame.Rect(0, 0, self.width, 20 * len(rows) + 22)
        area.midtop = CANVAS[0] // 2, 160
        self.box(canvas, area)
        self.list_rows(canvas, rows, area.left + 8, area.top + 15)
        self._cast(canvas, time)
        self.foot(canvas)

    def _cast(self, canvas: pygame.Surface, time: int) -> None:
        """Pip runs after coins, and a goblin runs after Pip."""
        sheet, floor = self.sheet, 318
        for x in range(-16, CANVAS[0] + 16, 16):
            part = (x + time * 2) // 16
            canvas.blit(sheet.part("platform.whole", 1), (x - time * 2 % 16, floor))
            if part % 23 == 0:
                sheet.put(canvas, "sign", (x - time * 2 % 16, floor), time)
        for number in range(3):
            sheet.put(canvas, "coin.spin", (430 + 40 * number, floor - 12), time + number * 9)  # fmt: skip
        sheet.put(canvas, "pip.run", (330, floor), time)
        sheet.put(canvas, "goblin.hunt", (225, floor), time)
        sheet.put(canvas, "bat.fly", (150, floor - 40 + time // 12 % 8), time)


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
        super().__init__(window)
        self._saving = saving
        self.title = "Save" if saving else "Load"
        self._infos: list[SaveInfo] = []
        self._pictures: dict[str, pygame.Surface | None] = {}
        self.read()

    def read(self) -> None:
        """Read the list anew. It is read completely, so that damage shows here, not at a load."""
        slots = self.window.game.slots
        try:
            self._infos = slots.list(verify=True)
        except SaveError as error:
            self.window.say(str(error))
        self._infos.sort(key=lambda info: info.time, reverse=True)
        self._pictures = {}
        for info in self._infos:
            try:
                data = slots.thumbnail(info.slot)
            except SaveError:
                data = b""
            self._pictures[info.slot] = _picture(data)
        self.at = min(self.at, max(0, self.count() - 1))

    def count(self) -> int:
        return len(self._infos) + self._saving

    def info(self, number: int) -> SaveInfo | None:
        """Return the save of a row; `None` for the row of a new slot."""
        number -= self._saving
        return self._infos[number] if number >= 0 else None

    def label(self, number: int) -> tuple[str, str, str]:
        info = self.info(number)
        if info is None:
            return "a new slot", "", "icon.disk"
        if info.fault:
            return info.slot, "damaged", "icon.damaged"
        if _is_newer(info):
            return info.slot, f"of version {info.metadata.game_version}", "icon.lock"
        below = f"{info.level or ''}   {_clock(info.playtime)}"
        return info.title or info.slot, below.strip(), "" if info.is_newest else "icon.damaged"  # fmt: skip

    def picture(self, number: int) -> pygame.Surface | None:
        info = self.info(number)
        return self.window.shot if info is None else self._pictures[info.slot]

    def details(self, number: int) -> list[tuple[str, str]]:
        info = self.info(number)
        if info is None:
            return [("Here and now.", PALE)]
        lines = [(info.title or info.slot, GOLD)]
        if info.fault:
            return [*lines, ("No save of this slot can be read:", RED), (info.fault, PALE)]  # fmt: skip
        version = info.metadata.game_version
        lines += [
            (f"{info.level or 'no level'}, after {_clock(info.playtime)}", PALE),
            (f"saved {_date(info.time)} by version {version or '?'}", GREY),
        ]
        if _is_newer(info):
            lines.append((f"Version {version} of the game is newer than this one ({self.window.version}). Please update the game to load this save.", RED))  # fmt: skip
        elif not info.is_newest:
            lines += [("The newest save of this slot is damaged; this is the one before it.", RED)]  # fmt: skip
            lines += [(note, GREY) for note in info.notes]
        elif info.metadata.save_version < REGISTRY.save_version:
            lines.append(("From an older version: a load brings it up to date.", "#8cc8ef"))  # fmt: skip
        if info.diverged:
            lines.append(("Two computers have gone on from the same save; both are here.", RED))  # fmt: skip
        return lines

    def actions(self, number: int) -> list[Row]:
        info = self.info(number)
        if info is None:
            return [Row("save here", lambda: self._save(self._free_name()))]
        slot = info.slot
        rows = []
        if self._saving:
            if not _is_newer(info):
                rows.append(Row("save here", lambda: self._save(slot)))
        elif not (info.fault or _is_newer(info)):
            word = "load" if info.is_newest else "use the older one"
            rows.append(Row(word, lambda: self._load(slot, info.generation)))
        older = [each for each in info.generations if each < info.generation]
        if older and not self._saving:
            rows.append(Row("the one before", lambda: self._load(slot, older[0])))
        return [*rows, Row("delete", lambda: self._delete(slot))]

    def _free_name(self) -> str:
        taken = {info.slot for info in self._infos}
        return next(name for n in range(1, 1000) if (name := f"slot-{n}") not in taken)

    def _save(self, slot: str) -> None:
        self.window.game.save(slot, self.window.thumbnail())
        self.window.hear("save")
        self.window.resume()

    def _load(self, slot: str, generation: int) -> None:
        window = self.window
        newest = max(next(i.generations for i in self._infos if i.slot == slot))
        try:
            report = window.game.load(slot, None if generation == newest else generation)  # fmt: skip
        except SaveError as error:
            lines = [str(error), "The game is as it was."]
            window.open(Message(window, "Not loaded", lines, icon="icon.damaged"))
            return
        window.arrive()
        window.resume()
        if report.migrations or report.defaulted or report.lost:
            window.open(Changes(window, report))

    def _delete(self, slot: str) -> None:
        slots = self.window.game.slots
        try:
            slots.delete(slot)
        except SaveError as error:
            self.window.say(str(error))
        self.read()
        self.action = 0


class Changes(Message):
    """What was done to a save of an older version, before one plays on with it."""

    def __init__(self, window: Window, report: SlotLoadReport) -> None:
        version = report.info.metadata.game_version or "?"
        title = f"A save of version {version}"
        lines = [f"It was loaded by version {window.version}, and what has changed since then was changed in it:"]  # fmt: skip
        for head, entries in changes(report):
            lines += ["", head, *(f"  • {entry}" for entry in entries)]
        super().__init__(window, title, lines)
        self._choices = [Row("play on", window.resume)]

    def colour_of(self, line: str) -> str:
        return GOLD if line.endswith(":") and not line.startswith("It was") else PALE


def changes(report: SlotLoadReport) -> Iterable[tuple[str, list[str]]]:
    """Yield what a load changed in an old save, in the words of old_saves.py."""
    from sample_game import old_saves

    if renamed := getattr(old_saves, "RENAMED", ()):
        yield "renamed:", [*renamed]
    converted = []
    for version, name in REGISTRY.migrations:
        if version in report.migrations:
            module, _, function = name.partition(":")
            words = getattr(importlib.import_module(module), function).__doc__ or name
            converted.append(words.split("\n")[0])
    if converted:
        yield "converted:", converted
    if report.defaulted:
        yield "given a default:", [f"{field} ({count} ×)" for field, count in sorted(report.defaulted.items())]  # fmt: skip
    if report.lost:
        yield "no longer there:", [str(lost) for lost in report.lost]


class Levels(Picker):
    """The levels of a folder. Each is checked, so that a broken one tells what is wrong with it."""

    title = "Levels"

    def __init__(self, window: Window, folder: Path = FOLDER) -> None:
        super().__init__(window)
        known = [(name, title, folder / name) for name, title in window.game.levels]
        names = {name for name, _, _ in known}
        found = sorted(path.parent for path in folder.glob("*/level.lvl"))
        known += [(path.name, path.name, path) for path in found if path.name not in names]  # fmt: skip
        self._levels = known
        self._findings: dict[str, list[str]] = {}
        self._pictures: dict[str, pygame.Surface | None] = {}

    def update(self) -> None:
        """Check one level and make its picture; the others follow in the next frames."""
        for name, _, path in self._levels:
            if name not in self._findings:
                self._findings[name], self._pictures[name] = check(path, self.PICTURE)
                return

    def count(self) -> int:
        return len(self._levels)

    def label(self, number: int) -> tuple[str, str, str]:
        name, title, _ = self._levels[number]
        findings = self._findings.get(name)
        if findings is None:
            return title, "…", ""
        words = "here" if name == self.window.game.level_name else ""
        return (title, _count(findings), "icon.damaged") if findings else (title, words, "")  # fmt: skip

    def picture(self, number: int) -> pygame.Surface | None:
        return self._pictures.get(self._levels[number][0])

    def details(self, number: int) -> list[tuple[str, str]]:
        name, title, path = self._levels[number]
        findings = self._findings.get(name) or []
        lines = [(title, GOLD)] + [(finding, RED) for finding in findings]
        return (
            lines if findings else [*lines, (f"{path.parent.name}/{path.name}", GREY)]
        )

    def actions(self, number: int) -> list[Row]:
        name, title, path = self._levels[number]
        findings = self._findings.get(name)
        if findings is None:
            return []
        if findings:
            page = Message(self.window, title, findings, icon="icon.damaged")
            return [Row("what is wrong", lambda: self.window.open(page))]
        return [Row("play", lambda: self._start(name, path))]

    def _start(self, name: str, path: Path) -> None:
        window = self.window
        try:
            window.game.start(name if path.parent == FOLDER else path)
        except SaveError as error:  # it has changed since the check
            window.open(Message(window, name, [str(error)], icon="icon.damaged"))
            return
        window.arrive()
        window.resume()


def check(folder: Path, size: tuple[int, int]) -> tuple[list[str], pygame.Surface | None]:  # fmt: skip
    """Return what is wrong with a level, and a picture of it."""
    try:
        level = load_level(folder, SaveLoadManager(REGISTRY, PREFAB_INFO))
    except LevelError as error:
        return [f"{each.code}: {each.message}" for each in error.findings] or [str(error)], None  # fmt: skip
    except SaveError as error:
        return [str(error)], None
    height, width = level.cell_to_rectangle[0].shape
    scale = min(size[0] / width, size[1] / height)
    small = round(width * scale), round(height * scale)
    picture = pygame.Surface(small)
    picture.fill("#0d1220")
    for visual in level.visuals:
        if visual is not None:
            pixels = visual.image
            whole = pygame.image.frombuffer(pixels.tobytes(), pixels.shape[1::-1], "RGBA")  # fmt: skip
            picture.blit(pygame.transform.smoothscale(whole, small), (0, 0))
    return [], picture


class SettingsPage(Menu):
    """What all slots share."""

    title = "Settings"
    width = 300
    hint = "↑↓ choose   ← → change   Enter   Esc back"

    def rows(self) -> list[Row]:
        window, settings = self.window, self.window.game.settings
        return [
            Row("sound", turn=self._sound, value=lambda: "on" if settings.sounds else "off"),  # fmt: skip
            Row("volume", turn=self._volume, value=lambda: f"{settings.volume} %"),
            Row("window", turn=self._scale, value=lambda: f"{CANVAS[0] * settings.scale} × {CANVAS[1] * settings.scale}"),  # fmt: skip
            Row("keys", lambda: window.open(KeysPage(window))),
            Row("back", window.back),
        ]

    def _sound(self, _: int) -> None:
        settings = self.window.game.settings
        settings.sounds = not settings.sounds
        self.window.apply_settings()

    def _volume(self, way: int) -> None:
        settings = self.window.game.settings
        settings.volume = min(100, max(0, settings.volume + 10 * way))
        self.window.apply_settings()

    def _scale(self, way: int) -> None:
        settings = self.window.game.settings
        settings.scale = (settings.scale - 1 + way) % 3 + 1
        self.window.apply_settings()


class KeysPage(Menu):
    """Which key does what."""

    title = "Keys"
    width = 300
    hint = "↑↓ choose   Enter, then the new key   Esc back"

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._waiting = False

    def rows(self) -> list[Row]:
        keys = self.window.game.settings.keys
        rows = []
        for number, action in enumerate(Action):
            waits = self._waiting and number == self.at
            text = "press a key" if waits else " ".join(keys.get(action, ())) or "–"
            rows.append(Row(action.name.lower().replace("_", " "), self._wait, value=lambda text=text: text))  # type: ignore[misc]  # fmt: skip
        return [*rows, Row("back", self.window.back)]

    def _wait(self) -> None:
        self._waiting = True

    def press(self, key: int) -> None:
        if not self._waiting:
            super().press(key)
            return
        self._waiting = False
        if key != pygame.K_ESCAPE:
            self.window.game.settings.bind([*Action][self.at], pygame.key.name(key))
            self.window.apply_settings()


class End(Page):
    """The last exit was reached."""

    hint = "Enter"

    def draw(self, canvas: pygame.Surface) -> None:
        game, time = self.window.game, self.window.time
        area = pygame.Rect(0, 0, 360, 220)
        area.center = CANVAS[0] // 2, CANVAS[1] // 2 + 6
        self.box(canvas, area, "The end")
        player, progress = game.player, game.progress
        lines = [
            ("Pip is home.", GOLD),
            (f"{player.coins} coins in the pocket, {len(progress.found)} finds in all", PALE),  # fmt: skip
            (f"{sum(player.stats.kills.values())} enemies beaten, {len(player.stats.deaths)} times fallen", PALE),  # fmt: skip
            (f"{_clock(progress.played.total_seconds())} played", PALE),
            ("Hold R, even now: time runs back.", "#8cc8ef"),
        ]
        for number, (text, colour) in enumerate(lines):
            self.font.put(canvas, text, (area.centerx, area.top + 30 + 18 * number), colour, align="middle")  # fmt: skip
        floor = area.bottom - 34
        self.sheet.put(canvas, "exit.open", (area.centerx + 60, floor), time)
        self.sheet.put(canvas, "pip.cheer", (area.centerx - 20, floor), time)
        for number in range(3):
            self.sheet.put(canvas, "coin.spin", (area.left + 50 + 26 * number, floor - 4), time + 9 * number)  # fmt: skip
        self.foot(canvas)

    def press(self, key: int) -> None:
        self.window.resume()
        self.window.open(Title(self.window))


def _picture(data: bytes) -> pygame.Surface | None:
    """Read the picture of a save; a file may hold anything."""
    try:
        picture = pygame.image.load(io.BytesIO(data), "x.png").convert()
    except pygame.error:
        return None
    return pygame.transform.smoothscale(picture, Picker.PICTURE)


def _is_newer(info: SaveInfo) -> bool:
    return info.metadata.save_version > REGISTRY.save_version


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(int(seconds), 60)
    return f"{minutes}:{seconds:02}"


def _date(time: str) -> str:
    """Return a time of UTC as the player's clock shows it."""
    try:
        local = datetime.fromisoformat(time).astimezone()
    except ValueError:
        return "at an unknown time"
    return f"{local:%Y-%m-%d %H:%M}"


def _count(findings: list[str]) -> str:
    return "1 finding" if len(findings) == 1 else f"{len(findings)} findings"
