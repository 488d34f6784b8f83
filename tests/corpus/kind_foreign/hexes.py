"""How hexes are copied, taken apart and put together."""

from engine import Hex


class HexCodec:
    def copy(self, value: Hex) -> Hex:
        return Hex(value.q, value.r)

    def encode(self, value: Hex) -> tuple[int, int]:
        return value.q, value.r

    def decode(self, data: tuple[int, int]) -> Hex:
        return Hex(*data)


hexes = HexCodec()
