"""A set keeps no order: a load may change how its objects are walked."""

from __future__ import annotations

from dataclasses import dataclass, field

from savegen import Saved, saveable

from _savegen.components.game import ClubSaveLoad, MemberSaveLoad


@dataclass
class Team:
    players: set[Member] = field(default_factory=set)


@saveable
class Member(MemberSaveLoad):
    name: Saved[str] = ""


@saveable
class Club(ClubSaveLoad):
    members: Saved[set[Member]]
    honoured: Saved[frozenset[Member]] = frozenset()
    by_year: Saved[dict[int, set[Member]]]
    pairs: Saved[set[tuple[Member, Member]]]
    team: Saved[Team | None] = None

    # Sets of other things are put in order; dicts and lists keep theirs.
    years: Saved[set[int]]
    ordered: Saved[dict[Member, None]]
    listed: Saved[list[Member]]
