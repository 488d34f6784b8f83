"""The words that mark classes, fields and methods: one list for all that look for them."""

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
# What else of savegen means something where a file names it.
CLASSES = ("Asset", "GameObject", "Recorder")
