"""Marks may stand before anything is wired: the code is generated all the same."""

from savegen import Saved, saveable

from _savegen.components.game import WiredSaveLoad


@saveable
class Bare:
    hp: Saved[int] = 0


class Base:
    pass


@saveable()
class Derived(Base):
    hp: Saved[int] = 0


class Outer:
    @saveable
    class Inner:
        hp: Saved[int] = 0


@saveable
class Wired(WiredSaveLoad):
    hp: Saved[int] = 0
