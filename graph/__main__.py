"""`python -m graph`: run, replay, report, bound, specialist, records, sweep."""

import sys

try:
    from graph.cli import main
except ModuleNotFoundError as error:
    sys.exit(f"error: {error.name} is not installed for {sys.executable}: run `make run` once, then call .venv/bin/python -m graph")

if __name__ == "__main__":
    sys.exit(main())
