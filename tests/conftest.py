"""Hypothesis profiles: LAWS=slow tries every law with 1,000 examples, else with 100."""

import os

from hypothesis import HealthCheck, settings

QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile("fast", max_examples=100, deadline=None, stateful_step_count=30, suppress_health_check=QUIET)
settings.register_profile("slow", max_examples=1000, deadline=None, stateful_step_count=60, suppress_health_check=QUIET)
settings.register_profile("mutants", max_examples=15, deadline=None, derandomize=True, stateful_step_count=25, suppress_health_check=QUIET)
settings.load_profile(os.environ.get("LAWS", "fast"))
