"""Finds modules, classes and functions by name, and imports them if necessary."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from savegen.runtime.errors import SaveError

_MAX_NAMES = 64  # in a dotted name from a file
_MISSING: Any = object()  # since an object that has a name may be `None`


def find_loaded(name: str) -> Any:
    """Return the object of a name if its module is imported; otherwise `None`.

    `name` is `module:qualname`, or a dotted name that begins with the module.

    >>> find_loaded("random:Random") is find_loaded("random.Random") is not None
    True
    """
    obj = _found(name)
    return None if obj is _MISSING else obj


def _found(name: str) -> Any:
    module, colon, qualname = name.partition(":")
    if colon:
        return _attribute(module_named(module), qualname)
    owner, dot, last = name.rpartition(".")
    if not dot:
        return sys.modules.get(name, _MISSING)
    obj = _attribute(module_named(owner), last)
    return _attribute(_found(owner), last) if obj is _MISSING else obj


def alias(name: str) -> Any:
    """Return what a dotted name from a file leads to in an imported module, or `None`.

    Only the dicts of the module and of classes are read, so that no code runs.

    >>> alias("random.Random") is find_loaded("random.Random"), alias("random.Rudolph")
    (True, None)
    """
    names = name.split(".")[:_MAX_NAMES]
    for count in range(len(names) - 1, 0, -1):
        module = module_named(".".join(names[:count]))
        if isinstance(module, ModuleType):
            obj: Any = module
            for each in names[count:]:
                is_read = isinstance(obj, type) or obj is module
                obj = vars(obj).get(each) if is_read else None
            return obj
    return None


def name_of(cls: type) -> str:
    """Return the name by which `find_loaded` finds a class.

    >>> from string import Template
    >>> name_of(Template)
    'string:Template'
    """
    return f"{cls.__module__}:{cls.__qualname__}"


def is_defined(cls: type) -> bool:
    """Return whether the name of a class leads to that class.

    >>> from string import Template
    >>> is_defined(Template), is_defined(type("Template", (), {}))
    (True, False)
    """
    return _attribute(sys.modules.get(cls.__module__), cls.__qualname__) is cls


def imported(name: str, default: Any = _MISSING) -> Any:
    """Return the object with a name; import its module if necessary.

    If the module has no such object, return `default`, or raise `ImportError` without one. Also
    raises `ImportError` if the module does not exist.

    >>> imported("string:Template"), imported("string:set", set)
    (<class 'string.Template'>, <class 'set'>)
    """
    obj = _found(name)
    if obj is _MISSING:
        module, colon, _ = name.partition(":")
        import_module(module if colon else name.rpartition(".")[0])
        obj = _found(name)
    obj = default if obj is _MISSING else obj
    if obj is _MISSING:
        raise ImportError(f"there is no {name!r}")
    return obj


def required(name: str) -> Any:
    """Return the object of a name; import its module. Raises `SaveError` if it does not exist.

    >>> required("fractions:Half")
    Traceback (most recent call last):
        ...
    savegen.runtime.errors.SaveError: `fractions:Half` cannot be found: there is no 'fractions:Half'
    """
    try:
        return imported(name)
    except ImportError as error:
        raise SaveError(f"`{name}` cannot be found: {error}") from error


def module_named(name: str) -> Any:
    """Return the imported module with a name, or `None`.

    For the name of the running script, return `__main__`.
    """
    main = sys.modules.get("__main__")
    spec, file = getattr(main, "__spec__", None), getattr(main, "__file__", None)
    is_main = spec.name == name if spec else file and _stem(file) == name
    return main if is_main else sys.modules.get(name)


def _stem(file: str) -> str:
    return file.replace("\\", "/").rpartition("/")[2].removesuffix(".py")


def _attribute(owner: Any, qualname: str) -> Any:
    for name in qualname.split("."):
        owner = getattr(owner, name, _MISSING)
    return owner


class _Lazy:
    """Stands for a module, which it imports when one of its classes is first used."""

    def __init__(self, name: str) -> None:
        self.__dict__["\0name"] = name  # a key that is not the name of a class

    def __getattr__(self, name: str) -> Any:
        module = self.__dict__["\0name"]
        obj = self.__dict__[name] = required(f"{module}:{name}")
        return obj


def lazy(name: str) -> Any:
    """Return an object that imports a module on first use.

    A generated module uses it for the module of the game, which imports the generated module.

    >>> string = lazy("string")
    >>> string.octdigits
    '01234567'
    """
    return _Lazy(name)
