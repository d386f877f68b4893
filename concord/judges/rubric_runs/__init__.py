"""Rubric runs: how a judge grades a sheet by a rubric, live or in batches."""
