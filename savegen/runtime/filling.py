"""Putting into objects what a snapshot holds: fields, then references, then what hashes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from types import CodeType
from typing import Any

from savegen.runtime.components import References, SaveLoadable
from savegen.runtime.errors import SaveApplyError, told
from savegen.runtime.generators import Renewed
from savegen.runtime.keys import SaveLoadKey, SlotKey
from savegen.runtime.matching import Match
from savegen.runtime.objects import GAME_OBJECT, with_parts
from savegen.runtime.recorder import replay
from savegen.runtime.rows import differing
from savegen.runtime.snapshot import Table
from savegen.runtime.world import World


class Filling(References):
    """The tables of a snapshot with the objects of today, and which of these differ."""

    def __init__(
        self,
        world: World,
        tables: Iterable[Table],
        match: Match | None = None,
        keys: dict[SlotKey, SlotKey] | None = None,
    ) -> None:
        """Without a `match` each object stands for itself; `keys` are those of today."""
        self._world = world
        self._keys = {} if keys is None else keys
        # Whether keys lead where they led when they were saved.
        self._is_here = match is None or match.is_here
        self._match = match
        if match and match.stand_ins:
            # Copies must not draw from the generators of what they are copied from.
            renewed = Renewed() if match.makes_copies else None
            relinked = (table.relinked(match.stand_ins, renewed) for table in tables)
            tables = map(_without_lost, relinked)
        self.tables = [*tables]
        if match and match.new_parts:
            self.tables = [_with_new(table, match.new_parts) for table in self.tables]
        self.changed: list[list[int]] = []  # places, for each table
        self.chosen: list[Table] = []  # what has to be written
        self.before: list[Table] = []  # what it will be written over
        self.is_readable = True  # whether that is all of it

    def compare(self, exactly: bool = False) -> None:
        """Find out what must be written: what is not the very same, or what differs exactly."""
        self.changed = [self._differing(table, exactly) for table in self.tables]
        pairs = zip(self.tables, self.changed, strict=True)
        self.chosen = [_chosen(table, places) for table, places in pairs]

    def fill(self, enter: Callable[[], None]) -> None:
        """Set what differs; `enter` is called once all have their plain fields and parts.

        Raises `SaveApplyError` that names the object and, where it can, the field.
        """
        for step in ("restore", "link"):
            for table in self.chosen:
                run(step, table)
        enter()
        self._load_unset()
        for table in self.tables if any(self.changed) else ():
            run("gather", table)  # all of them: what is hashed may have changed
        self._load_own()
        self._replay()

    def force(self) -> list[str]:
        """Set everything, whatever goes wrong on the way; return what did."""
        steps: list[Callable[[], None]] = [
            *(partial(run, "restore", table) for table in self.tables),
            *(partial(run, "link", table) for table in self.tables),
            self._load_unset,
            *(partial(run, "gather", table) for table in self.tables),
            self._load_own,
            self._replay,
        ]
        return [*_attempted(steps)]

    # -- what differs

    def _differing(self, table: Table, exactly: bool) -> list[int]:
        """Return the places of what must be written; keep what was there before."""
        functions = table.entry.rows
        if table.rows is None or functions is None or table.recordings is not None:
            return [*range(len(table.objects))]
        old = self._old(table)
        if not old:
            return [*range(len(table.objects))]
        part = _chosen(table, old)
        assert part.rows is not None
        try:
            places = functions.unlike(part.objects, part.rows)
            part = _chosen(part, places)
            today = Table(table.entry, part.objects, functions.capture(part.objects))
        except Exception:  # an attribute is not set now, say
            self.is_readable = False
            return [*range(len(table.objects))]
        if exactly:
            assert today.rows is not None and part.rows is not None
            changed = differing(functions.checks, today.rows, part.rows)
            today, places = _chosen(today, changed), [places[n] for n in changed]
        self.before.append(today)
        if len(old) == len(table.objects):
            return places
        same = {*old} - {old[place] for place in places}
        return [n for n in range(len(table.objects)) if n not in same]

    def _old(self, table: Table) -> list[int]:
        """Return the places of the objects that this load has not made."""
        match, objects = self._match, table.objects
        if match is not None and match.is_fresh:
            return (
                [n for n, o in enumerate(objects) if id(o) in match.old]
                if match.old
                else []
            )
        if match is None or not match.made:
            return [*range(len(objects))]
        return [n for n, o in enumerate(objects) if id(o) not in match.made]

    # -- classes without rows, and what no field holds

    def _load_unset(self) -> None:
        """Load what had attributes that were not set: they are not set afterwards."""
        for table in self.tables:
            if table.data is not None and table.entry.rows is not None:
                for place, component in enumerate(table.objects):
                    self._load(component, table.data[place])
                    _unset(component, table, place)

    def _load_own(self) -> None:
        """Let the classes that save themselves load themselves."""
        for table in self.tables:
            if table.data is not None and table.entry.rows is None:
                for component, data in zip(table.objects, table.data, strict=True):
                    self._load(component, data)

    def _load(self, component: SaveLoadable, data: dict[int, Any]) -> None:
        try:
            component.load_data(data, self)
        except Exception as error:
            name = f"{type(component).__qualname__}.load_data"
            raise SaveApplyError(f"`{name}` raised {told(error)}") from error

    def _replay(self) -> None:
        for table in self.tables:
            for component, recording in zip(table.objects, table.recordings or ()):
                replay(component, table.entry.behaviors, recording)

    # -- keys, for classes that load themselves

    def key_of(self, component: Any, /) -> SaveLoadKey | None:
        return self._world.key_of(component)

    def get_component(self, key: Any, /) -> Any:
        if key is None:
            return None
        thing, number = key
        if not self._is_here and thing not in self._keys:
            return None  # it was outside, in another world
        return self._world.component_at(
            SaveLoadKey(self._keys.get(thing, thing), number)
        )


def _with_new(table: Table, parts: dict[int, tuple[tuple[int, Any], ...]]) -> Table:
    """Return a table of game objects with components that the save knows nothing of."""
    if table.entry is not GAME_OBJECT or table.rows is None:
        return table
    rows = [
        (
            with_parts(table.row(place), each, parts[id(each)])
            if id(each) in parts
            else table.row(place)
        )
        for place, each in enumerate(table.objects)
    ]
    return Table(table.entry, table.objects, [*chain.from_iterable(rows)])


def _without_lost(table: Table) -> Table:
    """Return a table without the objects that nothing stands for."""
    if all(each is not None for each in table.objects):
        return table
    places = [n for n, each in enumerate(table.objects) if each is not None]
    return _chosen(table, places)


def _chosen(table: Table, places: list[int]) -> Table:
    """Return a table of some of the objects."""
    if len(places) == len(table.objects):
        return table
    rows, data, recordings = table.rows, table.data, table.recordings
    return Table(
        table.entry,
        [table.objects[place] for place in places],
        rows and [*chain.from_iterable(map(table.row, places))],
        data and [data[place] for place in places],
        recordings and [recordings[place] for place in places],
        {at: lack.chosen(places) for at, lack in table.lacks.items()},
    )


def run(step: str, table: Table) -> None:
    """Run one of the generated loops; if it raises, find out for which object.

    Raises `SaveApplyError` that names it, and the field.
    """
    function = getattr(table.entry.rows, step, None)
    if function is None or table.rows is None or not table.objects or table.is_filled:
        return
    try:
        function(table.objects, table.rows)
    except Exception as error:
        for place, each in enumerate(table.objects):
            _try_one(function, each, table.row(place))
        raise SaveApplyError(told(error)) from error


def _try_one(
    function: Callable[[list[Any], list[Any]], None], component: Any, row: list[Any]
) -> None:
    try:
        function([component], row)
    except Exception as error:
        where = _where(component, error, function)
        raise SaveApplyError(f"{where} cannot be set: {told(error)}") from error


def _where(component: Any, error: Exception, function: Callable[..., None]) -> str:
    """Return the class and, from where the generated code has stopped, the field."""
    name, trace = type(component).__qualname__, error.__traceback__
    while trace is not None and trace.tb_frame.f_code is not function.__code__:
        trace = trace.tb_next
    field = _field_set_at(function.__code__, trace.tb_lasti) if trace else None
    return f"`{name}.{field}`" if field else f"a `{name}`"


def _field_set_at(code: CodeType, offset: int) -> str | None:
    """Return the first attribute that is set at an instruction or after it."""
    import dis  # only now: a game that loads well never needs it

    later = (i for i in dis.get_instructions(code) if i.offset >= offset)
    return next((i.argval for i in later if i.opname == "STORE_ATTR"), None)


def _unset(component: Any, table: Table, place: int) -> None:
    """Take those attributes away that were not set; but not those that were not known then."""
    entry = table.entry
    assert entry.rows is not None and table.data is not None
    data = table.data[place]
    lacking = {lack.number for lack in table.lacks.values() if lack.is_at(place)}
    numbers = entry.mixin.save_load_field_names.values()
    for attribute, number in zip(entry.rows.checks, numbers, strict=True):
        if number not in data and number not in lacking:
            try:
                object.__delattr__(component, attribute)
            except AttributeError:
                pass


def _attempted(steps: Iterable[Callable[[], None]]) -> Iterator[str]:
    for step in steps:
        try:
            step()
        except Exception as error:
            yield f"while the world was brought back: {error}"
