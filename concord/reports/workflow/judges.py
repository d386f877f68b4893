"""Judges of a sheet: the list with agreement, price and state of each; a user's own judge."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

from concord.grading import sheet_progress
from concord.judges import few_shot
from concord.judges.combined import combine
from concord.judges.definition import model, registry
from concord.judges.definition.model import Judge
from concord.judges.kinds.combined import FITTED, RULE_WORDS, Combined
from concord.judges.prompting import metric_request
from concord.judges.prompting.request import fingerprint
from concord.judges.run import judging, progress
from concord.judges.run.job import Options
from concord.judges.run.lock import of_judge
from concord.messages import counted, day, joined, minute, said
from concord.metrics.selection import choice
from concord.model import BASELINE, Grader, Sheet
from concord.reports.agreement.agreement import Headline, by_judge
from concord.reports.cells import undefined
from concord.reports.decision.cost import Cost, cost
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.workflow import runs as workflow_runs
from concord.reports.workflow.runs import State, is_retired
from concord.store import batches, graders, runs, sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions
from concord.text.display import one_line

# By grader id a judge's exact agreement with annotators, and under which rubric.
Agreements = dict[int, tuple[str, Headline]]


class Entry(NamedTuple):
    """A judge on the list; `argument` is its name for the command `judge`.

    Attributes:
        judge: None where only its grades are known.
        grader: None where it was never run.
        own: True for a judge of the user's own.
        last_run: When its newest run over the sheet began; '' for never.
        agreement: Its exact agreement with annotators, `under` which rubric; None where it has
            graded no answer that annotators have graded.
        cost: None where it was never run.
        graded: True where it has graded whole answers of the sheet, as Overview counts them.
        differs: What tells it apart from others of its name, in words; '' where it is alone.
    """

    argument: str
    judge: Judge | None
    grader: Grader | None
    state: State
    own: bool = False
    last_run: str = ""
    under: str | None = None
    agreement: Headline | None = None
    cost: Cost | None = None
    graded: bool = False
    differs: str = ""

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

    def rubric(self) -> str | None:
        """The name of the rubric it grades by; None for metrics and where it is unknown."""
        if self.judge is None or self.judge.of_metrics:
            return self.under
        return self.judge.rubric

    def status(self) -> str:
        """The state of its newest run, and what limits its use, in one line."""
        is_imported = self.judge is None or (self.graded and self.state.phase == "never")
        parts = (
            "retired" if self.judge and is_retired(self.judge) else "",
            "imported" if is_imported else self.state.words(),
            "simulated" if self.grader and self.grader.simulated else "",
        )
        return " · ".join(filter(None, parts))


_PARTS = (
    (Column("judge"), Entry.label),
    (Column("status"), Entry.status),
    (
        Column("exact [95% CI]", "share", "exact", in_file="exact"),
        lambda one: one.agreement and one.agreement.exact,
    ),
    (Column("n", "count"), lambda one: one.agreement and one.agreement.n),
    (Column("per 1,000", "usd"), lambda one: one.cost and one.cost.per_1000),
    (Column("rubric"), Entry.rubric),
    (Column("prompt"), lambda one: one.judge and one.judge.title()),
    (Column("last run"), lambda one: day(one.last_run) or None),
    (Column("differs in"), lambda one: one.differs),
    (Column("criterion"), lambda one: one.agreement and one.agreement.criterion),
)
# The columns that are in sight on a laptop's screen, and the first ones on a telephone's.
IN_SIGHT = tuple(column.title for column, _ in _PARTS)[:8]


def table(found: Sequence[Entry]) -> Table:
    """Return a row for each judge."""
    return table_of("judges", found, _PARTS, sparse=True)


def document(sheet: Sheet, found: Sequence[Entry]) -> Document:
    """Return who has graded the sheet or is running on it, and the table of judges."""
    shown = table(found)
    live = ", ".join(entry.label() for entry in found if entry.state.is_live())
    graded = [one.name() == BASELINE for one in found if one.graded]
    n = graded.count(False)
    who = joined(" and ", (n and counted(n, "judge"), any(graded) and "the baseline"))
    title = f"“{sheet.name}” is graded by {who or 'no judge yet'}"
    if live:
        title = f"Running on “{sheet.name}”: {live}"
    return Document(title, tables=(shown,), notes=tuple(undefined(shown)))


def _settings(judge: Judge) -> dict[str, object]:
    """Return what a judge file sets that changes requests, those under [endpoint] by full names."""
    labels = {"name", "about", "retired"}
    given = judge.model_dump(mode="json", exclude_defaults=True, exclude=labels)
    return {f"endpoint.{key}": one for key, one in given.pop("endpoint", {}).items()} | given


def differs(entry: Entry, every: Iterable[Entry]) -> str:
    """Return what tells a judge apart from others of its name: keys of its file, with values."""
    if entry.judge is None:
        return "imported"
    given = [_settings(one.judge) for one in every if one.judge and one.name() == entry.name()]
    own, keys = _settings(entry.judge), sorted({key for one in given for key in one})
    parts = [
        f"{key} = {one_line(str(own.get(key, 'default')), 40)}"
        for key in keys
        if any(one.get(key) != own.get(key) for one in given)
    ]
    # The rubric's wording and the examples are part of the identity and not of the file.
    identity = f"fingerprint {entry.grader.fingerprint[:6]}" if entry.grader else "not run"
    return ", ".join(parts) or identity


def state(store: Store, sheet_id: int, grader: Grader | None) -> State:
    """Return the state of a judge's newest run over a sheet; a dead process's run is closed."""
    if grader is None:
        return workflow_runs.NEVER
    shown = partial(runs.shown, store, sheet_id, grader.id)
    found = workflow_runs.at(store, of_judge(sheet_id, grader.id), shown)
    return found._replace(waiting=tuple(batches.pending(store, sheet_id, grader.id)))


def history(store: Store, sheet: Sheet, grader: Grader | None) -> Table:
    """Return the runs of a judge over a sheet, newest first."""
    lines = []
    for row in runs.of_sheet(store, sheet.id) if grader else ():
        if row["grader_id"] == grader.id:
            counts = progress.read(json.loads(row["counts"]))
            when = minute(row["started_at"]), minute(row["finished_at"]), row["status"]
            done = counts.calls, counts.done, counts.money()
            lines.append((*when, *done, row["budget"], row["message"]))
    columns = (
        *map(Column, ("started, UTC", "finished, UTC", "status")),
        *(Column("requests", "count"), Column("done", "count"), Column("cost")),
        *(Column("budget, USD", "usd"), Column("message")),
    )
    return Table("runs", columns, tuple(lines))


def agreements(store: Store, sheet: Sheet) -> Agreements:
    """Return rubric and agreement of each judge that has one, by grader id.

    It is on the heaviest criterion with grades, under the rubric that annotators use first.
    """
    found: Agreements = {}
    for name in rubric_versions.graded(store, sheet.id):
        _, rubric = rubric_versions.named(store, name)
        for judge_id, figure in by_judge(store, sheet, rubric).items():
            found.setdefault(judge_id, (name, figure))
    return found


def entries(store: Store, sheet: Sheet, agreed: Agreements) -> list[Entry]:
    """The user's own judges and those that ran on the sheet, then the other presets."""
    ran = workflow_runs.of_judges(store, sheet)
    known = {g.label(): g for g in graders.of_kind(store, *registry.KINDS)}
    rubrics: dict = {}
    # What names it, its definition, its grader, and whether it is of the user's own.
    given = [
        (name, judge, grader_of_preset(store, sheet, judge, known, rubrics), False)
        for name, judge in model.presets().items()
    ]
    taken = {grader.id for _, _, grader, _ in given if grader}
    here = sheet_progress.asked(store, sheet.id)
    for label, grader in known.items():
        judge = registry.stored(grader)
        imported = grader.id in here and not is_baseline(grader)
        if grader.id not in taken and (judge or imported):
            given.append((label, judge, grader, judge is not None))
    graded = sheet_progress.judged(store, sheet.id).judges
    found = []
    for argument, judge, grader, own in given:
        latest = ran.get(grader.id) if grader else None
        if judge and judge.trained:
            used = grader and grader.definition.get("rubric")
            used = used or rubric_versions.annotators_use(store, sheet.id) or judge.rubric
            judge = judge.model_copy(update={"rubric": used})
            at = (grader and workflow_runs.of_row(latest, False, False)) or workflow_runs.NEVER
        else:
            at = state(store, sheet.id, grader if judge else None)
        begun = latest["started_at"] if latest else ""
        figures = (
            (*agreed.get(grader.id, (None, None)), cost(store, sheet, grader)) if grader else ()
        )
        entry = Entry(argument, judge, grader, at, own, begun, *figures)
        found.append(entry._replace(graded=bool(grader) and grader.id in graded))
    named = Counter(entry.name() for entry in found if entry.grader)
    # One that was never run shares a name with others, but they do not with it.
    return in_order(
        entry._replace(differs=differs(entry, found))
        if named[entry.name()] > bool(entry.grader)
        else entry
        for entry in found
    )


