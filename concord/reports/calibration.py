"""Calibration of the judges in one file: read, compared with its annotators, and forgotten again.

Everything is the import, the agreement report, the alerts and the list of disagreements as they are
for a stored sheet; the store is a temporary one. The first caveat of `CAVEATS` that holds is what a
reader in a hurry must know before the figure.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from concord.importing.columns import column_map
from concord.importing.fields import GRADER_WORDS
from concord.importing.proposals import Profile, grader_of, propose
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
_WORST, _ALIKE = 10, 5


@dataclass(frozen=True)
class Case:
    """What the caveats look at.

    Attributes:
        row: The row of the headline.
        alone: No column says which rows belong together.
        left_out: Rows of the file that are not in the figures.
    """

    panel: Panel
    report: AgreementReport
    row: AgreementRow
    alone: bool
    left_out: int

    def given(self) -> list[float]:
        """Return the different scores that the judge gives."""
        i = next(i for i, one in self.panel.labels.items() if one == self.row.judge)
        marks = self.panel.of(self.row.criterion, i)
        return np.unique(marks.score[marks.scored]).tolist()


@dataclass(frozen=True)
class Calibration:
    """How far the judges of a file agree with its annotators.

    Attributes:
        caveats: `code` and `text`, the one that matters most first.
        rows: Those of the agreement report.
        tpr: Recall of failing answers, the positive class, where there are two levels.
        tnr: One less the false-alarm rate.
        more_questions: How many more, or groups of them, until the CI of exact agreement is ±5
            points; None without one.
        disagreements: The ten worst.
        alerts: Open ones on annotators.
        left_out: Rows of the file that could not be read.
    """

    headline: str
    caveats: tuple[dict[str, str], ...]
    rows: tuple[AgreementRow, ...]
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
    words: Sequence[str] = (),
    scores: Sequence[str] = (),
    by: str | None = None,
    rubric: str | None = None,
    **how: Any,
) -> tuple[Panel, bool, int]:
    """Read a file into an empty store; each row without a question is its own question.

    Args:
        store: An empty one.
        table: The file, from `open_file`.
        judges: Columns of judges' verdicts; none for those that are named so.
        humans: Columns of annotators' verdicts; none for those that are named so.
        words: `FIELD=COLUMN` words of the import.
        scores: `WORD=SCORE` words of the import.
        by: The column of what rows belong to, such as a document.
        rubric: The name of one, where the file holds grades under several.
        how: Further arguments of `read_answers`.

    Returns:
        The panel, whether no column says which rows belong together, and the rows left out.

    Raises:
        Problem: The file cannot be read, or one side is missing.
    """
    alone, named = False, {"judge": ("--judge", judges), "annotator": ("--human", humans)}
    words = [*words, *([f"cluster={by}"] if by else [])]
    given = [_verdicts(kind, c) for kind, (_, columns) in named.items() for c in columns]
    if not table.origin:
        table = _numbered(table)
        known = column_map(table.columns, words)
        asked = [field for field in ("question", "question_id", "turns") if known.column(field)]
        alone = not (asked or known.column("cluster"))
        fields = () if asked else ("question",)
        fields += tuple(field for field in ("answer", "item_id") if not known.column(field))
        words += [f"{field}={ROW}" for field in fields]
        proposal = propose(table, words)
        taken = {*judges, *humans}
        for kind, (option, columns) in named.items():
            own = [word for word in proposal.grades if word.split(":")[1] == kind]
            own = [] if columns else [word for word in own if word.split("=")[1] not in taken]
            left = [one for one in proposal.undecided if one.column not in taken]
            if not (columns or own):  # its values alone do not look like verdicts
                own = [_verdicts(kind, one.column) for one in left if _is_named(kind, one)]
            if not (columns or own):
                raise Problem(
                    "{file} does not say which column is the {kind}'s: {option} COLUMN (of {all}).",
                    file=table.source.name,
                    kind=kind,
                    option=option,
                    all=joined(", ", [one.column for one in left]) or "none left",
                )
            given += own
    words += given
    found = read_answers(store, table, None, words, None, scores, **how)
    name = table.source.stem
    some = bool(found.sheet.items)  # where every row is bad, the first says what to do
    taken = take_sheet(store, found.sheet, name, found.rubrics, partial=some)
    sheet = sheets.find(store, name)
    graded = rubric_versions.of_sheet(store, sheet, rubric)[1]
    return read_panel(store, sheet, graded, None), alone, taken.bad_rows + len(taken.conflicts)


def _verdicts(kind: str, column: str) -> str:
    return f"score:{kind}:{column}:overall={column}"


def _is_named(kind: str, column: Profile) -> bool:
    """Whether a name says no more than whose verdicts a column holds, of which one is known."""
    whose, name, _ = grader_of(column.column)
    known = any(one is not None for one in rating_words.rated(column.texts).scores.values())
    is_verdict = known or any(number(text) is not None for text in column.texts)
    return whose == kind and name in GRADER_WORDS[kind] and is_verdict


def _numbered(table: Table) -> Table:
    """Return a table with the number of each row as its last column."""

    def records():
        for one in table.records():
            yield one._replace(cells=(*one.cells, str(one.row)))

    return replace(table, columns=(*table.columns, ROW), records=records)


def calibrate(store: Store, panel: Panel, alone: bool = False, left_out: int = 0) -> Calibration:
    """Compare the judges of a panel with its annotators; see `read` for the other arguments.

    Raises:
        Problem: No answer has verdicts of both.
    """
    report = agreement.with_alerts(store, panel, agreement.report(panel))
    row, shown = of_headline(report.rows, panel.rubric), agreement_document(report, panel.rubric)
    if row is None:
        raise Problem(shown.headline)
    case = Case(panel, report, row, alone, left_out)
    said = ((code, say(case)) for code, say in CAVEATS.items())
    figures = row.statistics.by_key if len(panel.rubric.scale) == 2 else {}
    worst = disagreements.every(panel).iloc[:_WORST]
    return Calibration(
        headline=shown.headline,
        caveats=tuple({"code": code, "text": text} for code, text in said if text),
        rows=report.rows,
        tpr=figures.get("failure_recall"),
        tnr=_complement(figures.get("false_alarm_rate")),
        more_questions=_more(row),
        disagreements=disagreements.in_full(store, panel, worst, {}),
        alerts=report.alerts,
        left_out=left_out,
        report=report,
        shown=replace(shown, headline=f"{_subject(panel)}\n{shown.headline}"),
    )


def _subject(panel: Panel) -> str:
    judges = joined(", ", [panel.labels[i] for i in panel.judges])
    people = joined(", ", [panel.persons[i].name for i in panel.annotators])
    return f"{panel.sheet.name}: {judges} against {people}"


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
    given, rubric = case.given(), case.panel.rubric
    if len(given) != 1:
        return None
    fails = given[0] in rubric.failing(rubric.criterion(case.row.criterion))
    says = "fails every answer" if fails else f"gives {given[0]:g} to every answer"
    return f"{case.row.judge} {says}: it cannot tell good answers from bad ones."


def _reversed(case: Case) -> str | None:
    tau = case.row.statistics.by_key.get("tau_b")
    if tau is None or tau.high is None or tau.high >= 0:
        return None
    return f"The scale of {case.row.judge} or of the annotators is reversed: turn one round."


def _clustered(case: Case) -> str | None:
    row = case.row  # a few models that answer each question are no trap
    if row.clusters >= row.questions and row.n < _ALIKE * max(1, row.clusters):
        return None
    rows, groups = counted(row.n, "row"), counted(row.clusters, "group")
    return f"{rows} come from {groups} of rows that are alike: the CI rests on {row.clusters}."


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
    return "The CI assumes that rows are independent: --by COLUMN groups them." * case.alone or None


def _left_out(case: Case) -> str | None:
    rows = counted(case.left_out, "row")
    return f"Left out: {rows}, not readable or against another." * (case.left_out > 0) or None


# By code what a reader must know, the worst first.
CAVEATS: Mapping[str, Callable[[Case], str | None]] = {
    "no_ceiling": _no_ceiling,
    "annotator_alert": _alerts,
    "reversed": _reversed,
    "constant": _constant,
    "clustered": _clustered,
    "best_of": _best,
    "not_blind": _not_blind,
    "left_out": _left_out,
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
        rates = [f"{joined(', ', rates)} (failing answers are the positive class)."]
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
    tables = (*shown.tables, *([worst] if worst.rows else []))
    return replace(shown, facts=tuple(dict.fromkeys(facts)), tables=tables)
