"""How findings look as text, whatever stands in the user's line."""

import doctest
import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from savegen.build import render
from savegen.build.render import WIDTH, paint, printable, render_text, summary
from savegen.findings import Finding, Severity, Span

PATH = "mygame/enemy.py"


def finding(span, message="a fault", help=None, severity=Severity.ERROR, code="SG203"):
    words = {"code": code, "severity": severity, "message": message, "help": help}
    return type("Fault", (Finding,), words)(span)


def shown(line, column, end_column, number=14, end_line=None, **words):
    """Render one finding about a part of a line."""
    span = Span(PATH, number, column, end_line or number, end_column)
    text = render_text([finding(span, **words)], lambda path, number: line)
    return text.removesuffix("\n\n1 error").split("\n")


def marked(line, column, end_column):
    """Return the shown line and what of it, by columns, has carets below."""
    _, _, _, source, carets = shown(line, column, end_column)
    below = carets.removeprefix("   |").rstrip()
    return source, cut(source, below.index("^") + 4, len(below) + 4)


def cut(text, start, end):
    """Return the letters of a text that lie in these columns of a terminal."""
    column, found = 0, ""
    for letter in text:
        if start <= column < end:
            found += letter
        column += columns(letter)
    return found


def columns(text):
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))


def test_a_finding_looks_like_the_one_in_the_manual():
    fault = finding(
        Span(PATH, 14, 13, 14, 38),
        "`on_hit` is a callable, which cannot be saved",
        "remove the mark, list the field in `transient`, and set it again in a method\n"
        "marked `@on_activate`",
    )
    lines = {(PATH, 14): "    on_hit: Saved[Callable[[], None]]"}
    text = render_text([fault], lambda path, number: lines.get((path, number)))
    assert text == """\
error[SG203]: `on_hit` is a callable, which cannot be saved
  --> mygame/enemy.py:14:13
   |
14 |     on_hit: Saved[Callable[[], None]]
   |             ^^^^^^^^^^^^^^^^^^^^^^^^^
   = help: remove the mark, list the field in `transient`, and set it again in a method
           marked `@on_activate`

1 error"""


def test_errors_are_shown_last_and_all_are_counted():
    text = render_text(
        [
            finding(Span(PATH, 1, 1, 1, 2), "one", code=""),
            finding(Span(PATH, 9, 1, 9, 2), "two", severity=Severity.INFO, code="SG1"),
            finding(Span(PATH, 120, 1, 120, 2), "three", severity=Severity.WARNING),
            finding(Span(PATH, 121, 1, 121, 2), "four", code=""),
        ],
        lambda path, number: f"line {number}",
    )
    assert text == """\
note[SG1]: two
 --> mygame/enemy.py:9:1
  |
9 | line 9
  | ^

warning[SG203]: three
   --> mygame/enemy.py:120:1
    |
120 | line 120
    | ^

error: one
 --> mygame/enemy.py:1:1
  |
1 | line 1
  | ^

error: four
   --> mygame/enemy.py:121:1
    |
121 | line 121
    | ^

2 errors, 1 warning, 1 note"""


def in_part(*found):
    """Render findings, of which not all are wanted; return the first line of each block."""
    faults = [
        finding(Span(PATH, line, 1, line, 2), f"at {line}", None, severity, code)
        for line, (severity, code) in enumerate(found, 1)
    ]
    text = render_text(faults, lambda *at: "x = 1", everything=False)
    return [block.partition("\n")[0] for block in text.split("\n\n")]


def test_repeats_of_a_code_are_folded_after_the_third():
    many, one = (Severity.WARNING, "SG110"), (Severity.WARNING, "SG140")
    error = (Severity.ERROR, "SG203")
    found = in_part(many, error, many, one, many, many, error, many, one, one)
    assert found == [
        "warning[SG110]: at 1",
        "warning[SG110]: at 3",
        "warning[SG140]: at 4",
        "warning[SG110]: at 5",
        "… and 2 more SG110; --all shows them",
        "warning[SG140]: at 9",
        "warning[SG140]: at 10",
        "error[SG203]: at 2",
        "error[SG203]: at 7",
        "2 errors, 8 warnings",
    ]
    assert "… and 1 more SG203; --all shows it" in in_part(*[error] * 4)
    assert in_part(*[error] * 1_000)[3] == "… and 997 more SG203; --all shows them"


