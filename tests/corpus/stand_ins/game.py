"""Stand-ins list the fields of classes of a library, whose objects fields can hold."""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor
from concurrent.futures._base import Executor as AnyExecutor

from savegen import Activation, Saved, on_activate, saveable

from _savegen.components.game import (
    FactorySaveLoad,
    FormatterStandInSaveLoad,
    WorkersSaveLoad,
    ThreadsSaveLoad,
)


@saveable(of=("concurrent.futures.Executor", "concurrent.futures._base.Executor"))
class Workers(WorkersSaveLoad):
    title: Saved[str]
    limit: Saved[int] = 4
    helpers: Saved[list[Executor]]
    __load: Saved[float]

    @on_activate
    def start(self, reason: Activation) -> None:
        self.limit += 1


@saveable(of="concurrent.futures.ThreadPoolExecutor")
class Threads(ThreadsSaveLoad, Workers):
    idle: Saved[int]


@saveable(of="string.Formatter")  # pyproject.toml says that `__init__` is called
class FormatterStandIn(FormatterStandInSaveLoad):
    text: Saved[str]


@saveable
class Factory(FactorySaveLoad):
    halls: Saved[dict[str, Executor]]
    main: Saved[AnyExecutor | None] = None
    best: Saved[ThreadPoolExecutor | Factory | str] = ""
