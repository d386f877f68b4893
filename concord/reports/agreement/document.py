"""The document of the agreement report, and its parts as a screen shows them one by one."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from concord.messages import joined, on_command_line, said
from concord.model import status_words
from concord.reports.agreement import unit_agreement
from concord.reports.agreement.agreement import AgreementReport, of_headline
from concord.reports.agreement.bias_tests import TESTS, BiasTest
from concord.reports.agreement.columns import head, tables, withheld
from concord.reports.agreement.headline import NO_JUDGE, finding
from concord.reports.agreement.rows import AS_ERRORS, AgreementRow
from concord.reports.document import Column, Document, Part, Table, table_of
from concord.reports.panel.panel import COMPOSITE
from concord.reports.panel.unit_words import heading, words
from concord.reports.probabilities import judge_probabilities
from concord.reports.reliability import annotator_alerts
from concord.rubrics.model import Rubric
from concord.stats.core.estimate import Estimate
from concord.stats.statistics import BY_KEY

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


def figures(rows: Sequence[AgreementRow], rubric: Rubric) -> Document:
    """Return the statistics that decide, of criteria and of the composite."""
    return _document(*tables(rows, rubric))


def _document(*found: Table) -> Document:
    """Return tables, with a sentence where a figure lacks its value or CI."""
    cells = (cell for table in found for row in table.rows for cell in row)
    lacks = any(isinstance(cell, Estimate) and cell.why_none for cell in cells)
    return Document("", tables=found, notes=(_LACKING,) if lacks else ())


def _place(rubric: Rubric) -> list[Part]:
    return [
        ("judge", lambda row: row.called()),
        ("criterion", lambda row: heading(rubric, row.criterion)),
    ]


def exclusions(rows: Sequence[AgreementRow], rubric: Rubric) -> Document:
    """Return what the figures leave out, and the figures with failures as errors."""
    by_reason: dict[tuple[str, int], list[AgreementRow]] = {}
    for row in rows:
        for why, count in row.left_out.items():
            by_reason.setdefault((why, count), []).append(row)
    counted = Column(words(rubric).plural, "count")
    lines = tuple(
        (
            status_words(why),
            n,
            "all"
            if len(mine) == len(rows)
            else joined("; ", (f"{row.judge} ({heading(rubric, row.criterion)})" for row in mine)),
        )
        for (why, n), mine in by_reason.items()
    )
    columns = (Column("left out"), counted, Column("in the figures of"))
    left_out = Table("left-out", columns, lines, "Left out")
    failed = [row for row in rows if row.worst_case["failed"] and row.criterion != COMPOSITE]
    parts = [*_place(rubric), (Column("unscored", "count"), lambda row: row.worst_case["failed"])]
    for key in AS_ERRORS:
        title, kind = head(key, rubric), BY_KEY[key].kind

        def as_errors(row: AgreementRow, key: str = key):
            return withheld(row.statistics, key, row.worst_case[key])

        parts.append((Column(title, kind), lambda row, key=key: withheld(row.statistics, key)))
        parts.append((Column(f"{title}, as errors", kind), as_errors))
    failures = table_of("failures", failed, parts, "Unscored counted as errors")
    return Document("", tables=(left_out, failures))


def alternative_annotator(rows: Sequence[AgreementRow], rubric: Rubric) -> Document:
    """Return the alternative annotator tests that could be made, with omega by epsilon."""
    made = [row for row in rows if row.alt_test and row.alt_test[0].why_none is None]
    epsilons = [test.epsilon for test in made[0].alt_test] if made else []
    parts = [
        *_place(rubric),
        (Column("annotators", "count"), lambda row: row.alt_test[0].annotators),
        (Column(words(rubric).plural, "count"), lambda row: row.alt_test[0].items),
        (Column("rho", "share"), lambda row: row.alt_test[0].rho),
    ]
    for place, epsilon in enumerate(epsilons):
        column = Column(f"omega at {f'{epsilon:g}'}", "share")
        parts.append((column, lambda row, place=place: row.alt_test[place].omega))
    table = table_of("alt-test", made, parts, "Alternative annotator test")
    return Document("", tables=(table,), notes=(_PASSES,) if made else ())


def reliability(together: Iterable, repeats: Iterable, rubric: Rubric) -> Document:
    """Return the reliability of all annotators together, and of each on hidden repeats.

    The arguments are from `panel_reliability.rows` and `test_retest.of_annotators`.
    """
    criterion = ("criterion", lambda row: heading(rubric, row.criterion))
    answers = words(rubric).plural
    among = (
        criterion,
        (Column("annotators", "count"), "annotators"),
        (Column(answers, "count"), "n"),
        (Column("alpha, ordinal", "number", "alpha"), lambda row: row.figures["alpha"]),
        (Column("AC2", "number", "ac2"), lambda row: row.figures["ac2"]),
    )
    each = (
        ("annotator", "annotator"),
        criterion,
        (Column(answers, "count"), "found.n"),
        (Column("exact", "share"), "found.exact"),
        (Column("within one", "share"), "found.within_one"),
        (Column("QWK", "number"), "found.qwk"),
        (Column("drift", "difference"), "found.drift"),
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
    result = {True: "significant", False: "not significant", None: "no test"}
    parts = (
        ("judge", "judge"),
        ("test", lambda test: TESTS[test.probe][0]),
        ("criterion", lambda test: heading(rubric, test.criterion or "all")),
        (Column("effect size", "number"), "effect"),
        ("unit", lambda test: TESTS[test.probe][1]),
        (Column("adjusted p", "p"), "p_adjusted"),
        (Column(words(rubric).plural, "count"), "n"),
        ("result", lambda test: result[test.significant]),
    )
    table = table_of("bias-tests", known, parts, "Bias tests")
    exploratory = said(_EXPLORATORY, n=among, **words(rubric).nouns)
    return Document("", tables=(table,), notes=(exploratory,) if known else ())


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


def units_document(found: dict[str, Any]) -> Document:
    """Return metrics per answer and the errors of the lists."""
    return _document(*unit_agreement.tables(found))
