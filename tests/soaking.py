"""How hard tests look that cannot afford hypothesis's hundred examples: harder in `make soak`."""

from __future__ import annotations

import os

from hypothesis import settings

SOAKING = "SOAK" in os.environ  # in processes of games, too


def examples(few: int) -> int:
    """Return how many examples to try: `few`, and as many times that as the profile asks for.

    >>> examples(6) % 6
    0
    """
    return few * max(1, settings().max_examples // 100)
