"""Every type that a field can have, with values that are hard to keep and values that are wrong.

All of it is text: the test writes a game with it, and the game's own process evaluates it.
"""

from __future__ import annotations

from typing import NamedTuple


class Specimen(NamedTuple):
    """One type of fields."""

    type: str
    values: tuple[str, ...]  # any of them may stand in a set, if the type can
    kind: str  # of savegen.build.kinds
    wrong: tuple[tuple[str, str, str], ...] = ()  # value, path below the field, found
    unhashable: tuple[str, ...] = ()  # values that fit, but cannot stand in a set
    hashable: bool = True
    fixed: bool = True  # cannot change, so that a class may have it as a default

    @property
    def all(self) -> tuple[str, ...]:
        return self.values + self.unhashable


def scalar(
    type: str, *values: str, wrong: str, unhashable: tuple[str, ...] = ()
) -> Specimen:
    value = wrong if "(" in wrong else f"{wrong}(1)"
    name = value.partition("(")[0]
    found = f"an {name}" if name == "int" else f"a {name}"
    return Specimen(type, values, "scalar", ((value, "", found),), unhashable)


def enum(type: str, *values: str, wrong: str, found: str) -> Specimen:
    return Specimen(type, values, "enum", ((wrong, "", found),))


def value(type: str, *values: str, wrong: tuple[str, str, str]) -> Specimen:
    return Specimen(type, values, "value", (wrong,))


def record(
    type: str, *values: str, wrong: tuple[str, str, str], hashable: bool = False
) -> Specimen:
    return Specimen(type, values, "record", (wrong,), hashable=hashable, fixed=False)


def changing(
    type: str, *values: str, wrong: tuple[tuple[str, str, str], ...]
) -> Specimen:
    return Specimen(type, values, "container", wrong, hashable=False, fixed=False)


def fixed(type: str, *values: str, wrong: tuple[str, str, str]) -> Specimen:
    return Specimen(type, values, "container", (wrong,))


def reference(type: str, *values: str, hashable: bool = True) -> Specimen:
    wrong = (("stats(1)", "", "a Stats"),)
    return Specimen(type, values, "reference", wrong, hashable=hashable, fixed=False)


def union(type: str, *values: str, wrong: tuple[str, str, str]) -> Specimen:
    return Specimen(type, values, "union", (wrong,), hashable=False, fixed=False)


def shared(kind: str, type: str, *values: str, wrong: tuple[str, str]) -> Specimen:
    return Specimen(type, values, kind, ((wrong[0], "", wrong[1]),), fixed=False)


def array(type: str, *values: str, wrong: str, found: str) -> Specimen:
    wrongs = ((wrong, "", found),)
    return Specimen(type, values, "array", wrongs, hashable=False, fixed=False)


def foreign(
    type: str, *values: str, wrong: tuple[str, str], hashable: bool = False
) -> Specimen:
    wrongs = ((wrong[0], "", wrong[1]),)
    return Specimen(type, values, "foreign", wrongs, hashable=hashable, fixed=False)


