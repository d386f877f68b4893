"""A study: a predefined comparison of judges that is answered on the user's own sheets."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from concord.messages import Numeral, Said, said, small
from concord.reports.cells import shown
from concord.reports.comparison.paired_variants import scale_name, target_name
from concord.reports.comparison.results import FURTHER, NEARER, UNSURE, Comparison, beyond
from concord.reports.decision.cost import Cost
from concord.reports.document import Column, Document, Table, as_json
from concord.reports.panel.panel import Panel
from concord.reports.panel.simulated import annotators_sentence
from concord.reports.panel.variants import Variant, Variants
from concord.reports.probabilities.judge_probabilities import Probabilities
from concord.stats.core.estimate import Estimate

NO_SHARED = said("The variants share no answer that annotators graded.")
DIRECTION = {NEARER: said("nearer"), FURTHER: said("further"), UNSURE: said("inconclusive")}


@dataclass(frozen=True)
class Study:
    """The outcome of one study.

    Attributes:
        answer: The answer in one sentence; where it cannot be run, that and why.
        synthetic: How many answers of the sheet are synthetic.
        rests_on: What the answer rests on and how far it holds, a sentence each.
        published: What the published study found.
        missing: What to run, or what would tell more, a sentence each.
        heads: The columns of `rows`; empty where there are none.
        figures: The same as numbers.
    """

    name: str
    question: str
    answer: str
    can_run: bool
    synthetic: int
    rests_on: tuple[str, ...] = ()
    published: str = ""
    missing: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    figures: tuple[Mapping[str, Any], ...] = ()


class Request(NamedTuple):
    """Parameters of a study.

    `named_by_user` means that the user named the variants, which are then compared whatever their
    differences. `pool` means that all of it is on the few-shot pool.
    """

    here: Variants
    annotators: Panel
    chosen: list[Variant]
    kind: str
    named_by_user: bool
    costs: Callable[[], Mapping[int, Cost]]
    others: Callable[[], list[Variants]]
    probabilities: Callable[[], Probabilities]
    pool: bool = False


class StudyResult(NamedTuple):
    """The answer of a study, its rows as a table and as figures, and its conditions."""

    answer: str
    table: Table
    figures: list[Mapping[str, Any]]
    rests_on: Sequence[str]
    missing: Sequence[str] = ()


class Plan(NamedTuple):
    """One study.

    Attributes:
        question: What it answers.
        published: What the published study found.
        select: What is compared; empty where nothing can be.
        lacking: Why that is, and what to run, most important first; `{rubric}`, `{scale}` and
            `{sheet}` are filled in.
        compare: The comparison of what was selected; None where no answer is shared.
    """

    question: Said
    published: Said
    select: Callable[[Request], Sequence[Any]]
    lacking: tuple[Said, ...]
    compare: Callable[[Request, Sequence[Any]], StudyResult | None]


def study(name: str, plan: Plan, request: Request) -> Study:
    """Run one study on what was read."""
    selected = plan.select(request)
    found = plan.compare(request, selected) if selected else None
    can_run = found is not None
    if found is None:
        found = _unanswered((NO_SHARED,) if selected else plan.lacking, request)
    heads, rows = shown(found.table)
    return Study(
        name,
        plan.question,
        found.answer,
        can_run,
        request.annotators.sheet.synthetic,
        tuple(filter(None, found.rests_on)),
        plan.published,
        tuple(found.missing),
        tuple(heads),
        tuple(tuple(map(_text, row)) for row in rows),
        tuple(as_json(one) for one in found.figures),
    )


def _text(cell: Any) -> str:
    """Return a cell as a text, a count with thousands separators as in every other table."""
    return Numeral(f"{cell:,}") if isinstance(cell, int) else str(cell)


def _unanswered(lacking: Sequence[Said], request: Request) -> StudyResult:
    """Return why a study cannot be answered, and what to run."""
    rubric = request.annotators.rubric
    names = {"rubric": rubric.name, "scale": scale_name(rubric.scale)}
    names["sheet"] = request.here.sheet.name
    first, *more = (said(one.template, **one.values | names) for one in lacking)
    why = said("This cannot be answered yet: {why}", why=small(first))
    return StudyResult(why, Table("", (), ()), [], (), more)


def document(found: Study) -> Document:
    """Return the answer, its rows, what would tell more and what the published study found."""
    columns = tuple(Column(head) for head in found.heads)
    todo = said("More informative with: {what}") if found.can_run else said("What to do: {what}")
    return Document(
        found.answer,
        (found.question, *found.rests_on),
        (Table(f"study-{found.name}", columns, found.rows),),
        (*(said(todo.template, what=one) for one in found.missing), found.published),
    )


def counts(differences: Sequence[Estimate]) -> Said:
    """Return how many differences are nearer to annotators, further, or inconclusive."""
    found = [beyond(one) for one in differences]
    return said(
        "{nearer} of {n} nearer to annotators, {further} further, {unsure} inconclusive",
        n=len(found),
        nearer=found.count(NEARER),
        further=found.count(FURTHER),
        unsure=found.count(UNSURE),
    )


def conditions(found: Comparison) -> tuple[str, ...]:
    """Return what the figures of a comparison rest on."""
    return (
        said(
            "On {target}: {n:,} answers that every variant scored and annotators graded.",
            target=target_name(found.target),
            n=found.n,
        ),
        said(
            "On a coarser scale the distance cannot be as small: read CCC and the order of the "
            "models too."
        )
        if len({row.scale for row in found.variants}) > 1
        else "",
        annotators_sentence(sum(p.simulated for p in found.annotators), len(found.annotators)),
    )
