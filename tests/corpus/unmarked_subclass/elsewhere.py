"""This file does not name savegen."""

from game import Orc


class Chief(Orc): ...


class Boulder:
    owner = Orc
