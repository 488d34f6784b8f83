"""Files are found and named as the game imports them, and one process builds at a time."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from savegen import disk
from tests.project import python

posix = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX file system")


def lay(root: Path, *paths: str) -> None:
    for path in paths:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(b"")


def found(root: Path, *sources: str, exclude: tuple[str, ...] = ()) -> list[str]:
    return list(disk.find_sources(str(root), sources or (".",), exclude))


def named(root: Path, *sources: str) -> dict[str, str]:
    sources = sources or (".",)
    return disk.map_modules(str(root), found(root, *sources), sources).paths


class TestReading:
    def test_bytes_come_back_as_they_are(self, tmp_path: Path) -> None:
        data = bytes(range(256)) * 5000
        (tmp_path / "x.py").write_bytes(data)
        assert disk.read(disk.join(str(tmp_path), "x.py")) == data

    def test_an_absent_file_raises_what_the_system_says(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            disk.read(str(tmp_path / "x.py"))

    def test_the_stamp_of_an_absent_file_is_none(self, tmp_path: Path) -> None:
        lay(tmp_path, "file")
        assert disk.stamp(str(tmp_path / "x.py")) is None
        assert disk.stamp(str(tmp_path / "file" / "x.py")) is None

    def test_a_stamp_changes_with_size_time_and_identity(self, tmp_path: Path) -> None:
        path = tmp_path / "x.py"
        path.write_bytes(b"1")
        stamps = {disk.stamp(str(path))}
        path.write_bytes(b"22")
        stamps.add(disk.stamp(str(path)))
        os.utime(path, ns=(1, 1))
        stamps.add(disk.stamp(str(path)))
        other = tmp_path / "other"
        other.write_bytes(b"22")
        os.utime(other, ns=(1, 1))
        os.replace(other, path)
        stamps.add(disk.stamp(str(path)))
        assert len(stamps) == 4


class TestFindingSources:
    def test_every_python_file_is_found_sorted_and_nothing_else(
        self, tmp_path: Path
    ) -> None:
        lay(tmp_path, "b.py", "a/z.py", "a/b/c.py", "a/readme.md", "a/x.pyc", "a.txt")
        assert found(tmp_path) == ["a/b/c.py", "a/z.py", "b.py"]

    def test_a_found_stamp_equals_the_one_asked_for_later(self, tmp_path: Path) -> None:
        lay(tmp_path, "a/x.py")
        stamps = disk.find_sources(str(tmp_path), ["a"], [])
        assert stamps == {"a/x.py": disk.stamp(str(tmp_path / "a/x.py"))}

    def test_only_what_lies_below_the_sources_is_found(self, tmp_path: Path) -> None:
        lay(tmp_path, "src/x.py", "tools/y.py", "z.py", "game.py")
        assert found(tmp_path, "src/", "./game.py") == ["game.py", "src/x.py"]

    def test_overlapping_sources_give_each_file_once(self, tmp_path: Path) -> None:
        lay(tmp_path, "src/x.py")
        assert found(tmp_path, ".", "src", "src/x.py") == ["src/x.py"]

    @pytest.mark.parametrize(
        "folder",
        [".venv", ".git", "__pycache__", "node_modules", "lib/site-packages"],
    )
    def test_folders_that_hold_no_game_are_skipped(
        self, tmp_path: Path, folder: str
    ) -> None:
        lay(tmp_path, f"{folder}/x.py", f"{folder}/deep/y.py", "z.py")
        assert found(tmp_path) == ["z.py"]

    @pytest.mark.parametrize("sign", ["pyvenv.cfg", "conda-meta/history"])
    def test_an_environment_of_any_name_is_skipped(
        self, tmp_path: Path, sign: str
    ) -> None:
        lay(tmp_path, f"env/{sign}", "env/lib/x.py", "env/y.py", "z.py")
        assert found(tmp_path) == ["z.py"]

    def test_a_project_inside_its_own_environment_is_still_read(
        self, tmp_path: Path
    ) -> None:
        lay(tmp_path, "pyvenv.cfg", "lib/site-packages/x.py", "game.py")
        assert found(tmp_path) == ["game.py"]

    def test_a_hidden_folder_is_read_if_it_is_named_as_a_source(
        self, tmp_path: Path
    ) -> None:
        lay(tmp_path, ".game/x.py", ".game/.hidden/y.py")
        assert found(tmp_path, ".game") == [".game/x.py"]

    def test_hidden_files_of_editors_and_systems_are_skipped(
        self, tmp_path: Path
    ) -> None:
        lay(tmp_path, "._orc.py", ".orc.py", "orc.py")
        assert found(tmp_path) == ["orc.py"]

    @pytest.mark.parametrize(
        ("glob", "left"),
        [
            ("tests", ["gen/b.py", "gen/lib/c.py", "x_test.py"]),
            ("tests/", ["gen/b.py", "gen/lib/c.py", "x_test.py"]),
            ("gen/*", ["tests/a.py", "x_test.py"]),
            ("*_test.py", ["gen/b.py", "gen/lib/c.py", "tests/a.py"]),
            ("gen/lib", ["gen/b.py", "tests/a.py", "x_test.py"]),
            ("lib", ["gen/b.py", "gen/lib/c.py", "tests/a.py", "x_test.py"]),
        ],
    )
    def test_exclude_globs_match_folders_and_files_by_their_path(
        self, tmp_path: Path, glob: str, left: list[str]
    ) -> None:
        lay(tmp_path, "tests/a.py", "gen/b.py", "gen/lib/c.py", "x_test.py")
        assert found(tmp_path, exclude=(glob,)) == left

    def test_several_globs_each_exclude(self, tmp_path: Path) -> None:
        lay(tmp_path, "a/x.py", "b/x.py", "c/x.py")
        assert found(tmp_path, exclude=("a", "b/*.py")) == ["c/x.py"]

    @posix
    def test_linked_files_are_read_and_linked_folders_are_not(
        self, tmp_path: Path
    ) -> None:
        lay(tmp_path, "real/x.py")
        (tmp_path / "link.py").symlink_to(tmp_path / "real/x.py")
        (tmp_path / "dangling.py").symlink_to(tmp_path / "nowhere")
        (tmp_path / "folder").symlink_to(tmp_path / "real")
        (tmp_path / "folder.py").symlink_to(tmp_path / "real")
        (tmp_path / "real/loop").symlink_to(tmp_path)
        assert found(tmp_path) == ["link.py", "real/x.py"]

    @posix
    @pytest.mark.timeout(20)
    def test_a_pipe_with_the_name_of_a_module_is_passed_over(
        self, tmp_path: Path
    ) -> None:
        os.mkfifo(tmp_path / "x.py")
        lay(tmp_path, "y.py", "z.py/inner.py")
        assert found(tmp_path) == ["y.py", "z.py/inner.py"]

    @posix
    def test_a_name_that_is_no_text_is_passed_over(self, tmp_path: Path) -> None:
        lay(tmp_path, "größe.py")
        for name in (b"\xff.py", b"\xfe"):
            folder = os.path.join(os.fsencode(tmp_path), name)
            if name.endswith(b".py"):
                os.close(os.open(folder, os.O_CREAT))
            else:
                os.mkdir(folder)
                os.close(os.open(folder + b"/x.py", os.O_CREAT))
        assert found(tmp_path) == ["größe.py"]

    @pytest.mark.parametrize("source", ["absent", "absent.py", "file.py/below"])
    def test_a_source_that_does_not_exist_is_named(
        self, tmp_path: Path, source: str
    ) -> None:
        lay(tmp_path, "file.py")
        with pytest.raises(FileNotFoundError) as caught:
            found(tmp_path, ".", source)
        assert caught.value.filename == source

    @posix
    def test_a_pipe_is_no_source(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "x.py")
        with pytest.raises(FileNotFoundError, match="x.py"):
            found(tmp_path, "x.py")

    def test_one_stat_is_spent_on_a_file(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lay(tmp_path, *(f"a/m{number}.py" for number in range(50)))
        calls = 0
        real = os.stat

        def counted(*args: object, **options: object) -> os.stat_result:
            nonlocal calls
            calls += 1
            return real(*args, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(os, "stat", counted)
        assert len(found(tmp_path)) == 50
        assert calls <= 51


class TestModuleNames:
    def test_a_package_is_named_from_the_folder_above_it(self, tmp_path: Path) -> None:
        lay(tmp_path, "src/mygame/__init__.py", "src/mygame/foes/__init__.py")
        lay(tmp_path, "src/mygame/foes/orc.py")
        assert named(tmp_path, "src/mygame") == {
            "mygame": "src/mygame/__init__.py",
            "mygame.foes": "src/mygame/foes/__init__.py",
            "mygame.foes.orc": "src/mygame/foes/orc.py",
        }

    def test_a_source_folder_deep_in_a_package_gets_the_whole_name(
        self, tmp_path: Path
    ) -> None:
        lay(tmp_path, "lib/game/__init__.py", "lib/game/foes/__init__.py")
        lay(tmp_path, "lib/game/foes/orc.py")
        assert "game.foes.orc" in named(tmp_path, "lib/game/foes")

    def test_a_source_folder_without_init_is_itself_the_root(
        self, tmp_path: Path
    ) -> None:
        lay(tmp_path, "mygame/foes/orc.py", "mygame/player.py")
        lay(tmp_path, "mygame/lib/__init__.py")
        assert sorted(named(tmp_path, "mygame")) == ["foes.orc", "lib", "player"]

    def test_loose_files_are_named_by_their_stem(self, tmp_path: Path) -> None:
        lay(tmp_path, "player.py", "foes/orc.py", "world/__init__.py")
        assert sorted(named(tmp_path)) == ["foes.orc", "player", "world"]

    def test_a_folder_without_init_inside_a_package_stays_in_it(
        self, tmp_path: Path
    ) -> None:
        lay(tmp_path, "game/__init__.py", "game/foes/orc.py")
        assert "game.foes.orc" in named(tmp_path, "game")

    def test_a_single_file_is_named_like_a_folder_would_name_it(
        self, tmp_path: Path
    ) -> None:
        lay(tmp_path, "game.py", "pkg/__init__.py", "pkg/orc.py", "tools/run.py")
        sources = ("game.py", "pkg/orc.py", "tools/run.py")
        assert sorted(named(tmp_path, *sources)) == ["game", "pkg.orc", "run"]

    def test_an_excluded_init_still_makes_a_package(self, tmp_path: Path) -> None:
        lay(tmp_path, "pkg/__init__.py", "pkg/orc.py")
        paths = found(tmp_path, "pkg", exclude=("*/__init__.py",))
        assert disk.map_modules(str(tmp_path), paths, ["pkg"]).paths == {
            "pkg.orc": "pkg/orc.py"
        }

    def test_the_name_of_the_checkout_never_enters_a_module_name(
        self, tmp_path: Path
    ) -> None:
        lay(tmp_path, "__init__.py", "player.py")
        assert sorted(named(tmp_path)) == ["__init__", "player"]

    def test_a_project_inside_a_package_is_named_as_its_settings_say(
        self, tmp_path: Path
    ) -> None:
        lay(tmp_path, "__init__.py", "player.py", "foes/orc.py", "tools/run.py")
        paths = found(tmp_path)
        answer = disk.map_modules(str(tmp_path), paths, [".", "tools"], "games.snake")
        assert answer.paths == {
            "games.snake": "__init__.py",
            "games.snake.player": "player.py",
            "games.snake.foes.orc": "foes/orc.py",
            "run": "tools/run.py",
        }

    def test_the_innermost_source_names_a_file(self, tmp_path: Path) -> None:
        lay(tmp_path, "tools/deep/run.py", "player.py")
        assert sorted(named(tmp_path, ".", "tools")) == ["deep.run", "player"]

    def test_of_two_files_with_one_name_the_earlier_source_wins(
        self, tmp_path: Path
    ) -> None:
        lay(tmp_path, "a/orc.py", "b/orc.py", "c/orc.py")
        sources = ("b", "c", "a")
        answer = disk.map_modules(str(tmp_path), found(tmp_path, *sources), sources)
        assert answer.paths == {"orc": "b/orc.py"}
        assert answer.shadowed == {"a/orc.py": "orc", "c/orc.py": "orc"}
        assert answer.roots == ("b", "c", "a")

    def test_a_package_hides_a_module_of_its_name_as_it_does_for_python(
        self, tmp_path: Path
    ) -> None:
        lay(tmp_path, "orc.py", "orc/__init__.py")
        answer = disk.map_modules(str(tmp_path), found(tmp_path), ["."])
        assert answer.paths == {"orc": "orc/__init__.py"}
        assert answer.shadowed == {"orc.py": "orc"}

    @pytest.mark.parametrize("sources", [["."], ["src/game"], ["src"], ["src/game/a"]])
    def test_python_imports_what_the_names_and_roots_say(
        self, tmp_path: Path, sources: list[str]
    ) -> None:
        lay(tmp_path, "main.py", "src/game/__init__.py", "src/game/a/__init__.py")
        lay(tmp_path, "src/game/a/orc.py", "src/game/loose/elf.py")
        answer = disk.map_modules(str(tmp_path), found(tmp_path, *sources), sources)
        code = (
            "import importlib, sys\n"
            f"for root in {answer.roots!r}: sys.path.insert(0, root)\n"
            f"for name, path in {answer.paths!r}.items():\n"
            "    file = importlib.import_module(name).__file__\n"
            "    assert file.replace('\\\\', '/').endswith('/' + path), (file, path)\n"
        )
        python("-I", "-c", code, folder=tmp_path)

    def test_naming_asks_the_disk_per_source_and_not_per_file(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lay(tmp_path, "game/__init__.py", *(f"game/m{n}.py" for n in range(100)))
        paths = found(tmp_path, "game")
        asked: list[str] = []
        exists = disk.exists

        def noted(path: str) -> bool:
            asked.append(path)
            return exists(path)

        monkeypatch.setattr(disk, "exists", noted)
        assert len(disk.map_modules(str(tmp_path), paths, ["game"]).paths) == 101
        assert len(asked) == 1


class TestPutting:
    def test_a_file_is_made_and_replaced(self, tmp_path: Path) -> None:
        path = tmp_path / "x"
        disk.write(str(path), b"one")
        disk.write(str(path), b"two")
        assert path.read_bytes() == b"two"
        assert os.listdir(tmp_path) == ["x"]

    @pytest.mark.parametrize("call", ["open", "write", "close", "replace"])
    def test_a_fault_leaves_the_old_file_and_no_other(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
    ) -> None:
        (tmp_path / "x").write_bytes(b"old")

        def fail(*args: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(os, call, fail)
            with pytest.raises(OSError, match="No space"):
                disk.write(str(tmp_path / "x"), b"new")
        assert (tmp_path / "x").read_bytes() == b"old"
        assert os.listdir(tmp_path) == ["x"]

    def test_writes_that_the_system_cuts_short_are_continued(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write = os.write
        monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:3]))
        disk.write(str(tmp_path / "x"), b"0123456789")
        assert (tmp_path / "x").read_bytes() == b"0123456789"


class TestCacheFolder:
    def test_it_is_made_with_a_gitignore_that_hides_it(self, tmp_path: Path) -> None:
        path = Path(disk.cache_folder(str(tmp_path)))
        assert path == tmp_path / ".savegen_cache"
        assert (path / ".gitignore").read_text() == "*\n"

    def test_what_it_holds_stays(self, tmp_path: Path) -> None:
        lay(tmp_path, ".savegen_cache/x")
        (tmp_path / ".savegen_cache/.gitignore").write_text("mine")
        disk.cache_folder(str(tmp_path))
        assert (tmp_path / ".savegen_cache/.gitignore").read_text() == "mine"
        assert (tmp_path / ".savegen_cache/x").exists()

    @posix
    def test_a_link_in_its_place_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "away").mkdir()
        (tmp_path / ".savegen_cache").symlink_to(tmp_path / "away")
        with pytest.raises(NotADirectoryError):
            disk.cache_folder(str(tmp_path))
        assert not list((tmp_path / "away").iterdir())


HOLD = """
import sys, time
from savegen.disk import BuildLock
with BuildLock({root!r}, "savegen build"):
    print("held", flush=True)
    time.sleep({seconds})
