"""Which of the functions for rows a class has, and what they are called."""

from __future__ import annotations

from savegen.model import SavedClass


class Rows:
    """The functions that many objects of one class are saved and loaded with."""

    def __init__(self, cls: SavedClass) -> None:
        stem = cls.member.lower()
        self.mixin = cls.mixin
        # The game's own `save_data` must run for such a class: there are no rows of it.
        self.rows = bool(cls.fields) and not cls.wraps
        self.table = f"{cls.member}_ROWS" if self.rows else ""
        # The registry names them only where there is no table that holds them.
        self.checks = f"{'_' * (not cls.wraps)}{cls.member}_CHECKS"
        saved = any(not field.override for field in cls.fields)
        self.own_checks = self.checks if cls.wraps and saved else ""
        self.capture = f"capture_{stem}"
        self.moved = f"moved_{stem}"
        plain = any(not field.kind.references for field in cls.fields)
        referring = any(field.kind.references for field in cls.fields)
        self.restore = f"restore_{stem}" if plain else ""
        self.link = f"link_{stem}" if referring else ""
        self.gather = f"gather_{stem}" if referring else ""

    def names(self) -> set[str]:
        """Return what the class may add to a module of mixins."""
        functions = {self.capture, self.moved, self.restore, self.link, self.gather}
        return functions | {self.table, self.checks}

    def needs(self) -> str:
        """Return how the last thing that the registry names begins in that module."""
        last = self.table or self.own_checks
        return f"\n{last} = " if last else f"\nclass {self.mixin}("
