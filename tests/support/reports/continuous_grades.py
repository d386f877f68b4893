"""Scores of an annotator and of a judge whose own are no whole numbers."""

ANNOTATOR = [0, 1, 2, 3] * 9
OWN = [score + half for score, half in zip(ANNOTATOR, [0.5, 0.25, 0, -0.25] * 9, strict=True)]
