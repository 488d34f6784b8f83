"""Packing of values by codecs: for classes of libraries, and for the game's own classes."""

from __future__ import annotations

from functools import cached_property
from types import MethodType
from typing import Any

from savegen.runtime.values.references import NO_REFERENCES
from savegen.runtime.values.saveable import is_saveable_object
from savegen.runtime.errors import (
    EXHAUSTED,
    SaveError,
    describe_error,
    exhausted,
    with_article,
)
from savegen.runtime.values.libraries.methods import (
    LABEL,
    method_of,
    saved_name,
)
from savegen.runtime.values.basics.named import imported, required
from savegen.runtime.values.rows import Misfit, misfit
from savegen.runtime.values.folds import typed, untyped
from savegen.runtime.values.kinds.choices import reason_of_loss
from savegen.runtime.values.values import ValueEntry


def _pack_method(method: Any, references: object) -> Any:
    name = saved_name(method)
    if name is None:
        raise Misfit(method, reason_of_loss(method))
    return method.__self__, name


def _unpack_method(packed: Any, references: Any) -> Any:
    obj, name = packed
    is_object = obj is None or is_saveable_object(obj)
    if type(name) is not str or not is_object:
        raise SaveError(
            "invalid bound method in save: its object is not saveable, or its name is"
            " not a str"
        )
    return method_of(obj, name, references)


METHODS = ValueEntry(
    LABEL,
    lambda: MethodType,
    f"codec {LABEL}<(ref<0>, str)>",
    _pack_method,
    _unpack_method,
)
"""The registry entry of bound methods."""


class CodecAdapter:
    """Packs and unpacks values of one class with its codec.

    The class and the codec are imported when the first value is used.
    """

    def __init__(self, name: str, codec: str) -> None:
        """Create an adapter; `name` is that of the class, `codec` that of the codec.

        Both are full names, such as `mygame.vec.Vec2` and `mygame.codecs:VEC2`.
        """
        self.name = name
        self._codec_name = codec
        self._is_built_in = codec.startswith("savegen.")

    def entry(self, stored: str) -> ValueEntry:
        """Return the registry entry of the class, with its stored type."""
        name = self.name.replace(":", ".")
        return ValueEntry(name, lambda: self._cls, stored, self.encode, self.decode)

    def fits(self, value: Any) -> bool:
        """Return whether the codec accepts a value."""
        if type(value) is self._cls:
            return True
        # A built-in codec would load an instance of a subclass as the base class.
        return not self._is_built_in and isinstance(value, self._cls)

    def pack(self, value: Any) -> Any:
        """Return the cell for a value of the class, or raise `Misfit`."""
        if not self.fits(value):
            misfit(value)
        data = self.encode(value)
        return data if self._is_built_in else typed(data, NO_REFERENCES)

    def unpack(self, cell: Any) -> Any:
        """Return the value of a cell."""
        data = cell if self._is_built_in else untyped(cell, NO_REFERENCES)
        return self.decode(data)

    def encode(self, value: Any, references: object = None) -> Any:
        """Return a value as plain data, encoded by the codec."""
        codec = self._codec
        try:
            data = codec.encode(value)
        except EXHAUSTED as error:
            where = f"`encode` of the codec {self._codec_name!r}"
            raise exhausted(where, error) from error
        except Exception as error:
            raise self._codec_error(error) from error
        if data is value:
            raise SaveError(
                f"`encode` of the codec {self._codec_name!r} returned the value itself;"
                " return plain data"
            )
        return data

    def decode(self, data: Any, references: object = None) -> Any:
        """Return the value that the codec decodes from plain data."""
        codec = self._codec
        try:
            value = codec.decode(data)
        except Exception as error:
            raise self._codec_error(error) from error
        if not self.fits(value):
            raise SaveError(
                f"`decode` of the codec {self._codec_name!r} returned"
                f" {with_article(type(value).__qualname__)}; return"
                f" {with_article(self._cls.__qualname__)}"
            )
        return value

    def _codec_error(self, error: Exception) -> SaveError:
        return SaveError(
            f"the codec {self._codec_name!r} raised {describe_error(error)}"
        )

    @cached_property
    def _cls(self) -> Any:
        return required(self.name)

    @cached_property
    def _codec(self) -> Any:
        title = f"the codec {self._codec_name!r} for `{self._cls.__qualname__}`"
        try:
            codec = imported(self._codec_name)
        except ImportError as error:
            raise SaveError(f"{title} cannot be found: {error}") from error
        # A codec class: each class of values gets its own instance.
        if getattr(codec, "is_per_class", False):
            codec = codec(self._cls)
        for method in ("encode", "decode"):
            if not callable(getattr(codec, method, None)):
                raise SaveError(f"{title} has no `{method}`")
        return codec
