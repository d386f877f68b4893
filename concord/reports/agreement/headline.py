"""Headline: the best judge's exact agreement on the heaviest criterion with grades of both."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

from concord.messages import Said, capital, listed, on_command_line, said
from concord.model import Grader, Sheet
from concord.reports.agreement.agreement import best_judge
from concord.reports.agreement.columns import FIGURES, family, head
from concord.reports.agreement.rows import AgreementRow, majority_baseline
from concord.reports.cells import plain_share, written
from concord.reports.document import Document
from concord.reports.panel.criterion_comparison import (
    EACH,
    NOT_BLIND,
    CriterionPanel,
    PairStatistics,
    ground,
)
from concord.reports.panel.panel import COMPOSITE, Panel, read
from concord.reports.panel.provenance import annotators_sentence, named, short_label
from concord.reports.panel.unit_words import ANSWER, criterion_of, how_many, score
from concord.reports.reliability.annotator_alerts import Alert
from concord.rubrics.model import Rubric
from concord.stats.core.estimate import Estimate
from concord.stats.core.minimums import PAIR_FLOOR
from concord.stats.statistics import BY_KEY
from concord.store.database import Store

T = TypeVar("T")
NO_JUDGE = said(
    "No judge has graded this sheet yet. Run one under Judges{on_command_line}.",
    on_command_line=on_command_line("`judge baseline`"),
)
_HEADLINE = "{judge} has {share} {figure} on {criterion}"
_BEST_OF = "{judge} has {share} {figure} on {criterion}, best of {n}"
_TIED = "{judge} tie at {share} {figure} on {criterion}, best of {n}"
_WORSE = "{judge} is worse than always giving {score} on {criterion} ({share} against {always})"
_NO_BETTER = (
    "{judge} is no better than always giving {score} on {criterion} ({share} against {always})"
)
_UNCLEAR = (
    "{judge} is not clearly better than always giving {score} on {criterion} "
    "({share} against {always})"
)
_NO_VERDICT = (
    "{figure} gives no verdict on {criterion}: annotators match one another on {ceiling}, always "
    "giving one score matches {always}"
)
_ALERT = (
    "Check {names} first: {judge} has {without} {figure} on {criterion} without them, {share} with "
    "them"
)
_ALERT_ALONE = "Check {names} first: no conclusion on {criterion} while an alert is open"
_OPPOSED = (
    "Annotators contradict one another on {criterion} ({name} {value}): look for a reversed scale "
    "first"
)
_REVERSED = "Scores of {judge} look reversed on {criterion} ({name} {value} with annotators)"
_NOTHING = "{judge} and annotators have graded no {unit} in common on {criterion}"
_NOT_BLIND = "{judge} has no {unit} in common with annotators who graded blind on {criterion}"
_SIMULTANEOUS = "The best {figure} is {share}, a 95% CI simultaneous over {n} judges."
_WORST = "With {answers} left unscored counted as errors, exact agreement is {share}."
_UNKNOWN = "Inter-annotator agreement is unknown: {why}."
_OTHERS_WORSE = "Worse than always giving {score}: {judges}."
_FLOOR = "The text model has more: {share}."


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


def finding(
    row: AgreementRow,
    rubric: Rubric,
    rows: Iterable[AgreementRow] = (),
    alerts: Iterable[Alert] = (),
    without: AgreementRow | None = None,
) -> Document:
    """Return the worst fact of a row, else its figure, and what limits it.

    The text model among `rows` is named where it agrees more often. While `alerts` on annotators
    are open there is no conclusion, and the figures are those with and `without` these.
    """
    alerted = listed([*dict.fromkeys(one.annotator for one in alerts)])
    headline = _headline(row, rubric, alerted, without)
    return Document(headline, tuple(filter(None, _facts(row, rubric, rows))))


def _headline(
    row: AgreementRow, rubric: Rubric, alerted: str, without: AgreementRow | None
) -> Said:
    key, found, always = FIGURES[family(row, rubric)][0], row.statistics, row.majority_baseline
    unit = (row.units or ANSWER).unit
    about = {"judge": named(row.called(), row.simulated), "names": alerted, "unit": unit}
    about |= {"criterion": criterion_of(rubric, row.criterion), "figure": _in_words(key, rubric)}
    if not row.n:
        return said(_NOT_BLIND if NOT_BLIND in row.left_out else _NOTHING, **about)
    about["share"] = _short(found[key], key)
    if alerted and without:
        return said(_ALERT, **about, without=_short(without.statistics[key], key))
    if alerted:
        return said(_ALERT_ALONE, **about)
    correlation = "spearman" if row.continuous else "tau_b"
    ceiling = row.ceiling
    for statistics, is_so, template in (
        (ceiling.statistics, ceiling.opposed, _OPPOSED),
        (found, _is_negative(found.by_key[correlation], row.n), _REVERSED),
    ):
        if is_so:
            tau = statistics.by_key[correlation]
            name = BY_KEY[correlation].head
            return said(template, **about, name=name, value=_short(tau, correlation))
    if row.continuous or row.criterion == COMPOSITE:
        return said(_HEADLINE, **about)
    if always.score is not None:
        about["score"] = score(row.units, always.score)
        about["always"] = plain_share(always.exact)
    if always.judge.state == "fails" and not row.floor:
        return said(_WORSE, **about)
    if always.annotators.state in ("open", "fails"):
        exact, difference = ceiling.statistics["exact"].value, always.annotators.difference.value
        about |= {"ceiling": plain_share(exact), "always": plain_share(exact - difference)}
        about["figure"] = capital(about["figure"])
        return said(_NO_VERDICT, **about)
    if always.judge.state == "open" and not row.floor:
        return said(_NO_BETTER if found["exact"].value <= always.exact else _UNCLEAR, **about)
    best = row.best_of
    if best and best.tied:
        return said(
            _TIED,
            **about | {"judge": listed([row.called(), *map(short_label, best.tied)])},
            n=best.judges,
        )
    if best and best.judges > 1:
        return said(_BEST_OF, **about, n=best.judges)
    return said(_HEADLINE, **about)


def _is_negative(found: Estimate, n: int) -> bool:
    """Return True for a correlation below 0; without a CI, one far below on enough answers."""
    if found.high is None:
        return found.value is not None and found.value < -0.5 and n >= PAIR_FLOOR
    return found.high < 0


def _in_words(key: str, rubric: Rubric) -> str:
    return "exact agreement" if (name := head(key, rubric)) == "exact" else name


def _short(found: Estimate, key: str) -> str:
    """A value without its interval."""
    return written(Estimate(found.value), BY_KEY[key].kind)


def _facts(row: AgreementRow, rubric: Rubric, rows: Iterable[AgreementRow]) -> Iterator[str]:
    worst, best, always = row.worst_case, row.best_of, row.majority_baseline
    if row.n and always.annotators.state in ("open", "fails"):
        yield "Decide on QWK or balanced accuracy."
    if best and best.judges > 1 and best.exact.low is not None:
        about = {"figure": _in_words("exact", rubric), "share": written(best.exact, "share")}
        yield said(_SIMULTANEOUS, **about, n=best.judges)
    if worst.failed and worst.statistics["exact"].value is not None:
        exact = written(worst.statistics["exact"], "share")
        yield said(_WORST, answers=how_many(row.units, worst.failed), share=exact)
    if row.n and row.ceiling.why_none:
        yield said(_UNKNOWN, why=row.ceiling.why_none)
    if row.n:
        yield annotators_sentence(len(row.simulated_annotators), row.annotators)
    others = [one for one in rows if one.criterion == row.criterion and one.judge != row.judge]
    worse = [one.called() for one in others if one.majority_baseline.judge.state == "fails"]
    if worse:
        yield said(_OTHERS_WORSE, score=score(row.units, always.score), judges=listed(worse))
    mine = row.statistics["exact"].value
    for floor in rows:
        if floor.floor and not row.floor and floor.criterion == row.criterion:
            value = floor.statistics["exact"].value
            if None not in (mine, value) and value > mine:
                yield said(_FLOOR, share=plain_share(value))
    yield row.note or ""
