"""Random branches of a game: what people do to classes, apart from each other."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

KINDS = ("int", "str", "list[int]")
COMPONENTS = ("Gun", "Body")
MODULES = ("a", "b", "c")
HEIR = 60_000  # from the key of a base to that of its subclass: both are one branch's


@dataclass(frozen=True)
class Field:
    name: str
    kind: str
    was: tuple[str, ...] = ()

    def line(self, taken: set[str]) -> str:
        former = self._former(taken)
        save = f"Save(was={former!r})" if former else "Save()"
        return f"    {self.name}: Annotated[{self.kind}, {save}]\n"

    def part(self, taken: set[str]) -> str:
        former = ", ".join(map(repr, self._former(taken)))
        was = f".was({former})" if former else ""
        return f"    {self.name} = part({self.kind}){was}\n"

    def _former(self, taken: set[str]) -> tuple[str, ...]:
        return tuple(name for name in self.was if name not in taken)


@dataclass(frozen=True)
class Saveable:
    name: str
    module: str
    was: tuple[str, ...] = ()
    fields: dict[int, Field] = field(default_factory=dict)  # by what never changes

    def text(self, base: Saveable | None) -> str:
        mark = f"@saveable(was={self.was!r})" if self.was else "@saveable"
        inherited = base.fields.values() if base else ()
        taken = {each.name for each in (*self.fields.values(), *inherited)}
        lines = "".join(each.line(taken) for each in self.fields.values())
        bases = f"{self.name}SaveLoad" + (f", {base.name}" if base else "")
        return f"{mark}\nclass {self.name}({bases}):\n{lines or '    pass'}\n"


@dataclass(frozen=True)
class Prefab(Saveable):
    """Its fields are parts, and their kinds the classes of components."""

    def text(self, base: Saveable | None) -> str:
        mark = f"@prefab(was={self.was!r})" if self.was else "@prefab"
        taken = {each.name for each in self.fields.values()}
        lines = "".join(each.part(taken) for each in self.fields.values())
        return f"{mark}\nclass {self.name}:\n{lines or '    pass'}\n"


@dataclass
class Source:
    """A game, and what one branch has done to it since it began."""

    classes: dict[int, Saveable] = field(default_factory=dict)
    moods: dict[str, None] = field(default_factory=dict)  # members of an enumeration
    parts: dict[str, str] = field(default_factory=dict)  # fields of a record
    retired: list[str] = field(default_factory=list)  # said to be gone, on this branch

    def files(self) -> dict[str, str]:
        return {f"game/{name}.py": self._module(name) for name in MODULES} | {
            "game/plain.py": self._plain()
        }

    def base_of(self, key: int) -> Saveable | None:
        return self.classes.get(key - HEIR)

    def all_fields(self, key: int) -> dict[int, Field]:
        """Return the fields of a class, inherited ones too."""
        base = self.base_of(key)
        return {**(base.fields if base else {}), **self.classes[key].fields}

    def _module(self, name: str) -> str:
        here = {k: cls for k, cls in self.classes.items() if cls.module == name}
        mixins = "".join(
            f"from game._savegen.components.{name} import {cls.name}SaveLoad\n"
            for cls in here.values()
            if not isinstance(cls, Prefab)
        )
        bases = {base.name: base for key in here if (base := self.base_of(key))}
        mixins += "".join(
            f"from game.{bases[each].module} import {each}\n"
            for each in sorted(bases)
            if bases[each].module != name
        )
        head = "from __future__ import annotations\nfrom typing import Annotated\n"
        head += (
            "from savegen import Save, part, prefab, saveable\n"
            "from game.plain import Body, Gun, Mood, Part\n"
        )
        texts = [cls.text(self.base_of(key)) for key, cls in sorted(here.items())]
        return "\n\n".join([head + mixins, *texts])

    def _plain(self) -> str:
        moods = "".join(f"    {name} = {name!r}\n" for name in self.moods)
        parts = "".join(f"    {name}: {kind}\n" for name, kind in self.parts.items())
        head = "from dataclasses import dataclass\nfrom enum import Enum\n"
        head += "from savegen import saveable\n"
        for name in COMPONENTS:
            head += f"from game._savegen.components.plain import {name}SaveLoad\n"
        for name in COMPONENTS:
            head += f"@saveable\nclass {name}({name}SaveLoad):\n    pass\n"
        return f"{head}class Mood(Enum):\n{moods}\n\n@dataclass\nclass Part:\n{parts}"

    def copy(self) -> Source:
        return Source(dict(self.classes), dict(self.moods), dict(self.parts))

    # What one does

    def change(self, chance: random.Random, new: int, mine: tuple[int, int]) -> None:
        """Do something to what is `mine`: of so many branches each has one to itself."""
        do = chance.choice(
            [self._add_field] * 4
            + [self._rename_field, self._remove_field, self._add_class]
            + [self._add_prefab]
            + [self._rename_class, self._move_class, self._remove_class]
            + [self._add_mood, self._remove_mood, self._add_part]
            + [self._add_line, self._pull_up, self._pull_up, self._push_down]
            + [self._add_twin]
        )
        do(chance, new, mine)

    def _some(self, chance: random.Random, mine: tuple[int, int]) -> int | None:
        place, count = mine
        keys = [key for key in self.classes if key % count == place]
        return chance.choice(keys) if keys else None

    def _any(self, chance: random.Random) -> int | None:
        return chance.choice(list(self.classes)) if self.classes else None

    def _with(self, key: int, fields: dict[int, Field]) -> None:
        self.classes[key] = replace(self.classes[key], fields=fields)

    def _add_field(self, chance: random.Random, new: int, mine) -> None:
        key = self._any(chance)
        if key is None:
            return
        fields, name = self.classes[key].fields, chance.choice("pqrstuvw") * 2
        known = {n for f in fields.values() for n in (f.name, *f.was)}
        if name not in known:
            # Branches that add the same name mean the same thing by it.
            is_prefab = isinstance(self.classes[key], Prefab)
            kinds = COMPONENTS if is_prefab else (*KINDS, "Mood", "Part")
            kind = kinds["pqrstuvw".index(name[0]) % len(kinds)]
            self._with(key, {**fields, new: Field(name, kind)})

    def _rename_field(self, chance: random.Random, new: int, mine) -> None:
        key = self._some(chance, mine)
        if key is not None and self.classes[key].fields:
            fields = dict(self.classes[key].fields)
            which = chance.choice(list(fields))
            old = fields[which]
            fields[which] = Field(f"n{new}", old.kind, (old.name, *old.was))
            self._with(key, fields)

    def _remove_field(self, chance: random.Random, new: int, mine) -> None:
        key = self._some(chance, mine)
        if key is not None and self.classes[key].fields:
            fields = dict(self.classes[key].fields)
            gone = fields.pop(chance.choice(list(fields)))
            self._with(key, fields)
            self.retired.append(f"{self.classes[key].name}.{gone.name}")

    def _add_class(self, chance: random.Random, new: int, mine) -> None:
        name, module = f"C{new}", chance.choice(MODULES)
        self.classes[new] = Saveable(name, module, (), {new: Field("hp", "int")})

    def _add_twin(self, chance: random.Random, new: int, mine: tuple[int, int]) -> None:
        """Add a class of a name that other branches add too, in other modules."""
        if all(cls.name != "Twin" for cls in self.classes.values()):
            fields = {new: Field("hp", "int")}
            self.classes[new] = Saveable("Twin", MODULES[mine[0]], (), fields)

    def _add_line(self, chance: random.Random, new: int, mine) -> None:
        """Add a base with a subclass."""
        module = chance.choice(MODULES)
        fields = {new: Field(f"f{new}", "int")}
        self.classes[new] = Saveable(f"B{new}", module)
        self.classes[new + HEIR] = Saveable(f"D{new}", module, (), fields)

    def _line(self, chance: random.Random, mine: tuple[int, int]) -> int | None:
        """Return the key of a base that has a subclass."""
        place, count = mine
        keys = [k for k in self.classes if k % count == place]
        found = [k for k in keys if k + HEIR in self.classes]
        return chance.choice(found) if found else None

    def _pull_up(self, chance: random.Random, new: int, mine) -> None:
        base = self._line(chance, mine)
        if base is not None:
            self._carry(chance, base + HEIR, base)

    def _push_down(self, chance: random.Random, new: int, mine) -> None:
        base = self._line(chance, mine)
        if base is not None:
            self._carry(chance, base, base + HEIR)

    def _carry(self, chance: random.Random, source: int, target: int) -> None:
        fields = self.classes[source].fields
        taken = {each.name for each in self.classes[target].fields.values()}
        free = [key for key, each in fields.items() if each.name not in taken]
        if free:
            key = chance.choice(free)
            rest = {k: each for k, each in fields.items() if k != key}
            self._with(source, rest)
            self._with(target, {**self.classes[target].fields, key: fields[key]})

    def _add_prefab(self, chance: random.Random, new: int, mine) -> None:
        parts = {new: Field("body", "Body")}
        self.classes[new] = Prefab(f"P{new}", chance.choice(MODULES), (), parts)

    def _rename_class(self, chance: random.Random, new: int, mine) -> None:
        key = self._some(chance, mine)
        if key is not None:
            cls = self.classes[key]
            fields = {
                k: replace(f, kind=f"R{new}") if f.kind == cls.name else f
                for k, f in cls.fields.items()
            }
            was = (cls.name, *cls.was)
            self.classes[key] = replace(cls, name=f"R{new}", was=was, fields=fields)

    def _move_class(self, chance: random.Random, new: int, mine) -> None:
        key = self._some(chance, mine)
        if key is not None and self.classes[key].name != "Twin":
            cls, module = self.classes[key], chance.choice(MODULES)
            # Its fields may change too: then savegen would ask.
            was = (f"game.{cls.module}.{cls.name}", *cls.was)
            was = was if module != cls.module else cls.was
            self.classes[key] = replace(cls, module=module, was=was)

    def _remove_class(self, chance: random.Random, new: int, mine) -> None:
        key = self._some(chance, mine)
        if key is not None and len(self.classes) > 1:
            self.retired.append(self.classes.pop(key).name)

    def _add_mood(self, chance: random.Random, new: int, mine) -> None:
        self.moods[chance.choice("ABCDEFGH") * 2] = None

    def _remove_mood(self, chance: random.Random, new: int, mine) -> None:
        if mine[0] == 0 and len(self.moods) > 1:
            gone = chance.choice(list(self.moods))
            del self.moods[gone]
            self.retired.append(f"Mood.{gone}")

    def _add_part(self, chance: random.Random, new: int, mine) -> None:
        self.parts.setdefault(chance.choice("xyz") * 2, "int")


def merged(base: Source, sides: list[Source]) -> Source:
    """Return what somebody makes of branches that grew out of `base`."""
    result = Source()
    for key in sorted({key for side in sides for key in side.classes}):
        if key not in base.classes:
            result.classes[key] = next(
                s.classes[key] for s in sides if key in s.classes
            )
        elif all(key in side.classes for side in sides):
            result.classes[key] = _merged_class(
                base.classes[key], [side.classes[key] for side in sides]
            )
    result.moods = _merged_table(base.moods, [side.moods for side in sides])
    result.parts = _merged_table(base.parts, [side.parts for side in sides])
    return result


def _merged_table(base: dict, sides: list[dict]) -> dict:
    """Return a table with what any side has added, and without what any has taken out."""
    keys = {key for side in sides for key in side}
    kept = {k for k in keys if k not in base or all(k in side for side in sides)}
    return {k: next(side[k] for side in sides if k in side) for k in sorted(kept)}


def _merged_class(base: Saveable, sides: list[Saveable]) -> Saveable:
    changed = next(
        (s for s in sides if (s.name, s.module) != (base.name, base.module)), base
    )
    fields: dict[int, Field] = {}
    for key, found in _merged_table(base.fields, [s.fields for s in sides]).items():
        others = [s.fields[key] for s in sides if key in s.fields]
        found = next((f for f in others if f != base.fields.get(key)), found)
        if found.kind == base.name or found.kind in {s.name for s in sides}:
            found = replace(found, kind=changed.name)
        if found.name not in {each.name for each in fields.values()}:
            fields[key] = found
    return replace(changed, fields=fields)
