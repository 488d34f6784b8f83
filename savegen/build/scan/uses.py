"""Find the names that a method uses, which show the fields that it saves or loads."""

from __future__ import annotations

import ast

from savegen.build.scan.facts import dotted

_Function = ast.FunctionDef | ast.AsyncFunctionDef
# Decorators after which a method still does what its body shows.
_PLAIN = ("property", "cached_property", "setter", "override", "staticmethod")


def names_used(node: ast.AST | None) -> tuple[str, ...] | None:
    """Return the names and literal strings in a method; `None` if other code may do its work.

    It may if the method passes its object on, uses its `__dict__`, or has a decorator.
    """
    if not isinstance(node, _Function) or not _is_plain(node):
        return None
    uses: set[str] = set()
    objects, owners = set[ast.Name](), set[ast.expr]()
    parameters = (*node.args.posonlyargs, *node.args.args)
    own = parameters[0].arg if parameters else ""
    for inner in ast.walk(node):
        match inner:
            case ast.Attribute(value=owner, attr=name):
                owners.add(owner)
                uses.add(name)
            case ast.Call(func=ast.Attribute(), args=[ast.Name() as first, *_]):
                owners.add(first)  # `Base.save_data(self)`, which `Method.calls` has
            case ast.Name(id=name):
                uses.add(name)
                if name == own:
                    objects.add(inner)
            case ast.Constant(value=str(name)) | ast.keyword(arg=str(name)):
                uses.update([name] if name.isidentifier() else ())
    is_dunder = any(name.startswith("__") and name.endswith("__") for name in uses)
    return None if is_dunder or objects - owners else tuple(sorted(uses))


def _is_plain(node: _Function) -> bool:
    names = (dotted(each) or "" for each in node.decorator_list)
    return all(name.rpartition(".")[2] in _PLAIN for name in names)
