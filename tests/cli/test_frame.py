"""What every command of savegen has: its options, exit codes, streams and bad ends."""

import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
from importlib import import_module
from pathlib import Path

import click
import pytest

from savegen import cli

ROOT = Path(__file__).parents[2]
HEAVY = ("libcst", "jinja2", "black", "msgspec", "dataclasses", "difflib")

# A process with one more verb, `probe`, whose body a test writes.
PROBE = """
import sys
from types import ModuleType
import click
from savegen import cli
from savegen.__main__ import main

def body(console, paths):
{body}

@click.command()
@click.argument("paths", nargs=-1)
@cli.common
@click.pass_obj
def command(console, paths):
    return body(console, paths)

module = ModuleType("savegen.cli.probe")
module.command = command
sys.modules[module.__name__] = module
cli.COMMANDS["probe"] = "Do what a test wants."
if __name__ == "__main__":
    sys.exit(main())
"""


def environment(**changes):
    env = {k: v for k, v in os.environ.items() if not k.endswith("_COLOR")}
    env |= {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "COLUMNS": "80"}
    return env | changes


def start(command, cwd, env=None, **streams):
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    return subprocess.Popen(
        command,
        cwd=cwd,
        env=env or environment(),
        text=True,
        encoding="utf-8",
        **streams,
    )


def run(command, cwd, env=None):
    with start(command, cwd, env) as process:
        out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.fixture
def savegen(tmp_path):
    """Run `python -m savegen` in a fresh folder: exit code, stdout, stderr."""

    def savegen(*args, **env):
        command = [sys.executable, "-m", "savegen", *args]
        return run(command, tmp_path, environment(**env))

    return savegen


def probing(body):
    return PROBE.format(body=textwrap.indent(textwrap.dedent(body), "    "))


@pytest.fixture
def probe(tmp_path):
    """Run a body as the command `probe`, with arguments around the verb."""

    def probe(body, *args, before=(), **env):
        command = [sys.executable, "-c", probing(body), *before, "probe", *args]
        return run(command, tmp_path, environment(**env))

    return probe


# The front door


def test_help_lists_every_command_with_what_it_does(savegen):
    code, out, err = savegen("--help")
    assert (code, err) == (0, "")
    listed = re.findall(r"^  (\w+)  +[A-Z]", out.partition("commands:")[2], re.M)
    assert sorted(listed) == sorted(cli.COMMANDS)


def test_help_groups_the_commands_everyday_ones_first(savegen):
    text = savegen("--help")[1]
    titles = re.findall(r"^([A-Z][\w ]+):$", text, re.M)
    assert titles == ["Options", *cli.GROUPS, "Other commands"]
    everyday = text.partition("Everyday commands:\n")[2]
    assert everyday.startswith("  init  ")
    starts = {
        len(found[0]) for found in re.finditer(r"(?m)^  \w+ +(?=[A-Z])", everyday)
    }
    assert len(starts) == 1  # one column for all groups


def test_the_installed_script_is_the_same_door(savegen, tmp_path):
    script = shutil.which("savegen", path=str(Path(sys.executable).parent))
    assert script, "savegen is not installed here"
    assert run([script, "-h"], tmp_path) == savegen("-h")


def test_without_a_command_the_help_goes_to_stderr(savegen):
    code, out, err = savegen()
    assert (code, out) == (2, "")
    assert err == savegen("--help")[1]


def test_the_version_is_told(savegen):
    code, out, err = savegen("--version")
    assert (code, err) == (0, "")
    assert re.fullmatch(r"savegen \d+\.\d+\.\d+\n", out)


def test_an_unknown_command_is_refused_with_a_suggestion(savegen):
    code, out, err = savegen("chek")
    assert (code, out) == (2, "")
    assert err.endswith("there is no command 'chek'; did you mean 'check'?\n")
    assert savegen("frobnicate")[2].endswith("there is no command 'frobnicate'\n")