"""


class TestLock:
    def hold(self, root: Path) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", HOLD.format(root=str(root), seconds=60)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        return process

    def test_who_waits_too_long_learns_who_holds_it(self, tmp_path: Path) -> None:
        with self.hold(tmp_path) as holder:
            try:
                with pytest.raises(disk.Busy) as caught:
                    with disk.BuildLock(str(tmp_path), "savegen links", wait=0.1):
                        pytest.fail("two processes hold the lock")
            finally:
                holder.kill()
        assert caught.value.holder == f"process {holder.pid}: savegen build"
        assert caught.value.holder in str(caught.value)

    def test_the_kernel_frees_it_when_the_holder_is_killed(
        self, tmp_path: Path
    ) -> None:
        with self.hold(tmp_path) as holder:
            holder.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
            holder.wait()
        with disk.BuildLock(str(tmp_path), "savegen build", wait=0):
            pass

    def test_a_waiting_process_gets_it_when_it_is_given_up(
        self, tmp_path: Path
    ) -> None:
        code = HOLD.format(root=str(tmp_path), seconds=0.5)
        with subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
        ) as holder:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "held\n"
            with disk.BuildLock(str(tmp_path), "savegen build", wait=30):
                pass

    def test_it_can_be_taken_again_and_its_file_stays(self, tmp_path: Path) -> None:
        for _ in range(3):
            with disk.BuildLock(str(tmp_path), "savegen build", wait=0):
                text = (tmp_path / ".savegen_cache/build.lock").read_text()
                assert text == f"process {os.getpid()}: savegen build\n"
        assert (tmp_path / ".savegen_cache/build.lock").read_bytes() == b""

    def test_an_error_inside_gives_it_up(self, tmp_path: Path) -> None:
        with pytest.raises(ZeroDivisionError):
            with disk.BuildLock(str(tmp_path), "savegen build", wait=0):
                raise ZeroDivisionError
        with disk.BuildLock(str(tmp_path), "savegen build", wait=0):
            pass

    @posix
    def test_a_file_that_was_removed_and_made_anew_is_not_trusted(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / ".savegen_cache/build.lock"
        real = disk.try_lock
        taken = []

        def clean_first(file: int) -> bool:
            taken.append(os.fstat(file).st_ino)
            if len(taken) == 1:
                keeper = os.open(path, os.O_RDONLY)  # so that its inode is not reused
                path.unlink()
                path.write_bytes(b"")
                os.close(keeper)
            return real(file)

        monkeypatch.setattr(disk, "try_lock", clean_first)
        with disk.BuildLock(str(tmp_path), "savegen build", wait=5):
            assert taken[-1] == path.stat().st_ino != taken[0]

    @posix
    def test_file_systems_without_locks_can_still_be_built_on(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def unsupported(file: int, how: int) -> None:
            raise OSError(errno.ENOLCK, "No locks available")

        monkeypatch.setattr("fcntl.flock", unsupported)
        with disk.BuildLock(str(tmp_path), "savegen build", wait=0):
            pass

    def test_text_of_the_holder_cannot_command_the_terminal(
        self, tmp_path: Path
    ) -> None:
        with disk.BuildLock(str(tmp_path), "\x1b[2J\nbuild", wait=0):
            with pytest.raises(disk.Busy) as caught:
                disk.BuildLock(str(tmp_path), "second", wait=0).__enter__()
        assert str(caught.value).isprintable()


def test_importing_it_loads_nothing_slow_and_nothing_of_the_tool() -> None:
    code = "import sys, savegen.disk, savegen.build.write; print(*sys.modules)"
    loaded = set(python("-c", code).split())
    ours = {name for name in loaded if name.startswith("savegen.")}
    write = ("savegen.build", "savegen.build.marker", "savegen.build.write")
    world = ("savegen.runtime", "savegen.runtime.world")
    interrupts = "savegen.runtime.world.interrupts"
    assert ours == {"savegen.disk", *write, *world, interrupts}
    slow = {"inspect", "dataclasses", "subprocess", "asyncio", "tempfile", "tomllib"}
    assert not loaded & (slow | {"click", "libcst", "jinja2", "black", "shutil"})
