"""Judge of a panel by name."""

from concord.messages import Problem, joined, said
from concord.model import Grader
from concord.reports.panel.panel import Panel
from concord.store import graders
from concord.store.database import Store


def judge_of(store: Store, panel: Panel, name: str) -> Grader:
    """Return the judge or metric of that name (the newest, or `name@fingerprint`) on the sheet.

    A Problem where the newest of that name did not grade it: an older one is never substituted.
    """
    judge = graders.find(store, "judge", name) or graders.find(store, "metric", name)
    labels = [grader.label() for grader in panel.judges.values()]
    there = joined(", ", labels)
    if judge is None:
        raise Problem(
            "There is no judge “{name}”. Sheet “{sheet}” is graded by: {there}.",
            name=name,
            sheet=panel.sheet.name,
            there=there or said("none yet"),
        )
    if judge.id not in panel.judges:
        raise Problem(
            "{label} has not graded sheet “{sheet}” under rubric {rubric}. Run it with `judge "
            "{judge}`, or name one that has: {there}."
            if there
            else "{label} has not graded sheet “{sheet}” under rubric {rubric}, nor has any other "
            "judge. Run it with `judge {judge}`.",
            label=judge.label(),
            sheet=panel.sheet.name,
            rubric=panel.rubric.name,
            judge=judge.name,
            there=there,
        )
    return judge
