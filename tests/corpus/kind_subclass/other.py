"""Has a subclass of nothing that is saved."""


class Unused:
    pass
