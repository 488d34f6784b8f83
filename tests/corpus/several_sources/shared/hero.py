from savegen import Saved, saveable

from saving.components.shared.hero import HeroSaveLoad


@saveable
class Hero(HeroSaveLoad):
    hp: Saved[int] = 7
