"""The graph, its nodes, the command line and the board."""

from graph.ours import check_names

check_names()