def test_so_is_one_of_a_group(savegen):
    code, out, err = savegen("saves", "lst")
    assert (code, out) == (2, "")
    assert err.endswith("there is no command 'lst'; did you mean 'list'?\n")
    assert savegen("level", "frobnicate")[0] == 2


def test_an_unknown_option_is_refused(savegen):
    code, out, err = savegen("--nope")
    assert (code, out) == (2, "")
    assert "--nope" in err and "Try 'savegen " in err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("savegen com", ["plain,components", "plain,completion"]),
        ("savegen ", [f"plain,{name}" for name in cli.COMMANDS]),
        ("savegen --q", ["plain,--quiet"]),
    ],
)
def test_the_shell_completes(savegen, words, expected):
    code, out, _ = savegen(
        _SAVEGEN_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD="1"
    )
    assert (code, out.split()) == (0, expected)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_can_be_installed(savegen, shell):
    code, out, _ = savegen(_SAVEGEN_COMPLETE=f"{shell}_source")
    assert code == 0 and "_SAVEGEN_COMPLETE" in out


@pytest.mark.parametrize(
    ("args", "env"),
    [
        (["--help"], {}),
        (
            [],
            {
                "_SAVEGEN_COMPLETE": "bash_complete",
                "COMP_WORDS": "savegen c",
                "COMP_CWORD": "1",
            },
        ),
    ],
)
def test_help_and_completion_import_no_command(tmp_path, args, env):
    command = [sys.executable, "-X", "importtime", "-m", "savegen", *args]
    _, _, err = run(command, tmp_path, environment(**env))
    imported = set(re.findall(r"\|\s+([\w.]+)$", err, re.M))
    assert {"savegen.cli", "click"} <= imported
    assert not imported & {*HEAVY, *(f"savegen.cli.{name}" for name in cli.COMMANDS)}


def test_a_run_that_finds_nothing_to_do_loads_nothing_heavy(probe, tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.savegen]\n")
    code, out, err = probe("""
        console.config()
        console.note("up to date")
        console.print(" ".join(sys.modules))
    """)
    assert (code, err) == (0, "up to date\n")
    assert not set(HEAVY) & set(out.split())


# Every verb is in its place


def leaves():
    """Yield every command that does something: those of a group, not the group."""
    for name in cli.COMMANDS:
        command = import_module(f"savegen.cli.{name}").command
        if not isinstance(command, click.Group):
            yield name, command
            continue
        for inner in command.commands.values():
            yield f"{name} {inner.name}", inner


def test_every_file_here_is_a_listed_command():
    here = (ROOT / "savegen" / "cli").glob("[!_]*")
    assert {path.stem for path in here} == set(cli.COMMANDS)


def test_every_command_takes_the_common_options():
    common = {"config_file", "colour", "quiet", "verbose"}
    for name, command in leaves():
        assert common <= {option.name for option in command.params}, name


def test_every_command_says_what_it_does():
    for name, command in leaves():
        assert isinstance(command, click.Command) and command.help, name


def test_no_help_prints_the_bounds_of_a_number():
    for name, command in leaves():
        text = command.get_help(click.Context(command, info_name=name))
        assert "<=" not in text and "RANGE" not in text, name


@pytest.mark.parametrize("value", ["0", "1000001", "-5", "many", "²", "9" * 5000])
def test_a_number_out_of_bounds_is_refused_in_words(savegen, value):
    code, out, err = savegen("build", "--timeout", value)
    assert (code, out) == (2, "")
    assert "write a whole number from 1 to 1000000, not " in err


# The common options


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], "a note"),
        (["--quiet"], ""),
        (["-q"], ""),
        (["--verbose"], "a note, a detail"),
        (["-v"], "a note, a detail"),
        (["-v", "-q"], ""),
        (["-q", "-v"], "a note, a detail"),
    ],
)
def test_options_may_stand_before_the_command_and_behind_it(probe, options, expected):
    body = """
        console.print("asked for")
        console.note("a note")
        console.detail("a detail")
    """
    expected = expected.replace(", ", "\n") + "\n" * bool(expected)
    assert probe(body, *options) == (0, "asked for\n", expected)
    assert probe(body, before=options) == (0, "asked for\n", expected)


