"""`Snapshot`, the state of a world as rows of plain data."""

from __future__ import annotations

from operator import attrgetter

from savegen.runtime.errors import SaveError, wrong_argument
from savegen.runtime.snapshots.changes import Change, changes
from savegen.runtime.snapshots.digest import digest
from savegen.runtime.snapshots.tables import SnapshotData, Table
from savegen.runtime.values.rows import Key
from savegen.runtime.world.objects import GAME_OBJECT


class Snapshot(SnapshotData, eq=False, kw_only=True):
    """The state of a world, as `create_snapshot` returns it. Later changes do not affect it.

    >>> from savegen.runtime import GameObject, SaveLoadManager
    >>> from savegen.runtime.generated.registry import FORMAT, Registry
    >>> manager = SaveLoadManager(Registry(FORMAT, ()))
    >>> before = manager.create_snapshot()
    >>> camp = manager.add(GameObject())
    >>> after = manager.create_snapshot()
    >>> [change.what for change in after.changes(since=before)]
    ['added']
    >>> after, before.digest() == after.digest()
    (<Snapshot of 1 object in 1 class>, False)
    """

    _digest: str | None = None

    def __len__(self) -> int:
        """Return the number of objects, both added and reached."""
        rows = sum(len(table.keys) for table in self.tables.values())
        return rows - self.component_count()

    def __repr__(self) -> str:
        count, classes = len(self), len(self.tables)
        objects = f"{count:,} object{'s' * (count != 1)}"
        return f"<Snapshot of {objects} in {classes} class{'es' * (classes != 1)}>"

    def component_keys(self) -> dict[Key, tuple[Key, int]]:
        """Return, by the key of each component, the key of its `GameObject` and its number."""
        table = self._game_objects()
        return {
            component: (key, number)
            for key, row in zip(table.keys, table.rows)
            for number, component in row.components
        }

    def component_count(self) -> int:
        """Return the number of all components of game objects."""
        components = attrgetter("components")
        return sum(map(len, map(components, self._game_objects().rows)))

    def _game_objects(self) -> Table:
        return self.tables.get(GAME_OBJECT.number) or Table(GAME_OBJECT)

    def digest(self) -> str:
        """Return a string that is equal for two snapshots only if their content is the same.

        It is the same in every process and on every machine. It depends on types, names, keys,
        numbers and values, with floats compared exactly and sets without order.
        """
        if self._digest is None:
            self._digest = digest(self)
        return self._digest

    def changes(self, since: Snapshot) -> list[Change]:
        """Return all components that differ between an earlier snapshot and this one.

        Raises `SaveError` if `since` is a snapshot of another manager.
        """
        check_snapshot("since", since)
        if since.world is not self.world:
            raise SaveError(
                "the two snapshots are of different managers and cannot be compared; pass two"
                " snapshots that the same manager took"
            )
        return changes(since, self)

    def placed(self) -> dict[str, bool]:
        """Return all placement ids, each with whether its object was in the world."""
        alive = {
            record.placement: True
            for record in self.placements.values()
            if record.placement is not None
        }
        return {**dict.fromkeys(self.tombstones, False), **alive}


def check_snapshot(name: str, value: object) -> None:
    """Raise `SaveError` if an argument is not a snapshot."""
    if isinstance(value, Snapshot):
        return
    wanted = "a `Snapshot`"
    if isinstance(value, bytes | bytearray | memoryview):
        wanted += ", which `decode` of `savegen.saves` returns for the bytes of a save"
    raise wrong_argument(name, wanted, value)
