"""Annotations in quotes, whole or in part."""

from typing import Annotated, List, Optional

from savegen import Save, Saved, saveable

from _savegen.components.game import NodeSaveLoad


@saveable
class Node(NodeSaveLoad):
    whole: "Saved[int]" = 0
    part: Saved["Node | None"] = None
    inner: Saved[Optional["Node"]] = None
    deep: Saved[dict[str, "list[Node]"]]
    nested: "Saved[List['Node']]"
    annotated: "Annotated[Optional['Node'], Save('above')]" = None
    text: Annotated["str", "Node", Save()] = "Node"

    # A string is only a string.
    unmarked: str = "Saved[int]"
    noted: Annotated[int, "Saved[int]"] = 0
