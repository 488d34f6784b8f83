"""Read and update `savegen.lock`, which stores the stable numbers of everything saved."""

from savegen.build.lock.assign import assign, assign_prefabs
from savegen.build.lock.file import (
    LOCK_FILE,
    Lock,
    LockError,
    ProvisionalEntries,
    is_released,
    parse,
    read,
)

__all__ = [
    "LOCK_FILE",
    "Lock",
    "LockError",
    "ProvisionalEntries",
    "assign",
    "assign_prefabs",
    "is_released",
    "parse",
    "read",
]
