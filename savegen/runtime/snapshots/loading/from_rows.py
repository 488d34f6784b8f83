"""Loads the rows of a snapshot into the objects of a world. `load.py` has the steps around it."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeAlias

from savegen.runtime.values.libraries import generators
from savegen.runtime.values import mismatches
from savegen.runtime.values.references import References, no_method
from savegen.runtime.values.saveable import unchecked
from savegen.runtime.values.folds import (
    Typed,
    innermost_parts,
    keys_of,
    methods_in,
    typed,
    untyped,
)
from savegen.runtime.errors import (
    SaveApplyError,
    SaveCorruptError,
    SaveError,
    reason,
)
from savegen.runtime.world.game import Game
from savegen.runtime.snapshots.loading.matching import Match
from savegen.runtime.values.libraries.methods import MissingMethod
from savegen.runtime.snapshots.to_rows import (
    NO_OBJECT,
    give_types,
    only,
    pack_rows,
    own_row,
    take_out_misfits,
    typed_misfit,
)
from savegen.runtime.values.checks import differ
from savegen.runtime.snapshots.recorder import EMPTY, UNAVAILABLE, record_all, replay
from savegen.runtime.values.rows import UNSET, Key, Row
from savegen.runtime.generated.entries import hashes_change
from savegen.runtime.reports import LostValue
from savegen.runtime.snapshots.tables import Table, cells_with
from savegen.runtime.snapshots.hashing import hashed_keys, rehash
from savegen.runtime.values.libraries.sprites import is_sprite_class
from savegen.runtime.values.stored import StoredType
from savegen.runtime.snapshots.loading.undo import Undo


class UnknownAsset(SaveError):
    """An asset id in a save that the game does not have."""


# A table, an object of it, and the row that is being loaded into the object.
_Filled: TypeAlias = tuple[Table, Any, Row]


class RowLoader(References):
    """Loads rows into objects; its keys for references are those of the snapshot.

    First `compare` finds the objects that differ from their rows. Then `set_fields` loads these
    rows, and `fill_hashing` fills what hashes objects.
    """

    # Generated code calls it for each reference, so it is the quickest function there is.
    get_component: Callable[[Key], Any]

    def __init__(self, game: Game, match: Match) -> None:
        super().__init__(game.world.registry.values)
        self._game = game
        self._world = game.world
        self._on_unknown = game.on_unknown
        self._match = match
        self._snapshot = snapshot = match.snapshot
        self._objects = match.objects
        self.get_component = match.objects.__getitem__
        # The objects for the rows of each table, by class number.
        self._objects_of = {n: [*table.values()] for n, table in match.tables.items()}
        # Values that could not be loaded, each once.
        self.lost: dict[LostValue, None] = {}
        # Why a name leads to nothing, for those not yet in `lost`: by asset id, or by the `id`
        # of an object and the name of its method.
        self._unresolved: dict[Hashable, str] = {}
        # Steps that fill sets and dicts of objects, each with the row that contains them.
        self._postponed: list[tuple[Callable[[], object], _Filled]] = []
        self._current: Any = None  # the `_Filled` of the row being loaded
        self.generators: dict[int, Any] = {}  # by key in the snapshot
        # Positions of rows that differ from their objects, by class number.
        self.changed: dict[int, Sequence[int]] = {}
        self.defaulted: dict[str, int] = {}  # counts of fields set to defaults
        entries = [table.entry for table in snapshot.tables.values()]
        self._hashes_change = hashes_change(entries)

    # -- comparing

    def compare(self, undo: Undo | None, exactly: bool = False) -> None:
        """Find the objects that differ from their rows, and let `undo` remember their fields.

        With `exactly`, compare packed values, and skip objects whose values are equal.
        """
        tables = self._snapshot.tables
        if self._match.is_all_new:
            self.changed = {n: range(len(table.keys)) for n, table in tables.items()}
            return
        self.changed = {n: self._find_differing(t, exactly) for n, t in tables.items()}
        if exactly and self._match.from_pool:
            self._add_linked(self._match.from_pool)
        if undo is None or not self._is_changed:
            return
        for number, table in tables.items():
            existing = self._existing(table, self.changed[number])
            if existing:
                objects = self._objects_of[number]
                undo.remember(table.entry, [objects[n] for n in existing])

    def _add_linked(self, keys: set[Key]) -> None:
        """Let objects count as changed that refer to others with the given keys.

        An object from a pool is another one now, although a reference to it looks unchanged.
        """
        for number, table in self._snapshot.tables.items():
            linked = {*self.changed[number]}
            for place, row in enumerate(table.rows):
                if any(cells_with(keys, table.entry, row)):
                    linked.add(place)
            for place, extra in table.typed_values():
                if not keys.isdisjoint(keys_of(*extra)):
                    linked.add(place)
            self.changed[number] = sorted(linked)

    @property
    def _is_changed(self) -> bool:
        """Whether any row differs from its object."""
        return any(self.changed.values())

    def _tables_to_load(self) -> dict[int, Table]:
        """Return the tables of the snapshot; none if no row differs."""
        return self._snapshot.tables if self._is_changed else {}

    def _existing(self, table: Table, places: Sequence[int]) -> Sequence[int]:
        """Return the positions among `places` whose objects existed before the load."""
        created, keys = self._match.created, table.keys
        return [n for n in places if keys[n] not in created] if created else places

    def _find_differing(self, table: Table, exactly: bool) -> Sequence[int]:
        """Return the positions of the rows that differ from their objects."""
        places: Sequence[int] = range(len(table.keys))
        entry = table.entry
        if (entry.saves_by_code or table.recordings) and not exactly:
            return places
        existing = self._existing(table, places)
        if table.extras and (incomplete := self._incomplete_rows(table, exactly)):
            existing = [n for n in existing if n not in incomplete]
        if not existing:
            return places
        different = self._compare_existing(table, existing, exactly)
        if len(existing) == len(places):
            return different
        same = {*existing} - {*different}
        return [n for n in places if n not in same]

    def _incomplete_rows(self, table: Table, exactly: bool) -> set[int]:
        """Return the positions of rows with extras; if `exactly`, only of those with defaults."""
        if not exactly:
            return {*table.extras}
        return {
            place
            for place, cells in table.extras.items()
            if any(stored.name == "default" for stored, _ in cells.values())
        }

    def _compare_existing(
        self, table: Table, existing: Sequence[int], exactly: bool
    ) -> Sequence[int]:
        """Return the positions of existing objects whose fields differ from their rows."""
        objects, rows = self._objects_of[table.number], table.rows
        if len(existing) < len(rows):
            objects, rows = [objects[n] for n in existing], [rows[n] for n in existing]
        try:
            places: Sequence[int] = table.entry.differing(objects, rows, self)
            if exactly or table.entry.wraps:
                places = self._compare_packed(table, existing, objects, rows, places)
            if table.entry.behaviors:
                places = self._compare_recorded(table, existing, places)
        except Exception:  # an attribute may be unset
            return existing
        if len(existing) == len(table.rows):
            return places
        return [existing[n] for n in places]

    def _compare_packed(
        self,
        table: Table,
        existing: Sequence[int],
        objects: list[Any],
        rows: list[Any],
        places: Sequence[int],
    ) -> list[int]:
        """Return the positions among `places` in `existing` of objects whose values differ."""
        entry, compared = table.entry, [objects[n] for n in places]
        packed = pack_rows(entry, compared, self)
        if table.extras:
            take_out_misfits(entry, packed, compared)
        if entry.wraps:
            packed.rows = [own_row(row, ()) for row in packed.rows]
            for row in packed.rows:
                give_types(entry, row, self._typed)
        saved = table.extras
        return [
            place
            for n, place in enumerate(places)
            if differ(packed.rows[n], rows[place])
            or self._differ_from_extras(
                entry, packed.unfit.get(n, {}), saved.get(existing[place], {})
            )
        ]

    def _differ_from_extras(
        self, entry: Any, values: dict[str, Any], saved: dict[str, Typed]
    ) -> bool:
        """Return whether values that do not fit their cells differ from those of the snapshot."""
        return values.keys() != saved.keys() or any(
            differ(typed_misfit(entry, cell, value, self._typed), saved[cell])
            for cell, value in values.items()
        )

    def _compare_recorded(
        self, table: Table, existing: Sequence[int], places: Sequence[int]
    ) -> Sequence[int]:
        """Return the positions in `existing` of objects that differ, or recorded other values."""
        objects, differing = self._objects_of[table.number], {*places}
        for n, place in enumerate(existing):
            if n in differing:
                continue
            recorded = record_all(objects[place], table.entry.behaviors, self._typed)
            if differ(recorded, table.recordings.get(place, EMPTY)):
                differing.add(n)
        return sorted(differing)

    def _typed(self, name: str, value: Any) -> Typed:
        return typed(value, self, keeps_live=True)

    # -- filling

    def hashed_by_fields(self) -> list[Any]:
        """Return the sprites that the load changes, and whose hashes may depend on their fields."""
        return [
            self._objects_of[number][place]
            for number, table in self._tables_to_load().items()
            if table.entry.has_own_hash and is_sprite_class(table.entry.load_class())
            for place in self.changed[number]
        ]

    def set_fields(self) -> None:
        """Set the fields of all objects that differ from their rows, but those that hash objects.

        Raises `SaveApplyError` with the class and the method or field that failed.
        """
        self._set_generators()
        tables = self._tables_to_load()
        for number, table in tables.items():
            if places := self.changed[number]:
                self._load(table, places)
            if table.entry.caches:
                self._empty_caches(table)
        # They may hash objects of any table.
        for table in tables.values():
            if table.extras:
                self._set_extras(table, self.changed[table.number], False)

    @cached_property
    def _hooked_keys(self) -> set[Key]:
        """The keys of objects whose own `__hash__` may need what their hooks set."""
        tables = self._snapshot.tables.values() if self._hashes_change else ()
        hooked = [t for t in tables if t.entry.has_own_hash and t.entry.on_activate]
        return {key for table in hooked for key in table.keys}

    def hashed_first(self) -> set[Key]:
        """Return the keys of such objects that something hashes.

        Before that, fill the fields that do not hash them.
        """
        tables, hooked_keys = self._snapshot.tables.values(), self._hooked_keys
        if not hooked_keys:
            return set()
        hashed, waiting = set[Key](), set[int]()
        for table in tables:
            for row, keys in self._hashed_in(table):
                if not hooked_keys.isdisjoint(keys):
                    hashed |= hooked_keys & keys
                    waiting.add(id(row))
        for state in self._snapshot.states.values():
            hashed |= hooked_keys.intersection(keys_of(*state))
        if hashed:
            later = [
                s
                for s in self._postponed
                if id(s[1][2]) in waiting or s[1][0].entry.group_fields
            ]
            earlier = [s for s in self._postponed if s not in later]
            self._run(earlier)
            self._postponed = later
        return hashed

    def _hashed_in(self, table: Table) -> Iterator[tuple[Row, set[Key]]]:
        """Yield the rows of a table, each with the keys of objects that it may hash."""
        entry = table.entry
        fields = entry.reference_fields.items() if entry.hashes_objects else ()
        for name, stored in fields:
            for row in table.rows:
                cell = getattr(row, name)
                if cell is not UNSET:
                    yield row, {*hashed_keys(stored, cell)}
        for place, typed in table.typed_values():
            yield table.rows[place], {*keys_of(*typed)}

    def fill_hashing(self) -> None:
        """Fill the fields that hash objects, and load what recorders have recorded."""
        for table in self._snapshot.tables.values() if self._hooked_keys else ():
            self._set_extras(table, self.changed[table.number], True)
        self._run_postponed()
        if self._is_changed:  # what is in an unchanged row may hash changed objects
            rehash(self._game)
        for table in self._tables_to_load().values():
            if table.entry.behaviors:
                self._replay(table)

    def _load(self, table: Table, places: Sequence[int]) -> None:
        entry = table.entry
        load = unchecked(entry.marked_class().load_data)
        objects, rows = self._objects_of[table.number], table.rows
        if not isinstance(places, range):  # only some rows of the table
            objects, rows = [objects[n] for n in places], [rows[n] for n in places]
        hashes = self._hashes_change and entry.hashes_objects
        try:
            by_name = entry.has_assets or entry.has_methods
            if hashes or entry.wraps or by_name:
                for place, obj, row in zip(places, objects, rows):
                    self._load_one(table, place, obj, row)
            else:
                for obj, row in zip(objects, rows):
                    load(obj, row, self)
        except SaveApplyError:
            raise
        except Exception as error:
            raise SaveApplyError(self._error_text(table, obj, row, error)) from error

    def _load_one(self, table: Table, place: int, obj: Any, row: Row) -> None:
        key = table.keys[place]
        given, substitutes = row, None
        if table.entry.wraps:  # its `load_data` may change what it gets: it gets a copy
            given, substitutes = self._game_row(table, key, row)
        self._current = table, obj, row
        try:
            unchecked(table.entry.marked_class().load_data)(obj, given, self)
        except UnknownAsset as error:
            if table.entry.wraps:  # its `load_data` asked for the asset
                raise
            self._load_without_assets(table, key, row, error)
        if self._unresolved:
            self._report_unresolved(table, key, row)
        if substitutes:
            self._set_substitutes(table, obj, substitutes)

    def _load_without_assets(
        self, table: Table, key: Key, row: Row, error: SaveError
    ) -> None:
        """Load a row cell by cell, with `None` for a missing asset if its field is optional."""
        obj, entry = self._objects[key], table.entry
        for cell, stored in entry.stored_by_cell.items():
            try:
                entry.marked_class().load_data(obj, only(row, [cell]), self)
            except UnknownAsset as error_of_cell:
                if stored.name != "optional":
                    raise SaveApplyError(
                        f"`{entry.title(cell)}` cannot be set: {error_of_cell}"
                    ) from error
                self._set(table, obj, cell, None)
                self._add_lost(table, key, cell, str(error_of_cell))

    def _report_unresolved(self, table: Table, key: Key, row: Row) -> None:
        """Report the unknown assets and missing methods of a row as lost."""
        unresolved = self._take_unresolved()
        remaining = {**unresolved}
        for cell, stored in table.entry.stored_by_cell.items():
            for name in self._names_in(stored, getattr(row, cell)):
                if name in unresolved:
                    self._add_lost(table, key, cell, unresolved[name])
                    remaining.pop(name, None)
        for reason in remaining.values():  # the `load_data` of the game requested them
            self._add_lost(table, key, "load_data", reason)

    def _names_in(self, stored: StoredType, cell: Any) -> Iterator[Hashable]:
        """Yield the names of assets and methods in a cell, in the form of `_unresolved`."""
        if cell is UNSET:
            return
        for part, inner in innermost_parts(stored, cell):
            if part.name == "asset":
                yield inner
        for key, name in methods_in(stored, cell):
            yield id(self._objects.get(key)), name

    def _take_unresolved(self) -> dict[Hashable, str]:
        unresolved, self._unresolved = self._unresolved, {}
        return unresolved

    def _missing_method(self, obj: Any, name: str, /) -> Any:
        self._unresolved[id(obj), name] = no_method(obj, name)
        return MissingMethod(obj, name)

    def _add_lost(self, table: Table, key: Key, cell: str, reason: str) -> None:
        lost = table.lost_value(key, cell, reason, self._world.registry)
        self.lost[lost] = None

    def _losing(self, table: Table, key: Key, name: str) -> Callable[[str], None]:
        """Return a function that reports a value as lost; it takes the reason."""
        return lambda reason: self._add_lost(table, key, name, reason)

    def _game_row(self, table: Table, key: Key, row: Row) -> tuple[Row, dict[str, Any]]:
        """Return a copy of a row for the game's `load_data`, with the values of its `any` cells.

        Also return substitutes for those that the save lacks or that cannot be loaded:
        what the object has, or its default. The copy has them, too, if they are not `None`: the
        game may save the key of an object in place of the object, and `None` is no key.
        """
        copied, substitutes = own_row(row, table.entry.lent), {}
        for cell in table.entry.untyped:
            value, saved = UNAVAILABLE, getattr(row, cell)
            if saved is not UNSET:
                value = self._untyped(saved, self._losing(table, key, cell))
            if value is UNAVAILABLE:
                value = substitutes[cell] = self._substitute(table, key, cell)
                if value is None or value is mismatches.NOT_SET:
                    value = UNSET
            setattr(copied, cell, value)
        return copied, substitutes

    def _untyped(self, saved: Typed, lose: Callable[[str], object]) -> Any:
        """Return the value of an undeclared one; `UNAVAILABLE` if the game lacks its class.

        `lose` is called with the reason, and for each name in the value that leads to nothing.
        """
        try:
            value = untyped(saved, self)
        except (UnknownAsset, SaveCorruptError, SaveApplyError):
            raise
        except SaveError as error:
            lose(str(error))
            return UNAVAILABLE
        for reason in self._take_unresolved().values():
            lose(reason)
        return value

    def _substitute(self, table: Table, key: Key, cell: str) -> Any:
        """Return the value for a cell of the game that cannot be loaded; `NOT_SET` without one."""
        obj, name = self._objects[key], table.entry.attributes_by_cell[cell]
        if not self._is_uninitialized(key):
            return mismatches.value_of(obj, name)
        default = table.entry.defaults_by_cell.get(cell)
        return mismatches.NOT_SET if default is None else default(type(obj))

    def _set_substitutes(
        self, table: Table, obj: Any, substitutes: dict[str, Any]
    ) -> None:
        """Set the fields that the game's `load_data` left as they were, or set to `UNSET`."""
        for cell, value in substitutes.items():
            name = table.entry.attributes_by_cell[cell]
            current = mismatches.value_of(obj, name)
            if current is UNSET or current is mismatches.NOT_SET:
                self._set(table, obj, cell, value)

    def _error_text(self, table: Table, obj: Any, row: Row, error: Exception) -> str:
        """Return the error text for a failed row, with the field that cannot be set.

        The field is found by loading each cell alone.
        """
        self._postponed.clear()
        for cell in () if table.entry.wraps else row.__struct_fields__:
            try:
                table.entry.marked_class().load_data(obj, only(row, [cell]), self)
                for step, _ in self._postponed:
                    step()
            except Exception as error_of_cell:
                title = table.entry.title(cell)
                return f"`{title}` cannot be set: {reason(error_of_cell)}"
        return f"`{type(obj).__qualname__}.load_data` raised {reason(error)}"

    def _is_uninitialized(self, key: Key) -> bool:
        """Return whether the load created an object without calling its constructor."""
        return key in self._match.created and key not in self._match.from_prefab

    def _set_default(self, table: Table, cell: str, obj: Any) -> None:
        default = table.entry.defaults_by_cell.get(cell)
        if default is None:
            raise SaveApplyError(
                f"the save has no value for `{table.entry.title(cell)}`, and the field has no default;"
                " add `Save(default=…)` or a `@migration`"
            )
        self._set(table, obj, cell, default(type(obj)))

    def _set(self, table: Table, obj: Any, cell: str, value: Any) -> None:
        mismatches.set_value(obj, table.entry.attributes_by_cell[cell], value)

    def _set_extras(self, table: Table, places: Sequence[int], hooked: bool) -> None:
        """Set the values beside the rows: those with `hooked` keys, or the others."""
        for place in places:
            key = table.keys[place]
            for cell, extra in table.extras.get(place, {}).items():
                if hooked == self._hooked_keys.isdisjoint(keys_of(*extra)):
                    continue
                if extra[0].name == "default":
                    self._set_missing(table, key, cell)
                elif extra[0].name == "unset":
                    self._set(table, self._objects[key], cell, mismatches.NOT_SET)
                else:
                    value = self._untyped(extra, self._losing(table, key, cell))
                    if value is UNAVAILABLE:
                        self._set_lost_value(table, self._objects[key], cell)
                    else:
                        _set_factory(table, cell, value)
                        self._set(table, self._objects[key], cell, value)

    def _set_missing(self, table: Table, key: Key, cell: str) -> None:
        """Set a field that an older save does not have, or that was lost, to its default.

        An existing object, or one built from its prefab, keeps its value.
        """
        if not self._is_uninitialized(key):
            return
        obj, entry = self._objects[key], table.entry
        field = entry.names_by_cell[cell]
        if any(each.key == key and each.field == field for each in self._snapshot.lost):
            self._set_lost_value(table, obj, cell)
            return
        if cell not in entry.untyped:  # else it has a substitute
            self._set_default(table, cell, obj)
        elif cell not in entry.defaults_by_cell:
            return
        name = entry.title(cell)
        self.defaulted[name] = self.defaulted.get(name, 0) + 1

    def _set_lost_value(self, table: Table, obj: Any, cell: str) -> None:
        if cell in table.entry.defaults_by_cell:
            self._set_default(table, cell, obj)
        else:
            self._set(table, obj, cell, mismatches.NOT_SET)

    def _empty_caches(self, table: Table) -> None:
        """Let computed values be computed anew: they may be outdated."""
        for obj in self._objects_of[table.number]:
            for name, value in table.entry.caches.items():
                mismatches.set_value(obj, name, value)

    def _run_postponed(self) -> None:
        steps, self._postponed = self._postponed, []
        self._run(steps)

    def _run(self, steps: Iterable[tuple[Callable[[], object], _Filled]]) -> None:
        for step, filled in steps:
            try:
                step()
            except Exception as error:
                raise SaveApplyError(self._error_text(*filled, error)) from error
            if self._unresolved:
                table, obj, row = filled
                self._report_unresolved(table, self.key_of(obj), row)

    def _replay(self, table: Table) -> None:
        for place in self.changed[table.number]:
            key, recording = table.keys[place], table.recordings.get(place)

            def unpack(id: str, saved: Typed) -> Any:
                return self._untyped(saved, self._losing(table, key, repr(id)))

            replay(self._objects[key], table.entry.behaviors, recording, unpack)
            # The deserializers may have asked for others by themselves.
            for reason in self._take_unresolved().values():
                self._add_lost(table, key, "load", reason)

    def state(self, name: str, saved: Typed) -> Any:
        """Return the value of a state; `UNAVAILABLE` if it was lost, or the game lacks its class."""
        if saved[0].name == "default":
            return UNAVAILABLE

        def lose(reason: str) -> None:
            self.lost[LostValue(0, "", name, reason)] = None

        return self._untyped(saved, lose)

    # -- references, in the keys of the snapshot

    @cached_property
    def _keys(self) -> dict[int, Key]:
        if self._match.is_same_world and not self._match.created:
            return self._world.keys
        return {id(obj): key for key, obj in self._objects.items()}

    def key_of(self, component: Any, /) -> Key:
        return self._keys.get(id(component), NO_OBJECT)

    def id_of(self, asset: Any, /) -> str:
        return self._world.assets.id_of(asset)

    def asset(self, id: str, /) -> Any:
        try:
            asset = self._world.assets.find(id, self._on_unknown)
        except SaveError as error:
            raise UnknownAsset(str(error)) from None
        if asset is None and id not in self._world.assets:
            self._unresolved[id] = f"no asset has the id {id!r}"
        return asset

    def _class_at(self, number: int, /) -> Any:
        return self._world.registry[number].load_class()

    def _set_generators(self) -> None:
        states, tables = self._snapshot.generators, self._snapshot.tables.values()
        uses_numpy = "numpy" in sys.modules or any(
            table.entry.has_numpy_generators for table in (tables if states else ())
        )
        for key, state in states.items():
            generator = self._current_generator(key)
            if generator is not None and generators.can_set_state(generator, state):
                generators.set_state(generator, state)
            else:
                generator = generators.generator_from(state, uses_numpy)
            self.generators[key] = generator

    def _current_generator(self, key: int) -> Any:
        may_reuse = self._match.is_same_world and not self._match.makes_copies
        return self._world.generators.at(key) if may_reuse else None

    def _generator_key(self, generator: Any, /) -> int:
        """Return the key of a generator whose state equals its saved state; 0 for all others."""
        return self._unchanged_generators.get(id(generator), 0)

    @cached_property
    def _unchanged_generators(self) -> dict[int, int]:
        """The keys of the generators whose states equal their saved states, by `id`."""
        keys: dict[int, int] = {}
        for key, state in self._snapshot.generators.items():
            generator = self._current_generator(key)
            if generator is not None:
                if not differ(generators.state_of(generator), state):
                    keys[id(generator)] = key
        return keys

    def _generator(self, key: int, /) -> Any:
        try:
            return self.generators[key]
        except KeyError:
            raise SaveApplyError(
                f"the snapshot contains no random generator with the key {key}"
            ) from None

    def _set_of(self, keys: Iterable[Key], /) -> set[Any]:
        if self._hashes_change:
            return super()._set_of(keys)
        return {*map(self.get_component, keys)}  # same result as `super()`, but faster

    def _stays_in_group(self, sprite: Any, /) -> bool:
        is_other = id(sprite) in self._world.keys and id(sprite) not in self._keys
        return is_other or id(sprite) in self._game.waiting()

    def _when_filled(self, step: Callable[[], object], /) -> None:
        if self._hashes_change:
            self._postponed.append((step, self._current))
        else:
            step()


def _set_factory(table: Table, cell: str, value: Any) -> None:
    """Give a `defaultdict` without a factory that of its field, if the class has given it one."""
    factories = table.entry.mixin.field_factories.get(cell)
    if factories is None or type(value) is not defaultdict or value.default_factory:
        return
    stored = table.entry.stored_by_cell[cell]
    if (stored.parts[0] if stored.name == "optional" else stored).name == "defaultdict":
        value.default_factory = [*factories()][-1]  # the outermost one
