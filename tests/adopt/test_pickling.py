"""`adopt` does not save what the pickles of a class leave out."""

from __future__ import annotations

from textwrap import indent

import pytest

from tests.adopt.reading import decisions, proposal, verdicts

HERO = """
class Hero:
    def __init__(self):
        self.hp = 3
        self.seen = {"a": 1}
        self.path = [1]

"""


def hero(*methods: str) -> str:
    return HERO + "\n".join(indent(method, "    ") for method in methods)


def getstate(*lines: str) -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return f"def __getstate__(self):\n    state = self.__dict__.copy()\n{body}"


def setstate(*lines: str) -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return f"def __setstate__(self, state):\n{body}"


UPDATE = "self.__dict__.update(state)"


@pytest.mark.parametrize(
    "method",
    [
        getstate("del state['seen'], state['path']", "return state"),
        getstate("state.pop('seen', None)", "state['path'] = None", "return state"),
        getstate("for n in ('seen', 'path'):", "    state.pop(n, None)", "return state"),
        getstate("if 'seen' in state: del state['seen']", "del state['path']", "return state"),
        getstate("return {k: v for k, v in vars(self).items() if k not in ['seen', 'path']}"),
        "def __reduce__(self):\n    s = vars(self).copy()\n    del s['seen'], s['path']\n    return Hero, (), s\n",
    ],
)  # fmt: skip
def test_what_a_pickle_leaves_out_is_transient(method: str) -> None:
    found = proposal("Hero", game=hero(method))
    expected = {"hp": "int", "seen": "transient", "path": "transient"}
    assert verdicts(found, "Hero") == expected
    reason = decisions(found, "Hero")["seen"].reason
    assert reason == f"its `{method[4:].partition('(')[0]}` leaves it out"
    assert found.marks["game.py"][0].transient == ("seen", "path")


@pytest.mark.parametrize(
    "method",
    [
        getstate("if self.hp: del state['seen']", "return state"),
        getstate("state['items'] = state.pop('seen')", "return state"),
        getstate("other = {}", "del other['seen']", "return state"),
        getstate("return {k: v for k, v in other.items() if k != 'seen'}"),
        getstate("return {k: v for k, v in vars(self).items() if k == 'seen'}"),
        setstate("self.seen = {'a': 1}", UPDATE),
        setstate(UPDATE, "if 'seen' not in state:", "    self.seen = {'a': 1}"),
        setstate("seen, hp = state", "self.seen = seen", "self.hp = hp"),
        setstate(UPDATE, "self.seen['a'] = 2"),
    ],
)
def test_what_a_pickle_may_contain_is_saved(method: str) -> None:
    found = verdicts(proposal("Hero", game=hero(method)), "Hero")
    assert found["seen"] != "transient" and found["path"] != "transient"


def test_what_unpickling_assigns_is_transient() -> None:
    found = proposal("Hero", game=hero(setstate(UPDATE, "self.seen = {}")))
    assert decisions(found, "Hero")["seen"].reason == "its `__setstate__` assigns it"
    assert verdicts(found, "Hero") == {
        "hp": "int",
        "seen": "transient",
        "path": "list[int]",
    }


def test_a_subclass_may_pickle_what_its_base_leaves_out() -> None:
    base = hero(getstate("del state['seen']", "return state"))
    heir = "\nclass Heir(Hero):\n    def __getstate__(self):\n        return {}\n"
    assert verdicts(proposal("Hero", game=base + heir), "Hero")["seen"] != "transient"
    heir = heir.replace("{}", "super().__getstate__()")
    assert verdicts(proposal("Hero", game=base + heir), "Hero")["seen"] == "transient"
