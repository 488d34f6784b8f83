"""Find the plain classes in the fields of one module, and name the functions that pack them."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.model import Kind, Record, SavedModule, upper_snake, walk

_MAX_NAME = 24  # characters of a class name in the name of a function
_REFERRING = ("reference", "class_", "asset", "generator", "method")


class Records:
    """The plain classes of a module, by `module:qualname`.

    The names of their functions depend only on the source, so the registry can use them.
    """

    def __init__(self, module: SavedModule, taken: set[str]) -> None:
        """`taken` are other names in the generated module; names of functions are added to it."""
        self._all = {record.name: record for record in module.records}
        self._reached: dict[Kind, list[Kind]] = {}
        fields = (f for cls in module.classes for f in cls.fields if not f.override)
        contained = {kind.name for field in fields for kind in self.reached(field.kind)}
        self.used = [record for record in module.records if record.name in contained]
        self._taken = taken
        self._suffixes = {each.name: self.suffix(_snake(each)) for each in self.used}

    def __getitem__(self, name: str) -> Record:
        return self._all[name]

    def function(self, direction: str, name: str) -> str:
        """Return the name of the function that packs or unpacks a class."""
        return f"_{direction}_{self._suffixes[name]}"

    def cell_type_name(self, name: str) -> str:
        """Return the name of the type of a class's cells."""
        return (
            f"_{''.join(word.title() for word in self._suffixes[name].split('_'))}Cell"
        )

    def suffix(self, name: str) -> str:
        """Return a unique suffix for the names of a `_pack_…` and an `_unpack_…` function."""
        suffix = name[:_MAX_NAME].rstrip("_")
        while not self._taken.isdisjoint((f"_pack_{suffix}", f"_unpack_{suffix}")):
            suffix += "_"
        self._taken |= {f"_pack_{suffix}", f"_unpack_{suffix}"}
        return suffix

    def refers(self, kind: Kind) -> bool:
        """Return whether packing a value of the kind needs the argument `references`."""
        return any(part.kind in _REFERRING for part in self.reached(kind))

    def is_recursive(self, record: Record) -> bool:
        """Return whether an object of a class can contain another object of that class."""
        return any(
            part.name == record.name
            for _, kind, _ in record.fields
            for part in self.reached(kind)
        )

    def reached(self, kind: Kind) -> list[Kind]:
        """Return a kind and all kinds inside it, including those of fields of plain classes."""
        if kind not in self._reached:
            self._reached[kind] = [*self._walk(kind)]
        return self._reached[kind]

    def _walk(self, kind: Kind) -> Iterator[Kind]:
        seen: set[str] = set()
        waiting = [kind]
        while waiting:
            for part in walk(waiting.pop()):
                yield part
                record = self._record_of(part)
                if record and part.name not in seen:
                    seen.add(part.name)
                    waiting += [inner for _, inner, _ in record.fields]

    def _record_of(self, kind: Kind) -> Record | None:
        return self._all[kind.name] if kind.kind in ("value", "record") else None


def _snake(record: Record) -> str:
    return upper_snake(record.qualname.replace(".", "_")).lower()
