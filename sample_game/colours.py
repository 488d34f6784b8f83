"""Colours of light. savegen does not know the class, so a codec says how to copy and store it."""

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
        """Move up to `by` from blue to red."""
        moved = min(by, self._channels[2], 255 - self._channels[0])
        self._channels[0] += moved
        self._channels[2] -= moved

    @property
    def channels(self) -> list[int]:
        return [*self._channels]


class TintCodec:
    """Converts tints to plain data and back; it is named in `[tool.savegen.codecs]`."""

    def copy(self, tint: Tint, /) -> Tint:
        return Tint(*tint.channels)

    def encode(self, tint: Tint, /) -> list[int]:
        return tint.channels

    def decode(self, channels: list[int], /) -> Tint:
        return Tint(*channels)


TINT = TintCodec()
