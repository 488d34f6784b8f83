"""A member of the class with a generated name would hide what is generated."""

from savegen import Saved, saveable

from _savegen.components.game import DoorSaveLoad, GateSaveLoad, WallSaveLoad, OddSaveLoad


@saveable
class Door(DoorSaveLoad):
    save_type: Saved[int] = 0
    SaveLoadFields: Saved[int] = 0

    def save_data(self):
        return {}

    def get_param_name_mappings(self):
        return ()


@saveable(override=True)
class Gate(GateSaveLoad):
    save_load_field_names = ()

    def save_data(self, references=None):
        return self.save_data_(references)

    def load_data(self, data, references=None):
        self.load_data_(data, references)

    def load_data_(self, data):
        pass


@saveable
class Wall(WallSaveLoad):
    # Close, but nobody's.
    save: Saved[int] = 0
    data: Saved[int] = 0
    saved_data: Saved[int] = 0
    save_load_id: Saved[int] = 0

    def load(self):
        pass


@saveable
class Odd(OddSaveLoad):
    __class__: Saved[int]
    __slots__: Saved[str]
