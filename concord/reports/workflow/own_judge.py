"""A judge of the user's own: its definition read, and kept in the database."""

from concord.judges.combined.combine import combine
from concord.judges.definition import model
from concord.judges.definition.model import Judge
from concord.judges.metric_runs import job as metrics
from concord.judges.rubric_runs import session
from concord.judges.running.job import Options
from concord.messages import Problem, said
from concord.metrics.selection import choice
from concord.store import graders, sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


def parsed(text: str) -> Judge:
    """Return the definition; a Problem where it cannot be used under its name."""
    judge = model.parse(text, said("the definition"))
    if judge.name in model.presets():
        raise Problem("“{name}” ships with Concord. Give your judge another name.", name=judge.name)
    if judge.kind == "baseline":
        raise Problem("There is only one baseline; it ships with Concord.")
    return judge


def save(store: Store, sheet_name: str, judge: Judge) -> str:
    """Keep a judge in the database; returns what the verb `judge` calls it."""
    options = Options(sheet_name=sheet_name)
    if judge.kind == "combined":
        _, rubric = rubric_versions.argument(store, judge.rubric)
        found = combine(store, sheets.chosen(store, sheet_name), rubric, judge)
        found.register(store)
        return found.label
    if judge.kind == "metric":
        job = metrics.prepared(store, judge, choice(judge), options)
    else:
        job = session.prepared(store, judge, options)
    known = graders.get(store, job.register(store))
    if known.label() == job.label:  # not where it was merged into another judge
        # What its fingerprint leaves out, as its price, may have changed.
        graders.define(store, known.id, known.definition | job.definition())
    return job.label
