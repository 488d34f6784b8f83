"""Private names: mangled as Python does it, shown to levels without underscores."""

from __future__ import annotations

from typing import Annotated

from savegen import Save, Saved, saveable

from _savegen.components.game import _SafeSaveLoad, __SaveLoad, VaultDoorSaveLoad, VaultSaveLoad


@saveable
class Vault(VaultSaveLoad):
    _code: Saved[int] = 0
    __secret: Saved[str] = ""
    trailing_: Saved[int] = 0
    _1st: Saved[int] = 0
    _class: Saved[int] = 0
    _: Saved[int] = 0

    def __init__(self) -> None:
        self.__hidden: Annotated[int, Save()] = 0

    @saveable
    class Door(VaultDoorSaveLoad):
        __lock: Saved[int] = 0

    @property
    def secret(self) -> str:
        return f"{self.__secret}{self.__hidden}"


@saveable
class _Safe(_SafeSaveLoad, Vault):
    # Mangled with the name of its own class, so it is another field.
    __key: Saved[str] = ""


@saveable
class __(__SaveLoad):
    __kept: Saved[int] = 0
