"""Read and update `savegen.lock`, which stores the stable numbers of everything saved."""

from savegen.build.lock.assign import assign, assign_prefabs
from savegen.build.lock.file import (
    Lock,
    LockError,
    ProvisionalEntries,
    is_released,
    parse,
)

__all__ = [
    "Lock",
    "LockError",
    "ProvisionalEntries",
    "assign",
    "assign_prefabs",
    "is_released",
    "parse",
]
