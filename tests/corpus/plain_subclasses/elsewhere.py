"""Its subclass is seen, although no other module imports it."""

from dataclasses import dataclass

from game import Effect


@dataclass
class Frost(Effect):
    cold: float = 0.5
