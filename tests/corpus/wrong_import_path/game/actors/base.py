class Actor:
    def __init__(self) -> None:
        self.hp = 3