SPECIMENS = {
    # scalars
    "bool": scalar("bool", "True", "False", wrong="int"),
    "int": Specimen(
        "int",
        ("0", "-(2**70)", "2**63"),
        "scalar",
        (("'1'", "", "a str"), ("True", "", "a bool"), ("Level.ONE", "", "a Level")),
    ),
    "float": scalar(
        "float",
        "-0.0",
        "nan(7)",
        "-nan(0)",
        "math.inf",
        "-math.inf",
        "5e-324",
        "1",
        wrong="bool",
    ),
    "complex": scalar(
        "complex", "complex(-0.0, nan(3))", "complex(0.0, -0.0)", wrong="float"
    ),
    "str": scalar(
        "str", "''", "'\\ud800 \\udcff'", "'e\\u0301'", "'\\0\\r\\n'", wrong="int"
    ),
    "bytes": scalar("bytes", "b''", "bytes(range(256))", wrong="bytearray"),
    "none": scalar("None", "None", wrong="int"),
    "decimal": scalar(
        "Decimal",
        "Decimal('1.00')",
        "Decimal('-0')",
        "Decimal('NaN123')",
        "Decimal('-Infinity')",
        wrong="float",
        unhashable=("Decimal('sNaN7')",),
    ),
    "fraction": scalar("Fraction", "Fraction(-1, 3)", "Fraction(2**80)", wrong="int"),
    "date": scalar("date", "date.min", "date.max", wrong="datetime(1, 1, 1)"),
    "time": scalar(
        "time", "time(1, fold=1)", "time(2, 3, 4, 5, timezone.utc)", wrong="float"
    ),
    "datetime": scalar(
        "datetime",
        "datetime.max",
        "datetime(2020, 10, 25, 2, 30, fold=1, tzinfo=ZoneInfo('Europe/Paris'))",
        "datetime(2020, 1, 1, tzinfo=timezone(timedelta(hours=-3), 'x'))",
        wrong="date(1, 1, 1)",
    ),
    "timedelta": scalar(
        "timedelta", "timedelta.min", "timedelta(0, 0, 1)", wrong="int"
    ),
    "uuid": scalar(
        "UUID", "UUID(int=0)", "UUID(int=1, is_safe=SafeUUID.safe)", wrong="str"
    ),
    "path": scalar("pathlib.Path", "pathlib.Path('a')", "pathlib.Path()", wrong="str"),
    "pure_path": scalar("pathlib.PurePath", "PureWindowsPath('c:/x')", wrong="str"),
    "posix_path": scalar("pathlib.PosixPath", "pathlib.Path('/x')", wrong="str"),
    "pure_posix": scalar("PurePosixPath", "PurePosixPath('a/b')", wrong="str"),
    "windows_path": scalar("pathlib.WindowsPath", "pathlib.Path('/x')", wrong="str"),
    "pure_windows": scalar("PureWindowsPath", "PureWindowsPath('//a/b')", wrong="str"),
    "gold": scalar("Gold", "Gold(3)", "Gold(4)", wrong="str"),
    # enumerations
    "mood": enum("Mood", "Mood.CALM", "Mood.ANGRY", wrong="'CALM'", found="a str"),
    "level": enum("Level", "Level.ONE", "Level.TWO", wrong="1", found="an int"),
    "doors": enum(
        "Doors", "Doors(0)", "Doors.NORTH | Doors.SOUTH", wrong="1", found="an int"
    ),
    "bits": enum("Bits", "Bits(0)", "Bits(64)", wrong="Mood.CALM", found="a Mood"),
    "word": enum("Word", "Word.YES", "Word.NO", wrong="'yes'", found="a str"),
    "heavy": enum("Heavy", "Heavy.LIST", "Heavy.DICT", wrong="[1]", found="a list"),
    "inner": enum("Outer.Inner", "Outer.Inner.A", wrong="Mood.CALM", found="a Mood"),
    "literal": enum(
        "Literal['left', 1, b'x', None, \"it's\"]",
        "'left'",
        "1",
        "b'x'",
        "None",
        '"it\'s"',
        wrong="True",
        found="a bool",
    ),
    # values
    "vec": value("Vec2", "Vec2(-0.0, 1)", wrong=("Vec2(1, 'x')", ".y", "a str")),
    "colour": value("Colour", "Colour('red')", wrong=("Colour(1)", ".name", "an int")),
    "line": value(
        "Line",
        "Line(Vec2(0, 1), (Vec2(2, 3),))",
        wrong=("Line(Vec2(0, 1), (Vec2(2, ''),))", ".rest[0].y", "a str"),
    ),
    "frozen_attrs": value(
        "FrozenAttrs", "FrozenAttrs(1)", wrong=("FrozenAttrs('')", ".hp", "a str")
    ),
    "frozen_struct": value(
        "FrozenStruct", "FrozenStruct(1)", wrong=("FrozenStruct('')", ".hp", "a str")
    ),
    "tree": value(
        "Tree", "Tree(1, Tree(2))", wrong=("Tree(1, Tree(''))", ".left.hp", "a str")
    ),
    # records
    "stats": record(
        "Stats",
        "stats(1)",
        "stats(2)",
        wrong=("stats(1, ['a', 2])", ".tags[1]", "an int"),
    ),
    "big": record(
        "BigStats",
        "BigStats(1, ['a'], None, {1: [2]})",
        wrong=("BigStats(1, ['a'], None, {1: 2})", ".more[1]", "an int"),
    ),
    "slotted": record(
        "SlotStats",
        "SlotStats(1, ['a'])",
        wrong=("SlotStats(1, ['a', 1])", ".tags[1]", "an int"),
    ),
    "attrs": record(
        "AttrStats",
        "AttrStats(1, ['a'])",
        wrong=("AttrStats(1, [1])", ".tags[0]", "an int"),
    ),
    "struct": record(
        "StructStats",
        "StructStats(1, ['a'])",
        wrong=("StructStats(1, [1])", ".tags[0]", "an int"),
    ),
    "struct_link": record(
        "StructLink",
        "StructLink(foe(0), [foe(1)])",
        wrong=("StructLink(foe(0), [1])", ".others[0]", "an int"),
    ),
    "holder": record(
        "FrozenHolder",
        "FrozenHolder(1, [2])",
        wrong=("FrozenHolder(1, [''])", ".items[0]", "a str"),
    ),
    "slot_holder": record(
        "FrozenSlots",
        "FrozenSlots(1, [2])",
        wrong=("FrozenSlots(1, [''])", ".items[0]", "a str"),
    ),
    "tuple_holder": record(
        "TupleHolder",
        "TupleHolder(1, [2])",
        wrong=("TupleHolder(1, [''])", ".items[0]", "a str"),
    ),
    "bag": record(
        "Bag",
        "{'coins': 1, 'names': ['x']}",
        "{'coins': 1, 'names': [], 'lost': {'a': [1]}}",
        wrong=("{'coins': 1, 'names': ['x', 2]}", "['names'][1]", "an int"),
    ),
    "partial": record(
        "PartialBag",
        "{}",
        "{'names': [1]}",
        wrong=("{'coin': 1}", "", "a key 'coin'"),
    ),
    "node": record(
        "Node",
        "Node(1, [2], Node(3, []))",
        wrong=("Node(1, [2], Node(3, ['']))", ".next.items[0]", "a str"),
    ),
    "link": record(
        "Link",
        "Link(foe(0), [foe(1), foe(0)])",
        "Link(None, [])",
        wrong=("Link(foe(0), [None])", ".others[0]", "a NoneType"),
    ),
    "frozen_link": record(
        "FrozenLink",
        "FrozenLink(foe(0))",
        "FrozenLink(foe(1))",
        wrong=("FrozenLink(1)", ".target", "an int"),
        hashable=True,
    ),
    "tuple_link": record(
        "TupleLink",
        "TupleLink(foe(0), 1)",
        wrong=("TupleLink(0, 1)", ".target", "an int"),
        hashable=True,
    ),
    "bag_link": record(
        "BagLink",
        "{'who': foe(0), 'all': {'a': foe(1)}}",
        "{'who': None}",
        wrong=("{'who': 1}", "['who']", "an int"),
    ),
    "camp": record(
        "Camp",
        "camp(foe(0), foe(1))",
        "camp(foe(1))",
        wrong=("Camp(set(), {foe(0): [1]}, None)", ".grudges[Foe][0]", "an int"),
    ),
    "frozen_camp": record(
        "FrozenCamp",
        "FrozenCamp(frozenset({foe(0)}), (weakref.ref(foe(1)), foe(0)))",
        "FrozenCamp(frozenset(), (weakref.ref(foe(1)), foe(0)))",
        wrong=("FrozenCamp(frozenset({1}), (1, 1))", ".foes{}", "an int"),
    ),
    # containers
    "list": changing(
        "list[int]", "[1, 2**70]", "[]", wrong=(("[1, 'x']", "[1]", "a str"),)
    ),
    "deep": changing(
        "list[list[list[list[set[int]]]]]",
        "[[[[{1}, set()], []]]]",
        wrong=(("[[[[{''}]]]]", "[0][0][0][0]{}", "a str"),),
    ),
    "set": changing("set[str]", "{'b', 'a'}", wrong=(("{1}", "{}", "an int"),)),
    "set_of_tuples": changing(
        "set[tuple[int, Vec2]]",
        "{(1, Vec2(2, 3))}",
        wrong=(("{(1, Vec2('', 3))}", "{}[1].x", "a str"),),
    ),
    "dict": changing(
        "dict[str, int]",
        "{'b': 1, 'a': 2}",
        wrong=(("{'a': ''}", "['a']", "a str"), ("{1: 1}", " key 1", "an int")),
    ),
    "dict_of_dicts": changing(
        "dict[Mood, dict[int, list[float]]]",
        "{Mood.CALM: {1: [nan(1)], 0: []}}",
        wrong=(("{Mood.CALM: {1: [0, '']}}", "[Mood][1][1]", "a str"),),
    ),
    "bytearray": changing(
        "bytearray", "bytearray(b'ab')", wrong=(("b'ab'", "", "a bytes"),)
    ),
    "array": changing(
        "array",
        "array('H', [1, 2])",
        "array('d', [nan(1)])",
        wrong=(("[1]", "", "a list"),),
    ),
    "deque": changing(
        "deque[int]",
        "deque([1, 2], 5)",
        "deque()",
        wrong=(("deque([1, ''])", "[1]", "a str"),),
    ),
    "deque_of_lists": changing(
        "deque[list[int]]",
        "deque([[1], []], maxlen=2)",
        wrong=(("deque([['']])", "[0][0]", "a str"),),
    ),
    "defaultdict": changing(
        "defaultdict[str, int]",
        "defaultdict(int, b=1, a=2)",
        "defaultdict(int)",
        wrong=(
            ("{}", "", "a dict"),
            ("defaultdict(None)", "", "a defaultdict"),
            ("defaultdict(lambda: 0)", "", "a defaultdict"),
        ),
    ),
    "defaultdict_of_lists": changing(
        "defaultdict[str, list[int]]",
        "defaultdict(list, b=[1], a=[])",
        wrong=(("defaultdict(list, b=[''])", "['b'][0]", "a str"),),
    ),
    "ordered": changing(
        "OrderedDict[str, int]",
        "OrderedDict(b=1, a=2)",
        wrong=(("OrderedDict(a='')", "['a']", "a str"),),
    ),
    "ordered_lists": changing(
        "OrderedDict[str, list[int]]",
        "OrderedDict(b=[1], a=[])",
        wrong=(("{'b': [1]}", "", "a dict"),),
    ),
    "counter": changing(
        "Counter[str]",
        "Counter(b=-1, a=0)",
        wrong=(("Counter(a='')", "['a']", "a str"),),
    ),
    "list_of_stats": changing(
        "list[Stats]",
        "[stats(1), stats(2)]",
        wrong=(("[stats('')]", "[0].hp", "a str"),),
    ),
    "pair": fixed("tuple[int, str]", "(1, 'a')", wrong=("(1, 2)", "[1]", "an int")),
    "single": fixed("tuple[float]", "(-0.0,)", wrong=("(1, 2)", "", "a tuple")),
    "empty": fixed("tuple[()]", "()", wrong=("(1,)", "", "a tuple")),
    "many": fixed(
        "tuple[int, ...]", "(1, 2, 3)", "()", wrong=("('',)", "[0]", "a str")
    ),
    "position": fixed("Position", "(1.5, -0.0)", wrong=("(1, '')", "[1]", "a str")),
    "frozenset": fixed(
        "frozenset[int]", "frozenset({1})", wrong=("frozenset('a')", "{}", "a str")
    ),
    "pair_of_lists": changing(
        "tuple[list[int], int]",
        "([1, 2], 3)",
        wrong=(("([1, ''], 3)", "[0][1]", "a str"),),
    ),
    "lists": changing(
        "tuple[list[int], ...]",
        "([1], [])",
        wrong=(("([1], [''])", "[1][0]", "a str"),),
    ),
    # references
    "foe": reference("Foe", "foe(0)", "foe(1)"),
    "beast": reference("Beast", "foe(0)"),
    "foe_or_door": reference("Foe | Door", "foe(0)", "door()"),
    "hittable": reference("Hittable", "door()", "foe(1)"),
    "weak": reference("weakref.ref[Foe]", "weakref.ref(foe(0))", hashable=False),
    "foes": changing(
        "list[Foe]",
        "[foe(1), foe(0), foe(1)]",
        wrong=(("[None]", "[0]", "a NoneType"),),
    ),
    "friends": changing(
        "dict[Foe, list[Foe | None]]",
        "{foe(0): [foe(1), None], foe(1): []}",
        wrong=(("{foe(0): [1]}", "[Foe][0]", "an int"),),
    ),
    "foe_set": changing(
        "set[Foe]", "{foe(0), foe(1)}", wrong=(("{1}", "{}", "an int"),)
    ),
    "foe_keys": changing(
        "dict[tuple[int, Foe], frozenset[Foe]]",
        "{(1, foe(0)): frozenset({foe(1)})}",
        wrong=(("{(1, foe(0)): frozenset({1})}", "[tuple]{}", "an int"),),
    ),
    "foe_count": changing(
        "Counter[Foe]",
        "Counter([foe(0)])",
        wrong=(("Counter([1])", " key 1", "an int"),),
    ),
    "weak_list": changing(
        "list[weakref.ref[Foe]]",
        "[weakref.ref(foe(0))]",
        wrong=(("[foe(0)]", "[0]", "a Foe"),),
    ),
    "foe_defaultdict": changing(
        "defaultdict[str, deque[Foe]]",
        "defaultdict(deque, a=deque([foe(0)], 4))",
        wrong=(("defaultdict(deque, a=deque([1]))", "['a'][0]", "an int"),),
    ),
    "foe_tuple": changing(
        "tuple[Foe, int]", "(foe(0), 1)", wrong=(("(1, 1)", "[0]", "an int"),)
    ),
    "foe_frozenset": changing(
        "frozenset[Foe]",
        "frozenset({foe(0)})",
        "frozenset({foe(1), foe(0)})",
        wrong=(("frozenset({1})", "{}", "an int"),),
    ),
    "foe_scores": changing(
        "defaultdict[Foe, int]",
        "defaultdict(int, {foe(1): 1, foe(0): 2})",
        "defaultdict(int, {foe(0): 2, foe(1): 1})",
        wrong=(("defaultdict(int, {1: 1})", " key 1", "an int"),),
    ),
    "foe_order": changing(
        "OrderedDict[Foe, list[Foe]]",
        "OrderedDict([(foe(1), [foe(0)]), (foe(0), [])])",
        "OrderedDict([(foe(0), []), (foe(1), [foe(0)])])",
        wrong=(("OrderedDict({foe(0): [1]})", "[Foe][0]", "an int"),),
    ),
    "foe_tuple_count": changing(
        "Counter[tuple[Foe, Mood]]",
        "Counter({(foe(0), Mood.CALM): 2})",
        wrong=(("Counter([(1, Mood.CALM)])", " key tuple[0]", "an int"),),
    ),
    "foe_maps": changing(
        "dict[str, dict[tuple[Foe, tuple[int, Foe | None]], list[Foe]]]",
        "{'a': {(foe(0), (1, foe(1))): [foe(0)], (foe(0), (1, None)): []}, 'b': {}}",
        wrong=(("{'a': {(foe(0), (1, 2)): []}}", "['a'] key tuple[1][1]", "an int"),),
    ),
    "weak_map": changing(
        "dict[Foe, weakref.ref[Foe]]",
        "{foe(0): weakref.ref(foe(1))}",
        wrong=(("{foe(0): foe(1)}", "[Foe]", "a Foe"),),
    ),
    "link_keys": changing(
        "dict[FrozenLink, set[TupleLink]]",
        "{FrozenLink(foe(0)): {TupleLink(foe(1), 1), TupleLink(foe(0), 2)}}",
        wrong=(("{FrozenLink(1): set()}", " key FrozenLink.target", "an int"),),
    ),
    # classes, assets, prefabs
    "class": shared("class_", "type[Foe]", "Foe", wrong=("int", "a type")),
    "classes": shared(
        "class_", "type[Foe | Door]", "Foe", "Door", wrong=("Pup", "a type")
    ),
    "asset": shared(
        "asset",
        "Annotated[ModuleType, Asset()]",
        "math",
        "struct",
        wrong=("1", "an int"),
    ),
    "maybe_asset": Specimen(
        "Annotated[ModuleType | None, Asset()]",
        ("math", "None"),
        "union",
        (("1", "", "an int"),),
        fixed=False,
    ),
    "prefab": shared(
        "prefab",
        "PrefabType",
        "PrefabType.ROCKET",
        "PrefabType.ORC",
        wrong=("77", "an int"),
    ),
    # bound methods
    "method": Specimen(
        "Method[[], int]",
        ("foe(0).roar", "foe(1).roar", "foe(1).hidden()"),
        "method",
        (("len", "", "a builtin_function_or_method"), ("1", "", "an int")),
        fixed=False,
    ),
    "method_or_int": union(
        "Method[..., object] | int | None",
        "foe(1).flee",
        "3",
        wrong=("''", "", "a str"),
    ),
    "methods": changing(
        "list[tuple[int, int, Method]]",
        "[(1, 2, foe(1).flee), (7, 1, foe(0).roar)]",
        wrong=(("[(1, 2, 3)]", "[0][2]", "an int"),),
    ),
    # arrays
    "ndarray": array(
        "np.ndarray",
        "np.arange(6).reshape(2, 3)",
        "np.array([nan(3), -0.0])",
        "np.zeros((0, 2), 'S3')",
        "np.array(5, '>i2')",
        "np.array([(1, 2.5)], [('a', 'u1'), ('b', 'f8', 2)])",
        "np.asfortranarray([[1, 2], [3, 4]])",
        "np.arange(9)[::2]",
        wrong="np.array([object()])",
        found="an array of objects",
    ),
    "floats": array(
        "npt.NDArray[np.float32]",
        "np.ones(3, 'f4')",
        "np.zeros(2, 'f4')",
        "np.asfortranarray([[1, 2], [3, 4]], 'f4')",
        "np.ones(2, '>f4')",
        wrong="np.matrix([1])",
        found="a matrix",
    ),
    "np_float": Specimen(
        "np.float32",
        ("np.float32(1.5)", "np.float32('nan')", "np.float32(-0.0)"),
        "array",
        (("1.5", "", "a float"),),
    ),
    "np_date": Specimen(
        "np.datetime64",
        ("np.datetime64('2020-01-01')", "np.datetime64('2020-01-01T00:00:00.1')"),
        "array",
        (("date(1, 1, 1)", "", "a date"),),
    ),
    "np_number": Specimen(
        "np.number[Any]",
        ("np.int8(3)", "np.uint64(2**63)", "np.complex64(1j)"),
        "array",
        (("3", "", "an int"),),
    ),
    # generators
    "random": shared(
        "generator",
        "random.Random",
        "rng(1)",
        "rng(2)",
        wrong=("random.SystemRandom()", "a SystemRandom"),
    ),
    "np_random": shared(
        "generator",
        "np.random.Generator",
        "rng('PCG64')",
        "rng('MT19937')",
        "rng('Philox')",
        "rng('SFC64')",
        "rng('PCG64DXSM')",
        wrong=("rng(1)", "a Random"),
    ),
    "rngs": changing(
        "dict[str, list[random.Random]]",
        "{'a': [rng(1), rng(2), rng(1)]}",
        wrong=(("{'a': [1]}", "['a'][0]", "an int"),),
    ),
    "rng_and_foe": changing(
        "tuple[random.Random, list[Foe]]",
        "(rng(1), [foe(0)])",
        wrong=(("(1, [])", "[0]", "an int"),),
    ),
    # other libraries
    "vector": foreign(
        "pygame.Vector2",
        "pygame.Vector2(-0.0, nan(3))",
        "pygame.Vector2(1, 2)",
        wrong=("pygame.Vector3(1)", "a Vector3"),
    ),
    "vector3": foreign(
        "pygame.math.Vector3",
        "pygame.Vector3(1, 2, 3)",
        wrong=("(1, 2, 3)", "a tuple"),
    ),
    "rect": foreign(
        "pygame.Rect",
        "pygame.Rect(1, 2, 3, 4)",
        "pygame.Rect(1, 2, 3, 5)",
        wrong=("pygame.FRect(1, 2, 3, 4)", "a FRect"),
    ),
    "frect": foreign(
        "pygame.FRect", "pygame.FRect(0.1, 2, 3, 4)", wrong=("Box(1, 2, 3, 4)", "a Box")
    ),
    "color": foreign(
        "pygame.Color",
        "pygame.Color(1, 2, 3, 4)",
        "pygame.Color('red')",
        wrong=("'red'", "a str"),
    ),
    "panda_vec": foreign("Vec3", "Vec3(1, 2, 0.1)", wrong=("1", "an int")),
    "panda_point": foreign("LPoint2i", "LPoint2i(1, 2)", wrong=("1", "an int")),
    "panda_quat": foreign("Quat", "Quat(1, 2, 3, 4)", wrong=("1", "an int")),
    "panda_matrix": foreign(
        "Mat4", "Mat4(*range(16))", "Mat4()", wrong=("1", "an int")
    ),
    "pyglet_vec": Specimen(
        "pyglet.math.Vec2",
        ("pyglet.math.Vec2(1.5, -0.0)", "pyglet.math.Vec2(0, 1)"),
        "foreign",
        (("(1, 2)", "", "a tuple"),),
    ),
    "arcade_color": Specimen(
        "arcade.types.Color",
        ("arcade.types.Color(1, 2, 3, 4)",),
        "foreign",
        (("(1, 2, 3, 4)", "", "a tuple"),),
    ),
    "arcade_rect": Specimen(
        "arcade.types.Rect",
        ("arcade.types.Rect(0, 1, 0, 1, 1, 1, 0.5, 0.5)",),
        "foreign",
        (("1", "", "an int"),),
    ),
    "hex": foreign(
        "Hex", "Hex(1, (2,))", "Hex(0, ())", wrong=("1", "an int"), hashable=True
    ),
    "vector_or_list": union(
        "pygame.Vector2 | list[float] | str",
        "pygame.Vector2(1, 2)",
        "[1.5]",
        "'a'",
        wrong=("['']", "[0]", "a str"),
    ),
    "array_or_rng": union(
        "np.ndarray | random.Random | int | Hex | type[Foe]",
        "np.ones(3)",
        "rng(1)",
        "1",
        "Hex(1, ())",
        "Foe",
        wrong=("''", "", "a str"),
    ),
    # unions
    "int_or_str": Specimen(
        "int | str", ("1", "'a'"), "union", (("1.5", "", "a float"),)
    ),
    "int_or_list": union(
        "int | list[int]", "1", "[1, 2]", wrong=("[1, '']", "[1]", "a str")
    ),
    "stats_or_vec": union(
        "Stats | Vec2",
        "stats(1)",
        "Vec2(1, 2)",
        wrong=("stats(1, [2])", ".tags[0]", "an int"),
    ),
    "foe_or_int": union("Foe | int", "foe(0)", "3", wrong=("''", "", "a str")),
    "many_members": union(
        "list[Foe] | dict[str, list[int]] | set[int] | Stats | Link | str",
        "[foe(0)]",
        "{'a': [1]}",
        "{1}",
        "stats(1)",
        "Link(foe(0), [])",
        "'a'",
        wrong=("{'a': [1, '']}", "['a'][1]", "a str"),
    ),
    "foes_or_foe": union(
        "set[Foe] | dict[tuple[Foe, int], list[Foe]] | Counter[Foe] | Camp | Foe | str",
        "{foe(0)}",
        "{(foe(0), 1): [foe(1)]}",
        "Counter([foe(0)])",
        "camp(foe(0), foe(1))",
        "foe(1)",
        "'a'",
        wrong=("{(foe(0), 1): [1]}", "[tuple][0]", "an int"),
    ),
    "weak_or_foes": union(
        "weakref.ref[Foe] | frozenset[Foe] | tuple[weakref.ref[Foe], Foe]",
        "weakref.ref(foe(0))",
        "frozenset({foe(0)})",
        "(weakref.ref(foe(0)), foe(0))",
        wrong=("(foe(0), foe(0))", "[0]", "a Foe"),
    ),
    "tuples": union(
        "tuple[int, str] | tuple[Mood, ...] | tuple[Vec2, int]",
        "(1, 'a')",
        "(Mood.CALM, Mood.ANGRY)",
        "(Mood.ANGRY, Mood.ANGRY)",
        "(Vec2(0, 1), 1)",
        "(Vec2(0, 2), 1)",
        wrong=("(1, 1)", "[1]", "an int"),
    ),
    "array_or_int": union(
        "array | int", "array('B', [1])", "1", wrong=("[1]", "", "a list")
    ),
    "bytes_or_bytearray": union(
        "bytes | bytearray", "b'a'", "bytearray(b'a')", wrong=("[1]", "", "a list")
    ),
    "deque_or_counter": union(
        "deque[list[int]] | Counter[str] | OrderedDict[str, int]",
        "deque([[1]], 3)",
        "Counter(a=1)",
        "OrderedDict(a=1)",
        wrong=("deque([['']])", "[0][0]", "a str"),
    ),
    "weak_or_int": union(
        "weakref.ref[Foe] | int", "weakref.ref(foe(0))", "1", wrong=("''", "", "a str")
    ),
}

