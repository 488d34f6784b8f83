import game


class Game:
    kinds = 0


def picture(name: str) -> str:
    return name


def sell() -> None:
    game.Orc.sold += 1
    Game.kinds = 3  # another class of that name
