"""Find the attributes of objects that a load would not restore."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Set
from enum import Enum
from types import MemberDescriptorType
from typing import Any, NamedTuple

from savegen.runtime.errors import SaveError, with_article
from savegen.runtime.values.libraries.fields import set_property
from savegen.runtime.world.groups import Groups
from savegen.runtime.values.kinds.kind import kind_of
from savegen.runtime.values.libraries.caches import cached_properties, kept_for_hash
from savegen.runtime.values.basics.keys import describe_key
from savegen.runtime.values.mismatches import NOT_SET, value_of
from savegen.runtime.world.objects import GameObject, with_components
from savegen.runtime.values.libraries.presets import (
    COMPARED_BY_IDENTITY,
    LAYER,
    REBUILT,
    SPRITE_LIBRARIES,
)
from savegen.runtime.generated.entries import ClassEntry
from savegen.runtime.reports import counted
from savegen.runtime.values.rows import Key
from savegen.runtime.snapshots.snapshot import Snapshot
from savegen.runtime.snapshots.tables import Table
from savegen.runtime.values.libraries.sprites import SpriteGroup, groups_of
from savegen.runtime.values.stored import RECORDS
from savegen.runtime.values.values import Values
from savegen.runtime.checkup.strict_capture import losses_in
from savegen.runtime.world.world import World


class UncoveredAttribute(NamedTuple):
    """An attribute that a load would not restore, with the key of an object that has it.

    `restored` describes the value that the attribute has after a load, or is "" if it is not
    set at all.

    >>> print(UncoveredAttribute("Hero", "combo", "int", 12, "0"))
    `Hero.combo` (int, object #12), which is 0 after a load
    """

    class_name: str
    attribute: str
    type_name: str  # of the value
    key: Key
    restored: str = ""

    def __str__(self) -> str:
        after = f"is {self.restored}" if self.restored else "is not set"
        name = f"`{self.class_name}.{self.attribute}`"
        return f"{name} ({self.type_name}, {describe_key(self.key)}), which {after} after a load"


Counterpart = Callable[[Key, Any], Any]
"""Returns the object as a load would create it, without transient values; `None` if unknown."""


def find_uncovered(
    snapshot: Snapshot, world: World, counterpart: Counterpart
) -> list[UncoveredAttribute]:
    """Return the uncovered attributes of objects in a snapshot, sorted, each once per class."""
    found = []
    for table in snapshot.tables.values():
        cls = table.entry.load_class()
        if cls is not GameObject and "*" not in table.entry.transient:
            scan = _Scan(table.entry, cls, counterpart)
            for key in table.keys:
                scan.examine(key, world.at(key))
            found += scan.found
        found += _in_plain_objects(table, world)
        found += _of_other_classes(table, world)
    return sorted({each[:2]: each for each in reversed(found)}.values())


def _of_other_classes(table: Table, world: World) -> Iterator[UncoveredAttribute]:
    """Yield the values that a file does not hold as what they are, such as unknown subclasses."""
    for place, cell, loss in losses_in(table, world.registry.values):
        yield UncoveredAttribute(
            table.entry.display_name,
            f"{table.entry.names_by_cell.get(cell, cell)}{loss.path}",
            loss.class_name,
            table.keys[place],
            with_article(loss.base.__qualname__) if loss.base else "",
        )


def _in_plain_objects(table: Table, world: World) -> Iterator[UncoveredAttribute]:
    """Yield the attributes that plain objects in saved fields have beside their declared fields."""
    names = [
        table.entry.attributes_by_cell[cell]
        for cell, stored in table.entry.stored_by_cell.items()
        if any(part.name in RECORDS for part in stored.walk())
    ]
    for key in table.keys if names else ():
        values = [value_of(world.at(key), name) for name in names]
        for plain, fields in _plain_objects(values, world.registry.values):
            yield from _extra_attributes(key, plain, fields)


def _plain_objects(value: Any, values: Values) -> Iterator[tuple[Any, Set[str]]]:
    """Yield the plain objects in a value, at any depth, with the names of their fields."""
    waiting, seen = [value], set[int]()
    while waiting:
        value = waiting.pop()
        entry = values.of(type(value))
        if id(value) in seen:
            continue
        if entry is not None and entry.type.name in RECORDS:
            fields = {field.name for field in entry.type.fields}
            yield value, fields
            waiting += [value_of(value, name) for name in fields]
        elif (kind := kind_of(type(value))) is not None and kind.is_container:
            waiting += kind.held(value)
        else:
            continue
        seen.add(id(value))


def _extra_attributes(
    key: Key, plain: Any, fields: Set[str]
) -> Iterator[UncoveredAttribute]:
    cls = type(plain)
    slots = {name: _value_of_slot(slot, plain) for name, slot in _slots_of(cls).items()}
    computed = kept_for_hash(cls) | {*cached_properties(cls)}
    for name, value in (slots | _dict_of(plain)).items():
        if name in fields or name in computed or value is NOT_SET:
            continue
        after = NOT_SET if name in slots else _value_in_class(cls, name)
        if differ(value, after):
            type_name = type(value).__qualname__
            yield UncoveredAttribute(
                cls.__qualname__, name, type_name, key, _described(after)
            )


_CONTENTS = "(contents)"  # stands for what an object of a built-in class contains


def _contents_of(cls: type) -> Callable[[Any], Any] | None:
    """Return the function for the contents of a class's objects, if these are not attributes."""
    kind = kind_of(cls)
    return kind.content if kind is not None and kind.has_content else None


class _Scan:
    """Examines the objects of one class, and collects their uncovered attributes."""

    def __init__(self, entry: ClassEntry, cls: type, counterpart: Counterpart) -> None:
        self.found: list[UncoveredAttribute] = []
        self._name = entry.display_name
        self._cls = cls
        self._counterpart = counterpart
        self._covered_names = _covered_names(entry, cls)
        # The names in `__dict__` and of slots that are covered, or were found already.
        self._finished = {*self._covered_names}
        self._unfinished: set[str] = set()
        # By class, since objects of other classes may be saved as those of a base.
        self._slots: dict[type, dict[str, MemberDescriptorType]] = {}
        self._contents = _contents_of(cls)

    def examine(self, key: Key, obj: Any) -> None:
        attributes = _dict_of(obj)
        if not attributes.keys() <= self._finished:
            for name in [*attributes.keys() - self._finished]:
                if not self._is_finished(name):
                    self._compare(key, obj, name, attributes[name])
        if self._contents and _CONTENTS not in self._finished:
            self._compare(key, obj, _CONTENTS, self._contents(obj))
        for name, slot in self._unfinished_slots(type(obj)):
            value = _value_of_slot(slot, obj)
            if value is not NOT_SET:
                self._compare(key, obj, name, value)

    def _unfinished_slots(self, cls: type) -> list[tuple[str, MemberDescriptorType]]:
        if cls not in self._slots:
            self._slots[cls] = _slots_of(cls)
        slots = self._slots[cls].items()
        return [(name, slot) for name, slot in slots if not self._is_finished(name)]

    def _is_finished(self, name: Any) -> bool:
        """Return whether an attribute need not be examined, and remember it."""
        if name in self._unfinished:
            return False
        is_name = isinstance(name, str) and not name.endswith("__")
        if not is_name or _public_name(self._cls, name) in self._covered_names:
            self._finished.add(name)
        else:
            self._unfinished.add(name)
        return name in self._finished

    def _compare(self, key: Key, obj: Any, name: str, value: Any) -> None:
        """Add the attribute to `found` if a load would lose its value."""
        restored = self._counterpart(key, obj)
        if restored is None or (name == LAYER and _has_layer_in_group(obj)):
            return
        after = _value_of(restored, name)
        if not (name in COMPARED_BY_IDENTITY or differ(value, after)) or value is after:
            return
        self._finished.add(name)
        attribute, type_name = _public_name(self._cls, name), type(value).__qualname__
        text = _described(after)
        self.found.append(
            UncoveredAttribute(self._name, attribute, type_name, key, text)
        )


def _has_layer_in_group(obj: Any) -> bool:
    """Return whether a group sets the layer of a sprite."""
    return any(group.has_layers for group in groups_of(obj))


# -- which attributes are covered


def _covered_names(entry: ClassEntry, cls: type) -> Set[str]:
    """Return the attributes that are saved, transient, computed when needed, or rebuilt."""
    rebuilt = (REBUILT.get(f"{c.__module__}.{c.__qualname__}", ()) for c in cls.__mro__)
    return {
        *entry.attributes_by_cell.values(),
        *entry.transient,
        *entry.caches,
        *(name for names in rebuilt for name in names),
    }


def _public_name(cls: type, name: str) -> str:
    """Return the property that stands for a private attribute; `name` if there is none.

    >>> class Sprite:
    ...     @property
    ...     def image(self): ...
    >>> _public_name(Sprite, "_Sprite__image"), _public_name(Sprite, "_rect")
    ('image', '_rect')
    """
    if not name.startswith("_"):
        return name
    for base in cls.__mro__:
        prefix = f"_{base.__name__.lstrip('_')}__"
        public = name.removeprefix(prefix) if name.startswith(prefix) else name
        if isinstance(vars(base).get(public.lstrip("_")), property):
            return public.lstrip("_")
    return name


def _dict_of(obj: Any) -> dict[str, Any]:
    try:
        attributes: dict[str, Any] = object.__getattribute__(obj, "__dict__")
    except AttributeError:
        return {}
    return attributes if isinstance(attributes, dict) else {}


def _slots_of(cls: type) -> dict[str, MemberDescriptorType]:
    slots: dict[str, MemberDescriptorType] = {}
    for base in cls.__mro__:
        for name, value in vars(base).items():
            if type(value) is MemberDescriptorType:
                slots.setdefault(name, value)
    return slots


def _value_of_slot(slot: MemberDescriptorType, obj: Any) -> Any:
    try:
        return slot.__get__(obj)
    except AttributeError:
        return NOT_SET


def _value_of(obj: Any, name: str) -> Any:
    """Return the value of an attribute without calling code of the game."""
    if name == _CONTENTS and (contents := _contents_of(type(obj))):
        return contents(obj)
    attributes = _dict_of(obj)
    if name in attributes:
        return attributes[name]
    value = _value_in_class(type(obj), name)
    if type(value) is MemberDescriptorType:
        return _value_of_slot(value, obj)
    return NOT_SET if hasattr(type(value), "__get__") else value


def _value_in_class(cls: type, name: str) -> Any:
    bases = (base for base in cls.__mro__ if name in vars(base))
    return next((vars(base)[name] for base in bases), NOT_SET)


# -- comparing values


def differ(value: Any, after: Any) -> bool:
    """Return whether two values differ.

    Two objects of a class without `__eq__` count as equal.

    >>> differ([1, object()], [1, object()]), differ([1], [2]), differ(0, None)
    (False, True, True)
    """
    try:
        return _differ(value, after)
    except Exception:  # `__eq__` of the game raised, or a list contains itself
        return False


def _differ(value: Any, after: Any) -> bool:
    if value is after:
        return False
    if type(value) is not type(after):
        return True
    kind = kind_of(type(value))
    if kind is not None and kind.is_container:
        parts, others = kind.held(value), kind.held(after)
        if not isinstance(value, Set):
            return len(parts) != len(others) or any(map(_differ, parts, others))
        if not all(map(_is_comparable, parts)):
            return len(parts) != len(others)
    return _is_comparable(value) and bool(value != after and value == value)


def _is_comparable(value: Any) -> bool:
    return (
        isinstance(value, Enum) or getattr(type(value), "__eq__") is not object.__eq__
    )


_SHOWN = (bool, int, float, str, type(None))


def _described(value: Any) -> str:
    """Return a short description of a value after a load; "" if it is not set."""
    if value is NOT_SET:
        return ""
    members = value if type(value) is tuple else (value,)
    if all(type(member) in _SHOWN for member in members):
        return f"{value!r:.40}"
    return f"another {type(value).__qualname__}"


# -- groups without a name


def find_unnamed(
    snapshot: Snapshot, world: World, groups: Groups
) -> dict[SpriteGroup, str]:
    """Return the groups of saved sprites that a load does not fill, each with a description.

    A game that has not named any group lets its hooks fill all of them, so none is returned.
    """
    known = {*groups.all()}
    found: dict[SpriteGroup, list[str]] = {}
    for table in snapshot.tables.values() if known else ():
        for key in table.keys:
            obj = world.at(key)
            for group in groups_of(obj):
                if group not in known:
                    text = f"`{type(obj).__qualname__}` ({describe_key(key)})"
                    found.setdefault(group, []).append(text)
    return {
        group: f"a `{type(group.group).__qualname__}` with {counted(len(texts), 'saved sprite')},"
        f" such as the {texts[0]}"
        for group, texts in found.items()
    }


# -- sprites without a group


def find_ungrouped(world: World, classes: Set[type]) -> dict[type, str]:
    """Return the classes, of those given, of which an added sprite is in no group.

    Each has the description of the first such sprite.
    """
    found: dict[type, str] = {}
    for key in world.object_keys():
        parts = with_components(world.at(key))
        if not any(map(groups_of, parts)):
            for cls in classes & {*map(type, parts)}:
                found.setdefault(cls, f"a `{cls.__qualname__}` ({describe_key(key)})")
    return found


# -- the check of a running game


class CoverageCheck:
    """Warns about uncovered attributes while a game runs, without loading anything."""

    def __init__(self, world: World, groups: Groups) -> None:
        self._world = world
        self._groups = groups
        self._snapshots = 0
        self._warned_groups = set[SpriteGroup]()
        self._grouped_classes = set[type]()  # of sprites that were in named groups
        self._warned_classes = set[type]()
        self._warned: set[tuple[str, str]] = set()
        self._properties: dict[type, list[str]] = {}
        self._fresh_objects: dict[type, Any] = {}

    def examine(self, snapshot: Snapshot) -> None:
        """Warn once about each uncovered attribute.

        Examine only the first, second, fourth, eighth, … snapshot, because it takes time.
        """
        self._snapshots += 1
        if self._snapshots & (self._snapshots - 1):
            return
        self._fresh_objects = {}
        found = [
            entry
            for entry in find_uncovered(snapshot, self._world, self._counterpart)
            if entry[:2] not in self._warned
        ]
        self._warned.update(entry[:2] for entry in found)
        if found:
            warnings.warn(warning_of(found), stacklevel=3)
        unnamed = find_unnamed(snapshot, self._world, self._groups)
        new = [(g, text) for g, text in unnamed.items() if g not in self._warned_groups]
        self._warned_groups.update(group for group, _ in new)
        if new:
            texts = "; ".join(text for _, text in new)
            warnings.warn(
                f"a load would not put sprites back into groups without a name: {texts}. Name"
                ' each group, `manager.groups["…"] = group`, or let a method marked'
                " `@on_activate` add the sprites",
                stacklevel=3,
            )
        for group in self._groups.all():
            self._grouped_classes.update(map(type, group.content().saveable().sprites))
        ungrouped = find_ungrouped(self._world, self._grouped_classes)
        lost = sorted(ungrouped[c] for c in ungrouped.keys() - self._warned_classes)
        self._warned_classes.update(ungrouped)
        if lost:
            warnings.warn(
                f"in the world, but in no group: {'; '.join(lost)}. If the game has"
                " killed it, it had joined its group after it was added, and no snapshot saw it"
                " there; so it stays. Do not add sprites of named groups, let them join in"
                " `__init__`, or call `manager.destroy`",
                stacklevel=3,
            )

    def _counterpart(self, key: Key, obj: Any) -> Any:
        """Return a new object as a load creates it, with the properties of its library set.

        Return `None` if the game's own code builds or loads such objects, because only a real
        load would show the result.
        """
        owner = self._world.owner_of(key)
        placement = self._world.placements.get(owner)
        if placement is not None and placement.prefab is not None:
            return None
        cls = type(obj)
        if cls not in self._fresh_objects:
            self._fresh_objects[cls] = self._new_object_of(cls)
            self._properties[cls] = _library_properties(
                self._world.registry.entry_of(cls), cls
            )
        names = self._properties[cls]
        if not names or self._fresh_objects[cls] is None:
            return self._fresh_objects[cls]
        return _with_properties(self._new_object_of(cls), obj, names)

    def _new_object_of(self, cls: type) -> Any:
        entry = self._world.registry.entry_of(cls)
        try:
            return None if entry.saves_by_code else entry.blank(cls, self._is_in_world)
        except SaveError:  # a load would report it
            return None

    def _is_in_world(self, obj: Any) -> bool:
        return id(obj) in self._world.keys


def warning_of(found: list[UncoveredAttribute]) -> str:
    """Return a message that lists uncovered attributes, and says what to do about them."""
    return (
        f"a load would lose {'; '.join(map(str, found))}. Annotate the attributes to save"
        " with `Saved[…]`; list the others in `@saveable(transient=…)`, or set them in a method"
        " marked `@on_activate`; in a dataclass without `@saveable`, declare them as fields;"
        " then run `savegen build`"
    )


def _library_properties(entry: ClassEntry, cls: type) -> list[str]:
    """Return the fields that are properties of a base class of pygame-ce or arcade."""
    return [
        name
        for name in entry.attributes_by_cell.values()
        for base in cls.__mro__
        if isinstance(vars(base).get(name), property)
        and base.__module__.partition(".")[0] in SPRITE_LIBRARIES
    ]


def _with_properties(copy: Any, obj: Any, names: list[str]) -> Any:
    """Return `copy` with the properties of an object; `None` if that fails."""
    try:
        for name in names:
            set_property(copy, name, getattr(obj, name))
    except Exception:  # a load would report it
        return None
    return copy
