"""Reading rules: what each rule makes of the same probabilities, next to the majority class.

Descriptive: which rule agrees most is known only after agreement was seen. On the few-shot pool,
which no figure scores, a rule may be chosen (`reading_choice`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from concord.messages import Said, said
from concord.model import Grader
from concord.reports.cells import written
from concord.reports.comparison.study import Request, StudyResult
from concord.reports.document import FLAT, Column, Part, table_of
from concord.reports.panel.criterion_comparison import CriterionPanel, ground
from concord.reports.panel.simulated import annotators_sentence, named
from concord.reports.panel.unit_words import criterion_of, heading
from concord.reports.probabilities.judge_probabilities import PairProbabilities, paired
from concord.stats import cross_fitted_scores
from concord.stats.core.estimate import Estimate
from concord.stats.intervals.cross_fitting import CrossFit
from concord.stats.probabilities.cut_points import by_cut_points
from concord.stats.probabilities.reading import read
from concord.stats.statistics import BY_KEY, figures

GIVEN, CUT_POINTS, MAJORITY = "given", "cut_points", "majority_class"
_FIXED = {
    "argmax": said("argmax"),
    "rounded_mean": said("rounded mean"),
    "median": said("median"),
}
RULES = {
    GIVEN: said("as graded"),
    **_FIXED,
    CUT_POINTS: said("cut points"),
    MAJORITY: said("majority class"),
}
_FIGURES = ("exact", "within_one", "qwk", "bias")
_DESCRIPTIVE = said(
    "These figures are descriptive. The rule that looks best was chosen after agreement was seen, "
    "so to use another rule, add a judge with that “reading” as a candidate: it costs power like "
    "any other."
)
_ON_POOL = said(
    "Computed on the few-shot pool only, which is excluded from all figures, so choosing a rule "
    "here costs no power. Differences of a few answers are noise."
)
_FITTED = said(
    "Cut points are fitted to annotators' grades of other questions, in five folds. Their "
    "confidence intervals repeat the fits."
)


@dataclass(frozen=True)
class RuleFigures:
    """The scores that a rule reads from a judge's probabilities, compared with annotators.

    Attributes:
        rule: A key of `RULES`: `given` for the judge's own scores, `majority_class` for the score
            that annotators give most often.
        n: Answers that have probabilities; the same for all rules.
        by_key: The statistics by key; undefined for cut points under 5 clusters of questions.
    """

    judge: str
    fingerprint: str
    simulated: bool
    criterion: str
    rule: str
    n: int
    questions: int
    clusters: int
    by_key: dict[str, Estimate] = field(metadata=FLAT)


def judged(asked: Request) -> list[RuleFigures]:
    """Return the figures of every rule, for judges that gave a probability for each score."""
    panel, found = asked.annotators, []
    given = asked.probabilities()
    judges = [v.judge for v in asked.chosen if v.rubric.name == panel.rubric.name and not v.floor]
    if asked.pool:
        # Of a judge without a definition nobody knows what it was shown; and where a rule was
        # chosen, there is nothing left to choose, unless the user names the judge.
        able = [v for v in asked.chosen if v.asked and (asked.named_by_user or not v.asked.chosen)]
        judges = [judge for judge in judges if judge.id in {v.judge.id for v in able}]
    for name in panel.weights:
        on = ground(panel, name, asked.kind)
        for judge in judges:
            if (name, judge.id) in given and not given[name, judge.id].stated:
                found += _of_judge(on, judge, paired(on, judge.id, given[name, judge.id]))
    return found


def compare(asked: Request, rows: Sequence[RuleFigures]) -> StudyResult:
    """Return how much the rule matters for the judge for which it matters most."""
    annotators = asked.annotators.annotators.values()
    rubric = asked.annotators.rubric
    parts: tuple[Part, ...] = (
        (Column(said("judge")), lambda row: named(row.judge, row.simulated)),
        (Column(said("criterion")), lambda row: heading(rubric, row.criterion)),
        (Column(said("rule")), lambda row: RULES[row.rule]),
        (Column(said("n"), "count"), lambda row: row.n),
        *(
            (Column(BY_KEY[key].head, BY_KEY[key].kind), lambda row, key=key: row.by_key[key])
            for key in _FIGURES
        ),
    )
    simulated = sum(person.simulated for person in annotators)
    return StudyResult(
        _answer(asked, rows),
        table_of("reading", rows, parts),
        list(rows),
        (
            _ON_POOL if asked.pool else _DESCRIPTIVE,
            _FITTED,
            annotators_sentence(simulated, len(annotators)),
        ),
        tuple(_missing(rows)),
    )


def _of_judge(on: CriterionPanel, judge: Grader, of: PairProbabilities) -> Iterator[RuleFigures]:
    """Yield the figures of every rule; nothing without an answer that annotators scored."""
    if not of.pairs.item.size:
        return
    scale, failing = of.scale, on.panel.rubric.failing(on.criterion)
    fitted = by_cut_points(of.pairs, of.shares, of.scale)
    for rule, scores in _scores(of, fitted).items():
        if fitted and rule == CUT_POINTS:
            found = cross_fitted_scores.figures(of.pairs, fitted, scale, _FIGURES)
        else:
            found = figures(of.pairs._replace(judge=scores), scale, failing, names=_FIGURES)
        yield RuleFigures(
            on.panel.labels[judge.id],
            judge.fingerprint,
            judge.simulated,
            on.name,
            rule,
            len(np.unique(of.pairs.item)),
            len(np.unique(on.panel.question[of.pairs.item])),
            len(np.unique(of.pairs.cluster)),
            found,
        )


def _scores(of: PairProbabilities, fitted: CrossFit | None) -> dict[str, np.ndarray]:
    """(n,) the score of each pair by each rule; cut points are left out where they have no fit."""
    found = {GIVEN: of.pairs.judge}
    found |= {rule: read(rule, of.shares, of.scale) for rule in _FIXED}
    if fitted is not None:
        found[CUT_POINTS] = fitted.values
    used = [of.pairs.weight[of.pairs.annotator == score].sum() for score in of.scale]
    found[MAJORITY] = np.full(len(of.pairs.item), of.scale[int(np.argmax(used))])
    return found


def _answer(asked: Request, rows: Sequence[RuleFigures]) -> Said:
    """Say how far exact agreement is apart, for the judge of whom it is furthest apart."""
    rubric = asked.annotators.rubric
    with_rows = {row.criterion for row in rows}
    criterion = next(one.name for one in rubric.by_weight() if one.name in with_rows)
    by_judge: dict[str, list[RuleFigures]] = {}
    for row in rows:
        if row.criterion == criterion:
            by_judge.setdefault(row.judge, []).append(row)
    mine = max(by_judge.values(), key=lambda rows: _exact(_ends(rows)[1]) - _exact(_ends(rows)[0]))
    (least, most), [majority] = _ends(mine), [row for row in mine if row.rule == MAJORITY]
    about = {
        "judge": named(least.judge, least.simulated),
        "criterion": criterion_of(rubric, criterion),
        "most": written(most.by_key["exact"], "share"),
        "majority": written(Estimate(_exact(majority)), "share"),
    }
    if _exact(least) == _exact(most):
        return said(
            "Every reading rule gives {judge} the same exact agreement on {criterion}, {most}; the "
            "majority class has {majority}",
            **about,
        )
    return said(
        "On {criterion}, {judge} reaches exact agreement {most} by {rule} and {least} by {other}; "
        "the majority class has {majority}",
        **about,
        rule=RULES[most.rule],
        other=RULES[least.rule],
        least=written(least.by_key["exact"], "share"),
    )


def _exact(row: RuleFigures) -> float:
    return row.by_key["exact"].value


def _ends(rows: Sequence[RuleFigures]) -> tuple[RuleFigures, RuleFigures]:
    """The rules with the least and the most exact agreement; the first of equal ones."""
    rules = [row for row in rows if row.rule not in (GIVEN, MAJORITY)]
    return min(rules, key=_exact), max(rules, key=_exact)


def _missing(rows: Sequence[RuleFigures]) -> Iterator[Said]:
    if all(row.rule != CUT_POINTS for row in rows):
        yield said("cut points. Grade answers to at least five questions.")
