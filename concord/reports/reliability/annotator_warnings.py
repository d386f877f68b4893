"""Annotator warnings: annotators whose scores disagree with all others, or equal a judge's.

A near-random annotator lowers inter-annotator agreement, the reference of judges; scores copied
from a judge make that judge look good.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from concord.messages import joined, said
from concord.model import BASELINE
from concord.reports.cells import percent, written
from concord.reports.panel.criterion_comparison import CriterionPanel, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.reference_standard import EACH
from concord.reports.panel.simulated import named
from concord.reports.panel.unit_words import heading
from concord.reports.reliability import lone_annotator
from concord.stats.core.estimate import Estimate
from concord.stats.core.minimums import ANNOTATOR_FLOOR
from concord.stats.reliability.annotator_check import CHANCE, COPIED, LOWEST, Check, check, copied

_SENTENCES = {
    LOWEST: said(
        "{annotator}: exact agreement with the other annotators on {criterion} is {exact} (95% "
        "CI), below the CI of every other annotator (lowest limit {least}%)."
    ),
    CHANCE: said(
        "{annotator}: agreement with the other annotators on {criterion} is not above chance (QWK "
        "{qwk}; the others with one another {others})."
    ),
}
_COPIED = said(
    "{annotator}: the scores on {criterion} equal those of {judge} on {same} of {n} answers, while "
    "exact agreement with the other annotators is {exact} (95% CI). They may be copied."
)
_TOGETHER = said(
    "Inter-annotator agreement on {criterion} is not above chance (QWK {qwk}, n = {n:,})."
)
_OF_TWO = said(
    "Agreement of {one} with {other} on {criterion} is not above chance (QWK {qwk}, n = {n:,})."
)
REMEDY = said(
    "Review these grades before you rely on figures that include them. Annotators are "
    "excluded under Annotate, Progress."
)


@dataclass(frozen=True)
class AnnotatorWarning:
    """A warning about an annotator on a criterion.

    Attributes:
        annotator: The annotator; None where it is about all of them together.
        reasons: `lowest`, `chance` or both; else `copied`, and then `exact` and `qwk` are the
            agreement with `judge`.
        n: Answers shared with others.
        least: The lowest lower limit of another annotator's exact agreement.
        others: QWK of the others with one another; None where it was not needed.
        judge: The label of the judge whose scores are the same; None of other warnings.
    """

    criterion: str
    annotator: str | None
    reasons: tuple[str, ...]
    n: int
    exact: Estimate
    qwk: Estimate
    least: float | None
    others: Estimate | None
    sentence: str
    judge: str | None = None


def warnings(panel: Panel, criteria: Sequence[str] | None = None) -> list[AnnotatorWarning]:
    """Return the warnings of some criteria, else of all."""
    names = [name for name in criteria or panel.criteria if name != COMPOSITE]
    return [one for name in names for one in _of_criterion(ground(panel, name, EACH))]


def notes(found: Iterable[AnnotatorWarning]) -> list[str]:
    """Return the warnings as notes, with what to do at the end; none without warnings."""
    warned = [said("Warning: {warning}", warning=one.sentence) for one in found]
    return [*warned, REMEDY] if warned else []


def _of_criterion(on: CriterionPanel) -> list[AnnotatorWarning]:
    items, scores = on.overlap()
    weight = on.panel.weight[items] if on.panel.reweighted else None
    checks = check(scores, on.panel.cluster[items], on.panel.rubric.scale, weight)
    annotators = on.panel.annotators.values()
    rows = [
        _warning(on, one, named(person.name, person.simulated))
        for person, one in zip(annotators, checks, strict=True)
        if one.warnings
    ]
    rows += [*_copies(on, items, scores, weight), *_lone(on)]
    return rows or _together(on, len(items))


def _copies(
    on: CriterionPanel, items: np.ndarray, scores: np.ndarray, weight: np.ndarray | None
) -> Iterator[AnnotatorWarning]:
    """Yield the annotators whose scores equal those of a judge."""
    panel = on.panel
    judges = [one for one in panel.judges.values() if one.name != BASELINE]
    marks = [panel.of(on.name, judge.id) for judge in judges]
    given = [np.where(one.scored, one.score, np.nan)[items] for one in marks]
    rows = copied(
        scores,
        np.stack(given) if given else np.empty((0, len(items))),
        panel.cluster[items],
        panel.rubric.scale,
        weight,
    )
    for person, one in zip(panel.annotators.values(), rows, strict=True):
        if one is None:
            continue
        annotator = named(person.name, person.simulated)
        judge = panel.labels[judges[one.judge].id]
        sentence = said(
            _COPIED,
            annotator=annotator,
            criterion=heading(panel.rubric, on.name),
            judge=judge,
            same=one.same,
            n=one.answers,
            exact=written(one.others, "share"),
        )
        yield AnnotatorWarning(
            *(on.name, annotator, (COPIED,), one.answers, one.exact, one.qwk, None, None),
            sentence=sentence,
            judge=judge,
        )


def _lone(on: CriterionPanel) -> Iterator[AnnotatorWarning]:
    """Yield the annotators whose scores equal a judge's where nobody else shares the answers."""
    for one in lone_annotator.of_criterion(on):
        pairs = on.pairs(on.panel.judges[one.judge])
        found = on.measured(pairs.where(on.panel.counted(on.name, one.annotator)[pairs.item]))
        person = on.panel.annotators[one.annotator]
        yield AnnotatorWarning(
            *(on.name, named(person.name, person.simulated), (COPIED,), one.n),
            *(found.figures["exact"], found.figures["qwk"], None, None),
            sentence=one.sentence,
            judge=on.panel.labels[one.judge],
        )


def _warning(on: CriterionPanel, one: Check, annotator: str) -> AnnotatorWarning:
    values = {
        "annotator": annotator,
        "criterion": heading(on.panel.rubric, on.name),
        "exact": written(one.exact, "share"),
        "least": percent(one.least),
        "qwk": written(one.qwk, "number"),
        "others": written(one.others, "number") if one.others else "",
    }
    return AnnotatorWarning(
        criterion=on.name,
        annotator=annotator,
        reasons=one.warnings,
        n=one.answers,
        exact=one.exact,
        qwk=one.qwk,
        least=one.least,
        others=one.others,
        sentence=joined(" ", [said(_SENTENCES[why], **values) for why in one.warnings]),
    )


def _together(on: CriterionPanel, answers: int) -> list[AnnotatorWarning]:
    """The warning that all annotators together do not agree above chance, where it is so."""
    whole = on.ceiling(np.ones(len(on.panel.items), bool)).figures
    exact, qwk = whole["exact"], whole["qwk"]
    if answers < ANNOTATOR_FLOOR or qwk.low is None or qwk.low > 0:
        return []
    figures = {"qwk": written(qwk, "number"), "n": answers}
    figures["criterion"] = heading(on.panel.rubric, on.name)
    names = _sharing(on)
    sentence = (
        said(_OF_TWO, one=names[0], other=names[1], **figures)
        if len(names) == 2
        else said(_TOGETHER, **figures)
    )
    return [
        AnnotatorWarning(on.name, None, (CHANCE,), answers, exact, qwk, None, None, sentence),
    ]


def _sharing(on: CriterionPanel) -> list[str]:
    """The annotators who scored an answer that another one scored too."""
    people = on.panel.annotators
    scored = {i: on.panel.counted(on.name, i) for i in people}
    shared = sum(one.astype(int) for one in scored.values()) > 1
    return [
        named(people[i].name, people[i].simulated)
        for i, one in scored.items()
        if (one & shared).any()
    ]
