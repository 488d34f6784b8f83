"""Compare two versions: find what breaks saves, levels and code of the older one."""

from savegen.build.breaking.compare import Comparison
from savegen.build.breaking.faults import LEVELS

__all__ = ["LEVELS", "Comparison"]
