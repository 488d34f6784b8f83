# -*- coding: latin-1 -*-
"""A file in another encoding, and one with a byte-order mark and CRLF."""

from savegen import Saved, saveable

from _savegen.components.game import GoblinSaveLoad


@saveable
class Goblin(GoblinSaveLoad):
    # Größe
    size: Saved[int] = 0
