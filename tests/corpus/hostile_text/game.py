'''Text that must not get into generated code: """ {{ n }} {% endif %} \x00 \\ '''

from __future__ import annotations

from typing import Annotated, Literal

from savegen import Save, Saved, saveable

from _savegen.components.game import TrapSaveLoad


@saveable
class Trap(TrapSaveLoad):
    '''A docstring with """triple quotes""", a \\ and braces {{ c.name }} {# no #}.

    # fmt: on
    import os; os.abort()
    '''

    quotes: Saved[str] = '"""'
    more: Saved[str] = "'''\"\"\"\\"
    jinja: Saved[str] = "{{ n.Any }}{% raw %}{# #}"
    lines: Saved[str] = "a\nb\r\n\u2028c"
    comment: Saved[str] = "# fmt: on  # type: ignore"
    letters: Saved[str] = "größe 猫 🐉 \u202e"
    number: Saved[int] = 0x_FF_FF + int("{}".format(3))
    kind: Saved[Literal['"', "'", "'\"", '"""', "\\", "a\nb"]] = '"'
    braces: Saved[Literal["{{ n }}", "{% endmacro %}", "{# #}", "# fmt: on"]] = "{# #}"
    foreign: Saved[Literal["größe", "猫", b"\xff\x00", "\u202e", "\ud800"]] = "猫"
    noted: Annotated[int, '"""', Save(), "{{ n }}"] = 0
