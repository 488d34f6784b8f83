"""The kinds of fields. Each file recognises the types of one kind, and describes their cells.

The code that a kind generates is in `templates/kinds`, under the same name.
"""

from collections.abc import Iterator
from typing import Any

from savegen.build.kinds import (
    any_,
    array,
    asset,
    class_,
    container,
    enum,
    foreign,
    generator,
    group,
    method,
    prefab,
    record,
    reference,
    scalar,
    subclass,
    union,
    value,
)
from savegen.build.kinds._base import (
    Classes,
    DeclaredCodec,
    Kind,
    PlainClass,
    RecordField,
    Type,
)
from savegen.build.kinds._common import (
    as_code,
    dotted_name,
    has_scalar_cells,
    is_native,
    refused,
    without_none,
)
from savegen.build.kinds.any_ import ANY
from savegen.build.kinds.asset import ASSET
from savegen.build.kinds.container import (
    CONTAINERS,
    HASHED,
    OLDER_NAMES,
    ContainerType,
    container_type,
    is_map,
    natural_factory,
)
from savegen.build.kinds.enum import FLAGS
from savegen.build.kinds.generator import STORED as GENERATORS
from savegen.build.kinds.foreign import PRESET_PREFIX
from savegen.build.kinds.group import NAMES as GROUPS
from savegen.build.kinds.group import is_group
from savegen.build.kinds.method import METHOD
from savegen.build.kinds.prefab import PREFAB_TYPE
from savegen.build.kinds.reference import GAME_OBJECT
from savegen.build.kinds.scalar import SCALARS, ScalarType, scalar_type
from savegen.build.kinds.subclass import base as base_of_subclass

# The first kind that recognises a type is used.
KINDS = (
    foreign,  # first, so that a codec overrides every other kind
    scalar,
    enum,
    reference,
    subclass,
    value,
    record,
    container,
    union,
    class_,
    asset,
    prefab,
    array,
    generator,
    group,
    method,
    any_,
)

# The modules of the types in the tables of containers and scalars, but for builtin ones.
_TYPES: list[ContainerType | ScalarType] = [*CONTAINERS.values(), *SCALARS.values()]
MODULES_OF_TYPES = {t.name: t.module for t in _TYPES if t.module != "builtins"}

_BY_NAME = {module.__name__.rpartition(".")[2]: module for module in KINDS}


def module_of(kind: Kind) -> Any:
    """Return the module that defines a kind, one of `KINDS`."""
    return _BY_NAME[kind.kind]


def walk(kind: Kind) -> Iterator[Kind]:
    """Yield a kind and all kinds inside it."""
    yield kind
    for part in kind.parts:
        yield from walk(part)


__all__ = [
    "ANY",
    "ASSET",
    "CONTAINERS",
    "FLAGS",
    "GENERATORS",
    "GAME_OBJECT",
    "GROUPS",
    "HASHED",
    "KINDS",
    "METHOD",
    "MODULES_OF_TYPES",
    "OLDER_NAMES",
    "PREFAB_TYPE",
    "PRESET_PREFIX",
    "SCALARS",
    "Classes",
    "DeclaredCodec",
    "Kind",
    "PlainClass",
    "RecordField",
    "Type",
    "container_type",
    "is_group",
    "is_map",
    "is_native",
    "has_scalar_cells",
    "dotted_name",
    "module_of",
    "natural_factory",
    "refused",
    "scalar_type",
    "as_code",
    "base_of_subclass",
    "walk",
    "without_none",
]
