"""Rubrics: what is graded, on which scale, and what each score means."""
