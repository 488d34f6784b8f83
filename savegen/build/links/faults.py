"""Findings for errors that the game raises while its prefabs are built."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from textwrap import shorten

from savegen.build.links.program import NAME_IT, Failure
from savegen.findings import Finding, Span

_LONGEST = 300  # characters of an error
_LACKS = re.compile(r"TypeError: .* missing \d+ required ")


class UnbuiltPrefab(Finding, frozen=True):
    """The game raised an error while a prefab was built."""

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
            return 'exit the program only inside `if __name__ == "__main__":`'
        if self.error.startswith("EOFError"):
            return "do not ask for input in a constructor or at import; ask when the game starts"
        if self.error.startswith("ModuleNotFoundError"):
            return f"if the module is installed for another Python, {NAME_IT}"
        if not self.function and _LACKS.match(self.error):
            return "give the argument a default, or pass it in `part(…)` of a `@prefab`"
        return None


_NO_FUNCTION = ("", "<module>")
_WHAT = {
    "raised": "cannot be built",
    "import": "cannot be imported",
    "unreadable": "cannot be read after being built",
}


class OtherMappings(Finding, frozen=True):
    """A class returns other parameter names than its mixin."""

    code = "SG412"
    HELP = (
        'do not override this method; write `Save("name")` to rename a field in '
        "levels"
    )

    names: tuple[str, ...]
    error: str

    @property
    def message(self) -> str:
        other = "`get_param_name_mappings()` does not return what savegen generated"
        return f"{_listed(self.names)}: {other}: {self.error}"


def _listed(names: Sequence[str]) -> str:
    shown = [f"`{name}`" for name in names[:3]]
    if len(names) > 3:
        shown.append(f"{len(names) - 3} more")
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def findings(
    failures: Iterable[Failure], place: Callable[[Failure], Span]
) -> Iterator[Finding]:
    """Yield a finding for each group of prefabs that failed at the same place with one error."""

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