def test_the_option_nearest_to_the_end_counts(probe):
    body = 'console.detail("a detail")'
    assert probe(body, "--verbose", before=["--quiet"]) == (0, "", "a detail\n")


def test_a_configuration_can_be_named_on_either_side(probe, tmp_path):
    (tmp_path / "other.toml").write_text('[tool.savegen]\noutput = "gen"')
    body = "console.print(console.config().output)"
    for where in ({"before": ["--config", "other.toml"]}, {}):
        args = [] if where else ["--config", "other.toml"]
        assert probe(body, *args, **where) == (0, "gen\n", "")


def test_without_a_configuration_the_paths_are_the_game(probe, tmp_path):
    (tmp_path / "game.py").touch()
    body = "console.print(str(console.config(paths).source))"
    assert probe(body, "game.py") == (0, "('game.py',)\n", "")
    code, out, err = probe(body)
    assert (code, out) == (2, "")
    assert err.startswith("error: found no pyproject.toml with [tool.savegen]")


# Exit codes


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("pass", 0),
        ("return 0", 0),
        ("return 1", 1),
        ("return True", 1),
        ("click.get_current_context().exit(1)", 1),
    ],
)
def test_the_exit_code_is_what_the_command_returns(probe, body, code):
    assert probe(body) == (code, "", "")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "from savegen.findings import SavegenError; raise SavegenError('no folder')",
            "no folder",
        ),
        (
            "from savegen.build.write import Refused; raise Refused('in the way')",
            "in the way",
        ),
        (
            "from savegen.disk import Busy; raise Busy('process 7', 10)",
            "another savegen is running in this project (process 7); waited 10 s for it",
        ),
        ("open('none.py')", "none.py: No such file or directory"),
        ("open(b'none.py')", "none.py: No such file or directory"),
        (
            "from savegen.findings import SavegenError; raise SavegenError('a\\x1b[2J')",
            r"a\x1b[2J",
        ),
    ],
)
def test_what_is_no_fault_of_ours_is_one_line_and_exit_2(probe, body, message):
    assert probe(body) == (2, "", f"error: {message}\n")


def test_a_wrong_configuration_is_told_by_its_file(savegen, probe, tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.savegen]\nsorce = 'x'")
    code, out, err = probe("console.config()")
    assert (code, out) == (2, "")
    assert err == (
        "error: pyproject.toml: unknown key `sorce` in [tool.savegen];"
        " did you mean `source`?\n"
    )


def test_a_wrong_use_of_a_command_is_exit_2(probe):
    code, out, err = probe("pass", "--nope")
    assert (code, out) == (2, "")
    assert "savegen probe" in err and "--nope" in err


@pytest.mark.parametrize(
    "fault", ["{}['\\x1b[2J']", "import savegen.nowhere", "raise OSError('no file')"]
)
def test_a_bug_shows_its_traceback_and_that_it_is_ours(probe, fault):
    code, out, err = probe(f"def deep():\n    {fault}\ndeep()")
    assert (code, out) == (3, "")
    assert err.startswith("error: Traceback (most recent call last):\n")
    assert "in deep\n" in err and "\x1b" not in err
    last = err.splitlines()[-1]
    assert "a bug in savegen" in last and "please report it" in last


def test_a_deep_recursion_is_a_bug_like_any_other(probe):
    code, _, err = probe("def f(): f()\nf()")
    assert code == 3 and "RecursionError" in err and "please report it" in err


# Bad ends


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_an_interrupt_is_one_line_and_exit_130(tmp_path):
    program = probing("console.print('ready')\nimport time\ntime.sleep(60)")
    with start([sys.executable, "-c", program, "probe"], tmp_path) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert err.strip("\n") == "interrupted; no file was left half-written"


