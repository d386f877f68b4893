"""Headline: the best judge's exact agreement on the heaviest criterion with grades of both."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

from concord.messages import Said, joined, on_command_line, said
from concord.model import Grader, Sheet
from concord.reports.agreement.agreement import best_judge
from concord.reports.agreement.rows import AgreementRow, majority_baseline
from concord.reports.cells import in_brackets, percent, plain_share, written
from concord.reports.document import Document
from concord.reports.panel.criterion_comparison import (
    CONSENSUS,
    EACH,
    NOT_BLIND,
    CriterionPanel,
    PairStatistics,
    ground,
)
from concord.reports.panel.panel import Panel, read
from concord.reports.panel.provenance import annotators_sentence, named
from concord.reports.panel.unit_words import ANSWER, criterion_of, how_many, out_of, score
from concord.rubrics.model import Rubric
from concord.stats.core.estimate import Estimate
from concord.store.database import Store

T = TypeVar("T")
NO_JUDGE = said(
    "No judge has graded this sheet yet. Run one under Judges{on_command_line}.",
    on_command_line=on_command_line("`judge baseline`"),
)
_HEADLINE = "{judge} has {share} exact agreement on {criterion}"
_BEST_OF = "{judge} has {share} exact agreement on {criterion}, best of {n}"
_SIMULTANEOUS = "The 95% CI in brackets is simultaneous over {n} judges."
_BESIDE_BASELINE = {
    "fails": "{judge} is worse than always giving {score} on {criterion}",
    "open": "{judge} is not clearly better than always giving {score} on {criterion}",
}
_NO_VERDICT = "Exact agreement gives no verdict on {criterion}"
_INSENSITIVE = (
    "On the {answers} that the judge and two or more annotators graded, always giving one score "
    "matches an annotator on {constant}%, and annotators match one another on {ceiling}%. Decide "
    "on QWK or balanced accuracy."
)
_INSENSITIVE_STATES = ("open", "fails")
_UNTESTED = "Assay sensitivity was not tested: {why}."
_COMPARED_WITH = (
    "{share} exact agreement on {answers}, compared with {reference}. "
    "Inter-annotator agreement: {ceiling}. Majority-class baseline: {baseline}."
)
_NOTHING = "{judge} and annotators have graded no {unit} in common on {criterion}"
_NOT_BLIND = "{judge} has no {unit} in common with annotators who graded blind on {criterion}"
_CONTINUOUS = "{judge} has a Pearson correlation of {figure} on {criterion}"
_CORRELATED_WITH = (
    "{figure} on {answers}, compared with {reference}. One side gives continuous numbers, so exact "
    "agreement is undefined."
)
_REFERENCE = {EACH: "annotators", CONSENSUS: "the annotators' consensus"}
_WORST = "With {answers} left unscored counted as errors, exact agreement is {share}."
_CONSENSUS = "Left out without a consensus: {answers} ({share}% of those that annotators scored)."
_OTHERS = (
    "Here inter-annotator agreement is that of each annotator with the consensus of the others."
)
_FLOOR = "Below the floor: the baseline has {share} on {answers}."


class Headline(NamedTuple):
    """A judge and how often it gives an annotator's exact score on a criterion.

    Attributes:
        simulated: Whether the judge or one of the annotators is simulated.
        of: How many judges it is the best of, over which its interval is simultaneous; 1 for none.
        baseline: The exact agreement of the majority-class baseline on the same answers.
        above_baseline: `clear`, `open` or `fails`, as tested; `none` where it was not.
    """

    judge: str
    criterion: str
    exact: Estimate
    n: int
    simulated: bool
    of: int = 1
    baseline: float | None = None
    above_baseline: str = "none"

    def sentence(self) -> str:
        """The figure in a few words, for a card: `75% [68, 81]`."""
        found = written(self.exact, "share")
        return said("{share} (simulated)", share=found) if self.simulated else found


def headline(store: Store, sheet: Sheet, rubric: Rubric) -> Headline | None:
    """The best judge's figure, on the heaviest criterion that has one; None without any."""
    return _of_heaviest(store, sheet, rubric, best)


def by_judge(store: Store, sheet: Sheet, rubric: Rubric) -> dict[int, Headline]:
    """Return each judge's figure by grader id, all on the heaviest criterion that has one."""
    return _of_heaviest(store, sheet, rubric, _by_judge) or {}


def _of_heaviest(store: Store, sheet: Sheet, rubric: Rubric, found: Callable[[Panel], T]) -> T:
    # Usually the heaviest has grades, and reading it alone is quicker.
    alone = read(store, sheet, rubric, only=rubric.heaviest().name)
    return found(alone) or found(read(store, sheet, rubric))


def best(panel: Panel) -> Headline | None:
    """The judge with the highest exact agreement (`best_judge`); None without any."""
    for on in _grounds(panel):
        if found := best_judge(on):
            judge, judged, best = found
            always = majority_baseline(on, judged, False)
            tested = always.judge.difference.low is not None
            return _headline_of(on, judge, judged, best.exact)._replace(
                of=best.judges,
                baseline=always.exact,
                above_baseline=always.judge.state if tested else "none",
            )
    return None


def _by_judge(panel: Panel) -> dict[int, Headline]:
    for on in _grounds(panel):
        judged = {i: on.judged(judge, ("exact",)) for i, judge in panel.judges.items()}
        if any(one.n for one in judged.values()):
            return {
                i: _headline_of(on, panel.judges[i], one, one.figures["exact"])
                for i, one in judged.items()
                if one.n
            }
    return {}


