"""The questions of `adopt` are short, and their choices can be pasted into the source."""

from __future__ import annotations

import pytest

from savegen.build.adopt import report
from tests.adopt.reading import proposal


@pytest.mark.parametrize(
    ("body", "problem", "saved"),
    [
        ("self.x = eval('1')", "the type is unknown", "declare `x: Saved[…]` in the class"),
        ("self.x = None", "only None is assigned to it", "declare `x: Saved[… | None]` in the class"),
        ("self.x = []", "nothing shows what the list contains", "declare `x: Saved[list[…]]` in the class"),
        ("self.x = {}", "nothing shows what the dict contains", "declare `x: Saved[dict[…, …]]` in the class"),
        ("self.x = Counter()", "nothing shows what the Counter contains", "declare `x: Saved[Counter[…]]` in the class"),
        ("self.x: dict = {}", "`dict` does not say what it contains", "declare `x: Saved[…]` in the class"),
        ("self.x: Odd = Odd()", "savegen has no codec for `odd.Odd`", "declare `x: Saved[Odd]` in the class"),
    ],
)  # fmt: skip
def test_a_question_names_the_problem_and_the_mark(
    body: str, problem: str, saved: str
) -> None:
    text = f"from collections import Counter\nfrom odd import Odd\nclass Hero:\n    def __init__(self):\n        self.f = lambda: 1\n        {body}\n"
    (question,) = proposal("Hero", game=text).questions
    assert (question.subject, question.problem) == ("Hero.x", problem)
    assert question.choices == (
        f"saved: {saved}",
        'rebuilt after a load: `@saveable(transient=("f", "x"))`',
    )


def test_attributes_with_the_same_problem_are_one_question() -> None:
    text = """
    class Hero:
        x: list
        y: list
    """
    found = proposal("Hero", game=text)
    (question,) = found.questions
    assert question.subject == "Hero.x, y"
    assert question.choices[0] == "saved: annotate each, as in `x: Saved[…]`"
    assert report.summary(found) == "1 class, 2 attributes: 2 open; 1 question"


def test_an_attribute_of_the_class_itself_has_other_choices() -> None:
    text = """
    class Game:
        instance = None
        def __init__(self):
            Game.instance = self
    """
    (question,) = proposal("Game", game=text).questions
    assert question.problem == "assigned on the class, so it belongs to no saved object"
    assert question.choices == (
        "a reference to the object itself: assign it in a method marked `@on_activate`, too",
        "state: keep it in the object that holds your state",
        'needed by no save: `@saveable(transient=("instance",))`',
    )
