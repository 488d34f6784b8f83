"""`Groups`: the sprite groups of a game. Each is a root: its sprites are saved with the world.

The sprites of a group are reached objects, as if a state referred to them. A snapshot has the
content of a group among its states, under a name of its own: a list of references, each with its
layer if the group has layers. A load does not pass it to a function, but changes the
group itself.
"""

from __future__ import annotations

from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    MutableMapping,
    Sequence,
)
from itertools import chain
from typing import Any

from savegen.runtime.errors import SaveApplyError, SaveCorruptError, SaveError
from savegen.runtime.world.objects import with_components
from savegen.runtime.values.folds import Rules, Typed, fits
from savegen.runtime.values.rows import Key
from savegen.runtime.values.libraries.sprites import (
    Content,
    SpriteGroup,
    checked_group,
    groups_of,
    sprite_group,
)
from savegen.runtime.values.stored import StoredType, parse
from savegen.runtime.world.world import World


def state_name(name: str) -> str:
    """Return the name under which a snapshot has the content of a group.

    >>> state_name("enemies")
    "groups['enemies']"
    """
    return f"groups[{name!r}]"


class Groups(MutableMapping[str, Any]):
    """The groups by the names that the game gives them, as `manager.groups`.

    Values are groups of pygame, and arcade's `SpriteList`. A load changes which sprites a group
    has, and their order and layers; the group itself stays the same object.
    """

    def __init__(self, world: World, check: Callable[[], object]) -> None:
        """Create an empty mapping; `check` raises an error in a thread that may not use it."""
        self._world = world
        self._check = check
        self._by_name: dict[str, SpriteGroup] = {}
        # The keys of added objects of which a sprite was in a group at the last look. If none is
        # in any group later, the game has killed them.
        self.grouped: set[Key] = set()
        # Called with each group before savegen takes sprites out of it.
        self.watchers: list[Callable[[SpriteGroup], object]] = []

    # -- as a mapping

    def __setitem__(self, name: str, group: Any) -> None:
        self._check()
        if type(name) is not str:
            raise SaveError(f"the name of a group must be a str, not {name!r}")
        found = self._by_name[name] = checked_group(name, group)
        states = self._world.unknown_states
        if state_name(name) in states:  # a save was loaded before the group had a name
            typed = states[state_name(name)]
            saved = content_of(state_name(name), typed, self._world.at, found)
            found.refill(saved, lambda sprite: True)
            self._world.unknown_states = {
                n: each for n, each in states.items() if n != state_name(name)
            }
        self.look()

    def __getitem__(self, name: str) -> Any:
        return self._by_name[name].group

    def __delitem__(self, name: str) -> None:
        self._check()
        del self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __repr__(self) -> str:
        return f"<Groups: {', '.join(map(repr, self)) or 'none'}>"

    # -- for the manager, snapshots and loads

    def by_state(self) -> dict[str, SpriteGroup]:
        """Return the named groups, by the names of their states."""
        return {state_name(name): group for name, group in self._by_name.items()}

    def all(self) -> list[SpriteGroup]:
        """Return all groups whose sprites are saved, each once."""
        groups, registry = dict.fromkeys(self._by_name.values()), self._world.registry
        for cls, table in self._world.tables.items() if registry.has_groups else ():
            names = registry.entry_of(cls).group_fields if table else ()
            for name in names:
                for obj in table.values():
                    if group := sprite_group(getattr(obj, name, None)):
                        groups[group] = None
        return [*groups]

    def look(self) -> set[Key]:
        """Give keys to the sprites in groups that have none; note the added objects in groups.

        Return the keys of these objects.
        """
        world, now = self._world, set[Key]()
        for group in self.all():
            content = group.content()
            if last := group.unchanged(content, world.epoch):
                now |= last.owners
                continue
            sprites = content.saveable().sprites
            keys = [*map(world.keys.get, map(id, sprites))]
            if None in keys:
                world.give_keys(sprites)
            if max(filter(None, keys), default=0) > 0:
                now |= {world.owner_of(key) for key in keys if key and key > 0}
        self.grouped |= now
        return now

    def take_killed(self) -> list[Key]:
        """Return the keys of the added objects that the game has killed, in ascending order.

        These were in groups at an earlier look, and none of their sprites is in a group any more.
        """
        if not self.grouped and len(self.all()) == len({*self._by_name.values()}):
            return []
        now, at = self.look(), self._world.at
        missing = [key for key in sorted(self.grouped - now) if at(key) is not None]
        killed = [key for key in missing if not _groups_with(at(key))]
        self.grouped = now | ({*missing} - {*killed})
        return killed

    def forget(self, keys: Collection[Key] | None = None) -> None:
        """Forget that added objects, all or those with some keys, were in groups; look anew.

        A load has brought them to a state in which they may not have been in one.
        """
        self.grouped = set() if keys is None else self.grouped.difference(keys)
        self.look()

    def joined(self, objects: Iterable[Any]) -> None:
        """Note which of the objects, which were just added, have sprites in groups."""
        joined = {id(obj): _groups_with(obj) for obj in objects}
        if not any(joined.values()):
            return
        named = {*self.all()}
        for number, groups in joined.items():
            if not named.isdisjoint(groups):
                self.grouped.add(self._world.keys[number])

    def without_keys(self) -> list[Any]:
        """Return the sprites in groups that are not in the world yet."""
        contents = [group.content().saveable() for group in self.all()]
        sprites = chain.from_iterable(content.sprites for content in contents)
        return [sprite for sprite in sprites if id(sprite) not in self._world.keys]

    def suspend(self, sprites: Iterable[Any]) -> Callable[[], None]:
        """Take sprites out of all their groups; return a function that puts them back.

        A group finds a sprite by its hash, which must not change while the group has it.
        """
        contents: dict[SpriteGroup, Content] = {}
        for sprite in sprites:
            for group in groups_of(sprite):
                if group not in contents:
                    contents[group] = group.content()
                self._discard(group, sprite)

        def put_back() -> None:
            for group, content in contents.items():
                group.set(content)

        return put_back

    def leave(self, sprites: Iterable[Any]) -> None:
        """Remove sprites that are no longer in the world from all groups, named ones or not.

        Without a group of which savegen knows, the hooks of the game are responsible, and nothing
        happens.
        """
        sprites = [*sprites]
        if not sprites or not (self._by_name or self.all()):
            return
        for sprite in sprites:
            for group in groups_of(sprite):
                self._discard(group, sprite)

    def _discard(self, group: SpriteGroup, sprite: Any) -> None:
        for watcher in self.watchers:
            watcher(group)
        group.discard(sprite)

    def remove(self, component: Any) -> None:
        """Remove a component that its object loses from all groups; this kills no object."""
        self.leave([component])
        key = self._world.object_key(component)
        if key in self.grouped and not _groups_with(self._world.at(key)):
            self.grouped = self.grouped - {key}


