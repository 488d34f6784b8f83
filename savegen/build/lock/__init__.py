"""`savegen.lock`: stable numbers, tombstones, renames."""

from savegen.build.lock.assign import assign, assign_prefabs
from savegen.build.lock.facts import Lock, LockError, is_released, parse
from savegen.build.lock.provisional import Provisional

__all__ = [
    "Lock",
    "LockError",
    "Provisional",
    "assign",
    "assign_prefabs",
    "is_released",
    "parse",
]
