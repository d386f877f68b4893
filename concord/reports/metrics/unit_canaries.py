"""Canaries of a metric judge on units: claims and passages whose right verdict is known."""

from collections.abc import Iterable
from typing import Any

from concord.judges.checks import canary
from concord.judges.checks.canary import ClaimCanary, PassageCanary
from concord.judges.checks.check_request import item_of
from concord.judges.checks.probe import ExpectedRequest, Trial, of_one, quoted
from concord.judges.definition.model import Judge
from concord.judges.metric_runs import metric_request
from concord.metrics.prompts import verdicts
from concord.model import Item, Unit
from concord.rubrics.model import Criterion, Rubric

# Rubrics by which a passage is of use or not; all others hold a claim against a text.
OF_PASSAGES = ("chunks-for-answer", "chunks-for-reference", "context-sentences-for-question")


def of_units(judge: Judge, names: Iterable[str]) -> list[Trial]:
    """Return the canaries under some rubrics of units, one unit per request."""
    rubrics = [verdicts.rubric(name) for name in names]
    about_claims = [one for one in rubrics if one.name not in OF_PASSAGES]
    canaries = canary.load()
    made = [
        _verdict(judge, rubric, one, _claim(rubric, one))
        for place, rubric in enumerate(about_claims)
        for one in canaries.claim
        if place == 0 or one.everywhere
    ]
    return made + [
        _verdict(judge, rubric, one, _passage(one))
        for rubric in rubrics
        if rubric.name in OF_PASSAGES
        for one in canaries.passage
    ]


def _verdict(judge: Judge, rubric: Rubric, one: ClaimCanary | PassageCanary, item: Item) -> Trial:
    """One unit under a rubric of units."""
    of_claim = isinstance(one, ClaimCanary)
    text = one.claim if of_claim else one.passage
    material = [one.evidence] if of_claim else [one.question, one.answer]
    ask = verdicts.request(rubric, item, [Unit(1, rubric.units, text, 0)])
    criterion = rubric.criteria[0]
    labels = {level.score: level.label for level in criterion.levels}

    def read(completion: Any) -> str:
        return labels[metric_request.read(completion, ask)[1][0]]

    right = tuple(labels[score] for score in _right(rubric, criterion, one.right))
    sent = ExpectedRequest(
        metric_request.body(judge, ask), metric_request.chat_estimate(judge, ask)
    )
    asked, under = quoted(text, compared_with=material), rubric.title or rubric.name
    return of_one(one.name, one.about, asked, under, right, sent, read)


def _right(rubric: Rubric, criterion: Criterion, word: str) -> list[int]:
    """Return the scores that a term of the file denotes."""
    if word in ("supported", "useful"):
        return [rubric.scale[-1]]
    if word == "contradicted":
        return [rubric.scale[0]]
    return sorted(rubric.failing(criterion))


def _claim(rubric: Rubric, one: ClaimCanary) -> Item:
    """The item with the evidence wherever the rubric shows a text."""
    answer = one.evidence if "answer" in rubric.shown else one.claim
    reference = one.evidence if "reference" in rubric.shown else one.claim
    return item_of(one.question, one.evidence, answer, reference)


def _passage(one: PassageCanary) -> Item:
    return item_of(one.question, one.passage, one.answer, one.answer)
