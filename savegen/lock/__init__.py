"""`savegen.lock`: stable numbers, tombstones, renames."""

from savegen.lock.assign import assign
from savegen.lock.facts import Lock, LockError, is_released, parse
from savegen.lock.prefabs import assign_prefabs

__all__ = ["Lock", "LockError", "assign", "assign_prefabs", "is_released", "parse"]
