"""The words that a game needs: `from savegen import saveable, Saved`."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from savegen.runtime import Activation as Activation
    from savegen.runtime import Save as Save
    from savegen.runtime import Saved as Saved
    from savegen.runtime import SaveError as SaveError
    from savegen.runtime import SaveOverride as SaveOverride
    from savegen.runtime import before_save as before_save
    from savegen.runtime import on_activate as on_activate
    from savegen.runtime import on_deactivate as on_deactivate
    from savegen.runtime import saveable as saveable

__all__ = [
    "Activation",
    "Save",
    "SaveError",
    "SaveOverride",
    "Saved",
    "before_save",
    "on_activate",
    "on_deactivate",
    "saveable",
]


def __getattr__(name: str) -> Any:
    # Lazy, so that the build side can be imported without the run time.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from savegen import runtime

    return getattr(runtime, name)
