"""The document of unit agreement: failing verdicts, metrics per answer, errors of the lists."""

from concord.language.grade_statuses import reasons
from concord.messages import capital, joined, said
from concord.reports.agreement.document import missing
from concord.reports.agreement.unit_agreement import UnitAgreement
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.unit_words import noun
from concord.reports.units import extraction
from concord.rubrics import list_check
from concord.rubrics.model import Rubric

_UNCHECKED = said("No annotator has checked a list of {units} yet.")


def units(found: UnitAgreement, rubric: Rubric) -> Document:
    """Return the failing verdict per unit, metrics per answer, and the errors of the lists."""
    extracted = extraction.table(found.extraction)
    tables = (_verdicts(found, rubric), _answers(found), extracted, _lists(found, rubric))
    left = [
        said(
            "Left out, {judge}, {metric}: {reasons}.",
            judge=row.judge,
            metric=row.metric.replace("_", " "),
            reasons=reasons(row.left_out),
        )
        for row in found.by_answer
        if row.left_out
    ]
    unchecked = [] if found.lists.lists else [said(_UNCHECKED, units=noun(rubric.plural))]
    return Document("", (), tables, (*missing(tables[:3]), *left, *unchecked))


def _verdicts(found: UnitAgreement, rubric: Rubric) -> Table:
    parts = (
        (Column(said("judge")), lambda row: row.judge),
        (Column("n", "count"), lambda row: row.n),
        (Column(said("precision"), "share"), lambda row: row.precision.estimate),
        (Column(said("failed by the judge"), "count"), lambda row: row.precision.failing),
        (Column(said("recall"), "share"), lambda row: row.recall.estimate),
        (Column(said("failed by annotators"), "count"), lambda row: row.recall.failing),
    )
    labels = joined(" or ", found.failing[0].failing) if found.failing else ""
    called = capital(noun(rubric.plural))
    title = said("{units} called {labels}", units=called, labels=labels)
    return table_of("failing", found.failing, parts, title)


def _answers(found: UnitAgreement) -> Table:
    parts = (
        (Column(said("judge")), lambda row: row.judge),
        (Column(said("metric")), lambda row: row.metric.replace("_", " ")),
        (Column(said("answers"), "count"), lambda row: row.n),
        (Column(said("mean distance"), "number"), lambda row: row.mae),
        (Column(said("bias"), "difference"), lambda row: row.bias),
        (Column("Spearman", "number"), lambda row: row.spearman),
    )
    title = said("Metrics by the judge's verdicts compared with those by annotators' labels")
    return table_of("by-answer", found.by_answer, parts, title)


def _lists(found: UnitAgreement, rubric: Rubric) -> Table:
    lists = found.lists
    columns = (
        Column(said("lists checked"), "count"),
        Column(said("annotators"), "count"),
        *(Column(error, "share") for error in list_check.ERRORS),
        Column(said("any error"), "share"),
    )
    cells = (lists.lists, lists.annotators, *lists.shares.values())
    title = said("Errors of the lists of {units}, in no figure above", units=noun(rubric.plural))
    return Table("lists", columns, (cells,) if lists.lists else (), title)
