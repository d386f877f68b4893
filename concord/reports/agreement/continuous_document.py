"""The table of rows in which a side gives continuous numbers."""

from collections.abc import Sequence

from concord.messages import said
from concord.reports.agreement.results import AgreementRow
from concord.reports.cells import undefined
from concord.reports.document import Cell, Column, Document, Table
from concord.reports.panel.panel import COMPOSITE
from concord.reports.panel.reference_standard import CONSENSUS
from concord.reports.panel.unit_words import heading
from concord.rubrics.model import Rubric
from concord.stats.continuous import CONTINUOUS
from concord.stats.statistics import BY_KEY

_FIGURES = ("pearson", "spearman", "tau_b", "bias", "mae")
_NULLS = said("Exact agreement, within one, kappas and alphas are undefined: {why}.")
_MEAN = said(
    "{mean} is the mean of several annotators. It has no human ceiling, and judges are compared "
    "with it apart from the annotators."
)


def continuous(rows: Sequence[AgreementRow], rubric: Rubric) -> Document:
    """Return correlations, errors and the range of each row; an empty document without any."""
    if not rows:
        return Document("")
    columns = (
        Column(said("judge")),
        Column(said("criterion")),
        Column(said("compared with")),
        Column(said("answers by")),
        Column("n", "count"),
        *(Column(BY_KEY[key].head, BY_KEY[key].kind, help=BY_KEY[key].heading) for key in _FIGURES),
        Column(said("its numbers")),
    )
    table = Table(
        "continuous",
        columns,
        tuple(_cells(row, rubric) for row in rows),
        said("Continuous grades"),
    )
    means = dict.fromkeys(row.continuous.mean for row in rows if row.continuous.mean)
    notes = (
        said(_NULLS, why=CONTINUOUS),
        *(said(_MEAN, mean=mean) for mean in means),
        *undefined(table),
    )
    return Document("", tables=(table,), notes=tuple(dict.fromkeys(notes)))


def _cells(row: AgreementRow, rubric: Rubric) -> tuple[Cell, ...]:
    found = row.continuous
    return (
        row.judge,
        _criterion(rubric, row.criterion),
        _compared_with(row),
        row.answer_model or "",
        row.n,
        *(row.statistics[key] for key in _FIGURES),
        None if found.low is None else said("{low:g} to {high:g}", low=found.low, high=found.high),
    )


def _compared_with(row: AgreementRow) -> str:
    if row.continuous.mean:
        return row.continuous.mean
    return said("the consensus") if row.reference == CONSENSUS else said("annotators")


def _criterion(rubric: Rubric, name: str) -> str:
    return said("composite") if name == COMPOSITE else heading(rubric, name)
