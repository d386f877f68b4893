"""The document of the agreement report, and its parts as a screen shows them one by one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from concord import metrics
from concord.language.grade_statuses import reason, reasons
from concord.messages import Numeral, Said, capital, counted, joined, said
from concord.reports.agreement import continuous_thresholds
from concord.reports.agreement.agreement import WholeReport
from concord.reports.agreement.bias_tests import TESTS
from concord.reports.agreement.charts import ANNOTATORS, charts
from concord.reports.agreement.headline import NO_JUDGE, finding
from concord.reports.agreement.rows import (
    AS_ERRORS,
    AgreementReport,
    AgreementRow,
    BiasTest,
    SkippedAnalysis,
)
from concord.reports.agreement.unit_agreement import UnitAgreement
from concord.reports.cells import undefined, written
from concord.reports.charts import Grader
from concord.reports.document import Column, Document, Part, Table, table_of
from concord.reports.panel.criterion_comparison import CONSENSUS
from concord.reports.panel.decision_conditions import counted_as_both, failing_parts, withheld
from concord.reports.panel.panel import COMPOSITE
from concord.reports.panel.unit_words import (
    ANSWER,
    heading,
    in_units,
    noun,
    of_rubric,
    plural,
    score,
    words,
)
from concord.reports.probabilities.document import in_agreement
from concord.reports.reliability import annotator_alerts
from concord.reports.units import extraction
from concord.rubrics import list_check
from concord.rubrics.model import Rubric
from concord.stats.continuous import CONTINUOUS
from concord.stats.core.estimate import Estimate, Statistics
from concord.stats.statistics import BY_KEY, STATISTICS, Statistic, shown

MAJORITY, CEILING = "majority class", "human ceiling"
_MET, _NOT_MET = "pass", "fail"
_AMONG = {
    "alpha": "alpha, ordinal",
    "ac2": "AC2",
}
_EXPLORATORY = (
    "Exploratory: {tests} over all judges, p-values adjusted together (Benjamini and Hochberg)."
)
_CAUSE = said(
    "A bias is not its cause: longer {units} may be better in ways annotators missed.",
    **ANSWER.nouns,
)
DISTANCE = (
    "Mean difference from an annotator who gave this score. At the ends of a scale differences are "
    "one-sided, so compare the judge with the annotators."
)
_PASSES = (
    "A judge passes where it may replace at least half of the annotators (omega). Epsilon is its "
    "advantage: .2 where annotators are experts, .15 or .1 where they are not, 0 for none. With "
    "100 answers a clearly worse judge still passes at .2 one time in three, so read 0 and .1 too."
)
# Of judges: what a screen of criteria leaves out, and what it keeps of the composite.
_NOT_LISTED, _OF_COMPOSITES = {"ac2", "alpha", "ccc"}, ("mae", "bias", "ccc")
_FIGURES = ("pearson", "spearman", "tau_b", "bias", "mae")
_NULLS = "Exact agreement, within one, kappas and alphas are undefined: {why}."
_MEAN = (
    "{mean} is the mean of several annotators. It has no human ceiling, and judges are compared "
    "with it apart from the annotators."
)


def figures(
    rows: Sequence[AgreementRow],
    rubric: Rubric,
    figure: str = "exact",
    of: Mapping[str, Grader] | None = None,
) -> Document:
    """Return the statistics that decide, of criteria and of the composite.

    Charts show `figure`; `of` are the looks of judges (`charts.looks`) where `rows` are not those
    of the whole report.
    """
    scores = [row for row in rows if not row.continuous]
    criteria = [row for row in scores if row.criterion != COMPOSITE]
    composites = [row for row in scores if row.criterion == COMPOSITE]
    tables = (
        _of_criteria(criteria, rubric),
        _of_composites(composites, rubric),
        _of_failing(criteria, rubric),
    )
    numbers = [row for row in rows if row.continuous]
    counts = [(row.statistics, row.n) for row in criteria if row.failing]
    notes = [*counted_as_both(counts, words(rubric).plural), *missing(tables)]
    if numbers:
        table = _of_numbers(numbers, rubric)
        tables, notes = (*tables, table), [*notes, *_on_numbers(numbers), *undefined(table)]
    drawn = charts(rows, rubric, figure, of)
    return Document("", tables=tables, notes=tuple(dict.fromkeys(notes)), charts=drawn)


def statistics(rows: Sequence[AgreementRow], rubric: Rubric) -> Document:
    """Return every statistic of whole rows, a table per answering model and criterion."""
    places = dict.fromkeys((row.answer_model, row.criterion) for row in rows)
    each = [[row for row in rows if (row.answer_model, row.criterion) == one] for one in places]
    tables = [_every(mine, rubric) for mine in each]
    models = (row.clustered_by_answer_model.why_none for row in rows)
    others = [
        said("Other answering models: {why}.", why=why) for why in dict.fromkeys(models) if why
    ]
    notes = dict.fromkeys((*missing(tables), *others))
    return Document("", tables=tuple(tables), notes=tuple(notes))


def exclusions(rows: Sequence[AgreementRow], rubric: Rubric) -> Document:
    """Return what the figures leave out, and the figures with failures as errors."""
    answers = words(rubric).plural
    by_reason: dict[tuple[str, int], list[AgreementRow]] = {}
    for row in rows:
        for why, count in row.left_out.items():
            by_reason.setdefault((why, count), []).append(row)
    parts = (
        ("why", lambda one: reason(one[0][0])),
        (Column(answers, "count"), lambda one: one[0][1]),
        ("in the figures of", lambda one: _whom(one[1], rows, rubric)),
    )
    left_out = table_of("left-out", by_reason.items(), parts, "Left out")
    notes = () if by_reason else (said("No {unit} is excluded.", unit=words(rubric).unit),)
    return Document("", tables=(left_out, _failures(rows, rubric)), notes=notes)


def alternative_annotator(rows: Sequence[AgreementRow], rubric: Rubric) -> Document:
    """Return the alternative annotator tests that could be made."""
    tests = [(row, test) for row in rows for test in row.alt_test]
    made = [(row, test) for row, test in tests if test.why_none is None]
    parts = (
        ("judge", lambda pair: pair[0].called()),
        ("criterion", lambda pair: _criterion(rubric, pair[0].criterion)),
        ("epsilon", lambda pair: Numeral(f"{pair[1].epsilon:g}")),
        (Column("omega", "share"), lambda pair: pair[1].omega),
        (Column("rho", "share"), lambda pair: pair[1].rho),
        (Column("annotators", "count"), lambda pair: pair[1].annotators),
        (Column(words(rubric).plural, "count"), lambda pair: pair[1].items),
        (said("per {unit}", unit=words(rubric).unit), lambda pair: _passes(pair[1].omega)),
        ("by question", lambda pair: _passes(pair[1].omega_by_question)),
    )
    whys = dict.fromkeys(test.why_none for _, test in tests if test.why_none)
    notes = [said("Alternative annotator test undefined: {why}.", why=why) for why in whys]
    table = table_of("alt-test", made, parts, "Alternative annotator test")
    return Document("", tables=(table,), notes=((_PASSES,) if made else ()) + tuple(notes))


def reliability(together: Iterable, repeats: Iterable, rubric: Rubric) -> Document:
    """Return the reliability of all annotators together, and of each on hidden repeats.

    The arguments are from `panel_reliability.rows` and `test_retest.of_annotators`.
    """
    parts = (
        ("criterion", lambda row: _criterion(rubric, row.criterion)),
        (Column("annotators", "count"), "annotators"),
        (
            Column(said("{units} two graded", units=words(rubric).plural), "count"),
            "n",
        ),
        *(
            (Column(title, "number"), lambda row, key=key: row.figures[key])
            for key, title in _AMONG.items()
        ),
    )
    title = "Inter-rater reliability of all annotators"
    among = replace(table_of("among-annotators", together, parts, title), across=True)
    tables = (among, _repeats(repeats, rubric))
    return Document("", tables=tables, notes=tuple(missing(tables)))


def bias(tests: Sequence[BiasTest], rubric: Rubric, among: int | None = None) -> Document:
    """Return the bias tests: findings as facts, every effect as a table.

    `among` is the number of tests adjusted together; None for these.
    """
    among = sum(test.p is not None for test in tests) if among is None else among
    parts = (
        ("judge", "judge"),
        ("test", lambda test: TESTS[test.probe][0]),
        ("criterion", lambda test: _criterion(rubric, test.criterion)),
        (Column("effect size", "number"), "effect"),
        ("unit", lambda test: TESTS[test.probe][1]),
        (Column("adjusted p", "p"), "p_adjusted"),
        (Column(words(rubric).plural, "count"), "n"),
        ("result", lambda test: _RESULT[test.significant]),
    )
    known = [test for test in tests if test.effect.value is not None]
    whys = {(TESTS[test.probe][0], test.effect.why_none) for test in tests}
    table = table_of("bias-tests", known, parts, "Bias tests")
    notes = [said("{test}: {why}.", test=capital(t), why=w) for t, w in sorted(whys, key=str) if w]
    exploratory = said(_EXPLORATORY, tests=counted(among, "test"))
    found = tuple(test.sentence for test in tests if test.significant)
    limits = (exploratory, in_units(rubric, _CAUSE)) if known else ()
    return Document("", found, (table,), limits + tuple(notes))


def scores_given(test: BiasTest, rubric: Rubric) -> Table:
    """Return how often each score was given, and the distance from an annotator who gave it."""
    units = of_rubric(rubric)
    parts = (
        ("score", lambda one: score(units, one["score"])),
        (Column("annotators give it", "share"), lambda one: one["annotators"]),
        (Column("the judge gives it", "share"), lambda one: one["judge"]),
        (Column("bias of the judge", "difference"), lambda one: one["bias"]),
        (
            Column("bias of another annotator", "difference"),
            lambda one: one["annotator_bias"],
        ),
    )
    found = test.details.get("by_score", ())
    return table_of(f"{test.judge}-{test.criterion}-scores", found, parts)


def skipped(found: Sequence[SkippedAnalysis], rubric: Rubric) -> Document:
    """Return what was not run, why, and what would enable it."""
    parts = (
        ("analysis", lambda one: capital(one.check)),
        ("concerns", lambda one: _concerned(one, rubric)),
        ("why", "why"),
        ("what enables it", "enable"),
    )
    return Document("", tables=(table_of("skipped", found, parts, "Not run"),))


_RESULT = {True: "significant", False: "not significant", None: "no test"}


def _statistic(one: Statistic) -> Part:
    return Column(one.head, one.kind, help=one.heading), lambda row: row.statistics[one.key]


def _of_criteria(rows: Sequence[AgreementRow], rubric: Rubric) -> Table:
    exact, *rest = (one for one in shown("table") if not one.of_failing)
    parts: list[Part] = [
        *_places(rubric),
        (Column("n", "count"), "n"),
        _statistic(exact),
        (
            Column(MAJORITY, exact.kind, "majority-class baseline"),
            "majority_baseline.exact",
        ),
        (Column(CEILING, exact.kind, "ceiling"), lambda row: row.ceiling.statistics[exact.key]),
        *map(_statistic, rest),
    ]
    return table_of("by-model" if _by_model(rows) else "figures", rows, parts, sparse=True)


def _of_failing(rows: Sequence[AgreementRow], rubric: Rubric) -> Table:
    """Return the figures of failing verdicts, with the answers that they are of."""
    rows = [row for row in rows if row.failing is not None]
    name = "by-model-failing" if _by_model(rows) else "failing"
    parts = [*_places(rubric), *failing_parts()]
    return table_of(name, rows, parts, _failing_scores(rows, rubric), sparse=True)


def _failing_scores(rows: Sequence[AgreementRow], rubric: Rubric) -> str:
    """Return the title, with the scores that fail where they are the same for all criteria."""
    named, units = {row.criterion for row in rows}, of_rubric(rubric)
    failing = {rubric.failing(one) for one in rubric.criteria if one.name in named}
    if len(failing) != 1:
        return "Failing verdicts"
    labels = joined(" or ", [score(units, one) for one in sorted(failing.pop())])
    if units:
        return said("Failing verdicts: {labels}", labels=labels)
    return said("Failing verdicts: score {labels}", labels=labels)


def _by_model(rows: Sequence[AgreementRow]) -> bool:
    return bool(rows) and all(row.answer_model for row in rows)


def _of_composites(rows: Sequence[AgreementRow], rubric: Rubric) -> Table:
    parts: list[Part] = [*_places(rubric), (Column("n", "count"), "n")]
    for one in map(BY_KEY.get, _OF_COMPOSITES):
        parts.append((Column(one.head, one.kind), lambda row, key=one.key: row.statistics[key]))
    mae = Column("MAE between annotators", "number")
    parts.append((mae, lambda row: row.ceiling.statistics["mae"]))
    return table_of("composite", rows, parts, sparse=True)


def _of_numbers(rows: Sequence[AgreementRow], rubric: Rubric) -> Table:
    """Return correlations, errors and the range of rows in which a side gives continuous grades."""
    parts = (
        ("judge", lambda row: row.called()),
        ("criterion", lambda row: _criterion(rubric, row.criterion)),
        ("compared with", _compared_with),
        ("answers by", lambda row: row.answer_model or ""),
        (Column("n", "count"), "n"),
        *(_statistic(BY_KEY[key]) for key in _FIGURES),
        ("range of values", _range),
    )
    return table_of("continuous", rows, parts, "Continuous grades", sparse=True)


def _on_numbers(rows: Sequence[AgreementRow]) -> list[str]:
    """Say which statistics continuous grades have not, and what a mean of annotators is."""
    means = dict.fromkeys(row.continuous.mean for row in rows if row.continuous.mean)
    return [said(_NULLS, why=CONTINUOUS), *(said(_MEAN, mean=mean) for mean in means)]


def _compared_with(row: AgreementRow) -> str:
    if row.continuous.mean:
        return row.continuous.mean
    return "the consensus" if row.reference == CONSENSUS else ANNOTATORS


def _range(row: AgreementRow) -> str | None:
    found = row.continuous
    if found.low is None:
        return None
    low, high = (written(end, "precise") for end in (found.low, found.high))
    return said("{low} to {high}", low=low, high=high)


def _places(rubric: Rubric) -> list[Part]:
    return [
        (
            "judge",
            lambda row: said("{judge} (the floor)", judge=row.judge) if row.floor else row.called(),
        ),
        ("criterion", lambda row: _criterion(rubric, row.criterion)),
        ("answers by", lambda row: row.answer_model or ""),
    ]


def _criterion(rubric: Rubric, name: str | None) -> str:
    """The title of a criterion; `all` for None."""
    if name is None:
        return "all"
    return "composite" if name == COMPOSITE else heading(rubric, name)


def _every(rows: Sequence[AgreementRow], rubric: Rubric) -> Table:
    """Return every statistic of a criterion: a column each for judges, annotators and baseline."""
    first, widest = rows[0], max(rows, key=lambda row: row.ceiling.n)
    of = plural(first.units) if first.units else ""
    points = tuple(first.statistics.within_points or ())
    listed = [one for one in STATISTICS if one.key not in _NOT_LISTED]
    if first.criterion == COMPOSITE:
        listed = [BY_KEY[key] for key in _OF_COMPOSITES]
    errors = [BY_KEY[key] for key in AS_ERRORS]
    models = [one for one in shown("answer models") if one in listed]
    columns = (
        Column("figure"),
        *(Column(one.titled(of), one.kind) for one in listed),
        *(Column(said("within {n} points", n=n), "share") for n in points),
        *(_titled("{figure} with unscored as errors", one, of) for one in errors),
        *(_titled("{figure} with other answering models", one, of) for one in models),
    )
    blank = (None,) * (len(errors) + len(models))
    cells = [
        (
            row.called(),
            *_all(row.statistics, listed, points),
            *(_as_errors(row, one) for one in errors),
            *(row.clustered_by_answer_model.statistics[one.key] for one in models),
        )
        for row in rows
    ]
    cells.append((CEILING, *_all(widest.ceiling.statistics, listed, points), *blank))
    if widest.majority_baseline.exact is not None:
        level = [widest.majority_baseline.values[one.key] for one in listed]
        cells.append((MAJORITY, *level, *[None] * len(points), *blank))
    title = said("All statistics, {criterion}", criterion=_criterion(rubric, first.criterion))
    if first.answer_model:
        title = said("{title}, answers by {model}", title=title, model=first.answer_model)
    name = "-".join(filter(None, (first.criterion, first.answer_model, "statistics")))
    return Table(name, columns, tuple(cells), title, across=True)


def _titled(template: str, one, of: str) -> Column:
    return Column(said(template, figure=one.titled(of)), one.kind)


def _all(
    found: Statistics, listed: Sequence[Statistic], points: Sequence[int]
) -> tuple[Estimate | Said | None, ...]:
    within = found.within_points or {}
    return (*(withheld(found, one) for one in listed), *(within.get(n) for n in points))


def _as_errors(row: AgreementRow, one: Statistic) -> Estimate | Said:
    return withheld(row.statistics, one, row.worst_case.statistics[one.key])


def _failures(rows: Sequence[AgreementRow], rubric: Rubric) -> Table:
    """Return the table of unscored answers; empty without any."""
    failed = [row for row in rows if row.worst_case.failed and row.criterion != COMPOSITE]
    parts: list[Part] = [
        ("judge", lambda row: row.called()),
        ("criterion", lambda row: _criterion(rubric, row.criterion)),
        (Column("matched", "count"), "worst_case.matched"),
        (Column("failed", "count"), "worst_case.failed"),
        (Column("skipped", "count"), "worst_case.skipped"),
    ]
    for one in [BY_KEY[key] for key in AS_ERRORS]:
        worst = Column(said("{figure}, unscored as errors", figure=one.head), one.kind)
        parts.append(
            (Column(one.head, one.kind), lambda row, one=one: withheld(row.statistics, one))
        )
        parts.append((worst, lambda row, one=one: _as_errors(row, one)))
    title = said("Unscored {units} counted as errors", units=words(rubric).plural)
    return table_of("failures", failed, parts, title)


def _whom(mine: Sequence[AgreementRow], rows: Sequence[AgreementRow], rubric: Rubric) -> str:
    """Return the judges and criteria of rows in words; `all` where it is every row."""
    if len(mine) == len(rows):
        return "all"
    places = (f"{row.judge} ({_criterion(rubric, row.criterion)})" for row in mine)
    return joined("; ", places)


def _passes(omega: float | None) -> str | None:
    return None if omega is None else _MET if omega >= 0.5 else _NOT_MET


def _repeats(found: Iterable, rubric: Rubric) -> Table:
    parts = (
        ("annotator", "annotator"),
        ("criterion", lambda row: _criterion(rubric, row.criterion)),
        (Column(words(rubric).plural, "count"), "found.n"),
        (Column("exact", "share"), "found.exact"),
        (Column("within one", "share"), "found.within_one"),
        (Column("QWK", "number"), "found.qwk"),
        (Column("drift", "difference"), "found.drift"),
    )
    return table_of("repeats", found, parts, "Test-retest reliability of each annotator")


def _concerned(one: SkippedAnalysis, rubric: Rubric) -> str:
    criteria = [_criterion(rubric, name) for name in one.criteria]
    found = joined("; ", [joined(", ", names) for names in (one.judges, criteria)])
    return found or "all"


def missing(tables: Iterable[Table]) -> list[str]:
    """Return why statistics in tables are undefined."""
    return [note for table in tables for note in undefined(table)]


def document(found: AgreementReport, rubric: Rubric) -> Document:
    """Return the best judge's finding, the figures of every judge, and what limits them."""
    overall = [row for row in found.rows if not row.answer_model]
    if not overall:
        return Document(NO_JUDGE)
    head = finding(_best(overall, rubric), rubric, overall)
    parts = [
        figures(found.rows, rubric),
        in_agreement(found.rows, rubric),
        exclusions(overall, rubric),
    ]
    if isinstance(found, WholeReport):
        parts += _further(found, overall, rubric)
    notes = [note for part in parts for note in part.notes]
    notes += [row.note for row in overall if row.note and row.note not in head.facts]
    notes += annotator_alerts.notes(found.alerts)
    tables = tuple(table for part in parts for table in part.tables)
    return Document(head.headline, head.facts, tables, tuple(dict.fromkeys(notes)))


