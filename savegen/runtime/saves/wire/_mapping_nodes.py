"""Forms of mappings: the keys and the values of each; a dict where all keys are texts."""

from __future__ import annotations

from functools import cached_property
from types import GenericAlias
from typing import Any

from savegen.runtime.errors import SaveCorruptError
from savegen.runtime.saves.document import Form
from savegen.runtime.saves.wire._container_nodes import (
    HeadedNode,
    flat,
    parted,
    plain_list,
)
from savegen.runtime.saves.wire._json import is_text
from savegen.runtime.saves.wire._leaf_nodes import broken
from savegen.runtime.saves.wire._node import (
    DEPTH,
    Column,
    NewNumber,
    Node,
    Nodes,
    arguments,
    list_of,
    tuple_of,
)


def body(keys: Column, values: Column, are_texts: bool) -> Any:
    """Return a mapping as it is written; `are_texts` says that its keys are of `str`."""
    if are_texts and all(type(key) is str for key in keys):
        return dict(zip(keys, values, strict=True))
    return [[*keys], [*values]]


def halves(body: Any) -> tuple[Column, Column]:
    """Return the keys and the values of a mapping as it is written."""
    if type(body) is dict:
        return [*body], [*body.values()]
    keys, values = body
    if len(keys) != len(values):
        raise SaveCorruptError(
            "the save has a dict with more keys than values, or fewer"
        )
    return keys, values


class EntriesNode(Node):
    """A mapping whose keys are alike and whose values are alike."""

    def __init__(self, form: Form, nodes: Nodes) -> None:
        super().__init__(form, nodes)
        self.made_of(map(nodes.of, self._forms()))
        self.key, self.value = self.parts

    def _forms(self) -> list[Form]:
        return arguments(self.form, 2)

    @property
    def _are_texts(self) -> bool:
        return self.key.form in ("str", ["str"])

    @cached_property
    def type(self) -> Any:
        pair = tuple_of([list_of(self.key.type), list_of(self.value.type)])
        texts = GenericAlias(dict, (str, self.value.type))
        return texts | pair if self._are_texts else pair

    def settle(self, values: Column, depth: int = DEPTH) -> Column:
        if not (self.key.is_raw or self.value.is_raw):
            return values
        found = [*map(halves, values)]
        return self._joined(
            found,
            self.key.settle(flat(keys for keys, _ in found), depth),
            self.value.settle(flat(each for _, each in found), depth),
        )

    def _joined(self, like: list[Any], keys: Column, values: Column) -> list[Any]:
        lists = [keys for keys, _ in like]
        pairs = zip(parted(keys, lists), parted(values, lists))
        return [body(*pair, self._are_texts) for pair in pairs]

    def _relink(self, values: Column, new: NewNumber) -> Column:
        found = [*map(halves, values)]
        return self._joined(
            found,
            self.key.relink(flat(keys for keys, _ in found), new),
            self.value.relink(flat(each for _, each in found), new),
        )

    def plain(self, values: Column) -> list[Any]:
        found = [*map(halves, values)]
        keys = self.key.plain(flat(keys for keys, _ in found))
        items = self.value.plain(flat(each for _, each in found))
        lists = [each for each, _ in found]
        return [*map(_plain_entries, parted(keys, lists), parted(items, lists))]

    def wire(self, plains: Column, depth: int = DEPTH) -> list[Any]:
        found = [*map(_entries, plains)]
        return self._joined(
            found,
            self.key.wire(flat(keys for keys, _ in found), depth),
            self.value.wire(flat(each for _, each in found), depth),
        )


def _plain_entries(keys: list[Any], values: list[Any]) -> Any:
    if all(type(key) is str and is_text(key) for key in keys):
        return dict(zip(keys, values))
    return [*map(list, zip(keys, values))]


def _entries(plain: Any) -> tuple[list[Any], list[Any]]:
    if type(plain) is dict:
        return [*plain], [*plain.values()]
    pairs = [*map(plain_list, plain_list(plain))]
    if any(len(pair) != 2 for pair in pairs):
        raise broken(plain)
    return [key for key, _ in pairs], [value for _, value in pairs]


class CounterNode(EntriesNode):
    """A mapping to what each key counts."""

    def _forms(self) -> list[Form]:
        return [*arguments(self.form, 1), "int"]


class DefaultNode(HeadedNode):
    """The name of its factory, and its entries."""

    head = str | None
    items: EntriesNode

    def __init__(self, form: Form, nodes: Nodes) -> None:
        super().__init__(form, nodes)
        self.items = EntriesNode(form, nodes)
        self.made_of([self.items])

    def _plain(self, head: Any, items: Any) -> Any:
        return {"$factory": head, "items": items}

    def _parted(self, plain: Any) -> tuple[Any, Any]:
        if type(plain) is not dict or {*plain} != {"$factory", "items"}:
            raise broken(plain)
        if type(plain["$factory"]) not in (str, type(None)):
            raise broken(plain)
        return plain["$factory"], plain["items"]


NODES: dict[str, type[Node]] = {
    **dict.fromkeys(["dict", "ordereddict"], EntriesNode),
    "counter": CounterNode,
    "defaultdict": DefaultNode,
}
