"""What pages are made of. A page covers the world; the arrows, Enter and Esc reach everything on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import pygame

from sample_game.screen.sheet import CANVAS

if TYPE_CHECKING:
    from sample_game.screen.window import Window

WHITE, PALE, GREY, GOLD, RED = "#fbfdff", "#dfe8ef", "#8f8468", "#ffe08a", "#f2935f"
ENTER = pygame.K_RETURN, pygame.K_KP_ENTER, pygame.K_SPACE


class Page:
    """Something that is shown instead of the game, or over it."""

    hint: ClassVar[str] = "↑↓ choose   Enter   Esc back"
    sees_world: ClassVar[bool] = True  # the world is seen behind it, darkened

    def __init__(self, window: Window) -> None:
        self.window = window
        self.sheet, self.font = window.sheet, window.font

    def update(self) -> None:
        """Do what takes longer than a frame in parts: this is called once in each."""

    def draw(self, canvas: pygame.Surface) -> None:
        raise NotImplementedError

    def press(self, key: int) -> None:
        """React to a key."""
        if key == pygame.K_ESCAPE:
            self.window.back()

    def box(self, canvas: pygame.Surface, area: pygame.Rect, title: str = "") -> None:
        canvas.blit(self.sheet.panel("panel", *area.size), area)
        if title:
            wide = self.font.width(title) * 2 + 28
            canvas.blit(self.sheet.panel("panel", wide, 28), (area.centerx - wide // 2, area.top - 14))  # fmt: skip
            self.font.put(canvas, title, (area.centerx, area.top - 9), GOLD, size=2, align="middle")  # fmt: skip

    def foot(self, canvas: pygame.Surface, text: str = "") -> None:
        place = CANVAS[0] // 2, CANVAS[1] - 15
        self.font.put(canvas, text or self.hint, place, "#aebccb", align="middle")


@dataclass
class Row:
    """A line of a menu: what it says, what Enter does, and what the arrows to the sides do."""

    text: str
    choose: Callable[[], object] | None = None
    turn: Callable[[int], object] | None = None
    value: Callable[[], str] | None = None


class Menu(Page):
    """A list of lines, of which one is chosen."""

    title = ""
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
            self.at = (self.at + (1 if key == pygame.K_DOWN else -1)) % len(rows)
            self.window.hear("move")
        elif way and row.turn:
            row.turn(way)
            self.window.hear("move")
        elif key in ENTER and (row.choose or row.turn):
            self.window.hear("choose")
            if row.choose:
                row.choose()
            elif row.turn:
                row.turn(1)
        else:
            super().press(key)

    def draw(self, canvas: pygame.Surface) -> None:
        rows = self.rows()
        area = pygame.Rect(0, 0, self.width, 20 * len(rows) + 28)
        area.center = CANVAS[0] // 2, CANVAS[1] // 2
        self.box(canvas, area, self.title)
        self.list_rows(canvas, rows, area.left + 8, area.top + 18)
        self.foot(canvas)

    def list_rows(self, canvas: pygame.Surface, rows: list[Row], left: int, top: int) -> None:  # fmt: skip
        for number, row in enumerate(rows):
            y = top + 20 * number
            is_chosen = number == self.at
            if is_chosen:
                canvas.blit(self.sheet.panel("panel.chosen", self.width - 16, 19), (left, y - 5))  # fmt: skip
                sway = self.window.time // 16 % 2
                canvas.blit(self.sheet.frame("icon.hand"), (left + 5 + sway, y - 2))
            colour = WHITE if is_chosen else PALE
            self.font.put(canvas, row.text, (left + 24, y), colour)
            if row.value is not None:
                value = row.value()
                if row.turn and is_chosen:
                    value = f"← {value} →"
                right = left + self.width - 26
                self.font.put(canvas, value, (right, y), GOLD, align="right")


class Message(Menu):
    """Says something that needs more than a line, with what one can do then."""

    width = 440

    def __init__(self, window: Window, title: str, lines: Sequence[str], *choices: Row, icon: str = "") -> None:  # fmt: skip
        super().__init__(window)
        self.title, self._icon = title, icon
        width = self.width - 50
        self.lines = [part for line in lines for part in window.font.wrapped(line, width)]  # fmt: skip
        self._choices = [*choices, Row("back", window.back)]
        self.first = 0

    SHOWN = 15

    def rows(self) -> list[Row]:
        return self._choices

    def press(self, key: int) -> None:
        """The arrows move the text if it is long and there is nothing else to choose."""
        if len(self._choices) == 1 and key in (pygame.K_UP, pygame.K_DOWN):
            step = 1 if key == pygame.K_DOWN else -1
            most = max(0, len(self.lines) - self.SHOWN)
            self.first = min(max(0, self.first + step), most)
            return
        super().press(key)

    def draw(self, canvas: pygame.Surface) -> None:
        lines = self.lines[self.first : self.first + self.SHOWN]
        height = 12 * len(lines) + 20 * len(self._choices) + 44
        area = pygame.Rect(0, 0, self.width, height)
        area.center = CANVAS[0] // 2, CANVAS[1] // 2
        self.box(canvas, area, self.title)
        for number, line in enumerate(lines):
            self.font.put(canvas, line, (area.left + 30, area.top + 22 + 12 * number), self.colour_of(line))  # fmt: skip
        if self._icon:
            canvas.blit(self.sheet.frame(self._icon), (area.left + 12, area.top + 21))
        if self.first + self.SHOWN < len(self.lines):
            self.font.put(canvas, "↓", (area.right - 18, area.top + 10 + 12 * self.SHOWN), GOLD)  # fmt: skip
        self.list_rows(canvas, self._choices, area.left + 8, area.bottom - 20 * len(self._choices) - 5)  # fmt: skip
        self.foot(canvas)

    def colour_of(self, line: str) -> str:
        return PALE


class Picker(Page):
    """A list of things with pictures on the left, and on the right all about the chosen one."""

    hint = "↑↓ choose   ← → what to do   Enter   Esc back"
    title = ""
    SHOWN = 7
    LIST = pygame.Rect(14, 30, 276, 306)
    CARD = pygame.Rect(300, 30, 326, 306)
    PICTURE = 256, 144

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.at = self.action = 0

    # What a subclass says:

    def count(self) -> int:
        raise NotImplementedError

    def label(self, number: int) -> tuple[str, str, str]:
        """Return two lines and an icon, or an empty name for none."""
        raise NotImplementedError

    def picture(self, number: int) -> pygame.Surface | None:
        raise NotImplementedError

    def details(self, number: int) -> list[tuple[str, str]]:
        """Return lines with their colours."""
        raise NotImplementedError

    def actions(self, number: int) -> list[Row]:
        raise NotImplementedError

    # What all have in common:

    def press(self, key: int) -> None:
        actions = self.actions(self.at) if self.count() else []
        way = (key == pygame.K_RIGHT) - (key == pygame.K_LEFT)
        if key in (pygame.K_UP, pygame.K_DOWN) and self.count():
            self.at = (self.at + (1 if key == pygame.K_DOWN else -1)) % self.count()
            self.action = 0
            self.window.hear("move")
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

    def draw(self, canvas: pygame.Surface) -> None:
        self.box(canvas, self.LIST, self.title)
        self.box(canvas, self.CARD)
        first = max(0, min(self.at - self.SHOWN // 2, self.count() - self.SHOWN))
        for number in range(first, min(first + self.SHOWN, self.count())):
            self._row(canvas, number, self.LIST.top + 18 + 40 * (number - first))
        if first:
            self.font.put(canvas, "↑", (self.LIST.right - 14, self.LIST.top + 7), GOLD)
        if first + self.SHOWN < self.count():
            self.font.put(canvas, "↓", (self.LIST.right - 14, self.LIST.bottom - 14), GOLD)  # fmt: skip
        if self.count():
            self._card(canvas)
        self.foot(canvas)

    def _row(self, canvas: pygame.Surface, number: int, y: int) -> None:
        left = self.LIST.left + 8
        is_chosen = number == self.at
        if is_chosen:
            canvas.blit(self.sheet.panel("panel.chosen", self.LIST.width - 16, 39), (left, y - 3))  # fmt: skip
        small = 57, 32
        canvas.blit(self.sheet.panel("panel.well", 59, 34), (left + 4, y - 1))
        if picture := self.picture(number):
            canvas.blit(pygame.transform.smoothscale(picture, small), (left + 5, y))
        head, below, icon = self.label(number)
        room = self.LIST.width - 16 - 74
        x = left + 70
        if icon:
            mark = self.sheet.frame(icon)
            canvas.blit(mark, (left + 33 - mark.get_width() // 2, y + 16 - mark.get_height() // 2))  # fmt: skip
        self.font.put(canvas, self.font.fitted(head, room), (x, y + 4), WHITE if is_chosen else PALE)  # fmt: skip
        self.font.put(canvas, self.font.fitted(below, room), (x, y + 18), "#aebccb" if is_chosen else GREY)  # fmt: skip

    def _card(self, canvas: pygame.Surface) -> None:
        card = self.CARD
        width, height = self.PICTURE
        left, top = card.centerx - width // 2, card.top + 12
        canvas.blit(self.sheet.panel("panel.well", width + 4, height + 4), (left - 2, top - 2))  # fmt: skip
        if picture := self.picture(self.at):
            canvas.blit(picture, picture.get_rect(center=(card.centerx, top + height // 2)))  # fmt: skip
        else:
            self.font.put(canvas, "no picture", (card.centerx, top + 66), GREY, align="middle")  # fmt: skip
        y = top + height + 10
        for text, colour in self.details(self.at):
            for line in self.font.wrapped(text, card.width - 36):
                if y < card.bottom - 42:
                    self.font.put(canvas, line, (card.left + 18, y), colour)
                    y += 12
        x = card.left + 14
        for number, action in enumerate(self.actions(self.at)):
            wide = self.font.width(action.text) + 20
            is_chosen = number == self.action
            look = "panel.chosen" if is_chosen else "panel.well"
            canvas.blit(self.sheet.panel(look, wide, 21), (x, card.bottom - 32))
            self.font.put(canvas, action.text, (x + 10, card.bottom - 26), WHITE if is_chosen else GREY)  # fmt: skip
            x += wide + 6
