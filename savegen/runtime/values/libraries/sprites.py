"""The sprite groups of pygame and pygame-ce, and the sprite lists of arcade, as roots of a world.

This module imports none of these libraries: a game that has a group has imported its library.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from itertools import compress, count
from operator import is_
from typing import Any, NamedTuple

from savegen.runtime.values.saveable import has_own_hash, is_saveable_class
from savegen.runtime.errors import SaveError, with_article

GROUP_LABEL = "Group"  # in the stored types of fields that hold groups


class Content(NamedTuple):
    """The sprites of a group, first those that are drawn first; with layers, that of each."""

    sprites: Sequence[Any] = ()
    layers: Sequence[int | float] | None = None

    def chosen(self, places: Iterable[int]) -> Content:
        """Return the sprites at some positions."""
        places, layers = [*places], self.layers
        return Content(
            [self.sprites[n] for n in places],
            None if layers is None else [layers[n] for n in places],
        )

    def saveable(self) -> Content:
        """Return the sprites whose classes are saveable."""
        classes = {*map(type, self.sprites)}
        wanted = {*filter(is_saveable_class, classes)}
        if len(wanted) == len(classes):
            return self
        return self.chosen(n for n, s in enumerate(self.sprites) if type(s) in wanted)

    def without_equal(self) -> Content:
        """Return the sprites without those that equal an earlier one: a group has only one."""
        classes = {*map(type, self.sprites)}
        if not any(map(has_own_hash, classes)):
            return self
        first: dict[Any, int] = {}
        for n, sprite in enumerate(self.sprites):
            first.setdefault(sprite, n)
        return self.chosen(first.values())

    def is_same(self, other: Content) -> bool:
        """Return whether both have the same sprites, in the same order and layers."""
        return (
            len(self.sprites) == len(other.sprites)
            and all(map(is_, self.sprites, other.sprites))
            and (
                self.layers is None
                or other.layers is None
                or [*self.layers] == [*other.layers]
            )
        )


class LastCapture(NamedTuple):
    """What the last snapshot took from a group."""

    all: Content  # also of the sprites that are not saveable
    sprites: Sequence[Any]  # the saveable ones
    owners: frozenset[int]  # the keys of the added objects of these sprites
    # The keys of the reached sprites; `None` if they are of several classes.
    reached: frozenset[int] | None
    typed: tuple[Any, Any]  # its content, as a snapshot has it
    epoch: int  # of the world: as long as it is the same, the sprites have their keys


class SpriteGroup:
    """One group, by its content. Two of these are equal if they have the same group."""

    sprite_class: type  # of its members

    def __init__(self, group: Any) -> None:
        self.group = group
        self.last: LastCapture | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SpriteGroup) and other.group is self.group

    def __hash__(self) -> int:
        return id(self.group)

    def content(self) -> Content:
        """Return the sprites of the group."""
        return Content([*self.group])

    @property
    def has_layers(self) -> bool:
        """Whether each sprite has a layer in the group."""
        return False

    def unchanged(self, content: Content, epoch: int) -> LastCapture | None:
        """Return what the last snapshot took from the group, if it had this content."""
        last = self.last
        if last is None or last.epoch != epoch or not content.is_same(last.all):
            return None
        return last

    def set(self, wanted: Content) -> None:
        """Let the group have exactly the `wanted` sprites; do nothing if it has them already."""
        self._change(self.content(), wanted)

    def _change(self, now: Content, wanted: Content) -> None:
        if now.is_same(wanted):
            return
        wanted = wanted.without_equal()
        before, after = {*map(id, now.sprites)}, {*map(id, wanted.sprites)}
        for n in _places(now.sprites, before - after):
            self.discard(now.sprites[n])
        for n in _places(wanted.sprites, after - before):
            layer = None if wanted.layers is None else wanted.layers[n]
            self._add(wanted.sprites[n], layer)
        self._arrange(wanted)

    def refill(self, saved: Content, stays: Callable[[Any], bool]) -> None:
        """Let the group have the `saved` sprites, and those of today's that are to stay.

        Sprites of other classes than saveable ones stay, and those for which `stays` is true. A sprite that stays keeps its place: behind the saved sprite that it follows, before all
        of them, or after all of them.
        """
        now = self.content()
        if now.is_same(saved):
            return
        not_saved = {*map(id, now.sprites)}.difference(map(id, saved.sprites))
        others = [
            n
            for n in _places(now.sprites, not_saved)
            if not is_saveable_class(type(now.sprites[n])) or stays(now.sprites[n])
        ]
        self._change(now, _merged(saved, now, others) if others else saved)

    def take_hashed(self) -> None:
        """Remove the sprites whose hashes may depend on their fields, before these change."""
        for sprite in self.content().sprites:
            if has_own_hash(type(sprite)):
                self.discard(sprite)

    def rehash(self) -> None:
        """Let the group find sprites again whose hashes have changed."""

    def layer_of(self, sprite: Any) -> int | float | None:
        """Return the layer of a sprite of the group; `None` if the group has no layers."""
        return None

    def join(self, sprite: Any, layer: int | float | None) -> None:
        """Add a sprite, unless the group has it."""
        if self not in groups_of(sprite):
            self._add(sprite, layer)

    def discard(self, sprite: Any) -> None:
        """Remove a sprite, if the group has it."""
        raise NotImplementedError

    def _add(self, sprite: Any, layer: int | float | None) -> None:
        raise NotImplementedError

    def _arrange(self, wanted: Content) -> None:
        """Bring the sprites of the group, which are the `wanted` ones, into their order."""
        raise NotImplementedError

    def repaint(self) -> None:
        """Let the next draw repaint what a load has moved, if the group draws only changes."""


class _GroupOfPygame(SpriteGroup):
    """Any `pygame.sprite.AbstractGroup`.

    `add_internal` and `remove_internal` are what `Sprite.kill` calls, too; a class of the game
    may override them.
    """

    @property
    def has_layers(self) -> bool:
        return hasattr(self.group, "_spritelayers")

    def layer_of(self, sprite: Any) -> int | float | None:
        return self.group._spritelayers[sprite] if self.has_layers else None

    def rehash(self) -> None:
        group = self.group
        for name in ("spritedict", "_spritelayers"):
            sprites = getattr(group, name, None)
            if sprites and any(map(has_own_hash, {*map(type, sprites)})):
                entries = [*sprites.items()]
                sprites.clear()
                sprites.update(entries)

    def content(self) -> Content:
        sprites = self.group.sprites()
        layer_of = getattr(self.group, "_spritelayers", None)
        if layer_of is None:
            return Content(sprites)
        return Content(sprites, [*map(layer_of.__getitem__, sprites)])

    def discard(self, sprite: Any) -> None:
        if self.group.has_internal(sprite):
            self.group.remove_internal(sprite)
            sprite.remove_internal(self.group)

    def _add(self, sprite: Any, layer: int | float | None) -> None:
        if layer is None or not self.has_layers:
            self.group.add_internal(sprite)
        else:
            self.group.add_internal(sprite, layer)
        sprite.add_internal(self.group)

    def _arrange(self, wanted: Content) -> None:
        group, sprites = self.group, wanted.sprites
        if wanted.layers is not None and self.has_layers:
            layers = group._spritelayers
            if [*map(layers.__getitem__, sprites)] != [*wanted.layers]:
                for sprite, layer in zip(sprites, wanted.layers):
                    if layers[sprite] != layer:
                        layers[sprite] = layer
                        if hasattr(sprite, "_layer"):
                            sprite._layer = layer
            group._spritelist[:] = sprites
        drawn = group.spritedict  # by sprite, where it was last drawn
        if len(drawn) == len(sprites) and not all(map(is_, drawn, sprites)):
            ordered = {sprite: drawn[sprite] for sprite in sprites}
            drawn.clear()
            drawn.update(ordered)

    def repaint(self) -> None:
        if not hasattr(self.group, "repaint_rect"):
            return
        for sprite, drawn in self.group.spritedict.items():
            rect = getattr(sprite, "rect", None)
            if rect is not None and rect != drawn:
                self.group.lostsprites += [each for each in (drawn, rect) if each]


class _ListOfArcade(SpriteGroup):
    """Any `arcade.SpriteList`."""

    def discard(self, sprite: Any) -> None:
        if sprite in self.group:
            self.group.remove(sprite)

    def _add(self, sprite: Any, layer: int | float | None) -> None:
        self.group.append(sprite)

    def _arrange(self, wanted: Content) -> None:
        if not all(map(is_, self.group, wanted.sprites)):
            place_of = {id(sprite): n for n, sprite in enumerate(wanted.sprites)}
            self.group.sort(key=lambda sprite: place_of[id(sprite)])


def _places(sprites: Sequence[Any], ids: Set[int]) -> list[int]:
    """Return the positions of the sprites with the given `id`s."""
    if not ids:
        return []
    return [*compress(count(), map(ids.__contains__, map(id, sprites)))]


def _merged(saved: Content, now: Content, others: list[int]) -> Content:
    """Return the saved sprites, with other sprites of `now`, at some positions, in their places."""
    layered = saved.layers is not None or (now.layers is not None and not saved.sprites)
    are_saved, are_others = {*map(id, saved.sprites)}, {*others}
    common = [n for n, sprite in enumerate(now.sprites) if id(sprite) in are_saved]
    # Without one that stays, their places are those among the sprites that leave.
    ours = common or [n for n in range(len(now.sprites)) if n not in are_others]
    last = ours[-1] if ours else len(now.sprites)
    # By the `id` of the saved sprite before them; 0 if there is none.
    following: dict[int, list[int]] = {}
    before, at_end = 0, []
    for n, sprite in enumerate(now.sprites):
        if id(sprite) in are_saved:
            before = id(sprite)
        elif n in are_others and n > last:
            at_end.append(n)
        elif n in are_others:
            following.setdefault(before, []).append(n)
    sprites, layers = list[Any](), list[int | float]()

    def put(places: Iterable[int]) -> None:
        for n in places:
            sprites.append(now.sprites[n])
            layers.append(0 if now.layers is None else now.layers[n])

    put(following.get(0, ()))
    for n, sprite in enumerate(saved.sprites):
        sprites.append(sprite)
        layers.append(0 if saved.layers is None else saved.layers[n])
        put(following.get(id(sprite), ()))
    put(at_end)
    if not layered:
        return Content(sprites)
    merged = Content(sprites, layers)
    return merged.chosen(sorted(range(len(sprites)), key=layers.__getitem__))


# -- recognising groups and sprites, by the classes of the libraries that the game has imported

_LIBRARIES = (
    ("pygame.sprite", "AbstractGroup", "Sprite", _GroupOfPygame),
    ("arcade", "SpriteList", "BasicSprite", _ListOfArcade),
)


def _kinds() -> Iterator[tuple[type, type, type[SpriteGroup]]]:
    """Yield the class of groups and the class of sprites of each imported library."""
    for name, group, sprite, kind in _LIBRARIES:
        library = sys.modules.get(name)
        if library is not None and hasattr(library, group):
            yield getattr(library, group), getattr(library, sprite), kind


def sprite_group(group: object) -> SpriteGroup | None:
    """Return a group of a library by its content; `None` for any other object."""
    for group_class, sprite_class, kind in _kinds():
        if isinstance(group, group_class):
            found = kind(group)
            found.sprite_class = sprite_class
            return found
    return None


def is_sprite_class(cls: type) -> bool:
    """Return whether objects of a class may be in groups of a library."""
    return any(issubclass(cls, sprite_class) for _, sprite_class, _ in _kinds())


def groups_of(sprite: object) -> list[SpriteGroup]:
    """Return the groups that have a sprite; none for any other object."""
    for _, sprite_class, _ in _kinds():
        if isinstance(sprite, sprite_class):
            obj: Any = sprite
            groups = getattr(obj, "sprite_lists", None)
            found = obj.groups() if groups is None else [*groups]
            return [each for group in found if (each := sprite_group(group))]
    return []


def take_out(sprite: object) -> list[tuple[SpriteGroup, int | float | None]]:
    """Take a sprite out of all its groups; return these, each with the sprite's layer in it."""
    groups = [(group, group.layer_of(sprite)) for group in groups_of(sprite)]
    for group, _ in groups:
        group.discard(sprite)
    return groups


def checked_group(name: str, group: object) -> SpriteGroup:
    """Return a group by its content. Raises `SaveError` if it is none."""
    found = sprite_group(group)
    if found is None:
        raise SaveError(
            f"`manager.groups[{name!r}]` cannot be {with_article(type(group).__qualname__)}: pass a"
            " `pygame.sprite.Group` or another group of pygame, or an `arcade.SpriteList`"
        )
    return found
