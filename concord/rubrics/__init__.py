"""Rubrics: criteria, scale, and the meaning of each score."""
