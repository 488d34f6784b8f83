from typing import Annotated

from savegen import Save, Saved, saveable

from _savegen.components.game import GoblinSaveLoad, OrcSaveLoad

MOST = 12


@saveable
class Goblin(GoblinSaveLoad):
    level: Annotated[int, Save(default=3 if MOST else 4)]
    both: Annotated[int, Save(default=3, default_factory=int)]
    names: Annotated[list[str], Save(default_factory=lambda: ["Grub"])]
    table: Annotated[dict[str, int], Save(default={**{}})]
    ellipsis: Annotated[int, Save(default=...)]

    # These can be read.
    size: Annotated[int, Save(default=-3)]
    negative: Annotated[int, Save(default=-MOST)]
    most: Annotated[int, Save(default=MOST)]
    none: Annotated[int | None, Save(default=None)]
    trail: Annotated[list[tuple[int, int]], Save(default=[(0, 0), (1, -1)])]
    dozen: Annotated[int, Save(default=3 * 4)]
    coins: Annotated[dict[str, int], Save(default={"a": 1})]
    empty: Annotated[dict[str, int], Save(default={})]


@saveable
class Orc(OrcSaveLoad, Goblin):
    gold: Saved[int] = 3
