"""A type that allows everything cannot be saved; nor can one inside another."""

import typing
from typing import Any, Optional, TypeVar

from savegen import Save, Saved, SaveOverride, saveable
from typing_extensions import Any as Whatever

from _savegen.components.game import SackSaveLoad

T = TypeVar("T")
Number = TypeVar("Number", bound=float)
Text = TypeVar("Text", str, bytes)


@saveable(override=True)
class Sack(SackSaveLoad):
    anything: Saved[Any]
    thing: Saved[object]
    many: Saved[dict[str, list[typing.Any]]]
    maybe: Saved[Optional[Whatever]] = None
    of_type: Saved[T]
    marked: typing.Annotated[object, Save()]

    # What the class saves itself may be of any type; a bound says enough.
    own: typing.Annotated[Any, SaveOverride()]
    number: Saved[Number]
    text: Saved[list[Text]]

    def save_data(self, references=None):
        return self.save_data_(references)

    def load_data(self, data, references=None):
        self.load_data_(data, references)
