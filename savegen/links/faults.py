"""What went wrong in the game while its prefabs were built, as findings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from textwrap import shorten

from savegen.links.program import NAME_IT, Failure
from savegen.report import Finding, Span

_LONGEST = 300  # letters of an error
_LACKS = re.compile(r"TypeError: .* missing \d+ required ")


class UnbuiltPrefab(Finding, frozen=True):
    """The game itself raised while its prefabs were built."""

    code = "SG411"

    names: tuple[str, ...]
    kind: str
    error: str
    function: str = ""

    @property
    def message(self) -> str:
        where = f", in `{self.function}`" if self.function not in _NO_FUNCTION else ""
        return f"{_listed(self.names)} {_WHAT[self.kind]}: {self.error}{where}"

    @property
    def help(self) -> str | None:
        if self.error.startswith("SystemExit") and self.kind == "import":
            return 'end the program only below `if __name__ == "__main__":`'
        if self.error.startswith("EOFError"):
            return "ask for input when the game starts: here nobody is there to answer"
        if self.error.startswith("ModuleNotFoundError"):
            return f"if that is installed for another Python, {NAME_IT}"
        if not self.function and _LACKS.match(self.error):
            return "give it a default, or write `part(…)` with it in a `@prefab`"
        return None


_NO_FUNCTION = ("", "<module>")
_WHAT = {
    "raised": "cannot be built",
    "import": "cannot be imported",
    "unreadable": "was built, but cannot be read",
}


class OtherMappings(Finding, frozen=True):
    """A class tells level authors' names other than those that its mixin was written with."""

    code = "SG412"

    names: tuple[str, ...]
    error: str

    @property
    def message(self) -> str:
        other = "`get_param_name_mappings()` is not what savegen wrote"
        return f"{_listed(self.names)}: {other}: {self.error}"

    @property
    def help(self) -> str:
        return (
            'leave that method to the mixin; `Save("name")` gives a field another name'
        )


def _listed(names: Sequence[str]) -> str:
    shown = [f"`{name}`" for name in names[:3]]
    if len(names) > 3:
        shown.append(f"{len(names) - 3} more")
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def findings(
    failures: Iterable[Failure], place: Callable[[Failure], Span]
) -> Iterator[Finding]:
    """Yield one finding for all that failed at one place with one error."""

    def cause(failure: Failure) -> tuple[str, int, str, str, str]:
        kind = failure.kind if failure.kind in (*_WHAT, "mapping") else "raised"
        error = shorten(failure.error, _LONGEST)
        return failure.file, failure.line, kind, error, failure.function

    for (*_, kind, error, function), alike in groupby(
        sorted(failures, key=cause), cause
    ):
        same = list(alike)
        span = place(same[0])
        names = tuple(dict.fromkeys(it.prefab.rpartition(":")[2] for it in same))
        if kind == "mapping":
            yield OtherMappings(span, names, error)
        else:
            yield UnbuiltPrefab(span, names, kind, error, function)
