"""Field kinds: one file a kind, each with one question: is this type mine?"""

from savegen.kinds import (
    array,
    asset,
    class_,
    container,
    enum,
    foreign,
    generator,
    prefab,
    record,
    reference,
    scalar,
    union,
    value,
)
from savegen.kinds._base import (
    Classes,
    Codec,
    Kind,
    PlainClass,
    RecordField,
    Type,
    refused,
)
from savegen.kinds.asset import ASSET
from savegen.kinds.container import HASHED
from savegen.kinds.enum import FLAGS
from savegen.kinds.prefab import PREFAB_TYPE
from savegen.kinds.scalar import NAMES as SCALARS

# The first that recognises a type has it.
KINDS = (
    foreign,  # a codec is what the game wants, whatever else the type could be
    scalar,
    enum,
    reference,
    value,
    record,
    container,
    union,
    class_,
    asset,
    prefab,
    array,
    generator,
)

__all__ = [
    "ASSET",
    "FLAGS",
    "HASHED",
    "KINDS",
    "PREFAB_TYPE",
    "SCALARS",
    "Classes",
    "Codec",
    "Kind",
    "PlainClass",
    "RecordField",
    "Type",
    "refused",
]
