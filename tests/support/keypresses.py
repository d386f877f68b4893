"""Durations and press ids that no grading screen sends."""

import math

NONSENSE = [("x", "a"), (math.inf, "b"), (-1, "c" * 1000), (1e308, "d"), (b"\xff", "e"), (2.5, "f")]
