"""Marks where a method assigns the attribute, by whatever name it calls the object."""

from __future__ import annotations

from typing import Annotated, Any

from savegen import Save, Saved, SaveOverride, saveable

from _savegen.components.game import BridgeSaveLoad, FerrySaveLoad, LateSaveLoad


@saveable
class Ferry(FerrySaveLoad):
    def __init__(self, riders: int = 0) -> None:
        self.speed: Annotated[float, Save(gt=0)] = 1.0
        self.riders: Annotated[list[str], Save(editor=False)] = [""] * riders
        if riders:
            self.full: Annotated[bool, Save()] = True
        else:
            self.full = False
        try:
            self.depth: Annotated[int, Save()] = 3
        finally:
            pass
        for _ in range(3):
            self.rounds: Annotated[int, Save()] = 0

        # Not saved.
        self.plain = 0
        self.typed: int = 0
        local: Annotated[int, Save()] = 0
        other = Bridge()
        other.cracked: Annotated[int, Save()] = local  # type: ignore # pyright: ignore

    def board(this) -> None:  # noqa: N805
        this.boarded: Annotated[int, Save()] = 1

    def load(self) -> None:
        def inner(self: Any) -> None:
            self.inner: Annotated[int, Save()] = 0  # type: ignore # pyright: ignore

        inner(self)

    @classmethod
    def make(cls) -> Ferry:
        cls.made: Annotated[int, Save()] = 1  # type: ignore # pyright: ignore
        return cls()

    @staticmethod
    def help(self: Any) -> None:
        self.helped: Annotated[int, Save()] = 1  # type: ignore # pyright: ignore


@saveable(override=True)
class Bridge(BridgeSaveLoad):
    cracked = 0

    def __init__(self) -> None:
        self.state: Annotated[object, SaveOverride()] = None

    def save_data(self, references: Any = None) -> Any:
        return self.save_data_(references)

    def load_data(self, data: Any, references: Any = None) -> None:
        self.load_data_(data, references)


@saveable
class Late(LateSaveLoad):
    """Marks below, or in another method, are marks too."""

    def __init__(self, name: str) -> None:
        self.name: str = name
        self.hp: int = 3
        self.mood: int = 1

    def reset(self) -> None:
        self.hp: Annotated[int, Save("health")] = 4  # type: ignore
        self.mood: Annotated[int, Save()] = 2  # type: ignore

    name: Saved[str]
