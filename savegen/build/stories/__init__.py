"""Read the explanation of each finding from its page of Markdown.

A page has a title, paragraphs of one line each, and fenced blocks of source code: a `wrong` and a
`right` version, and the version `before` if the fault is a change. A block whose first line is
`# shop.py` is the file of that name; other blocks are `game.py`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from savegen import disk

TAGS = ("before", "wrong", "right")

_FOLDER = disk.parent(__file__)
_BLOCK = re.compile(rf"^```({'|'.join(TAGS)})\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_NAMED = re.compile(r"# ([\w./-]+\.py)\n")


class Story(NamedTuple):
    """The explanation of one finding."""

    code: str
    title: str
    text: str  # paragraphs, separated by empty lines
    blocks: tuple[tuple[str, str], ...]  # tag and text

    @property
    def leaves_out_base(self) -> bool:
        """Whether the examples contain a saveable class without its generated base class."""
        examples = "\n".join(text for _, text in self.blocks)
        return "@saveable" in examples and "SaveLoad" not in examples

    def shown(self, tag: str) -> str:
        """Return the blocks with a tag as one text; "" without such blocks."""
        return "\n".join(text for _, text in self._tagged(tag))

    def files(self, tag: str) -> dict[str, str]:
        """Return the blocks with a tag, by file name."""
        matches = ((_NAMED.match(text), text) for _, text in self._tagged(tag))
        return {match[1] if match else "game.py": text for match, text in matches}

    def _tagged(self, tag: str) -> list[tuple[str, str]]:
        return [block for block in self.blocks if block[0] == tag]


def codes() -> list[str]:
    """Return the codes of all findings, sorted."""
    names = disk.files_in(_FOLDER)
    return sorted(name[:-3] for name in names if name.endswith(".md"))


def alike(code: str) -> list[str]:
    """Return the codes of the same series that differ in one digit or in two swapped ones.

    If too many codes differ in one digit, a guess would not help, and the list is empty.

    >>> alike("SG230"), alike("203"), alike("SG999")
    (['SG203'], ['SG203'], [])
    """
    digits = code.upper().removeprefix("SG")
    series = [each for each in codes() if each[2] == digits[:1]]
    same = [each for each in series if each[2:] == digits]
    swapped = [each for each in series if sorted(each[2:]) == sorted(digits)]
    off = [each for each in series if _is_one_off(each[2:], digits)]
    return same or swapped or (off if len(off) <= 3 else [])


def _is_one_off(one: str, other: str) -> bool:
    return len(one) == len(other) and sum(map(str.__ne__, one, other)) == 1


def story(code: str) -> Story:
    """Return the story of a finding. Raises `FileNotFoundError` if the code is unknown."""
    page = disk.read(disk.join(_FOLDER, f"{code}.md")).decode()
    page = page.replace("\r\n", "\n")
    title, _, text = page.partition("\n")
    blocks = tuple((tag, body) for tag, body in _BLOCK.findall(page))
    paragraphs = _BLOCK.sub("", text).strip()
    return Story(
        code, title.removeprefix("# "), re.sub("\n{3,}", "\n\n", paragraphs), blocks
    )
