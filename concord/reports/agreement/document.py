"""The document of the agreement report: headline, tables and charts, whole or part by part.

Which figures a table or chart has follows from the criterion and the judge.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from concord import metrics
from concord.clock import today
from concord.messages import capital, joined, listed, on_command_line, said
from concord.model import BASELINE, status_words
from concord.reports.agreement import judge_probabilities
from concord.reports.agreement.agreement import (
    AgreementReport,
    AgreementRow,
    of_headline,
    pairs_of,
)
from concord.reports.agreement.bias_tests import TESTS, BiasTest
from concord.reports.cells import constants, plain_share, shown, written
from concord.reports.charts import Grader, Intervals, Line, Mark, Matrix, graders
from concord.reports.document import Column, Document, Part, Table, table_of
from concord.reports.panel.choice import FAILING
from concord.reports.panel.criterion_comparison import EACH, NOT_BLIND, ground
from concord.reports.panel.panel import COMPOSITE, Panel
from concord.reports.panel.wording import (
    annotators_sentence,
    criterion_of,
    heading,
    how_many,
    named,
    score,
    short_label,
    words,
)
from concord.reports.reliability import annotator_alerts
from concord.reports.reliability.annotator_alerts import Alert
from concord.rubrics import list_check
from concord.rubrics.model import Rubric
from concord.stats.core.estimate import Estimate, Statistics, undefined
from concord.stats.core.minimums import FAILING_FLOOR, PAIR_FLOOR
from concord.stats.core.pairs import Pairs
from concord.stats.core.tables import positions, ratio
from concord.stats.statistics import BY_KEY
from concord.store import grades, items
from concord.store.database import Store
from concord.store.items import Stored
from concord.text.display import visible

ANNOTATORS, MAJORITY = "inter-annotator agreement", "majority-class baseline"
TWO_LEVELS, ORDERED, CONTINUOUS = "two levels", "ordered levels", "continuous"
# By family its tables, each with its title and figures in their order, the first of which is
# preselected. A further kind of criterion is a further entry.
TABLES: dict[str, dict[str, tuple[str, tuple[str, ...]]]] = {
    TWO_LEVELS: {
        "two-levels": (
            "Agreement",
            (
                *("exact", "kappa", "failure_recall", "failure_precision", "failure_f1"),
                "false_alarm_rate",
            ),
        )
    },
    ORDERED: {
        "ordered-levels": ("Agreement", ("exact", "within_one", "qwk", "bias")),
        "further": ("Chance-corrected and distance", ("kappa", "tau_b", "mae")),
        "failing": ("Failing verdicts", FAILING),
    },
    CONTINUOUS: {"continuous": ("Continuous grades", ("spearman", "pearson", "mae"))},
    COMPOSITE: {"composite": ("Composite", ("mae", "bias", "ccc"))},
}
_COUNTS = {
    "failed by annotators": ("failure_recall", "failing"),
    "passed by annotators": ("false_alarm_rate", "passing"),
    "failed by the judge": ("failure_precision", "judge_failing"),
}
NO_JUDGE = said(
    "No judge has graded this sheet yet. Run one under Judges{on_command_line}.",
    on_command_line=on_command_line("`judge baseline`"),
)
_LACKING = said(
    "A dash or a missing CI: too few answers or questions, or scores that do not vary"
    "{on_command_line}.",
    on_command_line=on_command_line("`--json` has each reason"),
)
_EXPLORATORY = (
    "Exploratory: {n} tests, p adjusted together (Benjamini and Hochberg). A bias is not its "
    "cause: longer {units} may be better in ways annotators missed."
)
_PASSES = (
    "A judge passes at an epsilon where omega is 50% or more: .2 for expert annotators, .1 or .15 "
    "for others."
)


def document(found: AgreementReport, rubric: Rubric) -> Document:
    """Return the best judge's finding, the figures of every judge, and what limits them."""
    overall = [row for row in found.rows if not row.answer_model]
    best = of_headline(overall, rubric)
    if not best:
        return Document(NO_JUDGE)
    top = finding(best, rubric, found.alerts, found.without_alerts)
    parts = [figures(overall, rubric), exclusions(overall, rubric)]
    if found.bias_tests is not None:
        parts += [
            Document("", tables=(judge_probabilities.table(found.confidence, rubric),)),
            reliability(found.annotator_agreement, found.reliability, rubric),
            alternative_annotator(overall, rubric),
            bias(found.bias_tests, rubric),
        ]
    if found.units:
        parts.append(units_document(found.units))
    notes = [note for part in parts for note in part.notes]
    notes += [(row.continuous or {}).get("note") for row in overall]
    notes += annotator_alerts.notes(found.alerts)
    notes = [note for note in dict.fromkeys(notes) if note and note not in top.facts]
    every = tuple(table for part in parts for table in part.tables)
    return replace(top, tables=every, notes=tuple(notes))


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
    facts = filter(None, _facts(row, rubric))
    return Document(_sentence(row, rubric, alerted, without), tuple(facts))


