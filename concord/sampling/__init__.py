"""Sampling: grading sets, inclusion probabilities, splits and the leak guard."""
