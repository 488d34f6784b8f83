"""`savegen.lock`: stable numbers, tombstones, renames."""

from savegen.build.lock.assign import assign, assign_prefabs
from savegen.build.lock.file import Lock, LockError, Provisional, is_released, parse

__all__ = [
    "Lock",
    "LockError",
    "Provisional",
    "assign",
    "assign_prefabs",
    "is_released",
    "parse",
]
