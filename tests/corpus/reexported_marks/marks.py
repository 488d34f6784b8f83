"""What the game calls the marks."""

from savegen import Save as option
from savegen import Saved as keep
from savegen import saveable

persist = saveable

__all__ = ["keep", "option", "persist"]
