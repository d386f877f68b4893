"""Scores of judges on a rubric of one criterion, of which one judge uses no whole numbers."""

from concord.rubrics.model import parse

ONE = parse(
    'name = "one"\ntitle = "One"\nscale = [0, 1, 2, 3]\n[[criteria]]\nname = "correctness"\n'
    'weight = 1\nquestion = "Right?"\n',
    "test",
)
ANNOTATOR = [3, 2, 1] * 12  # atlas is best, cobalt worst
OWN = [score - 0.25 for score in ANNOTATOR]
