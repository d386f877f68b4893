"""Scores of an annotator and of a judge whose own are no whole numbers.

Scores of judges on a rubric of one criterion, of which one judge uses no whole numbers.
"""

from concord.rubrics.model import parse

ANNOTATOR = [0, 1, 2, 3] * 9
OWN = [score + half for score, half in zip(ANNOTATOR, [0.5, 0.25, 0, -0.25] * 9, strict=True)]


ONE = parse(
    'name = "one"\ntitle = "One"\nscale = [0, 1, 2, 3]\n[[criteria]]\nname = "correctness"\n'
    'weight = 1\nquestion = "Right?"\n',
    "test",
)
RANKED = [3, 2, 1] * 12  # atlas is best, cobalt worst
OWN_OF_RANKED = [score - 0.25 for score in RANKED]
