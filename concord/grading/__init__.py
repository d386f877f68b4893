"""Grading: assignments, campaigns, gold items, training rounds, adjudication and regrading."""
