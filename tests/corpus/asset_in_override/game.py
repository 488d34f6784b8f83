"""What a class saves by itself must be plain data."""

from typing import Annotated

from pygame import Surface

from savegen import Asset, Saved, saveable

from _savegen.components.game import HeroSaveLoad


@saveable(override=True)
class Hero(HeroSaveLoad):
    hp: Saved[int] = 3
    icons: Saved[list[Annotated[Surface, Asset()]]]

    def save_data(self, references):
        return self.save_data_(references)

    def load_data(self, data, references):
        self.load_data_(data, references)
