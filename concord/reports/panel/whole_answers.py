"""Whole answers: the reports that hold for them and not for their units, such as claims."""

from concord.messages import Problem
from concord.rubrics.model import Rubric


def of_answers(rubric: Rubric, what: str) -> Rubric:
    """The rubric; a Problem that says where units are reported if it is one of units.

    Args:
        rubric: The rubric that is asked for.
        what: The report, as a sentence begins with it: `The ranking is`.
    """
    if not rubric.units:
        return rubric
    raise Problem(
        "{what} about whole answers, and rubric {rubric} is of units ({units}): see `agreement "
        "--rubric {rubric}`, the verb `contradicted` or the screen Review, or name a rubric of "
        "answers with --rubric.",
        what=what,
        rubric=rubric.name,
        units=rubric.plural,
    )