def _sentence(row: AgreementRow, rubric: Rubric, alerted: str, without: AgreementRow | None) -> str:
    key, found, always = charted(row, rubric)[0], row.statistics, row.majority_baseline
    best, ceiling, exact = row.best_of, row.ceiling, found["exact"].value
    correlation = "spearman" if row.continuous else "tau_b"
    about = {
        "judge": named(row.called(), row.simulated),
        "names": alerted,
        "unit": words(rubric).unit,
        "criterion": criterion_of(rubric, row.criterion),
        "figure": _in_words(key, rubric),
        "share": _short(found[key], key),
        "name": BY_KEY[correlation].head,
    }
    scored = not row.continuous and row.criterion != COMPOSITE
    if scored and always["score"] is not None:
        about["score"] = score(words(rubric), always["score"])
        about["always"] = plain_share(always["exact"])
    against = " always giving {score} on {criterion} ({share} against {always})"
    judge, annotators = (always[of]["state"] if scored else "" for of in ("judge", "annotators"))
    if not row.n and NOT_BLIND in row.left_out:
        text = "{judge} has no {unit} in common with annotators who graded blind on {criterion}"
    elif not row.n:
        text = "{judge} and annotators have graded no {unit} in common on {criterion}"
    elif alerted and without:
        about["without"] = _short(without.statistics[key], key)
        text = (
            "Check {names} first: {judge} has {without} {figure} on {criterion} without them, "
            "{share} with them"
        )
    elif alerted:
        text = "Check {names} first: no conclusion on {criterion} while an alert is open"
    elif ceiling.opposed:
        about["value"] = _short(ceiling.statistics[correlation], correlation)
        text = (
            "Annotators contradict one another on {criterion} ({name} {value}): look for a "
            "reversed scale first"
        )
    elif _is_negative(found[correlation], row.n):
        about["value"] = _short(found[correlation], correlation)
        text = "Scores of {judge} look reversed on {criterion} ({name} {value} with annotators)"
    elif judge == "fails" and not row.floor:
        text = "{judge} is worse than" + against
    elif annotators in ("open", "fails"):
        between = ceiling.statistics["exact"].value
        apart = always["annotators"]["difference"].value
        about |= {"ceiling": plain_share(between), "always": plain_share(between - apart)}
        about["figure"] = capital(about["figure"])
        text = (
            "{figure} gives no verdict on {criterion}: annotators match one another on {ceiling}, "
            "always giving one score matches {always}"
        )
    elif judge == "open" and not row.floor:
        how = "no" if exact <= always["exact"] else "not clearly"
        text = "{judge} is " + how + " better than" + against
    else:
        text = "{judge} has {share} {figure} on {criterion}"
        if scored and best and best["judges"] > 1:
            about["n"] = best["judges"]
            if best["tied"]:
                about["judge"] = listed([row.called(), *map(short_label, best["tied"])])
                text = "{judge} tie at {share} {figure} on {criterion}"
            text += ", best of {n}"
    return text.format(**about)


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


def family(row: AgreementRow, rubric: Rubric) -> str:
    """Return the family of the figures of a row."""
    if row.continuous:
        return CONTINUOUS
    return COMPOSITE if row.criterion == COMPOSITE else of_scale(rubric)


def of_scale(rubric: Rubric) -> str:
    """Return the family of scores of the rubric's scale."""
    return TWO_LEVELS if len(rubric.scale) == 2 else ORDERED


