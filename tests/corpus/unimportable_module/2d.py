from savegen import Saved, saveable


@saveable
class Sprite:
    x: Saved[int] = 0


@saveable
class Image:
    x: Saved[int] = 0
