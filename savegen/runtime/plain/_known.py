"""What is plain though it is no type of Python's: values of codecs, of numpy, plain classes."""

from __future__ import annotations

import sys
from abc import ABCMeta
from enum import Enum
from typing import Any, Protocol, TypeVar

from savegen.runtime.components import SaveLoadable
from savegen.runtime.copying import fields_of
from savegen.runtime.errors import SaveError

_T = TypeVar("_T")


def is_tame(cls: type) -> bool:
    """Tell whether nothing of the game's is asked when a class is looked up."""
    return type(cls) is type or type(cls) is ABCMeta


def record_fields(cls: type) -> tuple[str, ...] | None:
    """Return the fields of a class that is nothing but plain data."""
    if issubclass(cls, (Enum, SaveLoadable)):
        return None
    return fields_of(cls)


class Codec(Protocol):
    """Copies values of one type, and takes them apart into plain data and together again."""

    def copy(self, value: Any, /) -> Any:
        """Return a copy that shares nothing mutable with `value`."""

    def encode(self, value: Any, /) -> Any:
        """Return plain data: numbers, texts, lists, tuples and dicts of them."""

    def decode(self, data: Any, /) -> Any:
        """Return the value that `data` was made of."""


CODEC = ("copy", "encode", "decode")


class Known(Protocol):
    """Knows the values of a class by a codec."""

    @property
    def name(self) -> str:
        """What stands for the class in bytes."""

    @property
    def codec(self) -> Codec:
        """What copies the values."""

    def fits(self, value: Any) -> bool:
        """Tell whether a value is one of them."""

    def encoded(self, value: Any) -> Any:
        """Return a value taken apart into plain data."""


_offers: list[Known] = []
_learnt: dict[type, Known] = {}


def offer(known: Known) -> None:
    """Take note of what knows a class: values of it are plain data from now on."""
    _offers.append(known)


def learnt(value: Any) -> Known | None:
    """Return what knows a value, if a codec does."""
    cls = type(value)
    if cls not in _learnt:
        for known in _offers:
            if known.fits(value):
                _learnt[cls] = known
                break
    return _learnt.get(cls)


def is_array(value: Any) -> bool:
    """Tell whether a value is an array of numpy's, and no subclass of it."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and type(value) is numpy.ndarray


def copied_array(value: _T) -> _T:
    """Return a copy of an array, in the order of memory that it has.

    Raises `SaveError` if Python's objects are in it: they would not be copied.
    """
    array: Any = value
    if array.dtype.hasobject:
        raise SaveError("an array of Python's objects cannot be copied")
    made: _T = array.copy("K")
    return made


def is_scalar(value: Any) -> bool:
    """Tell whether a value is one number of numpy's."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.generic)


def is_saveable_class(value: Any) -> bool:
    """Tell whether a value is a class with a number of its own."""
    if not isinstance(value, type) or not issubclass(value, SaveLoadable):
        return False
    return any("save_type" in vars(base) for base in value.__bases__)
