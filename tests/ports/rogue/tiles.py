import numpy as np

graphic_dt = np.dtype([("ch", np.int32), ("fg", "3B"), ("bg", "3B")])
tile_dt = np.dtype([("walkable", bool), ("transparent", bool), ("dark", graphic_dt)])


def new_tile(*, walkable, transparent, dark):
    return np.array((walkable, transparent, dark), dtype=tile_dt)


floor = new_tile(
    walkable=True,
    transparent=True,
    dark=(ord("."), (90, 90, 90), (10, 10, 20)),
)
wall = new_tile(
    walkable=False,
    transparent=False,
    dark=(ord("#"), (140, 140, 140), (30, 30, 60)),
)
