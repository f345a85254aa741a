"""Routing, proposing and urgency without a model."""