def head(key: str, rubric: Rubric) -> str:
    """Return what a figure is called; of two levels exact agreement is accuracy."""
    return "accuracy" if key == "exact" and of_scale(rubric) == TWO_LEVELS else BY_KEY[key].head


def widest(rows: Sequence[AgreementRow]) -> AgreementRow:
    """Return the row with the largest overlap of annotators, which all are read against."""
    return max(rows, key=lambda row: row.ceiling.n)


def withheld(found: Statistics, key: str) -> Estimate | str | float | None:
    """Return a figure, or the number of answers where it is a share of too few that fail.

    None where there is no such figure.
    """
    estimate = found.by_key.get(key)
    counts = [n for n in found.counts.get(key, {}).values() if n is not None]
    if counts and min(counts) < FAILING_FLOOR and estimate and estimate.value is not None:
        return f"too few ({min(counts)})"
    return estimate


def tables(rows: Sequence[AgreementRow], rubric: Rubric) -> list[Table]:
    """Return the tables of each family of figures that the rows have.

    A line is of a judge, the annotators with one another, or the baseline, each criterion's of the
    largest overlap.
    """
    alike: dict[tuple[str, str], list[AgreementRow]] = {}
    for row in rows:
        alike.setdefault((family(row, rubric), row.criterion), []).append(row)

    def lines(mine: Sequence[AgreementRow]) -> Iterator[tuple[str, AgreementRow, int, Statistics]]:
        yield from ((row.called(), row, row.n, row.statistics) for row in mine)
        of = widest(mine)
        if of.ceiling.n and not of.ceiling.why_none:
            between = of.ceiling.statistics.by_key.items()
            known = {key: one for key, one in between if not BY_KEY[key].directed}
            yield ANNOTATORS, of, of.ceiling.n, Statistics(known, {})
        if of.majority_baseline["exact"] is not None and not of.continuous:
            yield MAJORITY, of, of.n, Statistics(of.majority_baseline, {})

    def columns(name: str, keys: Sequence[str]) -> Iterator[Part]:
        yield "judge", lambda line: line[0]
        yield "criterion", lambda line: heading(rubric, line[1].criterion)
        yield "compared with", lambda line: (line[1].continuous or {}).get("mean")
        yield Column("n", "count"), lambda line: line[2]
        for key in keys:
            column = Column(head(key, rubric), BY_KEY[key].kind, BY_KEY[key].heading)
            yield column, lambda line, key=key: withheld(line[3], key)
        for title, (key, part) in _COUNTS.items() if name == "failing" else ():
            counted = lambda line, key=key, part=part: line[3].counts.get(key, {}).get(part)  # noqa: E731
            yield Column(title, "count"), counted

    found = []
    for of, parts in TABLES.items():
        own = [line for (one, _), mine in alike.items() if one == of for line in lines(mine)]
        for name, (title, keys) in parts.items() if own else ():
            found.append(table_of(name, own, columns(name, keys), title))
    return found


def figures(rows: Sequence[AgreementRow], rubric: Rubric) -> Document:
    """Return the statistics that decide, of criteria and of the composite."""
    return _document(*tables(rows, rubric))


def _document(*found: Table) -> Document:
    """Return tables, with a sentence where a figure lacks its value or CI."""
    cells = (cell for table in found for row in table.rows for cell in row)
    lacks = any(isinstance(cell, Estimate) and cell.why_none for cell in cells)
    return Document("", tables=found, notes=(_LACKING,) if lacks else ())


def exclusions(rows: Sequence[AgreementRow], rubric: Rubric) -> Document:
    """Return what the figures leave out."""
    by_reason: dict[tuple[str, int], list[AgreementRow]] = {}
    for row in rows:
        for left_out in row.left_out.items():
            by_reason.setdefault(left_out, []).append(row)

    def rows_of(mine: Sequence[AgreementRow]) -> str:
        called = (f"{row.judge} ({heading(rubric, row.criterion)})" for row in mine)
        return "all" if len(mine) == len(rows) else joined("; ", called)

    columns = (
        ("left out", lambda one: status_words(one[0][0])),
        (Column(words(rubric).plural, "count"), lambda one: one[0][1]),
        ("in the figures of", lambda one: rows_of(one[1])),
    )
    return Document("", tables=(table_of("left-out", by_reason.items(), columns, "Left out"),))


