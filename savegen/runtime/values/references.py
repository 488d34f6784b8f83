"""`References`, with which generated code saves and loads references to objects and assets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from savegen.runtime.errors import SaveError, with_article
from savegen.runtime.values.rows import Key, Row
from savegen.runtime.values.values import NO_VALUES, Values


class References:
    """Translates objects, assets, generators and classes to keys, ids and numbers, and back.

    Subclasses, such as the manager, have the objects of a world. Methods raise `SaveError` for
    an unknown object, key, id or number. What begins with `_` is for savegen itself: a game that
    packs or loads a row needs the other methods only. The key of `None` is 0.

    >>> class World(References):
    ...     components = [None, "goblin", "orc"]
    ...     def key_of(self, component, /):
    ...         return self.components.index(component)
    ...     def get_component(self, key, /):
    ...         return self.components[key]
    >>> world = World()
    >>> world.get_component(world.key_of("orc"))
    'orc'
    """

    _values: Values = NO_VALUES  # the game's classes of values
    _dangling = 0  # references to destroyed objects so far, if they are counted
    # While the game's own `save_data` packs an object: returns its row without the values that
    # the generated code cannot pack; `None` for the error of any other object.
    _rescue: Callable[[Any, Exception], Row | None] = staticmethod(
        lambda component, error: None
    )

    def __init__(self, values: Values = NO_VALUES) -> None:
        self._values = values

    def key_of(self, component: Any, /) -> Key:
        """Return the key of an object or a component."""
        if component is None:
            return 0
        raise SaveError(
            f"a reference to {with_article(type(component).__qualname__)} cannot be saved without a"
            " manager; pass one as `references`"
        )

    def get_component(self, key: Key, /) -> Any:
        """Return the object or component with a key."""
        if key == 0:
            return None
        raise _unknown("component", key)

    def id_of(self, asset: Any, /) -> str:
        """Return the registered id of an asset."""
        raise SaveError(
            f"{with_article(type(asset).__qualname__)} is an asset, and cannot be saved without a"
            " manager; pass one as `references`"
        )

    def asset(self, id: str, /) -> Any:
        """Return the asset with an id."""
        raise _unknown("asset", id)

    def _generator_key(self, generator: Any, /) -> int:
        """Return the key of a random generator."""
        raise SaveError(
            f"{with_article(type(generator).__qualname__)} cannot be saved without a manager; pass one"
            " as `references`"
        )

    def _generator(self, key: int, /) -> Any:
        """Return the random generator with a key."""
        raise _unknown("generator", key)

    def _class_number(self, cls: Any, /) -> int:
        """Return the stable number of a saveable class.

        >>> NO_REFERENCES._class_number(int)
        Traceback (most recent call last):
            ...
        savegen.runtime.errors.SaveError: `int` is not a saveable class
        """
        number = getattr(cls, "save_type", None)
        if number is None:
            raise SaveError(f"`{cls.__qualname__}` is not a saveable class")
        return int(number)

    def _class_at(self, number: int, /) -> Any:
        """Return the saveable class with a stable number."""
        raise _unknown("class", number)

    def _missing_method(self, obj: Any, name: str, /) -> Any:
        """Return what replaces a method that a row names, but the object does not have.

        Only a load replaces it; this base class raises `SaveError`.
        """
        raise SaveError(no_method(obj, name))

    def _check(self, component: Any, row: Row, /) -> None:
        """Raise `SaveError` if a reference in a row does not fit the type of its field.

        It is called when a game calls `save_data` or `load_data` of a component. This base class
        checks nothing; the manager overrides it.
        """

    def _set_of(self, keys: Iterable[Key], /) -> set[Any]:
        """Return a set of the objects with the given keys.

        During a load it is filled later, since the hash of an object may depend on its fields.
        """
        objects: set[Any] = set()
        self._when_filled(lambda: objects.update(map(self.get_component, keys)))
        return objects

    def _stays_in_group(self, sprite: Any, /) -> bool:
        """Return whether a saveable sprite stays in a group during a load that did not have it."""
        return False

    def _when_filled(self, step: Callable[[], object], /) -> None:
        """Run a step that hashes objects; during a load, after all objects have their fields."""
        step()


def _unknown(kind: str, key: int | str) -> SaveError:
    return SaveError(
        f"the {kind} {key!r} cannot be found without a manager; pass one as `references`"
    )


def no_method(obj: Any, name: str) -> str:
    """Return the text about a method that an object does not have any more."""
    cls = type(obj).__qualname__
    return (
        f"`{cls}` has no method `{name}`; if you renamed it, add `{name} = <new name>` to the"
        " class, below the method"
    )


NO_REFERENCES = References()