def test_notes_are_counted_and_not_shown():
    note, warning = (Severity.INFO, "SG114"), (Severity.WARNING, "SG110")
    assert in_part(note) == ["1 note (--all shows it)"]
    assert in_part(*[note] * 9) == ["9 notes (--all shows them)"]
    assert in_part(note, warning, note) == [
        "warning[SG110]: at 2",
        "1 warning, 2 notes (--all shows them)",
    ]


def test_the_summary_counts_the_worst_first():
    span = Span(PATH)
    found = [
        finding(span, severity=s) for s in (0, 0, 1, 2, 2, 2) for s in [Severity(s)]
    ]
    assert summary(found) == "3 errors, 1 warning, 2 notes"


def test_without_findings_there_is_no_text():
    assert render_text([], lambda path, number: None) == ""


def test_a_line_that_is_not_there_has_no_frame():
    fault = finding(Span(PATH, 99, 1, 99, 5), help="look again")
    assert render_text([fault], lambda path, number: None) == """\
error[SG203]: a fault
  --> mygame/enemy.py:99:1
   = help: look again

1 error"""


def test_a_path_is_shown_as_the_caller_wants_it():
    text = render_text([finding(Span(PATH))], lambda *at: None, shown="../{}".format)
    assert " --> ../mygame/enemy.py:1:1" in text


def test_help_may_have_several_lines():
    assert shown("x", 1, 2, help="first\nsecond")[-2:] == [
        "   = help: first",
        "           second",
    ]


# The user's line


def test_a_tab_is_four_columns():
    assert shown("\tx = 1\t# y", 2, 3)[3:] == [
        "14 |     x = 1    # y",
        "   |     ^",
    ]


def test_a_span_that_begins_with_a_tab_is_marked_whole():
    assert shown("\tx", 1, 3)[3:] == ["14 |     x", "   | ^^^^^"]


def test_a_wide_letter_has_two_carets():
    source, part = marked('名前: Saved[str] = "ゴブリン"  # 全角', 18, 24)
    assert part == '"ゴブリン"'
    assert shown("名前 = 1", 1, 3)[4] == "   | ^^^^"


def test_a_combining_mark_has_no_caret_of_its_own():
    assert shown("e\u0301te\u0301 = x", 9, 10)[4] == "   |       ^"
    assert shown("e\u0301te\u0301 = x", 1, 6)[4] == "   | ^^^"


def test_a_span_of_nothing_has_one_caret():
    assert shown("x = 1", 3, 3)[4] == "   |   ^"
    assert shown("", 1, 1)[3:] == ["14 |", "   | ^"]


@pytest.mark.parametrize("column", [6, 7, 999])
def test_a_span_behind_the_line_is_marked_at_its_end(column):
    assert shown("x = 1", column, column + 5)[4] == "   |      ^"


def test_a_span_over_several_lines_shows_the_first():
    assert shown("  x = [  ", 3, 2, end_line=17, help="less")[3:] == [
        "14 |   x = [",
        "   |   ^^^^^",
        "...",
        "   = help: less",
    ]


def test_line_ends_are_not_part_of_the_line():
    assert shown("x = 1\r\n", 1, 2) == shown("x = 1", 1, 2)


def test_a_line_that_just_fits_is_shown_whole():
    assert shown("x" * WIDTH, 1, 2)[3] == "14 | " + "x" * WIDTH


def test_a_long_line_is_clipped_around_the_span():
    line = "a" * 500 + "BAD" + "c" * 500
    source, part = marked(line, 501, 504)
    assert part == "BAD"
    assert re.fullmatch(r"14 \| …a{57,58}BADc{57,58}…", source)
    assert columns(source) == len("14 | ") + WIDTH


def test_a_long_line_is_clipped_at_one_end_only_where_the_span_is_at_the_other():
    line = "BAD" + "c" * 500 + "BAD"
    assert marked(line, 1, 4) == ("14 | BAD" + "c" * (WIDTH - 5) + "…", "BAD")
    assert marked(line, 504, 507) == ("14 | …" + "c" * (WIDTH - 5) + "BAD", "BAD")


