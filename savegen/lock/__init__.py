"""`savegen.lock`: stable numbers, tombstones, renames."""

from savegen.lock.assign import assign, assign_prefabs
from savegen.lock.facts import Lock, LockError, is_released, parse
from savegen.lock.provisional import Provisional

__all__ = [
    "Lock",
    "LockError",
    "Provisional",
    "assign",
    "assign_prefabs",
    "is_released",
    "parse",
]
