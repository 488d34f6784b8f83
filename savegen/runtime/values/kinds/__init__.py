"""One page for each kind of stored types: all that the run time knows of it.

`KINDS` is the table of them; `folds.py` beside this folder has what is done with any cell.
"""

# Each of these enters its kinds into the table.
from savegen.runtime.values.kinds import (  # noqa: F401
    choices,
    containers,
    enums,
    mappings,
    named,
    natives,
    numpy_values,
    records,
    standard,
    subclasses,
)
from savegen.runtime.values.kinds.kind import KINDS as KINDS
from savegen.runtime.values.kinds.kind import StoredKind as StoredKind
