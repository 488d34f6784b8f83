"""Values of other libraries: arrays, generators, assets, and what a codec knows."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from savegen.runtime import plain
from savegen.runtime.checks._base import Check, Fault, Resolve
from savegen.runtime.errors import SaveError, told
from savegen.runtime.generators import GeneratorState, is_numpy_generator, kept
from savegen.runtime.named import imported, loaded
from savegen.runtime.unknown import MissingAsset


class _Single(Check):
    """Values of which there is only one each: they are never equal to another."""

    def same(self, left: Any, right: Any) -> bool:
        return left is right


class SaveableClass(_Single):
    """A class that is saveable itself: it has a number."""

    def fits(self, value: Any) -> bool:
        return plain.is_saveable_class(value)


class Member(_Single):
    """A member of an enumeration that generated code has at hand."""

    def __init__(self, enumeration: type) -> None:
        super().__init__(enumeration.__name__)
        self.enumeration = enumeration

    def fits(self, value: Any) -> bool:
        return type(value) is self.enumeration


class _Named(Check):
    """Values of a class that generated code does not import, known by its full name."""

    def __init__(self, name: str) -> None:
        """`name` is `module:qualname`, or `module.name` for a class from outside."""
        super().__init__(name.rpartition(":")[2].rpartition(".")[2])
        self.name = name
        self._seen: type | None = None  # the class, once its module is loaded

    @property
    def _class(self) -> type | None:
        """The class, if anything of it can exist yet."""
        if self._seen is None:
            found = loaded(self.name)
            self._seen = found if isinstance(found, type) else None
        return self._seen


class Asset(_Named, _Single):
    """A shared thing, the same before and after; it is saved by the id that it has."""

    def fits(self, value: Any) -> bool:
        cls = self._class
        if isinstance(value, MissingAsset) or cls is None:
            return value is not None
        try:
            return isinstance(value, cls)
        except TypeError:  # a protocol, say: what it is cannot be asked
            return value is not None

    def write(self, value: Any, name: plain.Name) -> bytes:
        return plain.framed("asset", [name(value)])


class Foreign(_Named):
    """Values that a codec copies, and takes apart into plain data."""

    def __init__(self, name: str, codec: str) -> None:
        """`codec` is `module:name`; it is imported when the first value arrives."""
        super().__init__(name)
        self._codec_name = codec
        # Of a preset an instance of a subclass would not come back the same.
        self._is_exact = codec.startswith("savegen.")
        plain.offer(self)

    @cached_property
    def codec(self) -> plain.Codec:
        try:
            found: Any = imported(self._codec_name)
        except ImportError as error:
            raise SaveError(
                f"the codec {self._codec_name!r} for `{self.wanted}` cannot be found:"
                f" {error}"
            ) from error
        if getattr(found, "of_class", False):  # one codec for many classes
            found = found(self._class)
        missing = [n for n in plain.CODEC if not callable(getattr(found, n, None))]
        if missing:
            raise SaveError(
                f"the codec {self._codec_name!r} for `{self.wanted}` has no `{missing[0]}`"
            )
        return found  # type: ignore[no-any-return]

    def copy(self, value: Any) -> Any:
        """Return a copy, as the codec makes it."""
        return self.codec.copy(value)

    def fits(self, value: Any) -> bool:
        cls = self._class
        if cls is None:
            return False
        if type(value) is not cls and (self._is_exact or not isinstance(value, cls)):
            return False
        return True

    def same(self, left: Any, right: Any) -> bool:
        if left is right or type(left) is not type(right):
            return left is right
        return plain.same(self.encoded(left), self.encoded(right))

    def write(self, value: Any, name: plain.Name) -> bytes:
        return plain.framed(self.name, [plain.write(self.encoded(value))])

    def encoded(self, value: Any) -> Any:
        """Return a value taken apart; raises `SaveError` if the codec fails to."""
        try:
            found = self.codec.encode(value)
        except Exception as error:
            raise SaveError(
                f"the codec {self._codec_name!r} raised {told(error)}"
            ) from error
        if found is value:
            raise SaveError(f"the codec {self._codec_name!r} takes nothing apart")
        return found

    def changeable(self, value: Any) -> Iterator[Any]:
        if self.fits(value) and self.copy(value) is not value:
            yield value


class NumpyArray(Check):
    """An array of numpy's, of numbers, texts or structures, but not of Python's objects."""

    def fits(self, value: Any) -> bool:
        return plain.is_array(value)

    def fault(self, value: Any) -> Fault | None:
        if plain.is_array(value) and value.dtype.hasobject:
            return Fault("", "an array of objects", "an array of numbers")
        return super().fault(value)

    def changeable(self, value: Any) -> Iterator[Any]:
        if self.fits(value):
            yield value


class NumpyScalar(Check):
    """One number of numpy's."""

    def fits(self, value: Any) -> bool:
        numpy = sys.modules.get("numpy")
        return numpy is not None and isinstance(value, getattr(numpy, self.wanted))


class _Generator(Check):
    """A random generator: one object, wherever it is used, and its state."""

    has_state = True

    def __init__(self, wanted: str, is_mine: Callable[[Any], bool]) -> None:
        super().__init__(wanted)
        self._is_mine = is_mine

    def fits(self, value: Any) -> bool:
        if type(value) is GeneratorState:
            return self._is_mine(value.generator)
        return self._is_mine(value)

    def same(self, left: Any, right: Any) -> bool:
        if left is right:
            return True
        if not (self.fits(left) and self.fits(right)):
            return False
        one, other = kept(left), kept(right)
        return one.generator is other.generator and bool(one.state == other.state)

    def write(self, value: Any, name: plain.Name) -> bytes:
        return plain.write(kept(value))

    def reach(self, values: list[Any]) -> list[Any]:
        return []

    def _relink(self, value: Any, resolve: Resolve) -> Any:
        return GeneratorState(resolve(value.generator), value.state)


CLASS = SaveableClass("saveable class")
NDARRAY = NumpyArray("ndarray")
RANDOM = _Generator("random.Random", lambda value: type(value) is random.Random)
NUMPY_GENERATOR = _Generator("numpy.random.Generator", is_numpy_generator)