def _best(rows: Sequence[AgreementRow], rubric: Rubric) -> AgreementRow:
    """The best judge's row on the heaviest criterion with grades of both; else the first there."""
    named = [one.name for one in rubric.by_weight()]
    graded = {row.criterion for row in rows if row.n}
    criterion = next((name for name in named if name in graded), named[0])
    mine = [row for row in rows if row.criterion == criterion]
    return next((row for row in mine if row.best_of), next((row for row in mine if row.n), mine[0]))


def _further(found: WholeReport, overall: Sequence[AgreementRow], rubric: Rubric) -> list[Document]:
    parts = [
        statistics(found.rows, rubric),
        reliability(found.annotator_agreement, found.reliability, rubric),
        alternative_annotator(overall, rubric),
        bias(found.bias_tests, rubric),
        skipped(found.skipped_analyses, rubric),
    ]
    parts += [continuous_thresholds.document(found.thresholds, rubric)] if found.thresholds else []
    return parts + ([units_document(found.units, rubric)] if found.units else [])


_UNCHECKED = "No annotator has checked a list of {units} yet."


def units_document(found: UnitAgreement, rubric: Rubric) -> Document:
    """Return metrics per answer and the errors of the lists."""
    extracted = extraction.table(found.extraction)
    tables = (_answers(found), extracted, _lists(found, rubric))
    left = [
        said(
            "Left out, {judge}, {metric}: {reasons}.",
            judge=row.judge,
            metric=metrics.title(row.metric),
            reasons=reasons(row.left_out),
        )
        for row in found.by_answer
        if row.left_out
    ]
    unchecked = [] if found.lists.lists else [said(_UNCHECKED, units=noun(rubric.plural))]
    return Document("", (), tables, (*missing(tables[:2]), *left, *unchecked))


def _answers(found: UnitAgreement) -> Table:
    parts = (
        ("judge", "judge"),
        ("metric", lambda row: metrics.title(row.metric)),
        (Column("answers", "count"), "n"),
        (Column("mean distance", "number"), "mae"),
        (Column("bias", "difference"), "bias"),
        (Column("Spearman", "number"), "spearman"),
    )
    title = "Metrics by the judge's verdicts compared with those by annotators' labels"
    return table_of("by-answer", found.by_answer, parts, title)


def _lists(found: UnitAgreement, rubric: Rubric) -> Table:
    lists = found.lists
    columns = (
        Column("lists checked", "count"),
        Column("annotators", "count"),
        *(Column(error, "share") for error in list_check.ERRORS),
        Column("any error", "share"),
    )
    cells = (lists.lists, lists.annotators, *lists.shares.values())
    title = said(
        "Errors of the lists of {units}, not included in the figures above",
        units=noun(rubric.plural),
    )
    return Table("lists", columns, (cells,) if lists.lists else (), title)
