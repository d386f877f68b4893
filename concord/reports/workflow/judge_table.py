"""Judge table: each judge with what it asks, its agreement, its price and its newest run."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from concord.judges.checks import request_preview
from concord.judges.definition.combined import WORDS
from concord.judges.definition.model import Judge
from concord.messages import Said, counted, day, joined, listed, said
from concord.model import BASELINE, Grader, Sheet
from concord.reports.agreement.headline import Headline
from concord.reports.cells import undefined
from concord.reports.decision.cost import Cost
from concord.reports.document import Column, Document, Part, Table, table_of
from concord.reports.panel.namesakes import differing, settings, written
from concord.reports.panel.sheet_grading import UnitLabels
from concord.reports.work_list import WorkList
from concord.reports.workflow.run_offer import is_retired
from concord.reports.workflow.runs import State

# What a judge is asked with, by its kind where that says it, else by its prompt.
PROMPTS = {
    "baseline": said("none"),
    "metric": said("metrics"),
    "decision": said("decision"),
    "combined": said("combined"),
    "zero_shot": said("zero-shot"),
    "few_shot": said("few-shot"),
    "holistic": said("holistic"),
    "own": said("custom prompt"),
}


class Agreement(NamedTuple):
    """A judge's exact agreement with annotators, and the rubric it is under."""

    rubric: str
    figure: Headline


class Entry(NamedTuple):
    """A judge on the list; `argument` is its name for the command `judge`.

    Attributes:
        judge: None where only its grades are known.
        grader: None where it was never run.
        spent: In words, '' for nothing.
        own: True for a judge of the user's own.
        last_run: When its newest run over the sheet began; '' for never.
        agreement: None where it has graded no answer that annotators have graded.
        cost: None where it was never run.
        graded: True where it has graded whole answers of the sheet, as Overview counts them.
        differs: What tells it apart from others of its name, in words; '' where it is alone.
    """

    argument: str
    judge: Judge | None
    grader: Grader | None
    state: State
    spent: str = ""
    own: bool = False
    last_run: str = ""
    agreement: Agreement | None = None
    cost: Cost | None = None
    graded: bool = False
    differs: str = ""

    def is_baseline(self) -> bool:
        """True for the baseline of text features."""
        return bool(self.grader and self.grader.name == BASELINE)

    def is_mine(self) -> bool:
        """True for a judge of the user's own, and for one that was started on the sheet."""
        return self.own or self.judge is None or self.graded or self.state.phase != "never"

    def name(self) -> str:
        """The name without the fingerprint."""
        return self.argument.partition("@")[0]

    def label(self) -> str:
        """The name, with the beginning of its fingerprint where others have that name."""
        name, at, identity = self.argument.partition("@")
        return f"{name}{at}{identity[:6]}" if self.differs else name

    def place(self) -> int:
        """The rank of its group: one's own, imported, those that come with Concord, not run here.

        A shipped judge with a model is one's own once it was started on the sheet.
        """
        if self.judge is None:
            return 2
        if self.state.phase == "never" and not self.graded:
            return 4 if self.own else 5
        if not self.own and (self.judge.kind == "baseline" or self.judge.model is None):
            return 3
        return 0 if self.graded or self.state.counts.before + self.state.counts.done else 1

    def prompt(self) -> str | None:
        """Return the kind of its prompt in words, or None if unknown."""
        if self.judge is None:
            return None
        if self.judge.kind == "combined":
            return said("combined: {rule}", rule=WORDS[self.judge.rule])
        return PROMPTS.get(self.judge.kind) or PROMPTS[self.judge.recipe()]

    def members(self) -> str | None:
        """Return the judges that a combined judge is made of; None for any other."""
        members = self.judge.members if self.judge else None
        return joined(", ", members) if members else None

    def rubric(self) -> str | None:
        """The name of the rubric it grades by; None for metrics and where it is unknown."""
        if self.judge is None or self.judge.kind == "metric":
            return self.agreement and self.agreement.rubric
        return self.judge.rubric

    def status(self) -> str:
        """The state of its newest run, and what limits its use, in one line."""
        parts = [said("retired")] if self.judge and is_retired(self.judge) else []
        is_imported = self.judge is None or (self.graded and self.state.phase == "never")
        parts.append(said("imported") if is_imported else self.state.words())
        if self.grader and self.grader.simulated:
            parts.append(said("simulated"))
        return joined(" · ", parts)


