"""`savegen level` where files may not be read or written: one clear message, nothing half done."""

from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager, suppress
from pathlib import Path

import pytest
from PIL import Image

from tests.cli.drawn import FRIENDLY, draw
from tests.cli.games import Game
from tests.project import Said

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="there are other rights"
)

OLD = {**FRIENDLY, "spr_colors": [], "spr_prefabs": []}
VERBS = (("check",), ("preview",), ("pack",), ("upgrade",))


@pytest.fixture
def game(drawn: Path) -> Iterator[Game]:
    """A game where everybody may read everything, and nobody but its owner write."""
    root = Path(tempfile.mkdtemp())  # pytest's own folder lets nobody else through
    try:
        shutil.copytree(drawn, root / "game")
        found = Game(root / "game")
        warm(found)
        draw(found, told=OLD)
        for path in (root, *root.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        yield found
    finally:
        for path in (root, *root.rglob("*")):
            path.chmod(0o755)
        shutil.rmtree(root)


def warm(game: Game) -> None:
    """Let Python read what the commands import while it may."""
    draw(game, "w/cave", told=OLD)
    draw(game, "w/bad", told={"versoin": 1})
    for words in (*VERBS, ("upgrade", "--diff")):
        game.run("level", *words, "w/cave")
        game.run("level", *words, "w/bad")
    assert game.run("level", "new", "w/new").code == 0
    shutil.rmtree(game.folder / "w")
    (game.folder / "cave.png").unlink()


@contextmanager
def somebody_else() -> Iterator[None]:
    """Root may do everything: be nobody for a while."""
    if os.geteuid() != 0:
        yield
        return
    try:
        os.setegid(65534)
        os.seteuid(65534)
    except OSError:
        pytest.skip("root cannot be anybody else here")
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


def run(game: Game, *words: str) -> Said:
    """Run a command with few rights; nothing is written."""
    before = files(game)
    # From where everybody may go back to: the checkout may be closed to others.
    with chdir(game.folder), somebody_else():
        said = game.run("level", *words)
    assert files(game) == before
    return said


def files(game: Game) -> dict[Path, tuple[int, int]]:
    """Return when the files were written, and their sizes, as far as that may be known."""
    found = {}
    for path in game.folder.rglob("*"):
        with suppress(PermissionError):
            if not path.is_dir():
                look = path.lstat()
                found[path] = look.st_mtime_ns, look.st_size
    return found


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("preview", "levels/cave"), "cave.png"),
        (("preview", "levels/cave", "-o", "levels/p.png"), "levels/p.png"),
        (("pack", "levels/cave"), "levels/cave/geometry/layer1.png"),
        (("upgrade", "levels/cave"), "levels/cave/level.lvl"),
        (("new", "levels/attic"), "levels/attic"),
        (("new", "deep/attic"), "deep"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_where_nothing_may_be_written_the_file_is_named(
    game: Game, words: tuple[str, ...], named: str
) -> None:
    (game.folder / "levels/cave/sprites/layer1.png").unlink()
    loose = io.BytesIO()
    Image.new("RGB", (40, 30), "#5a5046").save(loose, "png", compress_level=0)
    game.write("levels/cave/geometry/layer1.png", loose.getvalue())
    for path in (game.folder, *game.folder.rglob("*")):
        path.chmod(path.stat().st_mode & 0o555)
    said = run(game, *words)
    assert said.code == 2 and said.err.count("\n") == 1
    assert said.err.endswith(f"{named}: Permission denied\n")
    assert said.out == "" and ".tmp" not in said.err


@pytest.mark.parametrize("verb", ["check", "preview", "pack", "upgrade"])
@pytest.mark.parametrize(
    ("path", "mode"),
    [
        ("geometry/layer1.png", 0),
        ("sprites/layer1.png", 0),
        ("geometry", 0),
        ("sprites", 0),
        ("visuals", 0),
        ("geometry", 0o444),
        ("", 0),
    ],
)
def test_what_may_not_be_read_is_one_finding(
    game: Game, verb: str, path: str, mode: int
) -> None:
    inside = "geometry/layer1.png" if mode else path
    (game.folder / "levels/cave" / path).chmod(mode)
    said = run(game, verb, "levels/cave")
    (game.folder / "levels/cave" / path).chmod(0o755)
    assert said.code == 1 and said.out.count("error[") == 1, said
    name = inside or "levels/cave"
    assert f"`{name}` cannot be read: Permission denied" in said.out


def test_a_description_that_may_not_be_read_is_one_finding(game: Game) -> None:
    (game.folder / "levels/cave/level.lvl").chmod(0)
    for verb in ("check", "preview", "upgrade"):
        said = run(game, verb, "levels/cave")
        assert said.code == 1 and said.out.count("error[") == 1
        assert "`level.lvl` cannot be read: Permission denied" in said.out
