"""Whole numbers as values of options."""

from __future__ import annotations

from collections.abc import Callable

import click


def between(low: int, high: int) -> Callable[[object], int]:
    """Return a converter for an option that takes a whole number within bounds.

    It is used in place of `click.IntRange`, which prints the bounds in every help text.
    """

    def whole_number(value: object) -> int:
        text = str(value)
        if text.isdecimal() and len(text) <= 18 and low <= int(text) <= high:
            return int(text)
        raise click.BadParameter(
            f"write a whole number from {low} to {high}, not {text}"
        )

    return whole_number
