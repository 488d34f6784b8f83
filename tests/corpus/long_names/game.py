"""Long names and deep types: lines are broken as black breaks them."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, Literal, NamedTuple, TypedDict

from savegen import Save, Saved, saveable

from _savegen.components.game import (
    AnExtraordinarilyLongNameForASaveableClassOfAGameSaveLoad,
    TheOnlyOneOfItsRatherUnusualAndLonelyKindSaveLoad,
    ThingSaveLoad,
)


class TheColoursOfAnExtraordinarilyLongRainbowInTheSky(Enum):
    THE_VERY_FIRST_COLOUR_OF_THEM_ALL = 1


@dataclass
class AnInventoryThatHoldsWhateverSomebodyMightFind:
    everything_that_was_found_so_far: list[dict[str, tuple[int, list[str]]]] = field(
        default_factory=list
    )
    whoever_left_it_there_if_that_is_known: (
        AnExtraordinarilyLongNameForASaveableClassOfAGame | None
    ) = None


class AStepOfAnExceedinglyLongAndWindingJourney(NamedTuple):
    where_the_journey_went_after_all: list[tuple[float, float]]
    who_went_along_on_the_journey: list[
        AnExtraordinarilyLongNameForASaveableClassOfAGame
    ]


class WhatThereIsToKnowAboutAWholeKingdom(TypedDict, total=False):
    the_names_of_the_kings_and_queens: dict[str, list[tuple[int, int, list[str]]]]


@saveable
class AnExtraordinarilyLongNameForASaveableClassOfAGame(
    AnExtraordinarilyLongNameForASaveableClassOfAGameSaveLoad
):
    an_attribute_with_a_name_of_no_mean_length: Saved[int] = 0
    another_attribute_with_such_a_name_a_list: Saved[list[int]]
    whoever_is_hunted_by_this_one_at_present: Saved[
        AnExtraordinarilyLongNameForASaveableClassOfAGame | Thing | None
    ] = None
    whoever_else_is_hunted_by_this_one: Saved[
        list[AnExtraordinarilyLongNameForASaveableClassOfAGame]
    ]
    what_somebody_carries_around_all_day_long: Saved[
        AnInventoryThatHoldsWhateverSomebodyMightFind
    ]
    what_somebody_carries_perhaps_or_perhaps_not: Saved[
        AnInventoryThatHoldsWhateverSomebodyMightFind | None
    ] = None
    the_journey: Saved[list[AStepOfAnExceedinglyLongAndWindingJourney]]
    the_kingdom: Saved[WhatThereIsToKnowAboutAWholeKingdom]
    the_colours_by_the_hour_of_the_day: Saved[
        dict[int, TheColoursOfAnExtraordinarilyLongRainbowInTheSky]
    ]
    a_deep_one: Saved[
        dict[
            str,
            OrderedDict[
                tuple[int, str], defaultdict[str, deque[list[tuple[int, list[int]]]]]
            ],
        ]
    ]
    a_choice: Saved[
        Literal[
            "the first of many possible choices",
            "the second of many possible choices",
            "the third of many possible choices",
        ]
    ] = "the first of many possible choices"
    a_union: Saved[
        list[list[int]]
        | dict[str, AnInventoryThatHoldsWhateverSomebodyMightFind]
        | set[tuple[int, int]]
        | None
    ] = None
    hidden: Annotated[bool, Save(editor=False)] = False


@saveable
class TheOnlyOneOfItsRatherUnusualAndLonelyKind(
    TheOnlyOneOfItsRatherUnusualAndLonelyKindSaveLoad
):
    the_only_attribute_that_it_has_got_to_save: Saved[
        AnExtraordinarilyLongNameForASaveableClassOfAGame | None
    ] = None


@saveable
class Thing(ThingSaveLoad):
    x: Saved[int] = 0
    an_attribute_with_a_name_that_is_so_long_that_it_does_not_fit_into_a_line_any_more: Saved[
        int
    ] = 0
    z: Saved[
        list[
            TheOnlyOneOfItsRatherUnusualAndLonelyKind
            | AnExtraordinarilyLongNameForASaveableClassOfAGame
        ]
    ]