def alternative_annotator(rows: Sequence[AgreementRow], rubric: Rubric) -> Document:
    """Return the alternative annotator tests that could be made, with omega by epsilon."""
    made = [row for row in rows if row.alt_test and row.alt_test[0].why_none is None]
    parts = [
        ("judge", lambda row: row.called()),
        ("criterion", lambda row: heading(rubric, row.criterion)),
        (Column("annotators", "count"), lambda row: row.alt_test[0].annotators),
        (Column(words(rubric).plural, "count"), lambda row: row.alt_test[0].items),
        (Column("rho", "share"), lambda row: row.alt_test[0].rho),
    ]
    for place, test in enumerate(made[0].alt_test if made else ()):
        column = Column(f"omega at {test.epsilon:g}", "share")
        parts.append((column, lambda row, place=place: row.alt_test[place].omega))
    table = table_of("alt-test", made, parts, "Alternative annotator test")
    return Document("", tables=(table,), notes=(_PASSES,) if made else ())


def reliability(together: Iterable, repeats: Iterable, rubric: Rubric) -> Document:
    """Return the reliability of all annotators together, and of each on hidden repeats.

    The arguments are from `inter_rater` and `test_retest`.
    """
    criterion = ("criterion", lambda row: heading(rubric, row["criterion"]))
    n = Column(words(rubric).plural, "count"), "n"
    among = (
        *(criterion, (Column("annotators", "count"), "annotators"), n),
        (Column("alpha, ordinal", "number", "alpha"), "alpha"),
        (Column("AC2", "number", "ac2"), "ac2"),
    )
    each = (
        *(("annotator", "annotator"), criterion, n),
        (Column("exact", "share"), "exact"),
        (Column("within one", "share"), "within_one"),
        (Column("QWK", "number"), "qwk"),
        (Column("drift", "difference"), "drift"),
    )
    return _document(
        table_of("among-annotators", together, among, "Inter-rater reliability"),
        table_of("repeats", repeats, each, "Test-retest reliability", sparse=True),
    )


def bias(tests: Sequence[BiasTest], rubric: Rubric, among: int | None = None) -> Document:
    """Return the bias tests that could be made as a table.

    `among` is the number of tests adjusted together; None for these.
    """
    known = [test for test in tests if test.effect.value is not None]
    among = sum(test.p is not None for test in tests) if among is None else among
    parts = (
        ("judge", "judge"),
        ("test", lambda test: TESTS[test.probe][0]),
        ("criterion", lambda test: heading(rubric, test.criterion or "all")),
        (Column("effect size", "number"), "effect"),
        ("unit", lambda test: TESTS[test.probe][1]),
        (Column("adjusted p", "p"), "p_adjusted"),
        (Column(words(rubric).plural, "count"), "n"),
    )
    table = table_of("bias-tests", known, parts, "Bias tests")
    exploratory = _EXPLORATORY.format(n=among, units=words(rubric).plural)
    return Document("", tables=(table,), notes=(exploratory,) if known else ())


def units_document(found: Mapping[str, Any]) -> Document:
    """Return metrics per answer, and the errors of the lists that a model made."""
    by_answer = (
        ("judge", "judge"),
        ("metric", lambda row: metrics.title(row["metric"])),
        (Column("answers", "count"), "n"),
        (Column("left out", "count"), lambda row: sum(row["left_out"].values())),
        (Column("mean distance", "number"), "mae"),
        (Column("bias", "difference"), "bias"),
        (Column("Spearman", "number"), "spearman"),
    )
    checked = (
        (Column("lists checked", "count"), "lists"),
        (Column("annotators", "count"), "annotators"),
        *((Column(one, "share"), one.replace(" ", "_")) for one in list_check.ERRORS),
        (Column("any error", "share"), "any"),
    )
    lists = [found["lists"]] if found["lists"]["lists"] else []
    return _document(
        table_of("by-answer", found["by_answer"], by_answer, "Metrics by annotators' labels"),
        table_of("lists", lists, checked, "Errors of the lists"),
    )


def looks(panel: Panel) -> dict[str, Grader]:
    """Return the look that each judge of a panel has on all its charts."""
    judges = panel.judges.items()
    return graders((panel.labels[i], judge.name == BASELINE) for i, judge in judges)


