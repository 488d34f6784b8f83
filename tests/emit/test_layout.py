"""Long lines are opened at a bracket, and say what they said before."""

import ast

from hypothesis import example, given
from hypothesis import strategies as st

from savegen.build.emit._layout import WIDTH, imported, return_any, signature, wrap

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


def said(text, indent):
    """Return what a statement below as many `if`s as its indent tells says."""
    blocks = [" " * depth + "if q:\n" for depth in range(0, indent, 4)]
    return ast.dump(ast.parse("".join(blocks) + text + "\n"))


@given(STATEMENTS, INDENTS)
@example("data[1] = " + "f(" * 40 + ")" * 40, 8)
@example("self.a = " + "x" * 100, 4)
@example("self.a = 猫(" + "猫, " * 20 + "x)", 4)
@example("a = (" + "x" * 90 + ",)", 0)
@example('a = f("(,", ' + "x" * 90 + ', "for")', 0)
def test_a_broken_statement_says_what_it_said(text, indent):
    if not text.startswith("return"):
        assert said(wrap(text, indent), indent) == said(" " * indent + text, indent)


@given(MEMBERS, INDENTS)
def test_a_broken_member_says_what_it_said(text, indent):
    opening, closing = "{}" if text.startswith('"') else "()"
    display = "rows = {}\n{}\n{}"
    whole = display.format(opening, f"    {text},", closing)
    assert said(display.format(opening, wrap(f"{text},", 4), closing), 0) == said(
        whole, 0
    )


@given(STATEMENTS, INDENTS)
def test_a_line_that_is_too_long_has_no_brackets_to_open(text, indent):
    for line in wrap(text, indent).split("\n"):
        if len(line) > WIDTH:
            assert (
                wrap(line.strip(), len(line) - len(line.lstrip())) == line
                or line[-1] in "([{"
            )


@given(names(70), st.lists(st.tuples(names(), names(60)), max_size=3), names())
def test_a_signature_says_what_it_said(name, parameters, result):
    written = [f"q{n}{each}: C[{type}]" for n, (each, type) in enumerate(parameters)]
    whole = f"def {name}({', '.join(written)}) -> {result}: pass"
    assert said(signature(name, 0, written, result) + " pass", 0) == said(whole, 0)


@given(st.lists(names(), min_size=1, max_size=6, unique=True), st.sampled_from([0, 4]))
def test_an_import_says_what_it_said(found, indent):
    text = f"from game.foes import {', '.join(found)}"
    assert said(imported(text, indent), indent) == said(" " * indent + text, indent)


@given(st.lists(EXPRESSIONS.map("differ({})".format), min_size=1, max_size=4))
def test_conditions_say_what_they_said(conditions):
    whole = f"def f():\n    return {' or '.join(conditions)}\n"
    made = f"def f():\n{return_any(conditions, 4, 'bool')}\n"
    assert said(made, 0) == said(whole, 0)


def test_what_fits_stays_as_it_is():
    text = "x" * 80
    assert wrap(text, 8) == " " * 8 + text
