"""The marks under other names: what counts is where they come from."""

from __future__ import annotations

import typing as t

import marks
import marks as also_marks
import savegen as sg
import savegen.runtime
from marks import keep, persist as stored
from savegen import Saved as S, saveable as game_object

from _savegen.components.game import (
    AliasedSaveLoad,
    ByModuleSaveLoad,
    ByPackageSaveLoad,
    ByRuntimeSaveLoad,
    ReexportedSaveLoad,
)


@sg.saveable
class ByPackage(ByPackageSaveLoad):
    a: sg.Saved[int] = 0
    b: t.Annotated[int, sg.Save("bee")] = 0


@game_object
class Aliased(AliasedSaveLoad):
    a: S[int] = 0


@stored
class Reexported(ReexportedSaveLoad):
    a: keep[int] = 0
    b: marks.keep[int] = 0


@also_marks.persist
class ByModule(ByModuleSaveLoad):
    a: also_marks.keep[int] = 0


@savegen.runtime.saveable
class ByRuntime(ByRuntimeSaveLoad):
    a: savegen.runtime.Saved[int] = 0


def saveable(cls: type) -> type:
    """Only called like the mark."""
    return cls


class Saved:
    """Only called like the mark."""

    def __class_getitem__(cls, item: t.Any) -> t.Any:
        return item


@saveable
class NotMarked:
    a: Saved[int] = 0  # type: ignore
