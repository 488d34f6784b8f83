"""The names of the marks for classes, fields and methods."""

PACKAGE = "savegen"

MARKS = (
    "saveable",
    "prefab",
    "part",
    "Saved",
    "Save",
    "SaveOverride",
    "before_save",
    "on_activate",
    "on_deactivate",
    "serializer",
    "deserializer",
    "migration",
    "converter",
)
# Classes of savegen that are not marks, but matter where a file uses them.
CLASSES = ("Asset", "GameObject", "Recorder")
