"""The state of objects before a load, kept as Python objects, so that an undo can restore it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any

from savegen.runtime.values import mismatches
from savegen.runtime.values.libraries.caches import kept_value
from savegen.runtime.values.checks import differ
from savegen.runtime.errors import SaveError, reason
from savegen.runtime.world.hooks import Attempts
from savegen.runtime.snapshots.recorder import record_each, replay_one, set_dirty_names
from savegen.runtime.values.kinds.kind import BY_CLASS
from savegen.runtime.values.folds import LIVE_TYPE, Typed, typed, untyped
from savegen.runtime.snapshots.to_rows import only, pack_own_rows
from savegen.runtime.world.building import LocalKeys


def _can_be_refilled(value: Any) -> bool:
    """Return whether a value is a container that can be given its former content."""
    kind = BY_CLASS.get(id(type(value)))
    return kind is not None and kind.is_mutable and hasattr(value, "clear")


class RememberedValues:
    """The values of all fields of objects of one class, without copies of them.

    This is enough if no code of the game runs that could change the values themselves.
    """

    def __init__(self, entry: Any, objects: list[Any]) -> None:
        """Raises an exception if, for example, an attribute is not set."""
        names = entry.attributes_by_cell.values()
        self.objects = objects
        self._columns = [(name, [*map(attrgetter(name), objects)]) for name in names]

    def holds_lists(self) -> bool:
        """Return whether a field holds a list, which code of the game could change itself."""
        return any(list in map(type, values) for _, values in self._columns)

    def restore(self, place: int) -> None:
        """Restore the fields of the object at a position."""
        for name, values in self._columns:
            _set_if_replaced(self.objects[place], name, values[place])

    def refill(self) -> None:
        """Do nothing: the values themselves have not changed."""


class RememberedCaches(RememberedValues):
    """The values that objects have computed and kept, which a load lets them compute anew."""

    def __init__(self, entry: Any, objects: list[Any]) -> None:
        self.objects = objects
        self._columns = [
            (name, [kept_value(obj, name) for obj in objects]) for name in entry.caches
        ]

    def restore(self, place: int) -> None:
        """Restore the computed values of the object at a position, or delete new ones."""
        for name, values in self._columns:
            mismatches.set_value(self.objects[place], name, values[place])


class RememberedRows:
    """All fields of objects of one class, as rows.

    The values that other code may share, such as lists, are remembered too: an object that the
    load has changed gets the same list again. An object that is as it was is not touched.
    """

    def __init__(self, entry: Any, objects: list[Any], references: LocalKeys) -> None:
        """Raises an exception if a `save_data` of the game raises."""
        self.objects = objects
        self._entry = entry
        self._references = references
        self._packed = pack_own_rows(entry, objects, references)
        # A `load_data` of the game may compute other attributes from the values that it sets.
        names = () if entry.wraps else entry.shared_attributes
        self._shared = {name: _column(objects, name) for name in names}
        # Objects whose shared value has changed itself: attribute and value.
        self._changed: list[tuple[Any, str, Any]] = []

    def restore(self, place: int) -> None:
        """Restore the fields of the object at a position, except for sets and dicts of objects.

        These are filled when the references are finished.
        """
        obj, entry = self.objects[place], self._entry
        for name, values in self._shared.items():
            if values[place] is not mismatches.NOT_SET:
                _set_if_replaced(obj, name, values[place])
        cells = self._changed_cells(place)
        if not cells:
            return
        row = self._packed.rows[place]
        if not entry.wraps:
            row = only(row, cells)
        entry.marked_class().load_data(obj, row, self._references)
        unfit = self._packed.unfit.get(place, {})
        for cell in cells:
            name = entry.attributes_by_cell[cell]
            if cell in unfit:
                mismatches.set_value(obj, name, unfit[cell])
            elif name in self._shared:
                self._changed.append((obj, name, self._shared[name][place]))

    def refill(self) -> None:
        """Give shared containers their former content, instead of the copies that were loaded."""
        for obj, name, container in self._changed:
            value = mismatches.value_of(obj, name)
            if type(container) is type(value) and _can_be_refilled(container):
                if value is not container:
                    container.clear()
                    add = getattr(container, "update", None) or container.extend
                    add(value)
                    mismatches.set_value(obj, name, container)

    def _changed_cells(self, place: int) -> list[str]:
        """Return the cells of an object that differ from those remembered."""
        row, unfit = self._packed.rows[place], self._packed.unfit.get(place, {})
        cells = row.__struct_fields__
        try:
            now = pack_own_rows(self._entry, [self.objects[place]], self._references)
        except Exception:
            return [*cells]
        row_now, unfit_now = now.rows[0], now.unfit.get(0, {})
        return [
            cell
            for cell in cells
            if differ(getattr(row_now, cell), getattr(row, cell))
            or unfit_now.get(cell) is not unfit.get(cell)
        ]


def _column(objects: list[Any], name: str) -> list[Any]:
    try:
        return [*map(attrgetter(name), objects)]
    except Exception:  # for example, an attribute is not set
        return [mismatches.value_of(obj, name) for obj in objects]


def _set_if_replaced(obj: Any, name: str, value: Any) -> None:
    if mismatches.value_of(obj, name) is not value:
        mismatches.set_value(obj, name, value)


class LiveValues:
    """Packs values so that they can be restored in this process, even those that cannot be saved."""

    def __init__(self, references: LocalKeys) -> None:
        self._references = references

    def pack(self, name: str, value: Any) -> Typed:
        """Return a copy of a value, with its type; what cannot be copied stays itself."""
        try:
            return typed(value, self._references, keeps_live=True)
        except (SaveError, RecursionError):
            return LIVE_TYPE, value

    def unpack(self, name: str, saved: Typed) -> Any:
        return untyped(saved, self._references)


class RememberedRecording:
    """What the serializers of all behaviours of a `Recorder` have recorded, dirty or not."""

    def __init__(self, component: Any, entry: Any, values: LiveValues) -> None:
        self._component = component
        self._behaviors = entry.behaviors
        self._values = values
        self._dirty: tuple[str, ...] = component._savegen_dirty
        self._recorded = record_each(component, entry.behaviors, values.pack)

    def restore(self, attempts: Attempts) -> None:
        """Run the deserializers of the behaviours whose state has changed, and set the flags."""
        component, behaviors = self._component, self._behaviors
        was_used = bool(self._dirty or component._savegen_dirty)
        now = record_each(component, behaviors, self._values.pack)
        name = f"a `{type(component).__qualname__}`"
        # A deserializer may load what another behaviour saves.
        shared: dict[str, Any] = {}
        for recorded in self._recorded.values():
            if isinstance(recorded, dict):
                shared = {**recorded, **shared}
        for key, recorded in self._recorded.items():
            if isinstance(recorded, Exception):
                if was_used:
                    text = f"{name} was not restored completely: {reason(recorded)}"
                    attempts.notes.append(text)
            elif differ(now[key], recorded):
                values = {**shared, **recorded}
                load = partial(replay_one, component, behaviors, key, values)
                attempts.run(f"restoring {name}", partial(load, self._values.unpack))
        set_dirty_names(component, self._dirty)


class RememberedState:
    """The value of one state of the game, as its `get` returned it."""

    def __init__(self, get: Callable[[], Any], values: LiveValues) -> None:
        """Raises the exceptions of `get`."""
        self._get = get
        self._values = values
        self._value = get()
        self._packed = values.pack("", self._value)

    def restored(self) -> Any:
        """Return the value: the same object, or a copy of what it was if it has changed itself."""
        if differ(self._values.pack("", self._value), self._packed):
            return self._values.unpack("", self._packed)
        return self._value

    def has_changed(self) -> bool:
        """Return whether the state has another value now, or another container with this value."""
        try:
            value = self._get()
        except Exception:
            return True
        if _can_be_refilled(value) and value is not self._value:
            return True
        return differ(self._values.pack("", value), self._packed)
