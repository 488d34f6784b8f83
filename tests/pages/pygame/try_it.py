"""Play the game without a window, with the keys that a player would hold."""

import warnings
from collections import defaultdict
from collections.abc import Iterable

import pygame

warnings.simplefilter("ignore")  # of SCALED without a window

import main
from saves import autosave, slots
from sprites import bats, coins, heroes

RIGHT, JUMP, REWIND = pygame.K_RIGHT, pygame.K_SPACE, pygame.K_r
held: defaultdict[int, bool] = defaultdict(bool)
pygame.key.get_pressed = lambda: held  # type: ignore[assignment, return-value]


def play(frames: int, *keys: int) -> None:
    held.clear()
    held.update(dict.fromkeys(keys, True))
    for _ in range(frames):
        game.frame()


def press(key: int) -> None:
    pygame.event.post(pygame.Event(pygame.KEYDOWN, key=key))
    held.clear()
    game.frame()


def places(sprites: Iterable[pygame.sprite.Sprite]) -> list[tuple[float, float]]:
    return [(sprite.rect.x, sprite.rect.y) for sprite in sprites]


def state() -> object:
    return [places(group) for group in (heroes, coins, bats)]


game = main.Game()
play(30)
press(pygame.K_F5)
saved = state()
play(300, RIGHT, JUMP)
print("gold", [hero.gold for hero in heroes], "coins", len(coins))
press(pygame.K_F9)
print("loaded", [hero.gold for hero in heroes], "coins", len(coins))
for n in range(12):
    play(20, RIGHT, JUMP)
    print(n, places(heroes), places(bats), [hero.gold for hero in heroes], len(coins))
