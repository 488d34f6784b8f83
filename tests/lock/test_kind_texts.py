"""Kinds as a lock has them: what is written is read again, and means one thing."""

from __future__ import annotations

import pytest

from savegen.build.lock.kind_texts import KindTexts, without_not_required, read
from savegen.build.model import FLAGS, Kind, Model, SavedModule, PlainRecord
from savegen.build.stored_types import StoredTypes

INT = Kind("scalar", "builtins.int")
NONE = Kind("scalar", "None")
ANY = Kind("any_", "any")
VEC = Kind("record", "game.a:Vec")
OTHER = Kind("record", "game.b:Vec")
PATH = Kind("record", "game.a:Path")
DOG = Kind("reference", "game.a:Dog")
MOOD = Kind("enum", "game.a:Dog.Mood")
WAY = Kind("enum", "game.a:Way", values=FLAGS)
KINDS = {
    "int": INT,
    "int | None": Kind("union", "", (INT, NONE)),
    "Dog | None": Kind("reference", "", (DOG, NONE)),
    "ref[Dog]": Kind("reference", "weakref.ref", (DOG,)),
    "GameObject": Kind("reference", "savegen.GameObject"),
    "type[Dog | GameObject]": Kind("class_", "game.a:Dog | savegen.GameObject"),
    "game.a.Vec": VEC,
    "list[game.b.Vec]": Kind("container", "list", (OTHER,)),
    "game.a.Path": PATH,
    "Path": Kind("scalar", "pathlib.Path"),
    "Mood": MOOD,
    "Flag[Way]": WAY,
    "Literal['a, b', 1]": Kind("enum", "Literal", values=("'a, b'", "1")),
    "tuple[int, ...]": Kind("container", "tuple", (INT,)),
    "tuple[int, Mood]": Kind("container", "fixed_tuple", (INT, MOOD)),
    "tuple[()]": Kind("container", "fixed_tuple"),
    "dict[int, array]": Kind("container", "dict", (INT, Kind("container", "array"))),
    "Counter[Dog]": Kind("container", "Counter", (DOG,)),
    "ndarray": Kind("array", "ndarray"),
    "ndarray[int64]": Kind("array", "ndarray", values=("int64",)),
    "float32": Kind("array", "numpy.float32"),
    "numpy.bool": Kind("array", "numpy.bool"),
    "bool": Kind("scalar", "builtins.bool"),
    "Random": Kind("generator", "random.Random"),
    "PrefabType": Kind("prefab", "savegen.PrefabType"),
    "Asset[Sound]": Kind("asset", "pygame.mixer.Sound"),
    "Vector2[float]": Kind("foreign", "pygame.Vector2", values=("savegen.presets:x",)),
    "Deck[list[int]]": Kind(
        "subclass", "game.a:Deck", (Kind("container", "list", (INT,)),)
    ),
    "Pile[list[any]]": Kind(
        "subclass", "game.a:Pile", (Kind("container", "list", (ANY,)),)
    ),
    "Hex[Any]": Kind("foreign", "game.a:Hex", values=("codecs_:hexes",)),
}


@pytest.fixture(scope="module")
def model() -> Model:
    records = tuple(
        PlainRecord(each.name, each, "dataclass", ()) for each in (VEC, OTHER, PATH)
    )
    enums = ((MOOD.name, ("CALM",)), (WAY.name, ("NORTH",)))
    return Model([SavedModule("game.a", "game/a.py", records=records, enums=enums)])


@pytest.mark.parametrize("text", KINDS)
def test_a_kind_is_written_and_read_again(model: Model, text: str) -> None:
    kind = KINDS[text]
    assert KindTexts(model).of(kind) == text
    names = {"Dog": DOG, "Mood": MOOD, "Way": WAY}
    names |= {"game.a.Vec": VEC, "game.b.Vec": OTHER, "game.a.Path": PATH}
    names |= {n: Kind("subclass", f"game.a:{n}") for n in ("Deck", "Pile")}
    found = read(text, names)
    assert found is not None
    types = StoredTypes.of_model(model)
    simple = types.stored(kind).replace("game.a.Hex", "Hex").replace("pygame.", "")
    assert types.stored(found) == simple


@pytest.mark.parametrize("text", ["((", "", "list[", "Nobody", "list[Nobody]", "1 + 1"])
def test_what_is_no_kind_is_none(text: str) -> None:
    assert read(text, {}) is None


def test_a_key_that_may_be_absent_says_so(model: Model) -> None:
    text = KindTexts(model).entry(INT, required=False)
    assert text == "NotRequired[int]"
    assert without_not_required(text) == ("int", True)


def test_members_of_enumerations_of_one_name_are_kept_apart(model: Model) -> None:
    twin = SavedModule("game.c", "game/c.py", enums=(("game.c:Way", ("EAST",)),))
    spelling = KindTexts(Model([*model.modules.values(), twin]))
    assert [spelling.enum(n) for n in (MOOD.name, WAY.name, "game.c:Way")] == [
        "Dog.Mood",
        "game.a.Way",
        "game.c.Way",
    ]
