"""`savegen.lock`: stable numbers, tombstones, renames."""

from savegen.lock.assign import assign
from savegen.lock.facts import Lock, LockError, parse

__all__ = ["Lock", "LockError", "assign", "parse"]
