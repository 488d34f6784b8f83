"""Read the explanation of each finding from its Markdown page in this folder, such as SG101.md.

A page has a title, paragraphs of one line each, and fenced blocks of source code with the tags
`wrong` and `right`. If the fault is a change, a block `before` shows the earlier version. A block
whose first line is `# shop.py` is the file of that name; other blocks are `game.py`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from savegen import disk

TAGS = ("before", "wrong", "right")

_FOLDER = disk.parent(__file__)
_BLOCK = re.compile(rf"^```({'|'.join(TAGS)})\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_FILE_NAME = re.compile(r"# ([\w./-]+\.py)\n")


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
        matches = ((_FILE_NAME.match(text), text) for _, text in self._tagged(tag))
        return {match[1] if match else "game.py": text for match, text in matches}

    def _tagged(self, tag: str) -> list[tuple[str, str]]:
        return [block for block in self.blocks if block[0] == tag]


def codes() -> list[str]:
    """Return the codes of all findings, sorted."""
    names = disk.files_in(_FOLDER)
    return sorted(name[:-3] for name in names if name.endswith(".md"))


def alike(code: str) -> list[str]:
    """Return the codes that a misspelt code may mean: one digit or the order is wrong.

    If more than three codes differ in one digit, the list is empty.

    >>> alike("SG230"), alike("203"), alike("SG999")
    (['SG203'], ['SG203'], [])
    """
    digits = code.upper().removeprefix("SG")
    series = [code for code in codes() if code[2] == digits[:1]]
    same = [code for code in series if code[2:] == digits]
    swapped = [code for code in series if sorted(code[2:]) == sorted(digits)]
    close = [code for code in series if _differ_in_one(code[2:], digits)]
    return same or swapped or (close if len(close) <= 3 else [])


def _differ_in_one(digits: str, other: str) -> bool:
    return len(digits) == len(other) and sum(map(str.__ne__, digits, other)) == 1


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
