"""A hook accepts what savegen passes to it, and is an ordinary method."""

from functools import wraps
from typing import Any

from savegen import Activation, Saved, before_save, on_activate, on_deactivate, saveable

from _savegen.components.game import BossSaveLoad, GunSaveLoad, OrcSaveLoad, TrollSaveLoad


def counted(method: Any) -> Any:
    @wraps(method)
    def call(self: Any, *rest: Any) -> Any:
        return method(self)

    return call


@saveable
class Orc(OrcSaveLoad):
    hp: Saved[int] = 3

    @on_activate  # type: ignore[arg-type]
    def wake(self) -> None: ...

    @on_activate  # type: ignore[arg-type]
    def rise(self, reason: Activation, speed: int) -> None: ...

    @on_activate  # type: ignore[arg-type]
    def walk(self, reason: Activation, *, speed: int) -> None: ...

    @before_save
    async def tidy(self) -> None: ...

    @on_deactivate
    @staticmethod
    def sleep() -> None: ...

    @on_deactivate
    @classmethod
    def rest(cls) -> None: ...

    @before_save  # type: ignore[arg-type]
    def pack(self, reason: Activation) -> None: ...

    @on_deactivate
    def leave(self) -> None: ...


@saveable
class Boss(BossSaveLoad, Orc):
    # What overrides a hook is a hook, too.
    def leave(self, now: bool) -> None: ...  # type: ignore[override] # pyright: ignore

    # These are good, and those of the base are reported there.
    def pack(self) -> None: ...  # type: ignore[override] # pyright: ignore

    wake = None  # type: ignore # pyright: ignore


@saveable
class Troll(TrollSaveLoad):
    hp: Saved[int] = 3

    @on_activate
    def wake(self, reason: Activation) -> None: ...

    @on_activate
    def rise(self, *reasons: Any) -> None: ...

    @on_activate
    def walk(self, reason: Activation, speed: int = 3, *, far: bool = True) -> None: ...

    @on_activate
    @counted
    def run(self) -> None: ...

    @before_save
    @on_deactivate
    def tidy(self) -> None: ...

    def hit(self, damage: int) -> None: ...


@saveable(override=True)
class Gun(GunSaveLoad):
    ready: Saved[bool] = True

    # What savegen passes to these is the same for all classes.
    def save_data(self) -> Any:  # type: ignore[override] # pyright: ignore
        return self.save_data_()

    def load_data(self, data: Any) -> None:  # type: ignore[override] # pyright: ignore
        self.load_data_(data)
