"""What servers load, by file path, because one of them takes no module path; the graphs themselves are imported once, as modules."""

from graph.chat import graph as chat
from graph.workflow import graph

__all__ = ["chat", "graph"]
