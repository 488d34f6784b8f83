"""A field that is marked twice: what a merge of two branches leaves behind."""

from typing import Annotated

from savegen import Save, Saved, saveable

from _savegen.components.game import OrcSaveLoad


@saveable
class Orc(OrcSaveLoad):
    hp: Saved[int] = 1
    name: Annotated[str, Save("title")] = ""
    hp: Saved[str] = "x"
    name: Annotated[str, Save("label")] = ""
