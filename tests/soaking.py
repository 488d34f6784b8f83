"""How hard tests look that cannot afford hypothesis's hundred examples: harder in `make soak`."""

from __future__ import annotations

import os

from hypothesis import settings

SOAKING = "SOAK" in os.environ  # in processes of games, too


def examples(few: int) -> int:
    """Return how many examples to try: `few` of the hundred that hypothesis tries by itself.

    As many times that, or as small a part of it, as the profile asks for.

    >>> examples(6) >= examples(1) >= 1
    True
    """
    return max(1, few * settings().max_examples // 100)
