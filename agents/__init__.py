"""Specialists, the models they and the router work with, and the offline router."""
