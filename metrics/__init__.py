"""Measures of answers, one per file, each handed an `ask`."""
