"""The graph, its nodes, the command line and the board."""

from graph.import_check import check_names

check_names()
