"""Play the game without a window, with the keys that a player would hold."""

import warnings
from collections import defaultdict

import pygame

warnings.simplefilter("ignore")  # of SCALED without a window

import main
from saves import autosave, slots
from sprites import bats, coins, heroes

held: defaultdict[int, bool] = defaultdict(bool)
pygame.key.get_pressed = lambda: held  # type: ignore[assignment, return-value]


def play(frames: int, *keys: int) -> None:
    held.clear()
    held.update(dict.fromkeys(keys, True))
    for _ in range(frames):
        game.frame()


def press(key: int) -> None:
    game.handle(pygame.Event(pygame.KEYDOWN, key=key))


def show(what: str) -> None:
    gold = [hero.gold for hero in heroes]
    print(f"{what}: {gold=}, {len(coins)} coins, {len(bats)} bat")


game = main.Game()
show("dark" if game.shared.value.dark else "light")
play(1, pygame.K_r)  # before anything has happened
press(pygame.K_F5)
press(pygame.K_F2)
play(30, pygame.K_RIGHT)
play(200, pygame.K_RIGHT)
show("dead")
play(100, pygame.K_r)
show("rewound")
play(40, pygame.K_RIGHT)
press(pygame.K_F9)
show("as saved")
play(40, pygame.K_RIGHT)
show("on the way")
autosave.record_async(level="cave")
slots.wait()
print(autosave.error, [info.slot for info in slots.list()])
