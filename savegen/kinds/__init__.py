"""Field kinds: one file a kind, each with one question: is this type mine?"""

from savegen.kinds import container, enum, record, reference, scalar, union, value
from savegen.kinds._base import Classes, Kind, PlainClass, RecordField, Type, refused
from savegen.kinds.container import HASHED

# The first that recognises a type has it.
KINDS = (scalar, enum, reference, value, record, container, union)

__all__ = [
    "HASHED",
    "KINDS",
    "Classes",
    "Kind",
    "PlainClass",
    "RecordField",
    "Type",
    "refused",
]
