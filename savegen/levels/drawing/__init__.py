"""A level as a picture: what its author wants to look at.

layout → terrain, markers, labels ─→ map ─→ page with title, numbers and legend
"""

from __future__ import annotations

from dataclasses import replace

from PIL import Image

from savegen.levels.drawing.labels import draw_labels, labels_of
from savegen.levels.drawing.markers import (
    draw_markers,
    groups_of,
    markers_of,
    radius_of,
)
from savegen.levels.drawing.page import draw_page
from savegen.levels.drawing.terrain import draw_terrain
from savegen.levels.drawing.view import view_of
from savegen.levels.layout import Layout

_REACH = 24  # pixels between sprites of one entry that share a label


def draw(layout: Layout, scale: float | None = None) -> Image.Image:
    """Return a picture of a level: rectangles outlined over the visuals, sprites labelled.

    A unit has `scale` pixels; by itself as many as make a picture of a good size. The same
    level gives the same picture.
    """
    view = view_of(layout.layers)
    if scale is not None:
        view = replace(view, scale=scale)
    canvas = draw_terrain(layout.layers, view)
    radius = radius_of(view)
    markers = markers_of(layout.layers, view)
    draw_markers(canvas, markers, radius)
    groups = groups_of(markers, max(_REACH, round(view.scale * 1.2)))
    labels = labels_of(groups, markers, radius, canvas.size)
    draw_labels(canvas, labels, radius)
    return draw_page(layout, canvas, view, len(groups) - len(labels))
