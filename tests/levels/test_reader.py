"""Files of a level folder are read, links are refused, and unreadable files are reported."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from savegen.levels import reader
from savegen.levels.layout import layout_of
from savegen.levels.reader import KINDS, Folder, read_folder
from savegen.levels.rules import SchemaRules
from tests.levels.example import FILES, LEVEL, as_lines, write


@pytest.fixture
def level(tmp_path: Path) -> Path:
    return write(tmp_path / "cavern")


def finding_lines(folder: Path) -> list[str]:
    return as_lines(read_folder(folder).findings, folder)


def test_a_folder_is_read_by_kind_and_layer(level: Path) -> None:
    found = read_folder(level)
    assert found.name == "cavern" and found.findings == ()
    assert found.images == {
        kind: {"layer1": FILES[f"{kind}/layer1.png"]}
        for kind in ("geometry", "sprites", "visuals")
    }
    assert found.description and b"version" in found.description


def test_the_name_of_a_level_is_that_of_its_folder(
    level: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(level)
    assert read_folder(".").name == "cavern"
    assert read_folder(f"{level}/").name == "cavern"
    assert read_folder("../cavern").path == "../cavern"


def test_a_missing_level_lvl_is_reported(level: Path) -> None:
    (level / "level.lvl").unlink()
    assert finding_lines(level) == ["level.lvl:1:1 SG501 `level.lvl` is missing"]
    assert read_folder(level).description is None


def test_a_path_that_is_not_a_folder_is_reported(level: Path) -> None:
    (finding,) = read_folder(level / "level.lvl").findings
    assert finding.message.endswith("is not a folder")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (b"no/cavern", "`no/cavern` is missing"),
        ("no\0cavern", "`no\0cavern` cannot be read: "),  # Python has the rest
    ],
)
def test_any_invalid_path_is_reported(path: str | bytes, words: str) -> None:
    (message,) = (each.message for each in read_folder(path).findings)
    assert message.startswith(words)


def test_an_empty_path_is_the_working_folder(
    level: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(level)
    assert read_folder("") == read_folder(".")


def test_stray_files_are_reported_except_those_of_the_system(
    level: Path,
) -> None:
    for name in (
        "notes.txt",
        "Thumbs.db",
        ".DS_Store",
        "geometry/a.xcf",
        "geometry/.b",
    ):
        (level / name).write_bytes(b"")
    (level / "sprite").mkdir()
    assert finding_lines(level) == [
        "geometry/a.xcf:1:1 SG503 `geometry/a.xcf` is not part of a level and is ignored",
        "notes.txt:1:1 SG503 `notes.txt` is not part of a level and is ignored",
        "sprite:1:1 SG503 `sprite` is not part of a level and is ignored",
    ]


def test_a_folder_of_levels_has_its_own_message(tmp_path: Path) -> None:
    for name in ("cavern", "tower"):
        write(tmp_path / "levels" / name)
    (tmp_path / "levels" / "notes.txt").touch()
    missing, stray = finding_lines(tmp_path / "levels")
    assert missing.startswith(
        "level.lvl:1:1 SG501 `level.lvl` is missing; this folder contains levels"
    )
    assert missing.endswith("levels/cavern`")
    assert "notes.txt" in stray


@pytest.mark.parametrize("ending", [".PNG", ".Png"])
def test_suffixes_may_be_upper_case(level: Path, ending: str) -> None:
    (level / "visuals/layer1.png").rename(level / f"visuals/layer1{ending}")
    assert "layer1" in read_folder(level).images["visuals"]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere they are one file")
@pytest.mark.parametrize(
    ("name", "other"),
    [("Cave", "cave"), ("Höhle", "Ho\u0308hle"), ("straße", "STRASSE")],
)
def test_names_that_clash_on_other_systems_are_reported(
    level: Path, name: str, other: str
) -> None:
    for each in (name, other):
        (level / f"visuals/{each}.png").write_bytes(FILES["visuals/layer1.png"])
    (line,) = finding_lines(level)
    assert "SG504" in line and line.endswith(
        "are the same file name on Windows or macOS"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere they are one file")
@pytest.mark.parametrize("other", ["Layer1.png", "layer1.PNG", "layer1.Png"])
def test_images_with_clashing_names_are_neither_missing_nor_used(
    level: Path, other: str
) -> None:
    for kind in KINDS:
        (level / kind / other).write_bytes(b"no image")
    read = read_folder(level)
    _, findings = layout_of(read, SchemaRules({"$defs": {"any-prefab": {}}}))
    assert [each.code for each in findings if "png" in each.message] == ["SG504"] * 3


# -- nothing outside


@pytest.mark.parametrize(
    "inside", ["level.lvl", "geometry/layer1.png", "geometry", "visuals"]
)
def test_links_are_refused(level: Path, tmp_path: Path, inside: str) -> None:
    (level / inside).rename(tmp_path / "outside")
    (level / inside).symlink_to(tmp_path / "outside")
    found = read_folder(level)
    (finding,) = found.findings
    wanted = f"`{inside}` is a symbolic link; copy the file or folder itself here"
    assert finding.message == wanted and finding.code == "SG501"
    if inside == "level.lvl":
        assert found.description is None
    else:
        assert "layer1" not in found.images[inside.partition("/")[0]]


def test_the_folder_itself_may_be_a_link(level: Path, tmp_path: Path) -> None:
    (tmp_path / "grotto").symlink_to(level)
    found = read_folder(tmp_path / "grotto")
    assert found.findings == () and found.name == "grotto"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_a_pipe_is_refused_without_blocking(level: Path) -> None:
    (level / "geometry/layer1.png").unlink()
    os.mkfifo(level / "geometry/layer1.png")
    assert finding_lines(level) == [
        "geometry/layer1.png:1:1 SG501 `geometry/layer1.png` is not a file"
    ]


def test_a_folder_instead_of_a_file_is_reported(level: Path) -> None:
    (level / "geometry/layer1.png").unlink()
    (level / "geometry/layer1.png").mkdir()
    (line,) = finding_lines(level)
    assert "SG501 `geometry/layer1.png` is not a file" in line
    assert read_folder(level).unread == {"geometry/layer1"}


def test_a_file_instead_of_a_folder_is_reported(level: Path) -> None:
    (level / "sprites/layer1.png").unlink()
    (level / "sprites").rmdir()
    (level / "sprites").write_bytes(b"")
    assert finding_lines(level) == ["sprites:1:1 SG501 `sprites` is not a folder"]


def test_a_file_that_is_too_large_is_not_read(level: Path) -> None:
    with open(level / "level.lvl", "r+b") as file:
        file.truncate(reader.MAX_BYTES["level.lvl"] + 1)
    assert finding_lines(level) == [
        "level.lvl:1:1 SG501 `level.lvl` is larger than 16 MiB"
    ]


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="root may read everything"
)
def test_a_file_without_read_permission_is_reported(level: Path) -> None:
    (level / "level.lvl").chmod(0)
    (line,) = finding_lines(level)
    assert "cannot be read" in line


@pytest.mark.skipif(sys.platform != "linux", reason="names are text elsewhere")
def test_a_name_that_is_not_utf_8_is_escaped(level: Path) -> None:
    path = os.fsencode(level) + b"/geometry/\xff.png"
    with open(path, "wb") as file:
        file.write(FILES["geometry/layer1.png"])
    found = read_folder(level)
    assert "\\xff" in found.images["geometry"]


def test_a_folder_can_be_made_in_memory() -> None:
    assert LEVEL["version"] == 1
    folder = Folder("a/b", "b", b"{}", {})
    assert folder.path_of("sprites/c.png") == "a/b/sprites/c.png"
