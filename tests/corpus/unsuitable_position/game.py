import pygame

from savegen import Saved, part, prefab, saveable

from _savegen.components.game import BodySaveLoad


@saveable
class Body(BodySaveLoad):
    name: Saved[str] = ""
    rect: Saved[pygame.Rect]
    colours: Saved[tuple[int, int, int, int]] = (0, 0, 0, 0)
    friend: Saved["Body | None"] = None

    def __init__(self) -> None:
        self.rect = pygame.Rect(0, 0, 1, 1)


@prefab(position="name")
class Named:
    body = part(Body)


@prefab(position="body.rect")
class Boxed:
    body = part(Body)


@prefab(position="colours")
class Coloured:
    body = part(Body)


@prefab(position="friend")
class Friend:
    body = part(Body)


@prefab(position="rect.center")
class Right:
    body = part(Body)
