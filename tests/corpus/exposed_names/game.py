"""What level authors see: other names, limits, nothing."""

from __future__ import annotations

from typing import Annotated

from savegen import Save, Saved, saveable

from _savegen.components.game import CameraSaveLoad, ZoomedSaveLoad


@saveable
class Camera(CameraSaveLoad):
    bounds: Saved[int] = 0
    zoom: Annotated[float, Save("zoom_level", ge=0.1, gt=0, le=8, lt=8.5)] = 1.0
    shaken: Annotated[bool, Save(editor=False)] = False
    named_and_hidden: Annotated[bool, Save("unseen", editor=False)] = False
    by_keyword: Annotated[str, Save(name="label")] = ""
    none_at_all: Annotated[str, Save(None)] = ""
    _private: Saved[int] = 0
    former: Annotated[int, Save(was=("old", "older"))] = 0


@saveable
class Zoomed(ZoomedSaveLoad, Camera):
    # Marked again with another name, and without its limits.
    zoom: Annotated[float, Save("magnification")] = 2.0
