"""The types of the standard library, numpy and pygame, as far as `adopt` knows them."""

from __future__ import annotations

from savegen.build.adopt.types import (
    BOOL,
    BYTES,
    CONTAINERS,
    FLOAT,
    INT,
    STR,
    InferredType,
)
from savegen.build.kinds import OLDER_NAMES, SCALARS

# Containers whose element types are unknown unless the annotation has type arguments
UNSPECIFIC = {"tuple", "type"}.union(n for n, c in CONTAINERS.items() if c.parameters)

_SURFACE, _RECT = InferredType("pygame.Surface"), InferredType("pygame.Rect")

# The results of functions
RETURNS = {
    **dict.fromkeys(("int", "len", "ord", "hash", "id"), INT),
    **dict.fromkeys(("bool", "isinstance", "issubclass", "callable", "any", "all", "hasattr"), BOOL),
    **dict.fromkeys(("str", "repr", "chr", "input", "format", "hex", "bin", "ascii"), STR),
    "float": FLOAT,
    "bytes": BYTES,
    "bytearray": InferredType("bytearray"),
    "complex": InferredType("complex"),
    **dict.fromkeys(("time.time", "time.monotonic", "time.perf_counter", "random.random",
                     "random.uniform", "random.gauss", "math.sqrt", "math.sin", "math.cos",
                     "math.atan2", "math.hypot", "math.radians", "math.degrees", "math.tan"), FLOAT),
    **dict.fromkeys(("random.randint", "random.randrange", "random.getrandbits", "math.floor",
                     "math.ceil", "time.time_ns"), INT),
    **dict.fromkeys(("os.path.join", "os.getcwd"), STR),
    **{function: InferredType(each.full) for each in SCALARS.values() for function in each.returned_by.split()},
    **dict.fromkeys(
        ("numpy.zeros", "numpy.ones", "numpy.full", "numpy.empty", "numpy.array", "numpy.arange",
         "numpy.asarray", "numpy.linspace", "numpy.zeros_like", "numpy.ones_like", "numpy.full_like",
         "numpy.empty_like", "numpy.eye", "numpy.identity"),
        InferredType("numpy.ndarray"),
    ),
    "numpy.random.default_rng": InferredType("numpy.random.Generator"),
    "open": InferredType("io.IOBase"),
    **dict.fromkeys(("pygame.time.get_ticks", "time.perf_counter_ns"), INT),
    **dict.fromkeys(
        ("pygame.image.load", "pygame.display.set_mode", "pygame.display.get_surface",
         "pygame.transform.scale", "pygame.transform.flip", "pygame.transform.rotate",
         "pygame.transform.scale2x", "pygame.transform.smoothscale", "pygame.transform.rotozoom"),
        _SURFACE,
    ),
    "pygame.font.SysFont": InferredType("pygame.font.Font"),
}  # fmt: skip

# Classes outside the game that a call constructs
CONSTRUCTED = {"random.Random", "random.SystemRandom", "itertools.count"}.union(
    each.full for each in SCALARS.values() if each.module != "builtins"
)

# Functions that return an element of their first argument
RETURNS_ELEMENT = frozenset(
    {"random.choice", "heapq.heappop", "heapq.heapreplace", "heapq.heappushpop"}
)

# The results of methods, by class
METHOD_RESULTS = {
    "str": {**dict.fromkeys(("upper", "lower", "strip", "lstrip", "rstrip", "replace", "join", "format", "title", "capitalize", "zfill", "ljust", "rjust", "center"), STR),
            **dict.fromkeys(("startswith", "endswith", "isdigit", "isalpha"), BOOL),
            **dict.fromkeys(("count", "find", "index"), INT),
            **dict.fromkeys(("split", "splitlines"), InferredType("list", (STR,))), "encode": BYTES},
    "random.Random": {"random": FLOAT, "uniform": FLOAT, "gauss": FLOAT, "randint": INT, "randrange": INT, "getrandbits": INT},
    "pygame.Surface": {
        **dict.fromkeys(("convert", "convert_alpha", "copy", "subsurface"), _SURFACE),
        **dict.fromkeys(("get_rect", "get_bounding_rect"), _RECT),
        **dict.fromkeys(("get_width", "get_height"), INT),
    },
    "pygame.font.Font": {"render": _SURFACE},
    "pygame.Rect": dict.fromkeys(("copy", "move", "inflate", "clip", "union", "clamp"), _RECT),
    "pygame.Vector2": {
        **dict.fromkeys(("copy", "normalize", "rotate", "lerp"), InferredType("pygame.Vector2")),
        **dict.fromkeys(("length", "magnitude", "distance_to", "angle_to"), FLOAT),
    },
}  # fmt: skip

GENERIC = {
    **{older: name.removeprefix("builtins.") for older, name in OLDER_NAMES.items()},
    **{"typing.Type": "type", "typing.Text": "str"},
}

# Abstract types that do not say which container holds the elements
ITERATED = frozenset(
    {
        "typing.Iterable", "typing.Iterator", "typing.Sequence", "typing.Collection",
        "collections.abc.Iterable", "collections.abc.Iterator", "collections.abc.Sequence",
        "collections.abc.Collection", "collections.abc.Set", "typing.AbstractSet",
        "typing.Generator", "collections.abc.Generator", "typing.MutableSequence",
        "collections.abc.MutableSequence",
    }
)  # fmt: skip
NAMED_TUPLES = frozenset({"collections.namedtuple", "typing.NamedTuple"})
CALLABLES = frozenset({"typing.Callable", "collections.abc.Callable"})

_RECT_NUMBERS = "x y w h width height top left bottom right centerx centery".split()
_RECT_PAIRS = "center topleft topright bottomleft bottomright midtop midleft midbottom midright size".split()
LIBRARY_ATTRIBUTES = {
    "pygame.Rect": {
        **dict.fromkeys(_RECT_NUMBERS, INT),
        **dict.fromkeys(_RECT_PAIRS, InferredType("tuple", (INT, INT))),
    },
    **dict.fromkeys(
        ("pygame.Vector2", "pygame.math.Vector2"), dict.fromkeys(("x", "y"), FLOAT)
    ),
}
