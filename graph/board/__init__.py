"""The board: runs as an instrument to read, on the same server and as one static file."""
