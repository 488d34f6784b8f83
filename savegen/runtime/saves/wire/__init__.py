"""Wire values: what the fields of a game hold, as a save file can have it.

Each check of a field has a `Wire`. It packs a column of values into wire values, and gives a
reader for those that were saved, of today's form or of an older one. What can be done with
wire values without knowing the game is in `forms`.
"""

from savegen.runtime.saves.wire._base import (
    LOST,
    Names,
    NoConversion,
    Reader,
    Things,
    Unfit,
    Wire,
)
from savegen.runtime.saves.wire._dynamic import Dynamic
from savegen.runtime.saves.wire._node import DEPTH, Shapes, scan
from savegen.runtime.saves.wire._wires import WIRES, Wires
from savegen.runtime.saves.wire.forms import (
    check_form,
    decoder,
    from_plain,
    refers,
    relink,
    to_plain,
    type_of,
    used_shapes,
)

__all__ = [
    "DEPTH",
    "LOST",
    "WIRES",
    "Dynamic",
    "Names",
    "NoConversion",
    "Reader",
    "Shapes",
    "Things",
    "Unfit",
    "Wire",
    "Wires",
    "check_form",
    "decoder",
    "from_plain",
    "refers",
    "relink",
    "scan",
    "to_plain",
    "type_of",
    "used_shapes",
]
