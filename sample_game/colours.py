"""Colours of light: no plain data to savegen, so a codec says how they are copied and written."""

from __future__ import annotations


class Tint:
    """A colour that can be made warmer; red, green and blue from 0 to 255."""

    def __init__(self, red: int, green: int, blue: int) -> None:
        self._channels = bytearray((red, green, blue))

    def __str__(self) -> str:
        return f"#{self._channels.hex()}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tint) and other.channels == self.channels

    def warm(self, by: int) -> None:
        """Take from the blue what the red gains, as far as there is any."""
        moved = min(by, self._channels[2], 255 - self._channels[0])
        self._channels[0] += moved
        self._channels[2] -= moved

    @property
    def channels(self) -> list[int]:
        return [*self._channels]


class TintCodec:
    """Named in `[tool.savegen.codecs]`: copies tints, and takes them apart into plain data."""

    def copy(self, tint: Tint, /) -> Tint:
        return Tint(*tint.channels)

    def encode(self, tint: Tint, /) -> list[int]:
        return tint.channels

    def decode(self, channels: list[int], /) -> Tint:
        return Tint(*channels)


TINT = TintCodec()
