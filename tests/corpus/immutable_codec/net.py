"""Classes that savegen does not know, and their codecs."""


class Address:
    def __init__(self, text: str) -> None:
        self.text = text


class Cable:
    def __init__(self, text: str) -> None:
        self.text = text


class AddressCodec:
    immutable = True

    def encode(self, value: Address) -> str:
        return value.text

    def decode(self, data: str) -> Address:
        return Address(data)


class CableCodec:
    def encode(self, value: Cable) -> str:
        return value.text

    def decode(self, data: str) -> Cable:
        return Cable(data)


ADDRESSES = AddressCodec()
CABLES = CableCodec()
