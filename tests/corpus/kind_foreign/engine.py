"""Not part of the project, as the configuration has it."""


class Hex:
    def __init__(self, q: int, r: int) -> None:
        self.q, self.r = q, r
