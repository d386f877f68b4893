"""Agreement of judges with annotators, and the choice of a judge."""

from collections.abc import Collection

from concord.library import arguments
from concord.messages import Problem
from concord.reports.agreement import agreement as report
from concord.reports.agreement.agreement import AgreementReport
from concord.reports.decision import choose as decision
from concord.reports.decision.verdict import Choice
from concord.reports.panel import wording
from concord.reports.panel.choice import judge_of
from concord.reports.panel.criterion_comparison import CONSENSUS, EACH
from concord.reports.panel.panel import Panel
from concord.reports.panel.panel import read as read_panel
from concord.store import sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


@arguments.checked
def agreement(
    store: Store,
    sheet: str | None = None,
    *,
    rubric: str | None = None,
    reference: str = EACH,
    annotators: str | Collection[str] = (),
    whole: bool = False,
) -> AgreementReport:
    """Compute the agreement of every judge of a sheet with the annotators; makes no API calls.

    Args:
        store: From `open_store`.
        sheet: The sheet; required if there are several.
        rubric: The name or file of the rubric; required if annotators used several.
        reference: `each` annotator, or their `consensus`.
        annotators: The only annotators who count, or the only one; default: all.
        whole: Also probabilities, bias tests and the other analyses; takes longer.

    Returns:
        The report: one row per judge and criterion, its statistics by key as estimates with their
        95% confidence interval. Shares and chance-corrected statistics are in [0, 1] and [-1, 1],
        `mae` in points. An undefined estimate is None with `why_none`. `to_pandas()` has one row
        per statistic.

    Raises:
        Problem: There is no such sheet, rubric or annotator, or nothing is graded yet.
    """
    if reference not in (EACH, CONSENSUS):
        raise Problem(
            "“{reference}” is not a reference. Choose “each” or “consensus”.", reference=reference
        )
    panel = _panel(store, sheet, rubric, annotators)
    if whole:
        return report.whole(store, panel, reference)
    return report.with_alerts(store, panel, report.report(panel, reference))


@arguments.checked
def choose(
    store: Store,
    against: str,
    sheet: str | None = None,
    *,
    margin: float | None = None,
    figure: str | None = None,
    minimum: float | None = None,
    failure_recall: float | None = None,
    failure_precision: float | None = None,
    planned_questions: int | None = None,
    criterion: str | None = None,
    rubric: str | None = None,
    annotators: str | Collection[str] = (),
) -> Choice:
    """Find the cheapest judge that is good enough; fixes the terms and takes an interim look.

    Terms cannot be changed once fixed. Those left out are the first ones fixed for the sheet and
    criterion with this reference judge, else proposed. Each look at new questions counts, at most
    four; a call with the same terms and grades returns the same look.

    Args:
        store: From `open_store`.
        against: The reference judge.
        sheet: The sheet; required if there are several.
        margin: Non-inferiority margin in the figure's unit.
        figure: What decides: `exact`, `within_one`, `qwk`, `tau_b`, `balanced_accuracy` or `mae`.
        minimum: Minimum of the figure (of `mae`: maximum); 0 for none.
        failure_recall: Minimum recall of failing answers, in [0, 1]; 0 for none.
        failure_precision: Minimum precision of failing verdicts, in [0, 1]; 0 for none.
        planned_questions: How many questions are planned.
        criterion: The criterion; default: the one with the largest weight.
        rubric: The name or file of the rubric; required if annotators used several.
        annotators: The only annotators who count, or the only one; default: all.

    Returns:
        The look: `verdict` is `good_enough`, `not` or `cannot_tell`, `winner` the judge that is
        good enough or None, `judges` every judge under the terms. `to_pandas()` has one row per
        judge.

    Raises:
        Problem: A name is unknown, the rubric is of units, a term is invalid, or no look is left.
    """
    panel = _panel(store, sheet, rubric, annotators)
    wording.of_answers(panel.rubric)
    reference = judge_of(store, panel, against)
    terms = decision.default_terms(
        store,
        panel,
        reference,
        criterion,
        margin=margin,
        minimum=minimum,
        failure_recall=failure_recall,
        failure_precision=failure_precision,
        figure=figure,
        planned_questions=planned_questions,
    )
    fixed = decision.fix(store, panel, reference, terms, criterion)
    return decision.look(store, panel, fixed)


def _panel(
    store: Store, sheet_name: str | None, rubric: str | None, annotators: str | Collection[str]
) -> Panel:
    # A name alone is a collection too, of its letters.
    named = (annotators,) if isinstance(annotators, str) else tuple(annotators)
    sheet = sheets.chosen(store, sheet_name)
    _, chosen = rubric_versions.of_sheet(store, sheet, rubric)
    return read_panel(store, sheet, chosen, named or None)