def in_order(found: Iterable[Entry]) -> list[Entry]:
    """Return judges at work first, then the user's own, those compared with annotators first."""

    def place(one: Entry) -> tuple[bool, ...]:
        has_model = bool(one.judge and one.judge.model)
        return not one.state.is_live(), not one.is_mine(), not has_model, one.agreement is None

    return sorted(found, key=place)


def grader_of_preset(
    store: Store, sheet: Sheet, judge: Judge, known: dict[str, Grader], rubrics: dict
) -> Grader | None:
    """Return the grader that a preset is on a sheet; None where it was never run.

    `known` are graders by label; `rubrics`, those read so far by name, is filled.
    """
    if judge.is_computed():
        return known.get(judge.name)
    if judge.trained:
        mine = [grader for grader in known.values() if is_baseline(grader)]
        latest = [runs.newest(store, sheet_id=sheet.id, grader_id=grader.id) for grader in mine]
        return next((g for g, run in list(zip(mine, latest, strict=True))[::-1] if run), None)
    if not any(label.startswith(f"{judge.name}@") for label in known):
        return None
    if judge.of_metrics:
        identity = metric_request.fingerprint(judge, choice(judge).prompts)
        return known.get(f"{judge.name}@{identity}")
    if judge.rubric not in rubrics:
        rubrics[judge.rubric] = rubric_versions.named(store, judge.rubric)[1]
    rubric = rubrics[judge.rubric]
    shown = few_shot.gather(store, judge, rubric, sheet)
    return known.get(f"{judge.name}@{fingerprint(judge, rubric, shown)}")


