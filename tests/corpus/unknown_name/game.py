"""Names that savegen does not have, and names that only look as if it had not."""

from __future__ import annotations

import savegen
import savegen as sg
from savegen import GameObject, Savd, Saved, levels, runtime, savable
from savegen import quux as é, Snapshat
from savegen.levls import load_level
from savegen.runtime import SaveLoadManger, errors

try:
    from savegen import Newest
except ImportError:
    Newest = None


@savable
class Orc:
    hp: Savd[int] = 7


@savegen.saveable
class Elf:
    hp: sg.Saved[int] = 7
    mp: sg.Savd[int] = 7


@savegen.prefb
class Camp:
    pass


def newest(savegen_or_not: object) -> object:
    if hasattr(sg, "newest"):
        return sg.newest
    return savegen.saves.slots
