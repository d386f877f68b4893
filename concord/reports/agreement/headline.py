"""Headline: the best judge's exact agreement on the heaviest criterion with grades of both."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

from concord.messages import capital, listed, on_command_line, said
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
from concord.reports.panel.unit_words import criterion_of, how_many, score, words
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


def headline(store: Store, sheet: Sheet, rubric: Rubric) -> Headline | None:
    """The best judge's figure, on the heaviest criterion that has one; None without any."""
    return _of_heaviest(store, sheet, rubric, best)


def by_judge(store: Store, sheet: Sheet, rubric: Rubric) -> dict[int, Headline]:
    """Return each judge's figure by grader id, all on the heaviest criterion that has one."""
    return _of_heaviest(store, sheet, rubric, _by_judge)


def _of_heaviest(store: Store, sheet: Sheet, rubric: Rubric, found: Callable[[Panel], T]) -> T:
    # Usually the heaviest has grades, and reading it alone is quicker.
    alone = read(store, sheet, rubric, only=rubric.heaviest().name)
    return found(alone) or found(read(store, sheet, rubric))


def best(panel: Panel) -> Headline | None:
    """The judge with the highest exact agreement (`best_judge`); None without any."""
    for on in _grounds(panel):
        if found := best_judge(on):
            judge, judged, first = found
            always = majority_baseline(on, judged)
            tested = always["judge"]["difference"].low is not None
            return _headline(on, judge, judged, first["exact"])._replace(
                of=first["judges"],
                baseline=always["exact"],
                above_baseline=always["judge"]["state"] if tested else "none",
            )
    return None


def _by_judge(panel: Panel) -> dict[int, Headline]:
    for on in _grounds(panel):
        judged = [(judge, on.judged(judge, ("exact",))) for judge in panel.judges.values()]
        found = {i.id: _headline(on, i, one, one.figures["exact"]) for i, one in judged if one.n}
        if found:
            return found
    return {}


def _grounds(panel: Panel) -> Iterator[CriterionPanel]:
    names = [panel.only] if panel.only else [one.name for one in panel.rubric.by_weight()]
    return (ground(panel, name, EACH) for name in names)


def _headline(
    on: CriterionPanel, judge: Grader, judged: PairStatistics, exact: Estimate
) -> Headline:
    simulated = judge.simulated or any(p.simulated for p in on.annotators_on(judged.on))
    return Headline(on.panel.labels[judge.id], on.name, exact, judged.n, simulated)


def finding(
    row: AgreementRow,
    rubric: Rubric,
    alerts: Iterable[Alert] = (),
    without: AgreementRow | None = None,
) -> Document:
    """Return the worst fact of a row, else its figure, and what limits it.

    While `alerts` on annotators are open there is no conclusion, and the figures are those with and
    `without` these.
    """
    alerted = listed([*dict.fromkeys(one.annotator for one in alerts)])
    return Document(
        _sentence(row, rubric, alerted, without), tuple(filter(None, _facts(row, rubric)))
    )


def _sentence(row: AgreementRow, rubric: Rubric, alerted: str, without: AgreementRow | None) -> str:
    key, found, always = FIGURES[family(row, rubric)][0], row.statistics, row.majority_baseline
    best, ceiling, exact = row.best_of, row.ceiling, found["exact"].value
    about = {
        "judge": named(row.called(), row.simulated),
        "names": alerted,
        "unit": words(rubric).unit,
        "criterion": criterion_of(rubric, row.criterion),
        "figure": _in_words(key, rubric),
        "share": _short(found[key], key),
    }
    if not row.n and NOT_BLIND in row.left_out:
        return said(
            "{judge} has no {unit} in common with annotators who graded blind on {criterion}",
            **about,
        )
    if not row.n:
        return said(
            "{judge} and annotators have graded no {unit} in common on {criterion}", **about
        )
    if alerted and without:
        return said(
            "Check {names} first: {judge} has {without} {figure} on {criterion} without them, "
            "{share} with them",
            **about,
            without=_short(without.statistics[key], key),
        )
    if alerted:
        text = "Check {names} first: no conclusion on {criterion} while an alert is open"
        return said(text, **about)
    correlation = "spearman" if row.continuous else "tau_b"
    about["name"] = BY_KEY[correlation].head
    if ceiling.opposed:
        return said(
            "Annotators contradict one another on {criterion} ({name} {value}): look for a "
            "reversed scale first",
            **about,
            value=_short(ceiling.statistics[correlation], correlation),
        )
    if _is_negative(found[correlation], row.n):
        return said(
            "Scores of {judge} look reversed on {criterion} ({name} {value} with annotators)",
            **about,
            value=_short(found[correlation], correlation),
        )
    scored = not row.continuous and row.criterion != COMPOSITE
    if scored and always["score"] is not None:
        about["score"] = score(words(rubric), always["score"])
        about["always"] = plain_share(always["exact"])
    against = " always giving {score} on {criterion} ({share} against {always})"
    judge, annotators = (always[of]["state"] for of in ("judge", "annotators"))
    if scored and judge == "fails" and not row.floor:
        return said("{judge} is worse than" + against, **about)
    if scored and annotators in ("open", "fails"):
        between = ceiling.statistics["exact"].value
        about["figure"] = capital(about["figure"])
        about["always"] = plain_share(between - always["annotators"]["difference"].value)
        return said(
            "{figure} gives no verdict on {criterion}: annotators match one another on {ceiling}, "
            "always giving one score matches {always}",
            **about,
            ceiling=plain_share(between),
        )
    if scored and judge == "open" and not row.floor:
        is_no_better = exact <= always["exact"]
        text = "{judge} is no better than" if is_no_better else "{judge} is not clearly better than"
        return said(text + against, **about)
    text = "{judge} has {share} {figure} on {criterion}"
    if not scored or not best or best["judges"] < 2:
        return said(text, **about)
    if best["tied"]:
        about["judge"] = listed([row.called(), *map(short_label, best["tied"])])
        text = "{judge} tie at {share} {figure} on {criterion}"
    return said(text + ", best of {n}", **about, n=best["judges"])


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


def _facts(row: AgreementRow, rubric: Rubric) -> Iterator[str]:
    worst, best, n = row.worst_case, row.best_of, row.n
    if n and row.majority_baseline["annotators"]["state"] in ("open", "fails"):
        yield "Decide on QWK or balanced accuracy."
    if best and best["judges"] > 1 and best["exact"].low is not None:
        yield said(
            "The best {figure} is {share}, a 95% CI simultaneous over {n} judges.",
            figure=_in_words("exact", rubric),
            share=written(best["exact"], "share"),
            n=best["judges"],
        )
    if worst["failed"] and worst["exact"].value is not None:
        yield said(
            "With {answers} left unscored counted as errors, exact agreement is {share}.",
            answers=how_many(words(rubric), worst["failed"]),
            share=written(worst["exact"], "share"),
        )
    if n and row.ceiling.why_none:
        yield said("Inter-annotator agreement is unknown: {why}.", why=row.ceiling.why_none)
    if n:
        yield annotators_sentence(len(row.simulated_annotators), row.annotators)
    yield (row.continuous or {}).get("note") or ""
