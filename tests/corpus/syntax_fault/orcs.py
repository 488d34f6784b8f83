from savegen import Saved, saveable


@saveable
class Orc:
    on_hit: Saved[list]