def test_a_reader_that_goes_away_is_no_fault_and_the_work_is_done(tmp_path):
    program = probing("""
        for number in range(20_000):
            console.print(f"line {number}")
        open("done", "w").close()
        return 1
    """)
    with start([sys.executable, "-c", program, "probe"], tmp_path) as process:
        assert process.stdout.readline() == "line 0\n"
        process.stdout.close()
        err = process.stderr.read()
        assert process.wait(30) == 1
    assert err == ""
    assert (tmp_path / "done").exists()


def test_help_into_a_closed_pipe_is_quiet(tmp_path):
    command = [sys.executable, "-m", "savegen", "--help"]
    reader, writer = os.pipe()
    os.close(reader)
    with start(command, tmp_path, stdout=writer) as process:
        os.close(writer)
        assert process.communicate(timeout=30)[1] == ""


def test_notes_into_a_closed_pipe_are_dropped(tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    program = probing("console.note('a'); console.note('b'); console.print('result')")
    command = [sys.executable, "-c", program, "probe"]
    with start(command, tmp_path, stderr=writer) as process:
        os.close(writer)
        assert process.communicate(timeout=30)[0] == "result\n"
    assert process.returncode == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk_below_stdout_is_told(tmp_path):
    command = [sys.executable, "-c", probing("console.print('x')"), "probe"]
    with (
        open("/dev/full", "w") as full,
        start(command, tmp_path, stdout=full) as process,
    ):
        err = process.communicate(timeout=30)[1]
    assert process.returncode == 2
    assert err == "error: cannot write to stdout: No space left on device\n"


@pytest.mark.skipif(sys.platform == "win32", reason="a shell's way to close a stream")
def test_closed_streams_are_no_fault(tmp_path):
    program = probing("console.print('x'); console.note('y'); return 1")
    command = ["sh", "-c", 'exec "$@" >&- 2>&-', "sh", sys.executable, "-c", program]
    assert run([*command, "probe"], tmp_path) == (1, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use stays there")
def test_a_working_folder_that_is_gone_is_told(tmp_path):
    (tmp_path / "gone").mkdir()
    program = "import os, shutil; os.chdir('gone'); os.rmdir('../gone')\n" + probing(
        "console.config(['x.py'])"
    )
    code, _, err = run([sys.executable, "-c", program, "probe"], tmp_path)
    assert (code, err) == (2, "error: the working folder no longer exists\n")


def test_letters_that_a_stream_cannot_show_are_escaped(probe):
    env = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"}
    assert probe("console.print('…'); console.note('…')", **env) == (
        0,
        "\\u2026\n",
        "\\u2026\n",
    )


def test_a_pipe_gets_what_was_asked_for_as_it_is(probe):
    body = r"console.print('+\x0c\x1b[31m\ttab')"
    assert probe(body)[1] == "+\x0c\x1b[31m\ttab\n"


# Without the extra


@pytest.fixture
def bare_python(tmp_path):
    """A Python that has savegen and the given packages, and no other."""
    packages = tmp_path / "packages"
    packages.mkdir()
    (packages / "savegen").symlink_to(ROOT / "savegen")

    def bare_python(*args, having=()):
        for name in having:
            (packages / name).symlink_to(*import_module(name).__path__)
        env = environment(PYTHONPATH=str(packages))
        return run([sys.executable, "-S", *args], tmp_path, env)

    return bare_python


HINT = (
    'savegen needs the package {} for this: run pip install "savegen[build]", or in a'
    ' pre-commit hook write additional_dependencies: [".[build]", ...]\n'
)


def test_without_the_extra_one_sentence_says_what_to_install(bare_python):
    assert bare_python("-m", "savegen", "--help") == (2, "", HINT.format("click"))


def test_a_part_of_the_extra_that_is_missing_is_named(bare_python):
    program = probing("import libcst.matchers")
    found = bare_python("-c", program, "probe", having=["click"])
    assert found == (2, "", HINT.format("libcst"))


# Colour


@pytest.mark.parametrize(
    ("args", "env", "expected"),
    [
        ([], {}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "0"}, False),
        ([], {"FORCE_COLOR": ""}, False),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (["--color"], {"NO_COLOR": "1"}, True),
        (["--no-color"], {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colour_follows_option_and_environment(probe, args, env, expected):
    code, out, err = probe("console.print('x', 'added'); open('nowhere')", *args, **env)
    assert code == 2
    assert out == ("\x1b[32mx\x1b[0m\n" if expected else "x\n")
    assert err.startswith("\x1b[1;31merror:\x1b[0m nowhere" if expected else "error: n")


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")
@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({"TERM": "xterm"}, "\x1b[32ma\\x1b[2Jb\x1b[0m\r\n"),
        ({"TERM": "dumb"}, "a\\x1b[2Jb\r\n"),
        ({"TERM": "xterm", "NO_COLOR": "1"}, "a\\x1b[2Jb\r\n"),
    ],
)
def test_a_terminal_gets_colour_and_no_controls(tmp_path, env, expected):
    import pty

    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", probing(r"console.print('a\x1b[2Jb', 'added')")]
    env = environment(**env)
    with start([*command, "probe"], tmp_path, env, stdout=theirs) as process:
        os.close(theirs)
        assert os.read(ours, 1000).decode() == expected
        assert process.wait(30) == 0
    os.close(ours)


# Findings


def findings(*places, root="."):
    """A body that shows findings: their severities, paths and lines."""
    return f"""
        import os
        from savegen.build.source import Project
        from savegen.findings import Finding, Report, Severity, Span

        def fault(severity, path, line):
            words = {{"code": "SG1", "severity": severity, "message": "a fault"}}
            return type("Fault", (Finding,), words)(Span(path, line, 1, line, 2))

        root = os.path.abspath({root!r})
        project = Project(root, {{"m": "m.py", "gone": "gone.py"}})
        report = Report([fault(Severity(s), p, n) for s, p, n in {list(places)}])
        console.findings(report, project)
    """


def test_findings_go_to_stdout_with_their_lines(probe, tmp_path):
    (tmp_path / "m.py").write_text("first\nsecond\n")
    body = findings((2, "m.py", 2), (1, "m.py", 1), (0, "m.py", 99))
    code, out, err = probe(body, "--verbose")
    assert (code, err) == (0, "")
    assert out == """\
note[SG1]: a fault
  --> m.py:99:1

warning[SG1]: a fault
 --> m.py:1:1
  |
1 | first
  | ^

error[SG1]: a fault
 --> m.py:2:1
  |
2 | second
  | ^

1 error, 1 warning, 1 note
"""
    assert probe(body)[1] == out.partition("\n\n")[2].replace(
        "1 note\n", "1 note (--all shows it)\n"
    )


def test_quiet_findings_are_errors_and_warnings(probe, tmp_path):
    body = findings((2, "m.py", 1), (0, "m.py", 2), (1, "m.py", 3))
    assert probe(body, "--quiet")[1].endswith("\n\n1 error, 1 warning\n")
    assert probe(findings((0, "m.py", 1)), "--quiet") == (0, "", "")


def test_findings_outside_the_project_or_in_lost_files_have_no_frame(probe):
    out = probe(findings((2, "gone.py", 1), (2, "pyproject.toml", 3)))[1]
    assert "--> gone.py:1:1\n\n" in out and "--> pyproject.toml:3:1\n\n" in out


def test_a_path_is_shown_as_the_working_folder_reaches_it(tmp_path):
    (tmp_path / "m.py").write_text("first\n")
    (tmp_path / "sub").mkdir()
    program = probing(findings((2, "m.py", 1), root=".."))
    command = [sys.executable, "-c", program, "probe"]
    assert " --> ../m.py:1:1\n" in run(command, tmp_path / "sub")[1]


def test_no_findings_say_nothing(probe):
    assert probe(findings()) == (0, "", "")
