"""Report serializers and deserializers in a class that is not a `Recorder`."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    by_base = bool(cls.saveable_bases)  # inherited marks are reported at the base
    marks = (mark for mark in cls.behavior_marks if mark.own or not by_base)
    if not cls.recorder and (mark := next(marks, None)):
        yield MissingRecorder(mark.span, mark.method, mark.word, cls.qualname)


class MissingRecorder(Finding, frozen=True):
    code = "SG129"
    MESSAGE = "`{method}` is a {word}, but `{name}` is not a `Recorder`"
    HELP = "add `Recorder` to the bases of `{name}`, after the generated base class"

    method: str
    word: str
    name: str
