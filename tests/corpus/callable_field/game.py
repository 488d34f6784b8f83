"""Code is not state."""

import collections.abc
import typing as t
from collections.abc import Callable

from savegen import Saved, SaveOverride, saveable

from _savegen.components.game import BellSaveLoad, TowerSaveLoad

Listener = t.Callable[["Bell"], None]


@saveable(override=True)
class Bell(BellSaveLoad):
    on_ring: Saved[Callable[[], None]]
    old: Saved[t.Callable[..., int]]
    bare: Saved[collections.abc.Callable]
    listeners: Saved[list[Listener]]
    maybe: Saved[Callable[[int], int] | None] = None

    # Not saved, or saved by the class itself.
    unmarked: Callable[[], None]
    own: t.Annotated[Callable[[], None], SaveOverride()]

    def save_data(self, references=None):
        return self.save_data_(references)

    def load_data(self, data, references=None):
        self.load_data_(data, references)


class Peal(t.NamedTuple):
    times: int
    then: Callable[[], None]


@saveable
class Tower(TowerSaveLoad):
    # The fault is in the class that the field holds, and is shown there.
    peals: Saved[list[Peal]]
    last: Saved[Peal | None] = None