def test_of_a_huge_line_only_what_is_near_is_looked_at(monkeypatch):
    seen, real = [], render._cell

    def counted(letter):
        seen.append(letter)
        return real(letter)

    monkeypatch.setattr(render, "_cell", counted)
    source, part = marked("a" * 50_000 + "B" * 50_000 + "c" * 50_000, 50_001, 50_002)
    assert part == "B" and len(seen) < 10 * WIDTH
    marked("B" * 100_000, 1, 100_001)
    assert len(seen) < 20 * WIDTH


def test_a_span_longer_than_the_room_is_clipped_itself():
    source, part = marked("a" * 10 + "B" * 500 + "c", 11, 511)
    assert source == "14 | …" + "B" * (WIDTH - 2) + "…"
    assert part == "B" * (WIDTH - 2)


@given(
    line=st.text(
        st.sampled_from("ab \t名ゴe\u0301\x1b\x00\u202e\u3000\udc80😀"), max_size=400
    ),
    column=st.integers(1, 420),
    length=st.integers(0, 420),
)
@example("名" * 200, 100, 3)
@example("e\u0301" * 200, 200, 2)
def test_any_line_fits_and_the_carets_stay_below_it(line, column, length):
    # The full stop: spaces at the end of a line are not shown.
    lines = shown(f"{line}.", column, column + length)
    source, carets = (each.partition("| ")[2] for each in lines[3:5])
    assert columns(source) <= WIDTH
    assert re.fullmatch(r" *\^+", carets)
    assert len(carets) <= columns(source) + 1
    assert all(printable(each) == each for each in lines)


# Hostile text


@pytest.mark.parametrize(
    ("letter", "escape"),
    [
        ("\x1b", r"\x1b"),
        ("\x00", r"\x00"),
        ("\x7f", r"\x7f"),
        ("\x9b", r"\x9b"),
        ("\r", r"\r"),
        ("\x0c", r"\x0c"),
        ("\u2028", r"\u2028"),
        ("\u202e", r"\u202e"),
        ("\u200b", r"\u200b"),
        ("\udc80", r"\udc80"),
        ("\U000e0041", r"\U000e0041"),
    ],
)
def test_what_could_steer_a_terminal_is_escaped_wherever_it_stands(letter, escape):
    fault = finding(Span(f"a{letter}.py", 1, 2, 1, 3), f"b{letter}", f"c{letter}d")
    text = render_text([fault], lambda path, number: f"x{letter}y")
    assert text.split("\n")[:6] == [
        f"error[SG203]: b{escape}",
        f" --> a{escape}.py:1:2",
        "  |",
        f"1 | x{escape}y",
        f"  |  {'^' * len(escape)}",
        text.split("\n")[5],
    ]
    assert letter not in text


def test_a_message_is_one_line():
    assert shown("x", 1, 2, message="one\ntwo")[0] == r"error[SG203]: one\ntwo"


@pytest.mark.parametrize("text", ["größe", "名前\u3000x", "a\u00a0b", "😀", ""])
def test_letters_that_can_be_read_stay(text):
    assert printable(text) == text


def test_printable_keeps_what_it_is_told_to():
    assert printable("a\n\tb\x1b", keep="\n\t") == "a\n\tb\\x1b"


# Colour


def test_colour_changes_nothing_but_the_codes():
    found = [
        finding(Span(PATH, 14, 3, 14, 9), help="this way", severity=severity)
        for severity in Severity
    ]

    def line(path, number):
        return "\tx = 名前 \x1b[0m"

    plain = render_text(found, line)
    coloured = render_text(found, line, colour=True)
    assert "\x1b" not in plain and "\x1b" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_every_code_is_reset_on_its_line():
    fault = finding(Span(PATH, 14, 3, 15, 9), help="this way")
    for line in render_text([fault], lambda *at: "  x = 1", colour=True).split("\n"):
        codes = re.findall(r"\x1b\[([0-9;]*)m", line)
        assert codes[1::2] == ["0"] * (len(codes) // 2) and len(codes) % 2 == 0


def test_the_severities_have_their_colours():
    assert paint("x", "error") == "\x1b[1;31mx\x1b[0m"
    assert len({paint("x", s.name.lower()) for s in Severity}) == len(Severity)


def test_nothing_is_not_painted():
    assert paint("", "error") == ""


def test_the_examples_hold():
    results = doctest.testmod(render)
    assert (results.attempted > 0, results.failed) == (True, 0)
