"""Holds: how far a verdict holds, replayed over the stored grades under other choices.

Somebody else would have asked other people, had other answering models, or fixed another margin.
The verdict on one judge is reckoned anew under each of these choices: every person and every
answering model left out, alone and together, and one by one the margin, the reference, the
criterion and how failures count. Nothing is asked of anybody, and no look is spent.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from concord.messages import capital, joined, said
from concord.reports.decision.verdict import (
    GOOD_ENOUGH,
    NOT,
    RESAMPLES,
    VERDICTS,
    Terms,
    Verdicts,
    verdicts,
)
from concord.reports.panel.candidates import Field, field
from concord.reports.panel.panel import Marks, Panel
from concord.reports.panel.reference_standard import CONSENSUS, EACH, Reference, reference
from concord.stats.intervals.alpha_spending import LEVEL
from concord.stats.intervals.resampling import Draws
from concord.store.decisions import Decision
from concord.store.graders import BASELINE, Grader

NOT_COMPARED = "not_compared"


class Analysis(NamedTuple):
    """One replay.

    Attributes:
        changed: What differs from the decision, one phrase each; empty as decided.
        verdict: `good_enough`, `not`, `cannot_tell`, or `not_compared` where too few answers of
            the judge are left.
        answers: On how many answers.
        questions: Of how many questions.
    """

    changed: tuple[str, ...]
    verdict: str
    answers: int
    questions: int


@dataclass(frozen=True)
class _Setting:
    """What one replay rests on."""

    panel: Panel
    against: Grader
    criterion: str
    terms: Terms
    kind: str = EACH
    changed: tuple[str, ...] = ()

    def but(self, differs: str, **changes) -> "_Setting":
        return replace(self, **changes, changed=(*self.changed, differs))


def holds(panel: Panel, decision: Decision, against: Grader, judge: Grader) -> dict:
    """Replay the verdict on a judge.

    Args:
        panel: The panel the decision was looked at on.
        decision: Its terms.
        against: The reference judge.
        judge: The judge whose verdict is replayed.

    Returns:
        `verdict` as decided, `analyses` (each with `changed`, `verdict`, `answers`, `questions`),
        `same` and `of`, `falls` (the single changes that turn it, with the verdict they turn it
        to), and a `sentence`.
    """
    terms = Terms(decision.margin, decision.minimum, decision.caught_minimum)
    start = _Setting(panel, against, decision.criterion, terms)
    draws = Draws(RESAMPLES)  # the same for all, so that only what is changed differs
    found = [_replayed(setting, judge, draws) for setting in settings(start, judge)]
    verdict = found[0].verdict
    turned = [one for one in found if one.verdict != verdict]
    falls = [
        {"changed": one.changed[0], "verdict": one.verdict}
        for one in turned
        if len(one.changed) == 1
    ]
    report = {
        "judge": panel.labels[judge.id],
        "verdict": verdict,
        "same": len(found) - len(turned),
        "of": len(found),
        "falls": falls,
        "analyses": [one._asdict() | {"changed": list(one.changed)} for one in found],
    }
    return report | {"sentence": sentence(report)}


def without_each(found: Field, terms: Terms, judged: Verdicts, level: float | None) -> list[dict]:
    """The judges on which the verdict differs without an annotator.

    Args:
        found: The judges that were compared and the answers.
        terms: The terms.
        judged: What was found with all annotators.
        level: The one-sided error it was found at; without one there is no verdict.

    Returns:
        `annotator`, and `judges`: each with `judge`, `verdict` and `without`, the verdict without.
    """
    panel, people = found.on.panel, list(found.on.panel.people.values())
    with_all = {one.judge.id: one.verdict for one in judged.judges}
    rows, draws = [], Draws(RESAMPLES)
    for person in people if len(people) > 1 and level else ():
        rest = panel.choosing([one.name for one in people if one.id != person.id])
        left = field(rest, found.on.name, found.reference)
        changed = [
            {
                "judge": panel.labels[one.judge.id],
                "verdict": with_all[one.judge.id],
                "without": one.verdict,
            }
            for one in verdicts(left, terms, level, draws).judges
            if one.verdict != with_all.get(one.judge.id, one.verdict)
        ]
        rows += [{"annotator": person.name, "judges": changed}] if changed else []
    return rows


def sentence(report: dict) -> str:
    """How far the verdict holds, in words: how often, whether it is ever reversed, and by what."""
    held = _held(report)
    if report["same"] == report["of"]:
        return said("{held}.", held=held)
    if not report["falls"]:
        return said("{held}; no single change turns it, only two together.", held=held)
    singles = joined(
        ", ",
        [
            said("{changed} ({verdict})", changed=one["changed"], verdict=word(one["verdict"]))
            for one in report["falls"]
        ],
    )
    together = report["of"] - report["same"] - len(report["falls"])
    if not together:
        return said("{held}. It falls {singles}.", held=held, singles=singles)
    return said(
        "{held}. It falls {singles}, and in {n} where two choices differ at once.",
        held=held,
        singles=singles,
        n=together,
    )


def _held(report: dict) -> str:
    """In how many analyses the verdict is the same, and in how many it is the opposite."""
    values = {
        "verdict": capital(word(report["verdict"])),
        "same": report["same"],
        "of": report["of"],
    }
    if report["same"] == report["of"] or report["verdict"] not in _REVERSED:
        return said("“{verdict}” holds in {same} of {of} analyses", **values)
    reversed_to = _REVERSED[report["verdict"]]
    times = sum(one["verdict"] == reversed_to for one in report["analyses"])
    if not times:
        return said("“{verdict}” holds in {same} of {of} analyses and is never reversed", **values)
    return said(
        "“{verdict}” holds in {same} of {of} analyses and is in {times} reversed",
        **values,
        times=times,
    )


def settings(start: _Setting, judge: Grader) -> Iterator[_Setting]:
    """Every setting that is replayed, as decided first."""
    for who in _people(start):
        yield who
        yield from _models(who)
    yield from _failures(start, judge)
    yield from _references(start, judge)
    yield from _margins(start)
    yield from _criteria(start)


def _people(start: _Setting) -> Iterator[_Setting]:
    """Everyone, and everyone but one."""
    yield start
    people = list(start.panel.people.values())
    for person in people if len(people) > 1 else ():
        rest = [one.name for one in people if one.id != person.id]
        yield start.but(
            said("without {person}", person=person.name), panel=start.panel.choosing(rest)
        )


def _models(start: _Setting) -> Iterator[_Setting]:
    models = start.panel.answer_models
    for model in models if len(models) > 1 else ():
        told = said("without the answers of {model}", model=model)
        yield start.but(told, panel=start.panel.without(model))


def _failures(start: _Setting, judge: Grader) -> Iterator[_Setting]:
    marked = _with_failures(start.panel, start.criterion, (judge, start.against))
    if marked is not None:
        yield start.but(said("with failures counted as disagreements"), panel=marked)


def _references(start: _Setting, judge: Grader) -> Iterator[_Setting]:
    if len(start.panel.people) > 1:
        yield start.but(said("against people's consensus"), kind=CONSENSUS)
    for other in start.panel.judges.values():
        same_kind = other.simulated == judge.simulated and other.name != BASELINE
        if same_kind and other.id not in (judge.id, start.against.id):
            label = start.panel.labels[other.id]
            told = said("with {judge} as the reference judge", judge=label)
            yield start.but(told, against=other)


def _margins(start: _Setting) -> Iterator[_Setting]:
    for factor in (0.5, 1.5):
        margin = start.terms.margin * factor
        terms = start.terms._replace(margin=margin)
        told = said("with a margin of {n:g} points", n=100 * margin)
        yield start.but(told, terms=terms)


def _criteria(start: _Setting) -> Iterator[_Setting]:
    """By every other criterion: the one that decides is a matter of weights."""
    for criterion in start.panel.rubric.criteria:
        if criterion.name != start.criterion:
            told = said("if {criterion} weighed most", criterion=criterion.name)
            yield start.but(told, criterion=criterion.name)


def _replayed(setting: _Setting, judge: Grader, draws: Draws) -> Analysis:
    found = field(setting.panel, setting.criterion, setting.against, setting.kind)
    judged = verdicts(found, setting.terms, LEVEL, draws)
    verdict = next((one.verdict for one in judged.judges if one.judge.id == judge.id), NOT_COMPARED)
    return Analysis(setting.changed, verdict, judged.answers, judged.questions)


def _with_failures(panel: Panel, criterion: str, judges: tuple[Grader, ...]) -> Panel | None:
    """The panel with each failure as a score that no person gave; None where nothing failed."""
    each = reference(panel, criterion, EACH)
    changed = {}
    for judge in judges:
        marks = panel.of(criterion, judge.id)
        failed = np.flatnonzero((marks.status > 0) & (each.why == ""))
        if len(failed):
            score, status = marks.score.copy(), marks.status.copy()
            score[failed], status[failed] = _disagreeing(panel, each, failed), 0
            changed[criterion, judge.id] = Marks(score, status, marks.blind)
    return replace(panel, marks=panel.marks | changed, _composites={}) if changed else None


def _disagreeing(panel: Panel, people: Reference, items: np.ndarray) -> np.ndarray:
    """For each item the score that fewest people gave, of these the farthest from their mean."""
    scale = np.array(panel.rubric.scale)
    given = np.zeros((len(panel.items), len(scale)))
    np.add.at(given, (people.item, np.searchsorted(scale, people.score)), 1)
    given = given[items]
    mean = given @ scale / given.sum(axis=1)
    apart = np.abs(scale - mean[:, None]) / (scale[-1] - scale[0] + 1)
    return scale[np.argmin(given - apart, axis=1)].astype(float)


_REVERSED = {GOOD_ENOUGH: NOT, NOT: GOOD_ENOUGH}


def word(verdict: str) -> str:
    """A verdict in words."""
    return said("cannot be compared") if verdict == NOT_COMPARED else VERDICTS[verdict]
