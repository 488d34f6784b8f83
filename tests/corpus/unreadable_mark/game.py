"""The arguments of marks are read, not run."""

from typing import Annotated

from savegen import Save, Saved, SaveOverride, saveable

from _savegen.components.game import GoodSaveLoad, HeroSaveLoad, WrongSaveLoad

NAME = "hp"
LIMITS = {"ge": 1}


@saveable(transient=NAME)
class Hero(HeroSaveLoad):
    by_name: Annotated[int, Save(NAME)] = 0
    not_an_identifier: Annotated[int, Save("max hp")] = 0
    a_flag: Annotated[int, Save(False)] = 0
    a_keyword: Annotated[int, Save("class")] = 0
    not_a_word: Annotated[int, Save(3)] = 0
    two_names: Annotated[int, Save("hp", "mp")] = 0
    unknown: Annotated[int, Save(exposed="hp")] = 0
    limits: Annotated[int, Save(**LIMITS)] = 0
    limit: Annotated[int, Save(ge="1")] = 0
    flag: Annotated[int, Save(editor="no")] = 0
    computed: Annotated[int, Save(le=2 * 3)] = 0
    former: Annotated[int, Save(was=["a", NAME])] = 0
    misspelt: Annotated[int, Save(defualt=3)] = 0
    former_factory: Annotated[int, Save(defaultfactory=int)] = 0


@saveable("Wrong", override=1, static=True)
class Wrong(WrongSaveLoad):
    hp: Annotated[int, SaveOverride(ge=True)] = 0


@saveable(transient=("sprite",), was="Held", override=False)
class Good(GoodSaveLoad):
    hp: Annotated[int, Save("health", editor=True, was=("life", "energy"))] = 0
    mp: Annotated[float, Save(name="mana", ge=0, gt=-1, le=1e3, lt=1_000.5)] = 0.0
    xp: Annotated[int, Save(None, was=())] = 0
    gold: Annotated[int, Save] = 0
