"""A load makes objects by `__new__` with the class alone; an abstract class is fine as a base."""

from abc import ABC, abstractmethod

from savegen import Saved, saveable

from _savegen.components.game import FoeSaveLoad, NamedSaveLoad, OrcSaveLoad, TaskSaveLoad


@saveable
class Foe(FoeSaveLoad, ABC):
    hp: Saved[int] = 3

    @abstractmethod
    def act(self) -> None: ...


@saveable
class Orc(OrcSaveLoad, Foe):
    def act(self) -> None: ...


@saveable
class Task(TaskSaveLoad, ABC):
    done: Saved[bool] = False

    @abstractmethod
    def run(self) -> None: ...


@saveable
class Named(NamedSaveLoad):
    label: Saved[str] = ""

    def __new__(cls, label: str) -> "Named":
        return super().__new__(cls)
