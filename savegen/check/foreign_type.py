"""Report a type from outside the project that savegen does not know."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.check._refused import refused
from savegen.model import SavedClass, SavedModule
from savegen.report import Finding


def in_class(cls: SavedClass, module: SavedModule) -> Iterator[Finding]:
    for found in refused(cls, module, "foreign"):
        yield ForeignType(found.span, found.path, found.text)


_LIBRARIES = ("pygame", "arcade", "pyglet", "panda3d", "direct", "PIL", "tcod")
_THINGS = {
    "a picture": "Surface SurfaceType Texture Image AbstractImage ImageData Tileset",
    "a mask of a picture": "Mask MaskType",
    "a sound": "Sound SoundType AudioSound Channel ChannelType Source StaticSource",
    "a font": "Font FontType SysFont",
    "a sprite group": "AbstractGroup Group GroupSingle RenderUpdates SpriteList"
    " LayeredUpdates LayeredDirty OrderedUpdates",
}
_THING_OF = {name: thing for thing, names in _THINGS.items() for name in names.split()}


class ForeignType(Finding, frozen=True):
    code = "SG202"

    field: str
    type: str

    @property
    def message(self) -> str:
        if thing := self._thing:
            return (
                f"`{self.field}` holds {thing} (`{self.type}`), which cannot be saved"
            )
        return f"`{self.field}` holds `{self.type}`, which savegen does not know how to save"

    @property
    def help(self) -> str:
        if self._thing:
            return (
                "choose one: remove the mark, and create the object again in a method marked\n"
                "`@on_activate`; or, if it never changes (such as a loaded picture), register it in the\n"
                "`assets` of your `SaveLoadManager` and mark it `Saved[Annotated[…, Asset()]]`"
            )
        return (
            "choose one: remove the mark, and create the object again in a method marked\n"
            "`@on_activate`; or, if it never changes (such as a loaded picture), register it in the\n"
            "`assets` of your `SaveLoadManager` and mark it `Saved[Annotated[…, Asset()]]`; or name a\n"
            "codec under `[tool.savegen.codecs]`"
        )

    @property
    def _thing(self) -> str | None:
        """What a game calls it, if it is of a library for pictures and sounds."""
        if self.type.partition(".")[0] not in _LIBRARIES:
            return None
        return _THING_OF.get(self.type.rpartition(".")[2])
