"""What prepares objects of the engine's classes."""

from engine import Named


def name_it(thing: Named) -> None:
    pass
