"""Whole answers: the reports that hold for them and not for their units, such as claims."""

from concord.messages import Problem
from concord.rubrics.model import Rubric


def of_answers(rubric: Rubric) -> Rubric:
    """The rubric; a Problem that says where units are reported if it is one of units."""
    if not rubric.units:
        return rubric
    raise Problem(
        "This report is about whole answers, and rubric {rubric} grades units ({units}). Use "
        "`agreement --rubric {rubric}`, `disagreements --contradicted` or Review, or name a "
        "rubric of answers with --rubric.",
        rubric=rubric.name,
        units=rubric.plural,
    )
