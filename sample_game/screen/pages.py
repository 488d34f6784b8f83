"""What pages are made of. A page covers the world; the arrows, Enter and Esc reach everything on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import pygame

from sample_game.screen.painter import CANVAS, GOLD, GREY, PALE, WHITE

if TYPE_CHECKING:
    from sample_game.screen.window import Window

ENTER = pygame.K_RETURN, pygame.K_KP_ENTER, pygame.K_SPACE  # which also jumps
LINE, ROW = 12, 20  # the heights of a line of text, and of a row of a menu


@dataclass
class Row:
    """Something to choose: what it says, what Enter does, and what the arrows to the sides do."""

    text: str
    choose: Callable[[], object] | None = None
    turn: Callable[[int], object] | None = None
    value: str = ""


class Page:
    """Something that is shown instead of the game, or over it."""

    hint: ClassVar[str] = "↑↓ choose   Enter   Esc back"
    sees_world: ClassVar[bool] = True  # the world is seen behind it, darkened
    title = ""

    def __init__(self, window: Window) -> None:
        self.window, self.art = window, window.art

    def update(self) -> None:
        """Do what takes longer than a frame in parts: this is called once in each."""

    def draw(self) -> None:
        self.art.text(
            self.hint, CANVAS.centerx, CANVAS.bottom - 15, "#aebccb", part=0.5
        )

    def press(self, key: int) -> None:
        """React to a key."""
        if key == pygame.K_ESCAPE:
            self.window.back()

    def box(self, area: pygame.Rect) -> None:
        self.art.panel("panel", area)
        if self.title:
            head = pygame.Rect(0, 0, self.art.width(self.title) * 2 + 26, 28)
            head.center = area.centerx, area.top
            self.art.panel("panel", head)
            self.art.text(self.title, *head.move(0, 5).midtop, GOLD, part=0.5, size=2)

    def turn(self, number: int, count: int, key: int) -> int:
        """Return the number after an arrow up or down, in a list that goes round."""
        self.window.hear("move")
        return (number + (1 if key == pygame.K_DOWN else -1)) % count


class Menu(Page):
    """A list of rows, of which one is chosen."""

    width = 230

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.at = 0

    def rows(self) -> list[Row]:
        raise NotImplementedError

    def press(self, key: int) -> None:
        rows = self.rows()
        row = rows[self.at]
        way = (key == pygame.K_RIGHT) - (key == pygame.K_LEFT)
        if key in (pygame.K_UP, pygame.K_DOWN):
            self.at = self.turn(self.at, len(rows), key)
        elif row.turn and (way or key in ENTER):
            self.window.hear("move")
            row.turn(way or 1)
        elif row.choose and key in ENTER:
            self.window.hear("choose")
            row.choose()
        else:
            super().press(key)

    def draw(self) -> None:
        super().draw()
        area = pygame.Rect(0, 0, self.width, ROW * len(self.rows()) + 30)
        area.center = CANVAS.center
        self.box(area)
        self.draw_rows(area.left + 8, area.top + 17)

    def draw_rows(self, left: int, top: int) -> None:
        for number, row in enumerate(self.rows()):
            box = pygame.Rect(left, top + ROW * number, self.width - 16, ROW - 1)
            is_chosen = number == self.at
            if is_chosen:
                self.art.panel("panel.chosen", box)
                sway = self.window.time // 16 % 2
                self.art.put("icon.hand", box.left + 5 + sway, box.top + 4)
            colour = WHITE if is_chosen else PALE
            self.art.text(row.text, box.left + 24, box.top + 5, colour)
            value = f"← {row.value} →" if row.turn and is_chosen else row.value
            self.art.text(value, box.right - 10, box.top + 5, GOLD, part=1)


class Message(Menu):
    """Says something that needs more than a line."""

    hint = "↑↓ read on   Enter   Esc back"
    width = 440
    SHOWN = 16  # lines

    def __init__(
        self, window: Window, title: str, lines: Sequence[str], ok: str = "back"
    ) -> None:
        super().__init__(window)
        self.title, self._ok, self._first = title, ok, 0
        self._lines = [
            part for line in lines for part in self.art.wrapped(line, self.width - 40)
        ]

    def rows(self) -> list[Row]:
        return [Row(self._ok, self.window.back)]

    def press(self, key: int) -> None:
        """The arrows move the text if it is long."""
        if key in (pygame.K_UP, pygame.K_DOWN):
            last = max(0, len(self._lines) - self.SHOWN)
            step = 1 if key == pygame.K_DOWN else -1
            self._first = min(max(0, self._first + step), last)
        else:
            super().press(key)

    def draw(self) -> None:
        Page.draw(self)
        lines = self._lines[self._first : self._first + self.SHOWN]
        area = pygame.Rect(0, 0, self.width, LINE * len(lines) + 62)
        area.center = CANVAS.center
        self.box(area)
        for number, line in enumerate(lines):
            y = area.top + 22 + LINE * number
            head, colon, _ = line.partition(": ")
            self.art.text(line, area.left + 20, y)
            self.art.text(head + colon if colon else "", area.left + 20, y, GOLD)
        if self._first + self.SHOWN < len(self._lines):
            self.art.text("↓", area.right - 16, area.bottom - 46, GOLD)
        self.draw_rows(area.left + 8, area.bottom - ROW - 9)


@dataclass
class Entry:
    """Something of which there is a picture, and much to say."""

    head: str
    below: str = ""
    icon: str = ""
    picture: pygame.Surface | None = None
    details: list[tuple[str, str]] = field(default_factory=list)  # with their colours
    actions: list[Row] = field(default_factory=list)


class Picker(Page):
    """A list of entries on the left, and on the right all about the chosen one."""

    hint = "↑↓ choose   ← → what to do   Enter   Esc back"
    SHOWN, HIGH = 7, 40
    LIST, CARD = pygame.Rect(14, 30, 276, 306), pygame.Rect(300, 30, 326, 306)
    PICTURE = pygame.Rect(335, 42, 256, 144)

    def __init__(self, window: Window, entries: list[Entry]) -> None:
        super().__init__(window)
        self.entries = entries
        self.at = self.action = 0

    def press(self, key: int) -> None:
        actions = self.entries[self.at].actions if self.entries else []
        way = (key == pygame.K_RIGHT) - (key == pygame.K_LEFT)
        if key in (pygame.K_UP, pygame.K_DOWN) and self.entries:
            self.at, self.action = self.turn(self.at, len(self.entries), key), 0
        elif way and actions:
            self.action = (self.action + way) % len(actions)
            self.window.hear("move")
        elif key in ENTER and actions:
            self.window.hear("choose")
            choose = actions[self.action].choose
            assert choose is not None
            choose()
        else:
            super().press(key)

    def draw(self) -> None:
        super().draw()
        self.box(self.LIST)
        self.art.panel("panel", self.CARD)
        count = len(self.entries)
        first = max(0, min(self.at - self.SHOWN // 2, count - self.SHOWN))
        last = min(first + self.SHOWN, count)
        for number in range(first, last):
            self._draw_row(number, self.LIST.top + 16 + self.HIGH * (number - first))
        if first:
            self.art.text("↑", self.LIST.right - 14, self.LIST.top + 6, GOLD)
        if last < count:
            self.art.text("↓", self.LIST.right - 14, self.LIST.bottom - 13, GOLD)
        if self.entries:
            self._draw_card(self.entries[self.at])
        else:
            self.art.text("nothing yet", *self.LIST.center, GREY, part=0.5)

    def _draw_row(self, number: int, top: int) -> None:
        entry, is_chosen = self.entries[number], number == self.at
        box = pygame.Rect(self.LIST.left + 8, top, self.LIST.width - 16, self.HIGH - 1)
        if is_chosen:
            self.art.panel("panel.chosen", box)
        well = pygame.Rect(box.left + 4, box.top + 2, 60, 35)
        self.art.panel("panel.well", well)
        if entry.picture:
            small = pygame.transform.smoothscale_by(entry.picture, 58 / 256)
            self.art.canvas.blit(small, small.get_rect(center=well.center))
        if icon := entry.icon or ("" if entry.picture else "icon.disk"):
            self.art.centre(icon, *well.center)
        x, room = well.right + 8, box.right - well.right - 14
        colours = (WHITE, "#cbb287") if is_chosen else (PALE, GREY)
        self.art.text(self.art.fitted(entry.head, room), x, box.top + 8, colours[0])
        self.art.text(self.art.fitted(entry.below, room), x, box.top + 22, colours[1])

    def _draw_card(self, entry: Entry) -> None:
        self.art.panel("panel.well", self.PICTURE.inflate(4, 4))
        if entry.picture:
            place = entry.picture.get_rect(center=self.PICTURE.center)
            self.art.canvas.blit(entry.picture, place)
        else:
            self.art.text("no picture", *self.PICTURE.center, GREY, part=0.5)
        y = self.PICTURE.bottom + 10
        for text, colour in self._lines(entry):
            self.art.text(text, self.CARD.left + 18, y, colour)
            y += LINE
        x = self.CARD.left + 14
        for number, action in enumerate(entry.actions):
            is_chosen = number == self.action
            wide = self.art.width(action.text) + 20
            box = pygame.Rect(x, self.CARD.bottom - 32, wide, 21)
            self.art.panel("panel.chosen" if is_chosen else "panel.well", box)
            colour = WHITE if is_chosen else GREY
            self.art.text(action.text, box.left + 10, box.top + 6, colour)
            x = box.right + 6

    def _lines(self, entry: Entry) -> list[tuple[str, str]]:
        """Return what is said about an entry, in as many lines as there is room for."""
        room = self.CARD.width - 36
        texts = [(entry.head, GOLD), *entry.details]
        lines = [
            (line, colour)
            for text, colour in texts
            for line in self.art.wrapped(text, room)
        ]
        return lines[:7]
