"""Long lines are broken where black breaks them, whatever stands in them."""

import textwrap

import black
from hypothesis import example, given
from hypothesis import strategies as st

from savegen.emit._layout import SKIP, imported, signature, statement

LETTERS = st.sampled_from("abcdefgh_")


@st.composite
def names(draw, longest=40):
    # Not a word of Python's, whatever letters follow.
    return "q" + "".join(draw(st.lists(LETTERS, max_size=longest)))


SOURCES = st.one_of(
    names(),
    names(12).map("self.{}".format),
    st.tuples(names(), names()).map(lambda pair: "data[{}.{}]".format(*pair)),
)


def of(inner, template, count):
    """Expressions that have others in them."""
    parts = st.tuples(*[inner] * count, SOURCES)
    return parts.map(lambda parts: template.format(*parts))


def larger(inner):
    several = st.lists(inner, min_size=1, max_size=3).map(", ".join)
    return st.one_of(
        of(inner, "[{0} for x in {1}]", 1),
        of(inner, "{{{0}: {1} for k, x in {2}.items()}}", 2),
        of(inner, "tuple([{0} for x in {1}])", 1),
        of(inner, "deque([{0} for x in {1}], {1}.maxlen)", 1),
        of(inner, "None if {1} is None else {0}", 1),
        of(inner, "{0} if type({2}) is list else ({1} if _Q.fits({2}) else {2})", 2),
        of(inner, "({0}, {1}, [*{2}])", 2),
        of(inner, "({0},)", 1),
        st.tuples(names(), several).map("{0[0]}({0[1]})".format),
        st.tuples(names(), several).map("checks.{0[0]}({0[1]})".format),
    )


EXPRESSIONS = st.recursive(
    SOURCES | SOURCES.map("[*{}]".format) | SOURCES.map("{}.copy()".format),
    larger,
    max_leaves=8,
)


def generic(inner):
    arguments = st.lists(inner, min_size=1, max_size=3).map(", ".join)
    unions = st.lists(inner, min_size=2, max_size=4).map(" | ".join)
    return st.tuples(names(), arguments).map("{0[0]}[{0[1]}]".format) | unions


TYPES = st.recursive(names(), generic, max_leaves=8)

STATEMENTS = st.one_of(
    st.tuples(names(), names(), EXPRESSIONS).map("data[{0[0]}.{0[1]}] = {0[2]}".format),
    st.tuples(names(), EXPRESSIONS).map("self.{0[0]} = {0[1]}".format),
    st.tuples(names(), EXPRESSIONS).map('set_field(o, "{0[0]}", {0[1]})'.format),
    st.tuples(names(), EXPRESSIONS).map("{0[0]}.holds(a={0[1]}, b=c)".format),
    st.tuples(names(), names(), names(), names()).map(
        "{0[0]} = f({0[1]}, restore={0[2]}, link={0[3]})".format
    ),
    st.tuples(names(), TYPES).map("{0[0]}: {0[1]}".format),
    st.tuples(names(), TYPES, SOURCES).map("{0[0]}: C[{0[1]}] = {0[2]}".format),
    EXPRESSIONS.map("return {}".format),
)
MEMBERS = EXPRESSIONS | st.tuples(names(), EXPRESSIONS).map('"{0[0]}": {0[1]}'.format)
INDENTS = st.sampled_from([0, 4, 8, 12])


def in_a_block(text, indent):
    """Put a text below as many `if`s as its indent tells, after their lines."""
    blocks = [" " * depth + "if q:\n" for depth in range(0, indent, 4)]
    return "from __future__ import annotations\n\n" + "".join(blocks) + text + "\n"


def by_black(text, indent):
    """Return what black makes of a line; `text` may be a block that begins with it."""
    formatted = black.format_str(
        in_a_block(textwrap.indent(text, " " * indent), indent), mode=black.Mode()
    )
    before = in_a_block("", indent).strip("\n")
    return formatted.removeprefix(before).strip("\n")


@given(STATEMENTS, INDENTS)
@example("data[1] = " + "f(" * 40 + ")" * 40, 8)
@example("return " + "x" * 100, 4)
@example("self.a = 猫(" + "猫, " * 20 + "x)", 4)
def test_a_statement_is_broken_as_black_breaks_it(text, indent):
    assert statement(indent, text).removesuffix(SKIP) == by_black(text, indent)


@given(MEMBERS, INDENTS)
def test_a_member_is_broken_as_black_breaks_it(text, indent):
    opening, closing = "{}" if text.startswith('"') else "()"
    other = '"q": 1' if opening == "{" else "q"
    display = f"rows += {opening}\n    {other},\n    {text},\n{closing}"
    formatted = by_black(display, indent).split("\n")[2:-1]
    assert statement(indent + 4, f"{text},") == "\n".join(formatted)


@given(st.tuples(names(), names()), st.sampled_from([4, 8]))
def test_a_condition_is_broken_as_black_breaks_it(parts, indent):
    for text in (
        "if {}.{} in data:".format(*parts),
        f'if hasattr(self, "{parts[0]}"):',
        "if data.{} is not {}:".format(*parts),
    ):
        formatted = by_black(f"{text}\n    pass", indent)
        assert statement(indent, text) == formatted.rpartition("\n")[0]
        second = by_black(f"if q:\n    pass\nel{text}\n    pass", indent)
        head, _, rest = second.partition("pass\n")
        assert statement(indent, f"el{text}") == rest.rpartition("\n")[0]


@given(names(70), st.lists(st.tuples(names(), names(60)), max_size=3), names())
def test_a_signature_is_broken_as_black_breaks_it(name, parameters, result):
    written = [f"{parameter}: C[{type}]" for parameter, type in parameters]
    text = f"def {name}({', '.join(written)}) -> {result}:\n    pass"
    formatted = by_black(text, 4)
    assert signature(name, 4, written, result) == formatted.rpartition("\n")[0]


@given(st.lists(names(), min_size=1, max_size=6, unique=True), st.sampled_from([0, 4]))
def test_an_import_is_broken_as_black_breaks_it(found, indent):
    text = f"from game.foes import {', '.join(found)}"
    assert imported(text, indent) == by_black(text, indent)


def test_what_fits_stays_as_it_is():
    text = "x" * 80
    assert statement(8, text) == " " * 8 + text
