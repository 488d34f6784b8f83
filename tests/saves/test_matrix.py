"""What `savegen breaking` says of a change of kind is what a load does: of every kind into every kind.

Two versions of one game have the same fields, of other kinds. The old one saves each field; the
new one loads it, in a fresh process.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from savegen.build.lock import parse
from savegen.build.lock.retire import retire
from savegen.build.breaking import LockComparison
from tests.project import Project
from tests.cli.games import Game as Commands
from tests.saves.matrix_game import NAMES, Loaded, Pair, files, pairs
from tests.soaking import SOAKING

Group = tuple[Pair, ...]


class Played(NamedTuple):
    findings: dict[Pair, set[str]]  # the codes
    saved: dict[Pair, list[Any]]  # the values
    loaded: dict[Pair, Loaded]


def generated(folder: Path, version: int, found: list[Pair]) -> Project:
    project = Project(folder, files(version, found))
    if version:
        lock = parse((folder.parent / "old" / "savegen.lock").read_text())
        # As `savegen lock retire` does, which would read the whole game again.
        lock = retire(retire(lock, "Gone.GONE"), "Lost.GONE")
        (folder / "savegen.lock").write_text(lock.text())
    for command in ("components", "prefabs"):
        said = Commands(folder).run(command, "--quiet")
        assert said.code == 0, said.out + said.err
    return project


def findings_of(project: Project, monkeypatch: pytest.MonkeyPatch) -> dict[Any, Any]:
    """Return the findings of `savegen breaking` by class and field."""
    seen: list[Any] = []

    class Spy(LockComparison):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            seen.append(self)

    monkeypatch.setattr("savegen.cli.breaking.LockComparison", Spy)
    said = Commands(project.folder).run("breaking", "--against", "../old/savegen.lock")
    assert said.code == 1, said.out + said.err
    (comparison,) = seen
    return comparison.findings_by_field()


def play(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Played:
    found = pairs(is_whole=SOAKING)
    old = generated(folder / "old", 0, found)
    new = generated(folder / "new", 1, found)
    told = findings_of(new, monkeypatch)
    findings = {
        pair: {
            each.code
            for each in told.get((f"game.kind{pair.old}:{pair.cls}", pair.field), ())
        }
        for pair in found
    }
    classes = grouped(findings)
    job = folder / "job.pickle"
    job.write_bytes(pickle.dumps([sum(groups, ()) for groups in classes]))
    old.run("-m", "tests.saves.matrix_game", "save", str(job))
    done = pickle.loads(job.read_bytes())
    saves = [data for data, _ in done]
    job.write_bytes(pickle.dumps([*zip(classes, saves, strict=True)]))
    new.run("-m", "tests.saves.matrix_game", "load", str(job))
    loaded = zip(classes, pickle.loads(job.read_bytes()), strict=True)
    return Played(
        findings,
        {pair: values for _, each in done for pair, values in each.items()},
        {
            pair: each
            for groups, found in loaded
            for group, each in zip(groups, found, strict=True)
            for pair in group
        },
    )


def grouped(findings: dict[Pair, set[str]]) -> list[list[Group]]:
    """Return by class which fields are loaded together: those that nothing is said of."""
    classes: dict[str, dict[Any, list[Pair]]] = {}
    for pair, codes in findings.items():
        groups = classes.setdefault(pair.cls, {})
        groups.setdefault(pair if codes else None, []).append(pair)
    return [[tuple(each) for each in groups.values()] for groups in classes.values()]


def outcome(pair: Pair, played: Played) -> str:
    """Return what the load did to a field."""
    loaded, before = played.loaded[pair], played.saved[pair]
    if loaded.refused:
        return f"refused: {loaded.refused}"
    after = loaded.values[pair]
    same = all(alike(before[n % len(before)], value) for n, value in enumerate(after))
    if pair.field in loaded.cut:
        return "cut"  # what is lost shows that `alike` is not the whole
    if not same or pair.field in loaded.wrong:
        return f"changed: {before} → {after} {loaded.wrong.get(pair.field)}"
    return "fine"


def alike(old: Any, new: Any) -> bool:
    """Compare two values in words; a record of today may have more, and renamed, fields."""
    if isinstance(old, tuple) and old[:1] == ("record",) == new[:1]:
        before, after = old[1], new[1]
        both = before.keys() & after.keys()
        return all(alike(before[name], after[name]) for name in both)
    if isinstance(old, (tuple, list)) and type(old) is type(new):
        return len(old) == len(new) and all(map(alike, old, new))
    return bool(old == new)


@pytest.mark.soak
def test_the_verdict_on_a_change_of_kind_is_what_a_load_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One test, since it plays one game."""
    played = play(tmp_path, monkeypatch)
    wrong = []
    for pair, codes in played.findings.items():
        done = outcome(pair, played)
        expected = "refused" if codes - {"SG601"} else "cut" if codes else "fine"
        if done.partition(":")[0] != expected:
            kinds = f"{pair.around}: {NAMES[pair.old]} → {NAMES[pair.new]}"
            wrong.append(f"{kinds}: expected {expected} {sorted(codes)}, {done}"[:300])
    assert not wrong, "\n".join(wrong)
    every = {outcome(pair, played).partition(":")[0] for pair in played.findings}
    assert every == {"refused", "cut", "fine"}
