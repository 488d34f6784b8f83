from typing import Any


class Window:
    name: str
    title = ""
    size: Any = None


class Missile:
    def __init__(self) -> None:
        self.speed = 3


def launch(thing: Any) -> None:
    thing.speed = 9  # it may be a missile