_CRITERION: Part = (
    Column(said("criterion")),
    lambda one: one.agreement and one.agreement.figure.criterion,
)
LIST: WorkList[Entry] = WorkList(
    "judges",
    "judge",
    key=lambda entry: entry.argument,
    is_open=lambda entry: entry.state.is_live(),
    columns=(
        (Column(said("judge")), Entry.label),
        (Column(said("status")), Entry.status),
        (
            Column(said("exact [95% CI]"), "share", "exact", in_file="exact"),
            lambda one: one.agreement and one.agreement.figure.exact,
        ),
        (Column(said("n"), "count"), lambda one: one.agreement and one.agreement.figure.n),
        (Column(said("per 1,000"), "usd"), lambda one: one.cost and one.cost.per_1000),
        (Column(said("rubric")), Entry.rubric),
        (Column(said("prompt")), Entry.prompt),
        (Column(said("last run")), lambda one: day(one.last_run) or None),
        (Column(said("differs in")), lambda one: one.differs),
        (Column(said("member judges")), Entry.members),
        _CRITERION,
        (Column(said("spent")), lambda one: one.spent),
    ),
    order=lambda one: (not one.state.is_live(), one.place(), one.agreement is None),
)
# The columns that are in sight on a laptop's screen, and the first ones on a telephone's.
IN_SIGHT = tuple(column.title for column, _ in LIST.columns)[:8]
ON_TELEPHONE = IN_SIGHT[:3]


def table(found: Sequence[Entry]) -> Table:
    """Return a row for each judge; the criterion is left out where it is the same for all."""
    alike = len(_criteria(found)) < 2
    parts = [part for part in LIST.columns if not (alike and part is _CRITERION)]
    return table_of(LIST.name, found, parts, sparse=True)


def _criteria(found: Iterable[Entry]) -> list[str]:
    return sorted({one.agreement.figure.criterion for one in found if one.agreement})


def document(sheet: Sheet, found: Sequence[Entry], labels: UnitLabels) -> Document:
    """Return who has graded the sheet or is running on it, and the table of judges.

    `labels`: who has labelled units of the sheet, which is said where no answer was graded.
    """
    live = [entry for entry in found if entry.state.is_live()]
    if live:
        names = joined(", ", (entry.label() for entry in live))
        if len(live) == 1:
            title = said("{judge} is running on “{sheet}”", judge=names, sheet=sheet.name)
        else:
            title = said("{judges} are running on “{sheet}”", judges=names, sheet=sheet.name)
    else:
        title = _who_graded(sheet, [one for one in found if one.graded], labels)
    shown = table(found)
    about = [
        said(
            "Exact agreement with annotators on {criteria}, from n answers.",
            criteria=joined(", ", criteria),
        )
        for criteria in [_criteria(found)]
        if criteria
    ]
    if any(one.cost and one.cost.per_1000 is not None for one in found):
        about.append(said("Prices are in USD per 1,000 answers."))
    about += [
        said(
            "The price of {judge} was stated on {day}.",
            judge=one.label(),
            day=day(one.cost.stated_on),
        )
        for one in found
        if one.cost and one.cost.stated_on
    ]
    return Document(
        title, tables=(shown,), notes=(*undefined(shown), *([joined(" ", about)] if about else []))
    )


def _who_graded(sheet: Sheet, graded: Sequence[Entry], labels: UnitLabels) -> Said:
    """Return how many judges graded a sheet, with the baseline where it did too."""
    n = sum(not one.is_baseline() for one in graded)
    if not graded and labels.judges:
        judges, kinds = counted(len(labels.judges), "judge"), listed(labels.judged)
        return said(
            "{judges} labelled {kinds} of “{sheet}”", judges=judges, kinds=kinds, sheet=sheet.name
        )
    if n == 1:
        text = said("1 judge has graded “{sheet}”")
        both = said("1 judge and the baseline have graded “{sheet}”")
    elif n:
        text = said("{n:,} judges have graded “{sheet}”")
        both = said("{n:,} judges and the baseline have graded “{sheet}”")
    else:
        text = said("No judge has graded “{sheet}” yet")
        both = said("Only the baseline has graded “{sheet}”")
    return said(both if n < len(graded) else text, sheet=sheet.name, n=n)


def settings_table(judge: Judge) -> Table:
    """Return the settings of a judge file, each with what it is."""
    parts = (
        (Column(said("setting")), lambda one: one.key),
        (Column(said("value")), lambda one: one.value),
        (Column(said("what it is")), lambda one: one.about),
    )
    return table_of("settings", request_preview.settings(judge), parts)


def differs(entry: Entry, every: Iterable[Entry]) -> str:
    """Return what tells a judge apart from others of its name: keys of its file, with values."""
    if entry.judge is None:
        return said("imported")
    judges = [one.judge for one in every if one.judge and one.name() == entry.name()]
    keys = differing([settings(judge) for judge in judges])
    parts = [written(key, settings(entry.judge)) for key in keys]
    # The rubric's wording and the examples are part of the identity and not of the file.
    if parts:
        return joined(", ", parts)
    if entry.grader is None:
        return said("not run")
    return said("fingerprint {start}", start=entry.grader.fingerprint[:6])
