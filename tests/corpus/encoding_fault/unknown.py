# -*- coding: klingon -*-
from savegen import Saved, saveable


@saveable
class Orc:
    hp: Saved[int] = 0
