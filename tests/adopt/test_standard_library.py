"""What `adopt` finds in the source of the standard library agrees with its live objects."""

from __future__ import annotations

import json
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from savegen.build.adopt import live
from savegen.build.adopt.attributes import Decisions, Verdict
from savegen.build.adopt.inference import Inference
from savegen.build.adopt.observed import OBSERVED_CONTAINERS, type_of_shape
from savegen.build.adopt.program import Program
from savegen.build.adopt.types import EMPTY, InferredType
from savegen.build.resolve.settings import Settings
from savegen.build.source import SourceFile
from tests.project import python

ROOT = Path(sysconfig.get_path("stdlib"))
PARTS = """
argparse calendar cmd collections configparser csv difflib doctest email fractions gettext
graphlib html http inspect ipaddress json logging optparse pprint queue random sched shlex
statistics string tarfile textwrap threading timeit trace traceback unittest urllib uuid xml
xmlrpc zipfile
""".split()

SCRIPT = """
import argparse, calendar, configparser, csv, difflib, email, email.policy, fractions, graphlib
import html.parser, http.cookiejar, http.cookies, inspect, io, ipaddress, json, logging, optparse
import pprint, queue, sched, shlex, statistics, string, tarfile, textwrap, threading, timeit
import traceback, unittest, urllib.request, urllib.robotparser, xml.dom.minidom, zipfile

parser = argparse.ArgumentParser("x", description="d")
parser.add_argument("--a", type=int, default=3)
parsed = parser.parse_args([])
parser.format_help()
config = configparser.ConfigParser()
config.read_string("[a]\\nb = 1\\n[c]\\nd = 2\\n")
message = email.message_from_string("From: a@b.c\\nTo: x\\n\\nhi\\n", policy=email.policy.default)
message.as_string()
decoder, encoder = json.JSONDecoder(), json.JSONEncoder(indent=2)
handler = logging.StreamHandler(io.StringIO())
handler.setFormatter(logging.Formatter("%(message)s"))
record = logging.makeLogRecord({"a": 1})


class Case(unittest.TestCase):
    def test_a(self):
        pass

    def test_b(self):
        self.fail()


suite = unittest.defaultTestLoader.loadTestsFromTestCase(Case)
result = unittest.TextTestRunner(io.StringIO()).run(suite)
reader = csv.DictReader(io.StringIO("a,b\\n1,2"))
matcher = difflib.SequenceMatcher(None, "abc", "abd")
ratio, wrapper = matcher.ratio(), textwrap.TextWrapper()
numbers = fractions.Fraction(1, 2), statistics.NormalDist(1, 2)
scheduler = sched.scheduler()
scheduler.enter(1, 1, print)
queues = queue.Queue(3), queue.PriorityQueue()
sorter = graphlib.TopologicalSorter({"a": {"b"}})
sorter.prepare()
lexer, options = shlex.shlex("a b"), optparse.OptionParser()
options.add_option("-a", type="int", default=3)
options.parse_args([])
page = html.parser.HTMLParser()
page.feed("<a href=x>b</a><!-- c -->")
document = xml.dom.minidom.parseString("<a b='c'><d>e</d></a>")
archive = zipfile.ZipFile(io.BytesIO(), "w")
archive.writestr("a", "b")
tape = tarfile.open(fileobj=io.BytesIO(), mode="w")
tape.addfile(tarfile.TarInfo("a"))
cookies, jar = http.cookies.SimpleCookie("a=b; c=d"), http.cookiejar.CookieJar()
request = urllib.request.Request("http://localhost/y?z")
robots = urllib.robotparser.RobotFileParser("http://localhost")
robots.parse(["User-agent: *", "Disallow: /a"])
network = ipaddress.ip_network("10.0.0.0/8")
error = traceback.TracebackException.from_exception(ValueError("x"))
signature = inspect.signature(lambda a, b=1: 1)
others = calendar.TextCalendar(), pprint.PrettyPrinter(), timeit.Timer("1"), threading.Barrier(2)
"""


def sources() -> list[SourceFile]:
    paths = [
        p for part in PARTS for p in (ROOT / f"{part}.py", *(ROOT / part).rglob("*.py"))
    ]
    files = []
    for path in sorted(set(paths)):
        place = path.relative_to(ROOT).as_posix()
        if path.exists() and "test" not in place.removeprefix("unittest"):
            module = (
                place.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
            )
            files.append(SourceFile(place, module, path.read_bytes()))
    return files


def fits(program: Program, observed: InferredType, declared: InferredType) -> bool:
    return all(fits_one(program, member, declared) for member in observed.members)


def fits_one(program: Program, observed: InferredType, declared: InferredType) -> bool:
    cls = program.class_named(observed.name)
    names = (
        {observed.name, *(base.name for base in cls.ancestors)}
        if cls
        else {observed.name}
    )
    if observed.name in ("int", "bool"):
        names |= {"int", "float"}
    return any(
        member.name in names and arguments_fit(program, observed, member)
        for member in declared.members
    )


def arguments_fit(
    program: Program, observed: InferredType, declared: InferredType
) -> bool:
    wanted: Sequence[InferredType] = declared.arguments
    if len(wanted) == 2 and wanted[1].name == "...":
        wanted = [wanted[0]] * len(observed.arguments)
    if declared.name == "tuple" and len(wanted) != len(observed.arguments):
        return not wanted
    return all(
        one == EMPTY or fits(program, one, other)
        for one, other in zip(observed.arguments, wanted)
    )


def test_types_from_the_source_are_those_of_live_objects(tmp_path: Path) -> None:
    program = Program(sources())
    decisions = Decisions(program, Inference(program), Settings())
    (tmp_path / "script.py").write_text(SCRIPT)
    result = tmp_path / "types.json"
    request = {
        "script": str(tmp_path / "script.py"),
        "arguments": [],
        "module": "script",
        "classes": [*program.classes],
        "containers": OBSERVED_CONTAINERS,
        "result": str(result),
    }
    python("-m", live.__name__, json.dumps(request))
    seen: dict[str, dict[str, list[Any]]] = json.loads(result.read_text())["seen"]
    checked, wrong = 0, []
    for name, attributes in seen.items():
        for base in program.classes[name].ancestors:
            for decision in decisions.of(base):
                if decision.verdict is not Verdict.SAVED or decision.type is None:
                    continue
                for shape in attributes.get(decision.name, ()):
                    observed = type_of_shape(shape)
                    checked += 1
                    if observed and not fits(program, observed, decision.type):
                        wrong.append(
                            f"{name}.{decision.name}: {decision.type}, not {observed}"
                        )
    assert not wrong, "\n".join(wrong)
    assert checked > 80
