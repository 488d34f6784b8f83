"""What a class says it saves itself, its own methods must save and load."""

from typing import Annotated, Any

from savegen import Saved, SaveOverride, saveable

from _savegen.components.game import (
    ArmourySaveLoad,
    BadgeSaveLoad,
    ChestSaveLoad,
    CrateSaveLoad,
    GunSaveLoad,
    HeavyGunSaveLoad,
    LockerSaveLoad,
    RackSaveLoad,
    SafeSaveLoad,
    TrunkSaveLoad,
)

FIELDS = ("shelves", "labels")


@saveable(override=True)
class Gun(GunSaveLoad):
    ammo: Annotated[list[int], SaveOverride()]
    shots: Annotated[int, SaveOverride()] = 0
    wear: Annotated[int, SaveOverride()] = 0
    ready: Saved[bool] = True

    def save_data(self, references=None):
        # Words in comments and docstrings, such as `ammo`, do not save anything.
        data = self.save_data_(references)
        data[self.SaveLoadFields["SHOTS"]] = self.shots
        return data

    def load_data(self, data, references=None):
        """Load what `save_data` has saved, `ammo` too."""
        self.load_data_(data, references)
        self.wear = data[self.SaveLoadFields["WEAR"]]


@saveable
class HeavyGun(HeavyGunSaveLoad, Gun):
    heat: Annotated[float, SaveOverride()] = 0.0


@saveable(override=True)
class Chest(ChestSaveLoad):
    """Every way in which methods handle a field."""

    coins: Annotated[int, SaveOverride()] = 0
    _gems: Annotated[int, SaveOverride()] = 0
    keys: Annotated[list[str], SaveOverride()]
    lid: Annotated[Any, SaveOverride()] = None

    @property
    def opened(self):
        return self.lid

    @opened.setter
    def opened(self, value):
        self.lid = value

    def _packed(self):
        return [*self.keys]

    def save_data(self, references=None):
        data = self.save_data_(references)
        data[self.SaveLoadFields["COINS"]] = self.coins
        data[self.SaveLoadFields["GEMS"]] = Chest._count(self)
        data[self.SaveLoadFields["KEYS"]] = self._packed()
        data[self.SaveLoadFields["LID"]] = self.opened
        return data

    def _count(self):
        return self._gems

    def load_data(self, data, references=None):
        self.load_data_(data, references)
        saved = {name.name: data[name] for name in self.SaveLoadFields}
        self.coins, self._gems = saved["COINS"], saved["GEMS"]
        self.keys, self.opened = saved["KEYS"], saved["LID"]


@saveable(override=True)
class Trunk(TrunkSaveLoad, Chest):
    """It leaves out what its base saves, for it does not call the base's `load_data`."""

    def save_data(self, references=None):
        return super().save_data(references)

    def load_data(self, data, references=None):
        self.load_data_(data, references)
        self.keys, self.lid = data[3], data[4]


# Of these classes savegen cannot know what they save.


@saveable(override=True)
class Rack(RackSaveLoad):
    shelves: Annotated[list[int], SaveOverride()]
    labels: Annotated[list[str], SaveOverride()]

    def save_data(self, references=None):
        data = self.save_data_(references)
        for name in FIELDS:
            data[self.SaveLoadFields[name.upper()]] = getattr(self, name)
        return data

    def load_data(self, data, references=None):
        self.load_data_(data, references)
        self.__dict__.update({name: data[i] for i, name in enumerate(FIELDS)})


def pack(locker, data):
    data[0] = locker.content
    return data


@saveable(override=True)
class Locker(LockerSaveLoad):
    content: Annotated[Any, SaveOverride()] = None

    def save_data(self, references=None):
        return pack(self, self.save_data_(references))

    def load_data(self, data, references=None):
        self.load_data_(data, references)
        self.unpack(data)  # from a mixin that the class gets later


def packed(method):
    return method


@saveable(override=True)
class Crate(CrateSaveLoad):
    content: Annotated[Any, SaveOverride()] = None

    @packed
    def save_data(self, references=None):
        return self.save_data_(references)

    @packed
    def load_data(self, data, references=None):
        self.load_data_(data, references)


class Stored:
    def __init__(self, name):
        self.name = name

    def __get__(self, obj, cls=None):
        return obj and getattr(obj, self.name)

    def __set__(self, obj, value):
        setattr(obj, self.name, value)


@saveable(override=True)
class Safe(SafeSaveLoad):
    code: Annotated[Any, SaveOverride()] = None
    stored = Stored("code")

    def save_data(self, references=None):
        data = self.save_data_(references)
        data[1] = self.stored
        return data

    def load_data(self, data, references=None):
        self.load_data_(data, references)
        self.stored = data[1]


class Saver:
    """Its methods are not read, for it writes neither `save_data` nor `load_data`."""

    def save_all(self, data):
        data[1] = self.weapons
        return data


@saveable(override=True)
class Armoury(ArmourySaveLoad, Saver):
    weapons: Annotated[Any, SaveOverride()] = None

    def save_data(self, references=None):
        return self.save_all(self.save_data_(references))

    def load_data(self, data, references=None):
        self.load_data_(data, references)
        self.weapons = data[1]


@saveable(override=True)
class Badge(BadgeSaveLoad):
    """It lacks `load_data`, which has a finding of its own."""

    text: Annotated[Any, SaveOverride()] = None

    def save_data(self, references=None):
        data = self.save_data_(references)
        data[1] = self.text
        return data
