"""A class inside a function cannot be found again; one inside a class can."""

from savegen import Saved, saveable

from _savegen.components.game import HouseRoomSaveLoad, HouseSaveLoad


def make_ghost():
    @saveable
    class Ghost:
        hp: Saved[int] = 0

    return Ghost


@saveable
class House(HouseSaveLoad):
    size: Saved[int] = 0

    @saveable
    class Room(HouseRoomSaveLoad):
        size: Saved[int] = 0

    def furnish(self):
        if self.size:

            @saveable
            class Chair:
                legs: Saved[int] = 4

            return Chair
