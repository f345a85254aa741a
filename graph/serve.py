"""What servers load, by file path, because one of them takes no module path; the graph itself is imported once, as `graph.workflow`."""

from graph.workflow import graph

__all__ = ["graph"]
