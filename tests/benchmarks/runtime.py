"""The whole table of what running games pay, with its bars: in memory, on disk, at the start.

    python -m tests.benchmarks.runtime [--objects N[,N…]] [--growth A,B] [--only WORD] [--json FILE]

It is what `snapshot` and `savefile` measure; the bars hold for 100,000 objects.
"""

from __future__ import annotations

from tests.benchmarks import savefile, snapshot
from tests.benchmarks.arms import run_benchmark, together

SUITE = together(snapshot.SUITE, savefile.SUITE)

if __name__ == "__main__":
    run_benchmark("tests.benchmarks.runtime", str(__doc__), SUITE)
