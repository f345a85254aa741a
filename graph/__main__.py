"""`python -m graph`: run, replay, report, bound, specialist, records, sweep."""

import sys

from graph.cli import main

if __name__ == "__main__":
    sys.exit(main())
