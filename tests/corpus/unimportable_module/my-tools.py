"""Holds no saveable class, so its name is nobody's business."""


class Hammer:
    pass
