"""An override class promises methods of its own."""

from savegen import Saved, saveable

from _savegen.components.game import (
    BothSaveLoad,
    HalfSaveLoad,
    NeitherSaveLoad,
    SubSaveLoad,
)


@saveable(override=True)
class Neither(NeitherSaveLoad):
    hp: Saved[int] = 0


@saveable(override=True)
class Half(HalfSaveLoad):
    hp: Saved[int] = 0

    def save_data(self, references=None):
        return self.save_data_(references)


@saveable(override=True)
class Both(BothSaveLoad):
    hp: Saved[int] = 0

    def save_data(self, references=None):
        return self.save_data_(references)

    def load_data(self, data, references=None):
        self.load_data_(data, references)


@saveable
class Sub(SubSaveLoad, Both):
    # It inherits the methods of its base, and need not have its own.
    mp: Saved[int] = 0
