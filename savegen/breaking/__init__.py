"""Two locks compared: what saves, levels and code of an older version would lose."""

from savegen.breaking.compare import breaks
from savegen.breaking.faults import LEVELS

__all__ = ["LEVELS", "breaks"]
