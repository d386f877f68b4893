"""Calibration of the judges in one file: read, compared with its annotators, and forgotten again.

Everything is the import, the agreement report, the alerts and the list of disagreements as they are
for a stored sheet; the store is a temporary one. The first caveat of `CAVEATS` that holds is what a
reader in a hurry must know before the figure.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from concord.importing.columns import column_map
from concord.importing.fields import GRADER_WORDS
from concord.importing.proposals import Profile, grader_of, propose
from concord.importing.readers.cells import text
from concord.importing.readers.table import Table
from concord.importing.scores import number
from concord.importing.sheet_import import read_answers, take_sheet
from concord.messages import Problem, counted, joined, listed
from concord.reports import disagreements
from concord.reports.agreement import agreement
from concord.reports.agreement.agreement import AgreementReport, AgreementRow, of_headline
from concord.reports.agreement.document import document as agreement_document
from concord.reports.cells import written
from concord.reports.document import INTERNAL, Document, table_of
from concord.reports.panel.panel import Panel
from concord.reports.panel.panel import read as read_panel
from concord.reports.reliability import annotator_alerts
from concord.reports.reliability.annotator_alerts import Alert
from concord.stats.core.estimate import Estimate
from concord.store import sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.text import rating_words

ROW = "row of the file"
POINTS = 0.05  # half the width of a CI that answers most questions
LOST = 0.05  # of the rows; what is left of a file that loses more is another file
OPTIONS = {"judge": "--judge", "annotator": "--human"}
CUT = (
    "A judge's numbers on another scale: --cut NUMBER passes those from there on; in a tool's "
    "results, --map score=grades.{n}.passed takes its verdicts."
)
IN_TOOL = "{tool}: it says who graded. Leave out --judge, --human and --cut."
_WORST, _ALIKE = 10, 5


@dataclass(frozen=True)
class Case:
    """What the caveats look at.

    Attributes:
        row: The row of the headline.
        by: The column of what rows belong to, '' for an unknown one, None where each is alone.
        left_out: Rows of the file that are not in the figures.
    """

    panel: Panel
    report: AgreementReport
    row: AgreementRow
    by: str | None
    left_out: int

    def given(self, graders: Collection[int]) -> list[float]:
        """Return the different scores that graders give on the criterion."""
        every = [self.panel.of(self.row.criterion, i) for i in graders]
        return [*{*chain(*(marks.score[marks.scored].tolist() for marks in every))}]


@dataclass(frozen=True)
class Calibration:
    """How far the judges of a file agree with its annotators.

    Attributes:
        caveats: `code` and `text`, the one that matters most first.
        rows: Those of the agreement report.
        failing: The verdict that fails, and is the positive class, where there are two levels.
        tpr: Recall of failing answers.
        tnr: One less the false-alarm rate.
        more_questions: How many more, or groups of them, until the CI of exact agreement is ±5
            points; None without one.
        disagreements: The ten worst.
        alerts: Open ones on annotators.
        left_out: Rows of the file that lack a verdict of one side, or could not be read.
    """

    headline: str
    caveats: tuple[dict[str, str], ...]
    rows: tuple[AgreementRow, ...]
    failing: str | None
    tpr: Estimate | None
    tnr: Estimate | None
    more_questions: int | None
    disagreements: list[dict[str, Any]]
    alerts: tuple[Alert, ...]
    left_out: int
    report: AgreementReport = field(metadata=INTERNAL)
    shown: Document = field(metadata=INTERNAL)


def read(
    store: Store,
    table: Table,
    judges: Sequence[str] = (),
    humans: Sequence[str] = (),
    mapped: Sequence[str] = (),
    words: Sequence[str] = (),
    by: str | None = None,
    cut: float | None = None,
    rubric: str | None = None,
    partial: bool = False,
    **how: Any,
) -> tuple[Panel, str | None, int]:
    """Read a file into an empty store; each row without a question is its own question.

    Args:
        store: An empty one.
        table: The file, from `open_file`.
        judges: Columns of judges' verdicts; none for those that are named so.
        humans: Columns of annotators' verdicts; none for those that are named so.
        mapped: `FIELD=COLUMN` words of the import.
        words: `WORD=SCORE` words of the import.
        by: The column of what rows belong to, such as a document.
        cut: The number from which on a judge's pass (1); those below fail (0).
        rubric: The name of one, where the file holds grades under several.
        partial: Whether the file is read however many of its rows cannot be.
        how: Further arguments of `read_answers`.

    Returns:
        The panel; the column of what rows belong to, as in `Case`; the rows of the file.

    Raises:
        Problem: The file or one row in twenty cannot be read, one side is missing, or the sides
            graded different criteria.
    """
    named = {"judge": judges, "annotator": humans}
    mapped = [*mapped, *([f"cluster={by}"] if by else [])]
    if table.origin:
        by = ""
        if judges or humans or cut is not None:
            raise Problem(IN_TOOL, tool=table.origin.tool)
    else:
        known = column_map(table.columns, mapped)
        texts = [known.column(field) for field in ("turns", "question", "question_id", "cluster")]
        by = next((one for one in reversed(texts) if one), None)
        alone = known.column("item_id") or ROW
        table = _numbered(table) if alone == ROW else table  # equal rows of an id are one
        mapped += [] if any(texts[:3]) else [f"question={alone}"]
        mapped += [f"{one}={alone}" for one in ("answer", "item_id") if not known.column(one)]
        proposal = propose(table, mapped)
        left = [one for one in proposal.undecided if one.column not in {*judges, *humans}]
        of_kind = {}
        for kind, columns in named.items():
            own = [_verdicts(kind, column) for column in columns]
            if not columns:
                own = [
                    word
                    for word in proposal.grades
                    if word.split(":")[1] == kind and word.split("=")[1] not in {*judges, *humans}
                ]
                own += [_verdicts(kind, one.column) for one in left if _is_named(kind, one)]
            of_kind[kind] = own
        mapped += chain(*of_kind.values())
        if missing := [OPTIONS[kind] for kind, own in of_kind.items() if not own]:
            raise Problem(
                "{file} does not say whose verdicts its columns hold: {options} (of {all}).",
                file=table.source.name,
                options=joined(" ", [f"{option} COLUMN" for option in missing]),
                all=joined(", ", [one.column for one in left]) or "none left",
            )
        if cut is not None:
            scored = column_map(table.columns, mapped).scores
            table = _cut(table, [one.column for one in scored if one.kind == "judge"], cut)
    found = read_answers(store, table, None, mapped, None, words, **how)
    criteria = {
        kind: {one.criterion for one in found.sheet.grades if one.grader_kind == kind}
        for kind in ("judge", "person")
    }
    if all(criteria.values()) and criteria["judge"].isdisjoint(criteria["person"]):
        judged, graded = (sorted(names) for names in criteria.values())
        raise Problem(
            "Annotators graded {graded}, judges {judged}. Map one to the other: --map {word}.",
            graded=listed(graded),
            judged=listed(judged),
            word=f"criterion:{judged[0]}={graded[0]}",
        )
    name = table.source.stem
    taken = take_sheet(store, found.sheet, name, found.rubrics, partial=True)
    lost = taken.bad_rows + len(taken.conflicts)
    rows = len({one.row for one in chain(found.sheet.items, found.sheet.bad_rows)})
    if not taken.items or (lost > LOST * rows and not partial):
        try:
            take_sheet(store, found.sheet, name, found.rubrics)
        except Problem as problem:
            raise Problem("{problem}\n{cut}", problem=str(problem), cut=CUT) from None
    sheet = sheets.find(store, name)
    chosen = rubric_versions.of_sheet(store, sheet, rubric)[1]
    return read_panel(store, sheet, chosen, None), by, rows


def _verdicts(kind: str, column: str) -> str:
    return f"score:{kind}:{column}:overall={column}"


def _is_named(kind: str, column: Profile) -> bool:
    """Whether a column holds verdicts by its name, which its values alone do not tell.

    All of them are known, or the name says no more than whose they are and one is known.
    """
    whose, name, _ = grader_of(column.column)
    words = rating_words.rated(column.texts).scores
    known = [words.get(text) is not None or number(text) is not None for text in column.texts]
    is_plain = all(word.isdigit() or word in GRADER_WORDS[kind] for word in name.split())
    return whose == kind and (any(known) if is_plain else all(known))


def _cut(table: Table, columns: Collection[str], cut: float) -> Table:
    """Return a table where numbers of these columns are 1 from the cut on, and 0 below."""
    places = [place for place, column in enumerate(table.columns) if column in columns]

    def records():
        for one in table.records():
            cells = [*one.cells]
            for place in places:
                if (value := number(text(cells[place]))) is not None:
                    cells[place] = str(int(value >= cut))
            yield one._replace(cells=tuple(cells))

    return replace(table, records=records)


def _numbered(table: Table) -> Table:
    """Return a table with the number of each row as its last column."""

    def records():
        for one in table.records():
            yield one._replace(cells=(*one.cells, str(one.row)))

    return replace(table, columns=(*table.columns, ROW), records=records)


def calibrate(store: Store, panel: Panel, by: str | None = "", rows: int = 0) -> Calibration:
    """Compare the judges of a panel with its annotators; see `read` for the other arguments.

    Raises:
        Problem: No answer has verdicts of both.
    """
    report = agreement.with_alerts(store, panel, agreement.report(panel))
    row, shown = of_headline(report.rows, panel.rubric), agreement_document(report, panel.rubric)
    if row is None:
        raise Problem(shown.headline)
    case = Case(panel, report, row, by, max(0, rows - row.n))
    said = [(code, say(case)) for code, say in CAVEATS.items()]
    if case.left_out > row.n:  # the figure is of the smaller part: that comes first
        said.sort(key=lambda one: one[0] != "left_out")
    figures = row.statistics.by_key if len(panel.rubric.scale) == 2 else {}
    worst = disagreements.every(panel).iloc[:_WORST]
    return Calibration(
        headline=shown.headline,
        caveats=tuple({"code": code, "text": text} for code, text in said if text),
        rows=report.rows,
        failing=_failing(panel, row) if figures else None,
        tpr=figures.get("failure_recall"),
        tnr=_complement(figures.get("false_alarm_rate")),
        more_questions=_more(row),
        disagreements=disagreements.in_full(store, panel, worst, {}),
        alerts=report.alerts,
        left_out=case.left_out,
        report=report,
        shown=replace(shown, headline=f"{_subject(panel)}\n{shown.headline}"),
    )


def _subject(panel: Panel) -> str:
    judges = joined(", ", [panel.labels[i] for i in panel.judges])
    people = joined(", ", [panel.persons[i].name for i in panel.annotators])
    return f"{panel.sheet.name}: {judges} against {people}"


def _failing(panel: Panel, row: AgreementRow) -> str:
    """Return the verdict that fails, of two, as the file writes it."""
    lowest = min(panel.rubric.scale)
    levels = panel.rubric.criterion(row.criterion).levels
    return next((one.meaning for one in levels if one.score == lowest), f"{lowest}")


def _complement(found: Estimate | None) -> Estimate | None:
    """Return the estimate of the answers that a share leaves."""
    if found is None:
        return None
    value, high, low = (one if one is None else 1 - one for one in found[:3])
    return found._replace(value=value, low=low, high=high)


def _more(row: AgreementRow) -> int | None:
    exact = row.statistics.by_key.get("exact")
    if exact is None or exact.low is None:
        return None
    half = (exact.high - exact.low) / 2  # falls with the square root of their number
    return max(0, math.ceil(row.clusters * (half / POINTS) ** 2) - row.clusters)


def _no_ceiling(case: Case) -> str | None:
    kappa = case.row.ceiling.statistics.by_key.get("kappa")
    if kappa is None or kappa.low is None or kappa.low > 0:
        return None
    return (
        f"Annotators agree no better than chance (kappa {written(kappa, 'number')}): no judge can "
        "be compared with them."
    )


def _alerts(case: Case) -> str | None:
    return " ".join(annotator_alerts.notes(case.report.alerts)) or None


def _constant(case: Case) -> str | None:
    rubric = case.panel.rubric
    given = case.given([i for i, one in case.panel.labels.items() if one == case.row.judge])
    if len(given) != 1:
        return None
    fails = given[0] in rubric.failing(rubric.criterion(case.row.criterion))
    says = "fails every answer" if fails else f"gives {given[0]:g} to every answer"
    return f"{case.row.judge} {says}: it cannot tell good answers from bad ones."


def _one_label(case: Case) -> str | None:
    given = case.given(case.panel.annotators)
    if len(given) != 1:
        return None
    return f"Annotators give {given[0]:g} to every answer: what the judge does with others is open."


def _reversed(case: Case) -> str | None:
    tau = case.row.statistics.by_key.get("tau_b")
    if tau is None or tau.high is None or tau.high >= 0:
        return None
    return f"The scale of {case.row.judge} or of the annotators is reversed: turn one of them."


def _clustered(case: Case) -> str | None:
    row = case.row  # a few models that answer each question are no trap
    if row.clusters >= row.questions and row.n <= _ALIKE * row.clusters:
        return None
    rows, groups = counted(row.n, "row"), counted(row.clusters, "group")
    by = f" by {case.by}" if case.by else ""
    return f"{rows} come from {groups}{by}: the CI rests on {row.clusters}."


def _best(case: Case) -> str | None:
    best, row = case.row.best_of, case.row
    if not best or best["judges"] < 2 or best["exact"].low is None:
        return None
    others = (one for one in case.report.rows if one.criterion == row.criterion)
    close = [
        one.judge
        for one in others
        if one.judge != row.judge and (one.statistics["exact"].value or 0) >= best["exact"].low
    ]
    return f"It is the best of {best['judges']}: {listed(close)} may be as good." if close else None


def _not_blind(case: Case) -> str | None:
    marks = [case.panel.of(case.row.criterion, i) for i in case.panel.annotators]
    seen = any((one.scored & ~one.blind).any() for one in marks)
    return "Annotators saw other scores: if not, add --map blind=." * seen or None


def _alone(case: Case) -> str | None:
    return (
        "The CI assumes that rows are independent: --by COLUMN groups them." * (case.by is None)
        or None
    )


def _left_out(case: Case) -> str | None:
    rows = counted(case.left_out, "row")
    return (
        f"Left out: {rows} without verdicts of both, or not readable." * (case.left_out > 0) or None
    )


def _continuous(case: Case) -> str | None:
    return CUT if case.row.continuous and len(case.panel.rubric.scale) == 2 else None


# By code what a reader must know, the worst first.
CAVEATS: Mapping[str, Callable[[Case], str | None]] = {
    "not_blind": _not_blind,
    "no_ceiling": _no_ceiling,
    "annotator_alert": _alerts,
    "reversed": _reversed,
    "constant": _constant,
    "one_label": _one_label,
    "clustered": _clustered,
    "best_of": _best,
    "left_out": _left_out,
    "continuous": _continuous,
    "independent_rows": _alone,
}


def document(found: Calibration) -> Document:
    """Return what is shown: the answer, its caveats, the figures, and the worst disagreements."""
    shown, more = found.shown, found.more_questions
    rates = [
        f"{name} {written(one, 'share')}"
        for name, one in (("TPR", found.tpr), ("TNR", found.tnr))
        if one and one.value is not None
    ]
    if rates:
        rates = [f"{joined(', ', rates)} (the positive class is {found.failing})."]
    facts = [*(one["text"] for one in found.caveats), *shown.facts, *rates]
    if more:
        noun = "group" if found.rows[0].clusters < found.rows[0].questions else "question"
        facts.append(f"About {counted(more, noun)} more make exact agreement ±5 points.")
    parts = (
        ("answer", "item"),
        ("judge", "judge"),
        ("judge's", "judge_score"),
        ("annotator", "annotator_score"),
    )
    worst = table_of("disagreements", found.disagreements, parts, "Worst disagreements")
    return replace(shown, facts=tuple(dict.fromkeys(facts)), tables=(*shown.tables, worst))