def charted(row: AgreementRow, rubric: Rubric) -> list[str]:
    """Return the figures of a row that have a chart, the one to begin with first."""
    every = TABLES[family(row, rubric)].values()
    return [key for _, keys in every for key in keys if BY_KEY[key].axis]


def chart(
    rows: Sequence[AgreementRow], rubric: Rubric, key: str, of: Mapping[str, Grader]
) -> Intervals:
    """Return every judge's figure on a criterion, beside what it is read against.

    `of` are the `looks` of judges. The reference lines are of the row with the largest overlap of
    annotators.
    """
    rows, one, units = [row for row in rows if not is_mean(row)], BY_KEY[key], words(rubric)
    against, lines = widest(rows), []
    between = against.ceiling.statistics.by_key.get(key) or undefined("")
    always = None if against.continuous else against.majority_baseline.get(key)
    if always is not None:
        name = f"always {score(units, against.majority_baseline['score'])}"
        lines.append(Line(Estimate(always), name, "constant"))
    lines.append(
        Line(Estimate(0.0) if one.kind == "difference" else between, "annotators", "annotators")
    )
    marks = [
        Mark(row.called(), _estimate(row, key), how_many(units, row.n), of[row.judge])
        for row in best_first(rows, key)
    ]
    known = [end for drawn in (*marks, *lines) for end in drawn.found[:3] if end is not None]
    title = one.axis.format(units=units.plural)
    half = max([0.5, *map(abs, known)]) * 1.08
    return Intervals(
        name=key,
        title="",
        alt=title,
        axis=title,
        kind=one.kind,
        reach={"share": (-0.01, 1.01), "difference": (-half, half)}.get(
            one.kind, (min([-0.01, *known]) * 1.08, max([1.0, *known]) * 1.02)
        ),
        rows=tuple((mark.name, (mark,)) for mark in marks),
        lines=tuple(lines),
    )


def best_first(rows: Sequence[AgreementRow], key: str) -> list[AgreementRow]:
    """Return rows of a criterion as its chart of a figure has them; those of means come last.

    After the best judges those without an interval or a value, and the text model.
    """

    def order(row: AgreementRow) -> tuple:
        found = _estimate(row, key)
        known = found.value is None, found.low is None, -BY_KEY[key].better(found.value or 0)
        return (True,) if is_mean(row) else (False, row.floor, *known)

    return sorted(rows, key=order)


def is_mean(row: AgreementRow) -> bool:
    """Return True for a row whose reference is an imported mean of annotators."""
    return row.continuous is not None and bool(row.continuous["mean"])


def _estimate(row: AgreementRow, key: str) -> Estimate:
    """Return a figure of a row; one of too few failing answers is undefined, as in the tables."""
    found = withheld(row.statistics, key)
    return found if isinstance(found, Estimate) else undefined(found or "")


class GraderScore(NamedTuple):
    """One grader's score of one criterion of one answer, in the grader's words.

    `again` are the scores of the same grader asked again, in order; None is one without a score.
    """

    grader: str
    simulated: bool
    criterion: str
    status: str
    score: float | None
    reason: str
    again: tuple[float | None, ...] = ()


class AnswerGrades(NamedTuple):
    """An answer with what a judge and all annotators said of it."""

    stored: Stored
    judge: list[GraderScore]
    annotators: list[GraderScore]


def confusion(panel: Panel, judge_id: int, criterion: str, kind: str = EACH) -> Matrix:
    """Return the confusion matrix of a judge: annotators' scores in rows, the judge's in columns.

    An answer counts 1, shared by its annotators, in the shares of each row; in the counts it is in
    several cells of one column where annotators differ.
    """
    pairs, scale = _pairs(panel, judge_id, criterion, kind), panel.rubric.scale
    units, size = words(panel.rubric), len(scale)
    cell = positions(pairs.annotator, scale) * size + positions(pairs.judge, scale)
    once = np.unique(pairs.item * size**2 + cell) % size**2
    weights = np.bincount(cell, pairs.weight, size**2).reshape(size, size)
    counts = np.bincount(once, minlength=size**2).reshape(size, size).tolist()
    shares = np.nan_to_num(ratio(weights, weights.sum(axis=1, keepdims=True))).tolist()
    judge = panel.judges[judge_id]
    title = f"Scores of {named(panel.labels[judge_id], judge.simulated)} by annotators' scores"
    what = "label" if units.labels else "score"
    return Matrix(
        name="matrix",
        title=title,
        alt=title,
        scale=scale,
        names=tuple(units.labels.get(str(level), str(level)) for level in scale),
        down=f"annotator's {what}",
        across=f"judge's {what}",
        counts=tuple(map(tuple, counts)),
        shares=tuple(map(tuple, shares)),
    )


