"""The console script and `python -m savegen`."""

from __future__ import annotations

import gc
import sys


def main() -> int:
    """Run the command line and return its exit code."""
    # A short run creates little cyclic garbage. Without garbage collection, starting is a
    # fifth faster; `gc.freeze` skips the collection at exit.
    gc.disable()
    try:
        from savegen.cli import run

        return run()
    except KeyboardInterrupt:
        _print_error("interrupted; no file was left half-written")
        return 130
    except ModuleNotFoundError as error:
        missing = (error.name or "savegen").partition(".")[0]
        if missing == "savegen":
            raise
        _print_error(
            f'savegen needs the package {missing} for this: run pip install "savegen[build]", or'
            ' in a pre-commit hook write additional_dependencies: [".[build]", ...]'
        )
        return 2
    finally:
        gc.freeze()


def _print_error(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
