"""`savegen.lock`: stable numbers, tombstones, renames."""

from savegen.lock.assign import assign
from savegen.lock.facts import Lock, LockError, is_released, parse

__all__ = ["Lock", "LockError", "assign", "is_released", "parse"]
