"""The specialists that the project ships, whatever a clone adds to its registry."""

from agents.registry import SPECIALISTS as REGISTERED

NAMES = ("potholes", "permits", "sanitation", "housing")
SPECIALISTS = tuple(item for item in REGISTERED if item.name in NAMES)