def is_baseline(grader: Grader) -> bool:
    """Return True for a baseline that was trained here."""
    return grader.name == BASELINE and "about" in grader.definition


def save(store: Store, sheet_name: str, judge: Judge) -> str:
    """Keep a judge in the database; returns what the verb `judge` calls it."""
    options = Options(sheet_name=sheet_name)
    if isinstance(judge, Combined):
        _, rubric = rubric_versions.argument(store, judge.rubric)
        found = combine(store, sheets.chosen(store, sheet_name), rubric, judge)
        found.register(store)
        return found.label
    job = judging.prepare(store, judge, options)
    known = graders.get(store, job.register(store))
    if known.label() == job.label:  # not where it was merged into another judge
        # What its fingerprint leaves out, as its price, may have changed.
        graders.define(store, known.id, known.definition | job.definition())
    return job.label


def combined_document(store: Store, sheet: Sheet, judge: Judge, grader: Grader | None) -> Document:
    """Return what a combined judge is made of.

    Raises:
        Problem: A member has no grades on the sheet.
    """
    _, rubric = rubric_versions.argument(store, judge.rubric)
    found = combine(store, sheet, rubric, judge)
    notes = [said("{name}: {why}", name=name, why=why) for name, why in found.lacking.items()]
    if grader is not None and grader.fingerprint != found.fingerprint and judge.rule in FITTED:
        notes.append("The grades have changed since: run it again for a new fit.")
    fit = (
        ("criterion", lambda row: row[0]),
        ("weights", lambda row: ", ".join(f"{one:.3g}" for one in row[1].weights)),
        ("cut points", lambda row: ", ".join(f"{one:.3g}" for one in row[1].points)),
        (Column("answers fitted to", "count"), lambda row: row[1].answers),
    )
    fitted = found.fit.criteria.items() if found.fit else ()
    names = joined(", ", [one.name for one in found.members])
    title = said("{rule} of {members}", rule=RULE_WORDS[judge.rule], members=names)
    return Document(title, tables=(table_of("fit", fitted, fit),), notes=tuple(notes))
