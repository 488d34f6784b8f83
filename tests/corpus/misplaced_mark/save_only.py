"""A file that imports only `Save`, by another name."""

from __future__ import annotations

from savegen import Save as K
from savegen import saveable

from _savegen.components.save_only import SaveOnlySaveLoad


@saveable
class SaveOnly(SaveOnlySaveLoad):
    v: K(ge=0) = 1
    w: K[int] = 1
