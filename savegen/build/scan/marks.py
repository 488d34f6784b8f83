"""The names of the marks for classes, fields and methods, and of the package that has them."""

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
CLASSES = ("Asset", "GameObject", "Method", "Recorder")


def is_in_savegen(module: str) -> bool:
    """Return whether a dotted module name is savegen or one of its modules."""
    return module == PACKAGE or module.startswith(f"{PACKAGE}.")


# The marks in the annotations of fields.
FIELD_MARKS = ("Saved", "Save", "SaveOverride")
