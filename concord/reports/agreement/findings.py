"""The finding of one row of the agreement report, with the facts that it needs."""

from collections.abc import Iterator

from concord.messages import Said, said
from concord.reports.agreement.results import AgreementRow
from concord.reports.cells import percent, plain_share, share
from concord.reports.document import Document
from concord.reports.panel.reference_standard import CONSENSUS, EACH
from concord.reports.panel.simulated import annotators_sentence, named
from concord.reports.panel.unit_words import ANSWER, criterion_of, how_many

NO_JUDGE = said("No judge has graded this sheet yet. Run one, as in `judge baseline`.")
_HEADLINE = said(
    "{judge} agrees exactly with {reference} on {criterion} for {share} of {answers} "
    "(inter-annotator agreement {ceiling}, majority-class baseline {baseline})"
)
_NOTHING = said(
    "{judge} and the annotators have graded {criterion} for no {unit} in common, so there is "
    "nothing to compare"
)
_REFERENCE = {EACH: said("annotators"), CONSENSUS: said("the annotators' consensus")}
_WORST = said("With {answers} left unscored counted as errors, exact agreement is {share}.")
_OVERLAP = said(
    "Inter-annotator agreement is that on the {answers} that two or more annotators graded."
)
_CONSENSUS = said(
    "Left out without a consensus: {answers} ({share}% of those that annotators scored)."
)


def finding(row: AgreementRow) -> Document:
    """Return exact agreement compared with annotators and baseline, and what limits it."""
    return Document(_headline(row), tuple(_facts(row)))


def _headline(row: AgreementRow) -> Said:
    about = {
        "judge": named(row.judge, row.simulated),
        "criterion": criterion_of(row.units, row.criterion),
    }
    if not row.n:
        return said(_NOTHING, **about, unit=(row.units or ANSWER)["unit"])
    ceiling = row.ceiling.statistics["exact"].value
    return said(
        _HEADLINE,
        **about,
        reference=_REFERENCE[row.reference],
        share=share(row.statistics["exact"]._asdict()),
        answers=how_many(row.units, row.n),
        ceiling=said("unknown") if ceiling is None else plain_share(ceiling),
        baseline=plain_share(row.majority_baseline.exact),
    )


def _facts(row: AgreementRow) -> Iterator[str]:
    worst, lost = row.worst_case, row.without_consensus
    if 0 < row.ceiling.n < row.n:
        yield said(_OVERLAP, answers=how_many(row.units, row.ceiling.n))
    if worst.failed and worst.statistics["exact"].value is not None:
        exact = share(worst.statistics["exact"]._asdict())
        yield said(_WORST, answers=how_many(row.units, worst.failed), share=exact)
    if lost and lost.n:
        yield said(_CONSENSUS, answers=how_many(row.units, lost.n), share=percent(lost.share))
    if row.n:
        yield annotators_sentence(len(row.simulated_annotators), row.annotators)
    yield row.note or ""
