"""The graph, its nodes, the command line and the board."""