def _groups_with(obj: Any) -> list[SpriteGroup]:
    """Return the groups that have sprites of an object."""
    return [group for part in with_components(obj) for group in groups_of(part)]


# -- the content of a group as a value with its type

_SPRITES = parse("list<ref<0>>")
_IN_LAYERS = parse("list<(ref<0>, union<int | float>)>")


def typed_content(keys: Iterable[Key], layers: Sequence[Any] | None) -> Typed:
    """Return the content of a group: the keys of its sprites, each with its layer if it has one.

    Raises `SaveError` if a layer is not a number.
    """
    if layers is None:
        return _SPRITES, [*keys]
    return _IN_LAYERS, [*zip(keys, map(_plain_number, layers))]


def _plain_number(layer: Any) -> int | float:
    """Return the number of a layer, which may be a member of an enumeration."""
    if isinstance(layer, int):
        return int(layer)
    if isinstance(layer, float):
        return float(layer)
    raise SaveError(f"a sprite is in the layer {layer!r}; only numbers can be saved")


def _is_content(typed: Any, stored: StoredType) -> bool:
    if type(typed) is not tuple or len(typed) != 2 or typed[0] != stored:
        return False
    has_layers = stored == _IN_LAYERS
    return fits(stored, typed[1], Rules(dangling=True)) and not (
        has_layers and any(layer != layer for _, layer in typed[1])
    )


def content_of(
    name: str, typed: Typed, at: Callable[[Key], Any], group: SpriteGroup
) -> Content:
    """Return the saved content of a group.

    `at` returns the object with a key, or `None`; such a sprite is left out. The value may come
    from a file: raises `SaveError` if it is not the content of a group.
    """
    layers: list[int | float] | None = None
    if _is_content(typed, _SPRITES):
        keys = typed[1]
    elif _is_content(typed, _IN_LAYERS):
        keys, layers = [key for key, _ in typed[1]], [layer for _, layer in typed[1]]
    else:
        raise SaveCorruptError(
            f"the state {name!r} in the save is not the content of a group"
        )
    found = [*map(at, keys)]
    places = [n for n, sprite in enumerate(found) if sprite is not None]
    sprites = [found[n] for n in places]
    if layers is not None:
        layers = [layers[n] for n in places]
    for cls, sprite in {type(sprite): sprite for sprite in sprites}.items():
        if not isinstance(sprite, group.sprite_class):
            raise SaveApplyError(
                f"the state {name!r} contains a {cls.__qualname__}, which is no sprite"
            )
    content = Content(sprites, layers)
    if len({*map(id, sprites)}) < len(sprites):
        first = {id(sprite): n for n, sprite in reversed([*enumerate(sprites)])}
        content = content.chosen(sorted(first.values()))
    ordered = content.layers
    if ordered is not None and ordered != sorted(ordered):
        content = content.chosen(sorted(range(len(ordered)), key=ordered.__getitem__))
    return content