def answers_of_cell(
    panel: Panel, judge_id: int, criterion: str, person: int, judge: int, kind: str = EACH
) -> list[int]:
    """The ids of the answers an annotator gave one score and the judge another (or the same)."""
    pairs = _pairs(panel, judge_id, criterion, kind)
    hit = (pairs.annotator == person) & (pairs.judge == judge)
    return np.unique(panel.items["item_id"].to_numpy()[pairs.item[hit]]).tolist()


def _pairs(panel: Panel, judge_id: int, criterion: str, kind: str) -> Pairs:
    if criterion == COMPOSITE:
        raise ValueError("a composite is no score on the scale and has no confusion table")
    return ground(panel, criterion, kind).pairs(panel.judges[judge_id])


def answer_grades(
    store: Store, panel: Panel, judge_id: int, item_ids: list[int]
) -> list[AnswerGrades]:
    """Some answers, each with the grades of a judge and of the annotators who count.

    The criteria come in the rubric's order.
    """
    versions = list(panel.rubric.versions().values())
    order = [criterion.name for criterion in panel.rubric.criteria]
    found = []
    for stored in items.items(store, item_ids):
        rows = grades.of_item(store, stored.id, versions)
        rows.sort(key=lambda row: (order.index(row["criterion"]), row["name"], row["repeat"]))
        given: dict[tuple[int, str], list] = {}
        for row in rows:
            given.setdefault((row["grader_id"], row["criterion"]), []).append(row)
        judge, annotators = [], []
        for (grader, criterion), (first, *again) in given.items():
            if first["repeat"] == 1 and (grader == judge_id or grader in panel.annotators):
                who = first["name"], bool(first["simulated"]), criterion
                what = (first[key] for key in ("status", "score", "reason"))
                score = GraderScore(*who, *what, tuple(row["score"] for row in again))
                (judge if grader == judge_id else annotators).append(score)
        found.append(AnswerGrades(stored, judge, annotators))
    return found


_MOST = 10


def page(
    store: Store,
    panel: Panel,
    rows: Sequence[AgreementRow],
    row: AgreementRow,
    alerts: Sequence[Alert] = (),
    without: AgreementRow | None = None,
    facts: Sequence[str] = (),
) -> str:
    """Return the page of a row: tables and the worst disagreements, after further `facts`.

    `rows` are those of its criterion, `without` the row without the annotators of `alerts`.
    """
    rubric = panel.rubric
    top, key = finding(row, rubric, alerts, without), charted(row, rubric)[0]
    top = replace(top, facts=(*facts, *top.facts))
    judge_id = next(i for i, label in panel.labels.items() if label == row.judge)
    ids = [] if rubric.units else worst(panel, judge_id, row)
    every = tables(best_first(rows, key), rubric)
    from jinja2 import Environment, FileSystemLoader  # no other command of reports needs it

    loader = FileSystemLoader(Path(__file__).parent)
    found = Environment(loader=loader, autoescape=True, trim_blocks=True).get_template("page.jinja")
    html = found.render(
        top=top,
        tables=[(one.title, constants(one), *shown(one)) for one in every],
        worst=answer_grades(store, panel, judge_id, ids),
        row=row,
        today=today(),
    )
    return visible(html)


def worst(panel: Panel, judge_id: int, row: AgreementRow) -> list[int]:
    """Return the ids of the answers on which a judge and an annotator differ most, worst first."""
    pairs = pairs_of(ground(panel, row.criterion, row.reference), panel.judges[judge_id])
    apart = np.zeros(len(panel.items))
    np.maximum.at(apart, pairs.item, np.abs(pairs.judge - pairs.annotator))
    order = np.argsort(-apart, kind="stable")[:_MOST]
    return panel.items["item_id"].to_numpy()[order[apart[order] > 0]].tolist()
