"""Find the sprites whose picture nothing sets again after a load."""

from __future__ import annotations

from collections.abc import Iterator

from savegen.build.model import UnsetAttribute
from savegen.build.resolve.forgotten import ForgottenAttributes
from savegen.build.resolve.hierarchy import ClassHierarchy
from savegen.build.resolve.initial_values import InitialValues
from savegen.build.resolve.names import ClassSymbol
from savegen.build.resolve.presets import SpritePicture
from savegen.build.resolve.settings import Settings
from savegen.build.scan.declarations import BARE_CONSTRUCTION, Method


def unset_picture(
    name: str,
    hierarchy: ClassHierarchy,
    settings: Settings,
    forgotten: ForgottenAttributes,
    values: InitialValues,
) -> Iterator[UnsetAttribute]:
    """Yield the picture of a sprite class if only its constructor sets it.

    A picture that a saveable base sets is reported for that base instead.
    """
    pictures = map(settings.picture_of, hierarchy.mro(name))
    picture = next(filter(None, pictures), None)
    if picture is None or hierarchy.is_abstract(name):
        return
    # A hook may pass the sprite to a function that sets the picture.
    if forgotten.has_rebuilding_method:
        return
    if picture.attribute in forgotten.saved | forgotten.rebuilt:
        return
    declarations = [*hierarchy.declarations(name)]
    if any(_declares(symbol, picture.attribute) for symbol in declarations):
        return
    construction = [*values.methods_of_construction()]
    if _is_set_later(picture, declarations, construction, forgotten):
        return
    for symbol, method in construction:
        for attribute in symbol.declaration.attributes:
            if (attribute.name, attribute.method) == (picture.attribute, method.name):
                if not values.is_reported_in(symbol):
                    owner = symbol.declaration.qualname
                    yield UnsetAttribute(attribute.name, owner, attribute.span, True)
                return
    if any(map(values.is_reported_in, declarations)):
        return
    calls = [method.calls for _, method in construction if method.name == "__init__"]
    if picture.is_argument and BARE_CONSTRUCTION not in (calls or [()])[-1]:
        cls = declarations[0].declaration
        yield UnsetAttribute(picture.attribute, cls.qualname, cls.span, True)


def _declares(symbol: ClassSymbol, attribute: str) -> bool:
    """Return whether a class replaces an attribute by a property or a value of its own."""
    declaration = symbol.declaration
    names = {method.name for method in declaration.methods}
    return attribute in names.union(
        each.name for each in declaration.attributes if each.method is None
    )


def _is_set_later(
    picture: SpritePicture,
    declarations: list[ClassSymbol],
    construction: list[tuple[ClassSymbol, Method]],
    forgotten: ForgottenAttributes,
) -> bool:
    """Return whether a method that no constructor calls, such as `update`, sets the picture."""
    others = [
        (symbol, method)
        for symbol in declarations
        for method in symbol.declaration.methods
        if (symbol, method) not in construction
    ]
    setting = {picture.attribute, *picture.setters}
    return any(
        not setting.isdisjoint((*method.assigns, *method.calls))
        for _, method in forgotten.with_calls(others)
    )