# The plain classes that these types name. `Foe` and `Door` are saveable; `Beast` is a base of `Foe`.
CLASSES = """
Gold = NewType("Gold", int)
Position = tuple[float, float]

class Hittable(Protocol):
    hp: int

class Mood(Enum):
    CALM = 1
    ANGRY = 2
    RAGING = 2

class Level(IntEnum):
    ONE = 1
    TWO = 2

class Doors(Flag):
    NORTH = 1
    SOUTH = 2

class Bits(IntFlag):
    A = 1

class Word(StrEnum):
    YES = "yes"
    NO = "no"

class Heavy(Enum):
    LIST = [1]
    DICT = {"a": [1]}

class Outer:
    class Inner(Enum):
        A = 1

class Vec2(NamedTuple):
    x: float
    y: float

@dataclass(frozen=True)
class Colour:
    name: str

@dataclass(frozen=True)
class Line:
    start: Vec2
    rest: tuple[Vec2, ...]

@dataclass(frozen=True, slots=True)
class Tree:
    hp: int
    left: Tree | None = None

@attrs.frozen
class FrozenAttrs:
    hp: int

class FrozenStruct(msgspec.Struct, frozen=True):
    hp: int

@dataclass
class Stats:
    hp: int
    tags: list[str]
    best: Vec2 | None = None

@dataclass
class BigStats(Stats):
    more: dict[int, list[int]] | None = None

@dataclass(slots=True)
class SlotStats:
    hp: int
    tags: list[str]

@attrs.define
class AttrStats:
    hp: int
    tags: list[str]

class StructStats(msgspec.Struct):
    hp: int
    tags: list[str]

class StructLink(msgspec.Struct, frozen=True):
    target: Foe
    others: list[Foe]

@dataclass(frozen=True)
class FrozenHolder:
    hp: int
    items: list[int]

@dataclass(frozen=True, slots=True)
class FrozenSlots:
    hp: int
    items: list[int]

class TupleHolder(NamedTuple):
    hp: int
    items: list[int]

class Bag(TypedDict):
    coins: int
    names: list[str]
    lost: NotRequired[dict[str, list[int]]]

class PartialBag(TypedDict, total=False):
    names: list[int]

@dataclass
class Node:
    hp: int
    items: list[int]
    next: Node | None = None

@dataclass
class Link:
    target: Foe | None
    others: list[Foe]

@dataclass(frozen=True)
class FrozenLink:
    target: Foe

class TupleLink(NamedTuple):
    target: Foe
    hp: int

@dataclass
class Camp:
    foes: set[Foe]
    grudges: dict[Foe, list[Foe]]
    next: Camp | None

@dataclass(frozen=True)
class FrozenCamp:
    foes: frozenset[Foe]
    pair: tuple[weakref.ref[Foe], Foe]

class BagLink(TypedDict):
    who: Foe | None
    all: NotRequired[dict[str, Foe]]
"""

# What `Foe` has, and the functions that values call.
FOE_BODY = """
    hp: Saved[int] = 3

    def roar(self):
        return self.hp

    def flee(self, *others):
        return others

    def __hide(self):
        return self.hp

    def hidden(self):
        return self.__hide
"""
FUNCTIONS = """
def nan(payload):
    return struct.unpack(">d", struct.pack(">Q", 0x7FF8000000000000 | payload))[0]

def camp(*foes):
    return Camp({*foes}, {foe: [*foes] for foe in foes}, Camp(set(), {}, None))

def stats(hp, tags=("a", "b")):
    return Stats(hp, list(tags), Vec2(1.0, -0.0))
"""
