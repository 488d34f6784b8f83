"""Copy an enemy and an item out of the sample game, as the page says, in place of an editor."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import savegen

SAMPLE = Path(savegen.__file__).parents[1] / "sample_game"
WHOLE = "shapes.py", "physics.py", "things.py"
TAKEN = {"enemies.py": {"AWAKE", "DAZED", "Enemy", "Bat"}, "items.py": {"Heart"}}


def name_of(node: ast.stmt) -> str:
    match node:
        case ast.ClassDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]):
            return name
    return ""


def lines_of(text: str, node: ast.stmt) -> str:
    decorators = getattr(node, "decorator_list", [])
    first = min(each.lineno for each in [node, *decorators])
    return "\n".join(text.splitlines()[first - 1 : node.end_lineno]) + "\n\n\n"


def imports_of(body: list[ast.stmt], code: str, indent: str = "") -> Iterator[str]:
    """Yield the imports that the code needs, but not those of generated code."""
    for node in body:
        if isinstance(node, ast.If):
            yield "if TYPE_CHECKING:"
            yield from imports_of(node.body, code, "    ")
        elif isinstance(node, ast.ImportFrom) and "_savegen" not in str(node.module):
            names = [each.name for each in node.names]
            wanted = [name for name in names if re.search(rf"\b{name}\b", code)]
            if wanted or node.module == "__future__":
                yield f"{indent}from {node.module} import {', '.join(wanted or names)}"


def copied(file: str) -> str:
    text = (SAMPLE / file).read_text("utf-8")
    if file in TAKEN:
        body = ast.parse(text).body
        code = "".join(lines_of(text, n) for n in body if name_of(n) in TAKEN[file])
        code = re.sub(r"\w+SaveLoad, ", "", code)
        imports = imports_of(body, f"{code} TYPE_CHECKING")
        text = "\n".join(imports) + "\n\n" + code
    return text.replace("sample_game.", "")


for file in (*WHOLE, *TAKEN):
    Path(file).write_text(copied(file), encoding="utf-8")
