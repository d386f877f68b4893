"""Tests and differences between judges, models and times."""
