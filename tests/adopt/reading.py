"""Run the parts of `adopt` on source text."""

from __future__ import annotations

from textwrap import dedent

from savegen.build.adopt.program import Program
from savegen.build.adopt.proposal import Proposal, propose
from savegen.build.adopt.attributes import Decision
from savegen.build.adopt.types import InferredType, spell
from savegen.build.resolve.settings import Settings
from savegen.build.source import SourceFile


def program(**modules: str) -> Program:
    """The program of some modules; a double underscore in a name stands for a dot."""
    files = []
    for name, text in modules.items():
        module = name.replace("__", ".")
        path = f"{module.replace('.', '/')}.py"
        files.append(SourceFile(path, module, dedent(text).encode()))
    return Program(files)


def proposal(*named: str, **modules: str) -> Proposal:
    return propose(program(**modules), Settings(), named)


def decisions(found: Proposal, qualname: str) -> dict[str, Decision]:
    (cls,) = [each for each in found.classes if each.cls.qualname == qualname]
    return {decision.name: decision for decision in cls.decisions}


def verdicts(found: Proposal, qualname: str) -> dict[str, str]:
    """What becomes of each attribute: its type if it is saved, else the verdict."""
    return {
        name: (
            local(d.type) if d.verdict.value == "saved" and d.type else d.verdict.value
        )
        for name, d in decisions(found, qualname).items()
    }


def local(type_: InferredType) -> str:
    return spell(type_, lambda full: full.rpartition(".")[2] or full)
