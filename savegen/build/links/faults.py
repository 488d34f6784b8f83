"""Findings about prefabs that pass 3 could not build."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from textwrap import shorten

from savegen.build.links.program import SET_PYTHON, Failure
from savegen.findings import Finding, Span

_MAX_ERROR = 300  # characters
_MISSING_ARGUMENT = re.compile(r"TypeError: .* missing \d+ required ")


class UnbuiltPrefab(Finding, frozen=True):
    """The game raised an error while a prefab was built."""

    code = "SG411"

    names: tuple[str, ...]
    kind: str
    error: str
    function: str = ""

    @property
    def message(self) -> str:
        is_named = self.function not in ("", "<module>")
        where = f", in `{self.function}`" if is_named else ""
        return f"{_listed(self.names)} {_PROBLEMS[self.kind]}: {self.error}{where}"

    @property
    def help(self) -> str | None:
        if self.error.startswith("SystemExit") and self.kind == "import":
            return 'exit the program only inside `if __name__ == "__main__":`'
        if self.error.startswith("EOFError"):
            return "do not ask for input in a constructor or at import; ask when the game starts"
        if self.error.startswith("ModuleNotFoundError"):
            return f"install the module; if another Python has it, {SET_PYTHON}"
        if self.kind == "position":
            return (
                "in `position=`, name an attribute with two or three numbers, such as"
                ' "body.pos" or "body.rect.center", which the constructor sets'
            )
        if not self.function and _MISSING_ARGUMENT.match(self.error):
            return "give the argument a default, or pass it in `part(…)` of a `@prefab`"
        return None


_PROBLEMS = {
    "raised": "cannot be built",
    "import": "cannot be imported",
    "position": "cannot be given a position",
    "unreadable": "cannot be read after being built",
}


class OtherMappings(Finding, frozen=True):
    """The method of a class returns other parameter names than savegen generated."""

    code = "SG412"
    HELP = (
        'do not override this method; write `Save("name")` to rename a field in '
        "levels"
    )

    names: tuple[str, ...]
    error: str

    @property
    def message(self) -> str:
        problem = "`get_param_name_mappings()` does not return what savegen generated"
        return f"{_listed(self.names)}: {problem}: {self.error}"


def _listed(names: Sequence[str]) -> str:
    shown = [f"`{name}`" for name in names[:3]]
    if len(names) > 3:
        shown.append(f"{len(names) - 3} more")
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def findings(
    failures: Iterable[Failure], place_of: Callable[[Failure], Span]
) -> Iterator[Finding]:
    """Yield one finding for all prefabs that failed at the same place with the same error."""

    def cause(failure: Failure) -> tuple[str, int, str, str, str]:
        kind = failure.kind if failure.kind in (*_PROBLEMS, "mapping") else "raised"
        error = shorten(failure.error, _MAX_ERROR)
        return failure.file, failure.line, kind, error, failure.function

    for (*_, kind, error, function), group in groupby(
        sorted(failures, key=cause), cause
    ):
        same_cause = list(group)
        span = place_of(same_cause[0])
        qualnames = (failure.prefab.rpartition(":")[2] for failure in same_cause)
        names = tuple(dict.fromkeys(qualnames))
        if kind == "mapping":
            yield OtherMappings(span, names, error)
        else:
            yield UnbuiltPrefab(span, names, kind, error, function)
