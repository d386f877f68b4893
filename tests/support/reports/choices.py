"""A choice among judges, looked at."""

import random

from concord.grading import sheet_progress
from concord.reports.decision import choose
from concord.reports.decision.results import Terms
from concord.reports.panel.named_judge import judge_of
from concord.reports.workflow.workflow import decided
from tests.support.panels import panel

QUESTIONS = 60
TERMS = Terms(margin=0.10, minimum=0.6, failure_recall=0.5)


def chosen(store, doc_qa, terms=TERMS, against="dear", annotators=(), criterion=None):
    """Fix a decision on the only sheet, and look at it."""
    made = panel(store, doc_qa, *annotators)
    decision = choose.fix(store, made, judge_of(store, made, against), terms, criterion)
    return choose.look(store, made, decision)


def row(found, name):
    """The row of one judge."""
    (one,) = [r for r in found.judges if r.judge == name]
    return one


def off(scores, every, start=0):
    """The same scores, but one point off on every so-manieth answer."""
    return {
        place: score + (1 if score < 3 else -1) if place % every == start else score
        for place, score in scores.items()
    }


def some_off(scores, share, seed):
    """The same scores of 0, 2 and 3, but others on this share of the answers, drawn at random."""
    drawn, other = random.Random(seed), {3: 2, 2: 0, 0: 3}
    return {
        place: other[score] if drawn.random() < share else score for place, score in scores.items()
    }


def state(store, sheet, candidates):
    """The state of the newest decision, where the agreement of that many judges can be seen."""
    return decided(store, sheet, sheet_progress.graded(store, sheet.id), candidates, True)
