"""Which of the functions for rows a class has, and what they are called."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.model import SavedClass


class Rows:
    """The functions that many objects of one class are saved and loaded with."""

    def __init__(self, cls: SavedClass) -> None:
        stem = cls.member.lower()
        self.mixin = cls.mixin
        # The game's own `save_data` must run for such a class: there are no rows of it.
        self.rows = bool(cls.fields) and not cls.wraps
        self.capture = f"capture_{stem}"
        plain = any(not field.kind.references for field in cls.fields)
        linked = any(field.kind.references for field in cls.fields)
        self.restore = f"restore_{stem}" if plain else ""
        self.link = f"link_{stem}" if linked else ""

    def definitions(self) -> Iterator[str]:
        """Yield how each thing that the registry names begins in the file of mixins."""
        yield f"class {self.mixin}("
        for function in (self.capture, self.restore, self.link) if self.rows else ():
            if function:
                yield f"def {function}("