def _grounds(panel: Panel) -> Iterator[CriterionPanel]:
    names = [panel.only] if panel.only else [one.name for one in panel.rubric.by_weight()]
    return (ground(panel, name, EACH) for name in names)


def _headline_of(
    on: CriterionPanel, judge: Grader, judged: PairStatistics, exact: Estimate
) -> Headline:
    simulated = judge.simulated or any(p.simulated for p in on.annotators_on(judged.on))
    return Headline(on.panel.labels[judge.id], on.name, exact, judged.n, simulated)


def finding(row: AgreementRow, rubric: Rubric, rows: Iterable[AgreementRow] = ()) -> Document:
    """Return exact agreement compared with annotators and baseline, and what limits it.

    A text-feature baseline among `rows` is named where it agrees more often than the judge.
    """
    return Document(_headline(row, rubric), (*_facts(row), *_below_the_floor(row, rows)))


def _below_the_floor(row: AgreementRow, rows: Iterable[AgreementRow]) -> Iterator[Said]:
    mine = row.statistics["exact"].value
    for floor in rows:
        if floor.floor and floor.criterion == row.criterion and not floor.answer_model:
            value = floor.statistics["exact"].value
            if None not in (mine, value) and value > mine and not row.floor:
                yield said(
                    _FLOOR,
                    share=written(floor.statistics["exact"], "share"),
                    answers=how_many(floor.units, floor.n),
                )


def _headline(row: AgreementRow, rubric: Rubric) -> Said:
    about = {
        "judge": named(row.judge, row.simulated),
        "criterion": criterion_of(rubric, row.criterion),
    }
    if not row.n:
        nothing = _NOT_BLIND if NOT_BLIND in row.left_out else _NOTHING
        return said(nothing, **about, unit=(row.units or ANSWER).unit)
    if row.continuous:
        value = row.statistics["pearson"].value
        shown = None if value is None else round(value, 2) + 0.0  # no minus before a zero
        return said(_CONTINUOUS, **about, figure=written(shown, "number"))
    always = row.majority_baseline
    if always.annotators.state in _INSENSITIVE_STATES:
        return said(_NO_VERDICT, **about)
    if not row.floor and always.judge.state in _BESIDE_BASELINE:
        beside = _BESIDE_BASELINE[always.judge.state]
        return said(beside, **about, score=score(row.units, always.values["score"]))
    share = written(row.statistics["exact"].value, "share")
    if row.best_of and row.best_of.judges > 1:
        return said(_BEST_OF, **about, share=share, n=row.best_of.judges)
    return said(_HEADLINE, **about, share=share)


def _compared_with(row: AgreementRow) -> Said:
    """Return the figure of the headline with its interval, and what it is compared with."""
    answers = how_many(row.units, row.n)
    if row.continuous:
        return said(
            _CORRELATED_WITH,
            figure=written(row.statistics["pearson"], "number"),
            answers=answers,
            reference=row.continuous.mean or _REFERENCE[row.reference],
        )
    exact = row.best_of.exact if row.best_of else row.statistics["exact"]
    compared = said(
        _COMPARED_WITH,
        share=written(exact, "share"),
        answers=answers,
        reference=_REFERENCE[row.reference],
        ceiling=_ceiling(row),
        baseline=plain_share(row.majority_baseline.exact),
    )
    many = row.best_of and row.best_of.judges > 1 and exact.low is not None
    of = said(_SIMULTANEOUS, n=row.best_of.judges) if many else in_brackets([exact])
    return joined(" ", [compared, of])


def _ceiling(row: AgreementRow) -> Said | str:
    value = row.ceiling.statistics["exact"].value
    if value is None:
        return "unknown"
    share = plain_share(value)
    if row.ceiling.n == row.n:
        return share
    answers = out_of(row.units, row.ceiling.n, row.n)
    return said("{share} on {answers}", share=share, answers=answers)


def _facts(row: AgreementRow) -> Iterator[str]:
    worst, lost = row.worst_case, row.without_consensus
    if row.n:
        yield _compared_with(row)
    if worst.failed and worst.statistics["exact"].value is not None:
        exact = written(worst.statistics["exact"], "share")
        yield said(_WORST, answers=how_many(row.units, worst.failed), share=exact)
    if row.reference == CONSENSUS and row.ceiling.n:
        yield _OTHERS
    if lost and lost.n:
        yield said(_CONSENSUS, answers=how_many(row.units, lost.n), share=percent(lost.share))
    if row.n:
        yield annotators_sentence(len(row.simulated_annotators), row.annotators)
    yield from _assay(row)
    yield row.note or ""


def _assay(row: AgreementRow) -> Iterator[Said]:
    """Say that annotators are not shown to agree more than the baseline, or are too few to tell."""
    found = row.majority_baseline.annotators
    if found.state in _INSENSITIVE_STATES:
        ceiling = row.ceiling.statistics["exact"].value
        yield said(
            _INSENSITIVE,
            answers=how_many(row.units, row.ceiling.n),
            constant=percent(ceiling - found.difference.value),
            ceiling=percent(ceiling),
        )
    elif found.state == "none" and row.majority_baseline.why_none is None:
        yield said(_UNTESTED, why=found.difference.why_none)
