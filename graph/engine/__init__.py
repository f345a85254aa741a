"""The desk on several machines."""
