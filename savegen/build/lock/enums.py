"""Keep the names of enum members: old saves hold them."""

from __future__ import annotations

from savegen.build.lock.facts import DISPUTED, Lock
from savegen.build.lock.faults import LostMember
from savegen.build.lock.spelling import Spelling
from savegen.build.model import Field, Model, SavedClass, SavedModule, reached
from savegen.findings import Report


def enum_members(
    lock: Lock, model: Model, report: Report, spelling: Spelling
) -> dict[str, str]:
    """Return the state of each member; one that is gone is reported."""
    alive: set[str] = set()
    users: dict[str, Field | SavedClass] = {}
    for module in model.modules.values():
        for name, members in module.enums:
            enum = spelling.enum(name)
            users.setdefault(enum, _user_of(module, name))
            alive.update(f"{enum}.{member}" for member in members)
    for member, state in lock.members.items():
        user = users.get(member.rpartition(".")[0])
        if user and state == "member" and member not in alive:
            field = user.name if isinstance(user, Field) else ""
            report.add(LostMember(user.span, member, field))
    kept = {m: "lost" if s == DISPUTED else s for m, s in lock.members.items()}
    return {**kept, **dict.fromkeys(alive, "member")}


def _user_of(module: SavedModule, enum: str) -> Field | SavedClass:
    """Return the first field that leads to an enumeration, else its class."""
    fields = (field for cls in module.classes for field in cls.fields)
    leading = (f for f in fields if any(k.name == enum for _, k in reached(f, module)))
    return next(leading, module.classes[0])
