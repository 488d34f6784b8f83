"""Not part of the project, as the configuration has it."""


class Actor:
    pass


class Drawn:
    pass


class Named:
    pass
