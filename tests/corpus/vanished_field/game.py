"""A field is gone while another of its kind is new: renamed, or not?"""

from savegen import Saved, saveable

from _savegen.components.game import MageSaveLoad


@saveable
class Mage(MageSaveLoad):
    hp: Saved[int] = 0
    magic: Saved[int] = 0
    cantrips: Saved[list[str]]
    # Of another kind than what is gone.
    title: Saved[bool] = False
    # Still there, in another place.
    robe: Saved[str] = ""
