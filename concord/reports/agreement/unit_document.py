"""The document of unit agreement: metrics per answer and errors of the lists of units."""

from concord import metrics
from concord.language.grade_statuses import reasons
from concord.messages import said
from concord.reports.agreement.document import missing
from concord.reports.agreement.unit_agreement import UnitAgreement
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.unit_words import noun
from concord.reports.units import extraction
from concord.rubrics import list_check
from concord.rubrics.model import Rubric

_UNCHECKED = said("No annotator has checked a list of {units} yet.")


def units(found: UnitAgreement, rubric: Rubric) -> Document:
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
        (Column(said("judge")), lambda row: row.judge),
        (Column(said("metric")), lambda row: metrics.title(row.metric)),
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
    title = said(
        "Errors of the lists of {units}, not included in the figures above",
        units=noun(rubric.plural),
    )
    return Table("lists", columns, (cells,) if lists.lists else (), title)
