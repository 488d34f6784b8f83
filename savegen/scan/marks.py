"""The words that mark classes, fields and hooks: one list for all that look for them."""

PACKAGE = "savegen"

MARKS = (
    "saveable",
    "Saved",
    "Save",
    "SaveOverride",
    "before_save",
    "on_activate",
    "on_deactivate",
)
