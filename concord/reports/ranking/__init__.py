"""Ranking of answering models, raw and bias-corrected."""
