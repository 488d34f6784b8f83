"""Find the changes between two versions that break saves, levels or code of the older one."""

from savegen.build.breaking.compare import LockComparison, OldPrefab
from savegen.build.breaking.faults import STRICTNESS

__all__ = ["STRICTNESS", "LockComparison", "OldPrefab"]
