"""A comment that silences nothing is itself told."""

from savegen import Saved, saveable

# savegen: ignore[SG110] an empty line parts it from the class

@saveable
class Orc:
    hp: Saved[int] = 3  # savegen: ignore[SG209]
    mp: Saved[int] = 3  # savegen: ignore[SG999, sg110,,SG110]
    xp: Saved[int] = 3  # savegen: ignore
    bag: Saved[list]  # savegen: ignore[SG206]
    text = "# savegen: ignore[SG110]"
    # savegen: ignored[SG110] is another word
