from savegen import Saved, saveable


@saveable
class Lost:
    hp: Saved[int] = 0
