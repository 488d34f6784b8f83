from typing import TypeAlias

Names = frozenset[str]
Grid: TypeAlias = list[list["Point"]]
Point = tuple[int, int]
