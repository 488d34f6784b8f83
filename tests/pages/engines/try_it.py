import pygame

from game import balls
from main import Game


def press(key: int) -> None:
    pygame.event.post(pygame.Event(pygame.KEYDOWN, key=key))


game = Game()
press(pygame.K_F9)  # nothing is saved yet
press(pygame.K_F5)
game.frame(0.1)
before = sorted(ball.rect.x for ball in balls)
press(pygame.K_SPACE)
game.frame(0.1)
print(len(balls), "balls are left")
press(pygame.K_F9)
game.frame(0.1)
print(len(balls), "balls, as before:", before == sorted(b.rect.x for b in balls))
