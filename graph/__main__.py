"""`python -m graph`: run, replay, report, bound, records."""

import sys

from graph.cli import main

if __name__ == "__main__":
    sys.exit(main())
