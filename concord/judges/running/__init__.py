"""Runs: plan, estimate, ask, store and resume."""
