"""The advice has the names that the file imports."""

from __future__ import annotations

from typing import Annotated as A

import savegen as sg
from savegen import Save as K
from savegen import Saved as S
from savegen import saveable

from _savegen.components.renamed import RenamedSaveLoad
from game import Opt


@saveable
class Renamed(RenamedSaveLoad):
    u: S[int] | None = None
    v: K(ge=0) = 1
    w: K[int] = 1
    x: list[sg.Save[int]]
    y: Opt = None
