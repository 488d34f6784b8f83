"""Compare two versions: what breaks for saves, levels and code of the older one."""

from savegen.breaking.compare import Comparison
from savegen.breaking.faults import LEVELS

__all__ = ["LEVELS", "Comparison"]
