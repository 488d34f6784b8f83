from dataclasses import dataclass


@dataclass
class Circle:
    radius: float = 1.0
