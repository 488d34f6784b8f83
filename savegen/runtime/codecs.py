"""Packing of values of libraries and of the game's own types by codecs."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from savegen.runtime.components import NO_REFERENCES
from savegen.runtime.errors import SaveError, with_article, describe_error
from savegen.runtime.named import imported, required
from savegen.runtime.rows import mismatch
from savegen.runtime.tagged import tag, untag
from savegen.runtime.values import ValueEntry


class CodecAdapter:
    """Packs and unpacks values of one class with its codec.

    The class and the codec are imported when the first value is used.
    """

    def __init__(self, name: str, codec: str) -> None:
        """Take full names of the class and the codec: `mygame.vec.Vec2`, `mygame.codecs:VEC2`."""
        self.name = name
        self._codec_name = codec
        # A built-in codec would load an instance of a subclass as the base class.
        self._is_exact = codec.startswith("savegen.")

    def entry(self, stored: str) -> ValueEntry:
        """Return the registry entry of the class, with its stored type."""
        name = self.name.replace(":", ".")
        return ValueEntry(
            name, lambda: self._cls, stored, self.taken_apart, self.put_together
        )

    def fits(self, value: Any) -> bool:
        """Return whether the codec accepts a value."""
        if type(value) is self._cls:
            return True
        return not self._is_exact and isinstance(value, self._cls)

    def pack(self, value: Any) -> Any:
        """Return the cell for a value of the class, or a mismatch."""
        if not self.fits(value):
            return mismatch(value)
        found = self.taken_apart(value)
        return found if self._is_exact else tag(found, NO_REFERENCES)

    def unpack(self, cell: Any) -> Any:
        """Return the value of a cell."""
        found = cell if self._is_exact else untag(cell, NO_REFERENCES)
        return self.put_together(found)

    def taken_apart(self, value: Any, references: object = None) -> Any:
        """Return a value as plain data, encoded by the codec."""
        codec = self._codec
        try:
            found = codec.encode(value)
        except Exception as error:
            raise self._raised(error) from error
        if found is value:
            raise SaveError(f"the codec {self._codec_name!r} takes nothing apart")
        return found

    def put_together(self, data: Any, references: object = None) -> Any:
        """Return the value that the codec decodes from plain data."""
        codec = self._codec
        try:
            made = codec.decode(data)
        except Exception as error:
            raise self._raised(error) from error
        if not self.fits(made):
            found = with_article(type(made).__qualname__)
            raise SaveError(f"the codec {self._codec_name!r} made {found}")
        return made

    def _raised(self, error: Exception) -> SaveError:
        return SaveError(
            f"the codec {self._codec_name!r} raised {describe_error(error)}"
        )

    @cached_property
    def _cls(self) -> Any:
        return required(self.name)

    @cached_property
    def _codec(self) -> Any:
        what = f"the codec {self._codec_name!r} for `{self._cls.__qualname__}`"
        try:
            found = imported(self._codec_name)
        except ImportError as error:
            raise SaveError(f"{what} cannot be found: {error}") from error
        if getattr(found, "of_class", False):  # one codec for many classes
            found = found(self._cls)
        for method in ("encode", "decode"):
            if not callable(getattr(found, method, None)):
                raise SaveError(f"{what} has no `{method}`")
        return found
