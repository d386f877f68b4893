"""The document of unit agreement: failing verdicts, metrics per answer, errors of the lists."""

from concord.language.grade_statuses import reasons
from concord.messages import capital, joined, said
from concord.reports.agreement.document import missing
from concord.reports.agreement.unit_agreement import UnitAgreement
from concord.reports.document import Column, Document, Table
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
    columns = (
        Column(said("judge")),
        Column("n", "count"),
        Column(said("precision"), "share"),
        Column(said("failed by the judge"), "count"),
        Column(said("recall"), "share"),
        Column(said("failed by annotators"), "count"),
    )
    cells = tuple(
        (
            row.judge,
            row.n,
            row.precision.estimate,
            row.precision.failing,
            row.recall.estimate,
            row.recall.failing,
        )
        for row in found.failing
    )
    labels = joined(" or ", found.failing[0].failing) if found.failing else ""
    called = capital(noun(rubric.plural))
    title = said("{units} called {labels}", units=called, labels=labels)
    return Table("failing", columns, cells, title)


def _answers(found: UnitAgreement) -> Table:
    columns = (
        Column(said("judge")),
        Column(said("metric")),
        Column(said("answers"), "count"),
        Column(said("mean distance"), "number"),
        Column(said("bias"), "difference"),
        Column("Spearman", "number"),
    )
    cells = tuple(
        (row.judge, row.metric.replace("_", " "), row.n, row.mae, row.bias, row.spearman)
        for row in found.by_answer
    )
    title = said("Metrics by the judge's verdicts compared with those by annotators' labels")
    return Table("by-answer", columns, cells, title)


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
