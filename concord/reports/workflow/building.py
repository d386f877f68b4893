"""Building a sheet: what was read, drafted, reviewed and answered, and by which models."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, NamedTuple

from concord.building import drafts, open_questions
from concord.building.drafts import APPROVED, FAULTY, REJECTED, WAITING, Draft
from concord.importing.readers.documents import Reading
from concord.judges.building.answering import Answered
from concord.judges.building.requests import RequestJob, RequestOutcome
from concord.judges.definition import model, registry
from concord.judges.definition.model import Judge
from concord.judges.running.cost_estimate import Estimate, price_in_words
from concord.judges.running.run_lock import RunLocation, of_asker
from concord.language.grade_statuses import status_words
from concord.messages import Said, counted, joined, said
from concord.model import Question
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.workflow import runs as workflow_runs
from concord.reports.workflow.runs import State, outcomes
from concord.store import graders, runs, sheets
from concord.store.database import Store
from concord.text.display import visible

DO = {"drafts": "Draft questions", "answers": "Generate answers"}
NOTHING = workflow_runs.NOTHING


class Stand(NamedTuple):
    """State of a model's newest run for a sheet."""

    model: str
    place: RunLocation
    state: State

    def look(self, store: Store) -> State:
        """Return the run's current state."""
        return workflow_runs.at(store, where=self.place)


class RemainingRequests(NamedTuple):
    """Models with remaining requests, the number of calls and their USD (None: unknown)."""

    jobs: list[RequestJob]
    calls: int
    cost: tuple[Decimal, Decimal] | None

    def label(self, purpose: str, begun: bool) -> str:
        """Return the button's label with the price."""
        if not self.jobs:
            return NOTHING
        if not self.calls:
            return "Store known replies, free"
        values = {
            "do": "Resume" if begun else DO[purpose],
            "calls": counted(self.calls, "request"),
            "price": price_in_words(self.cost),
        }
        if len(self.jobs) == 1:
            return said("{do}: {calls}, {price}", **values)
        return said("{do}: {calls} of {n} models, {price}", n=len(self.jobs), **values)

    def why_not(self, no_key: Said | None) -> Said | None:
        """Return why no run can be started, `no_key` for want of a key; None where one can."""
        if not no_key and not self.jobs:
            return (
                "Nothing is left to ask. To repeat requests without a usable reply, open “Speed "
                "and retries”."
            )
        return no_key


def request_states(
    store: Store, sheet_name: str, purpose: str, jobs: Sequence[RequestJob]
) -> list[Stand]:
    """Return every model with a run for the sheet, or with a process of `works` starting."""
    known = {
        of_asker(row["asker"], sheet_name).log: (runs.scope(row)["model"], row["asker"])
        for row in runs.newest_of_sheet(store, sheet_name, purpose)
    }
    known |= {p.place().log: (p.judge.model, p.identity) for p in jobs}
    found = []
    for name, asker in known.values():
        place = of_asker(asker, sheet_name)
        found.append(Stand(name, place, workflow_runs.at(store, place)))
    return [stand for stand in found if stand.state.phase != "never"]


def remaining(
    store: Store, jobs: Sequence[RequestJob], expected: Sequence[Estimate]
) -> RemainingRequests:
    """Return the remaining work: requests, or replies that are known already."""
    todo = [
        (job, one)
        for job, one in zip(jobs, expected, strict=True)
        if one.calls or job.unused(store)
    ]
    costs = [one.cost for _, one in todo if one.calls]
    cost = None
    if None not in costs:
        cost = sum((low for low, _ in costs), Decimal()), sum((h for _, h in costs), Decimal())
    return RemainingRequests([job for job, _ in todo], sum(one.calls for _, one in todo), cost)


def budget(stands: Sequence[Stand], jobs: Sequence[RequestJob]) -> float | None:
    """The smallest budget, in USD, that the newest run of one of these had; None for no limit."""
    logs = {job.place().log for job in jobs}
    known = [stand.state.budget for stand in stands if stand.place.log in logs]
    return min((usd for usd in known if usd is not None), default=None)


def has_begun(store: Store, jobs: Sequence[RequestJob]) -> bool:
    """True where each of these has a run for the sheet."""
    return all(job.place().newest(store) for job in jobs)


def scopes(store: Store, sheet_name: str, purpose: str) -> list[dict[str, Any]]:
    """Return the scopes of the runs of a purpose for a sheet; before any answering, of drafting.

    Answers usually come from the same server. Each has the purpose, the judge as commands name it,
    the model, the address called where the judge names another, and the questions per document.
    """
    found = runs.newest_of_sheet(store, sheet_name, purpose)
    found = found or runs.newest_of_sheet(store, sheet_name, "drafts")
    return [{"base_url": "", "questions": None, **runs.scope(row)} for row in found]


def models_before(found: Sequence[Mapping[str, Any]], judge: Judge) -> list[str]:
    """Return the models asked by way of a judge; of drafting, the last one."""
    models = list(dict.fromkeys(one["model"] for one in found if one["judge"] == judge.name))
    return models[-1:] if found and found[-1]["purpose"] == "drafts" else models


def url_before(found: Sequence[Mapping[str, Any]], judge: Judge) -> str:
    """Return the address the last run called, where the judge names another; '' if it does not."""
    called = found[-1]["base_url"] if found and found[-1]["judge"] == judge.name else ""
    return "" if called == judge.url() else called


def available_judges(store: Store) -> dict[str, str]:
    """Return every judge whose model can be used for other requests: name and description.

    Retired ones come last and say so.
    """
    shipped = {name: judge for name, judge in model.presets().items() if judge.model}
    kept = {g.label(): registry.stored(g) for g in graders.of_kind(store, "judge")}
    every = shipped | {name: judge for name, judge in kept.items() if judge and judge.model}
    words = {
        n: said("{judge} · retired", judge=n) if workflow_runs.is_retired(j) else n
        for n, j in every.items()
    }
    return dict(sorted(words.items(), key=lambda one: one[0] != one[1]))


def position(names: Sequence[str], wanted: str | None) -> int:
    """Return the index of a judge, by name or by name and fingerprint; else the first."""
    exact = [n for n, name in enumerate(names) if name == wanted]
    alike = [n for n, name in enumerate(names) if name.partition("@")[0] == wanted]
    return next(iter([*exact, *alike]), 0)


MOST_GAPS = 20


def document(store: Store, name: str) -> Document:
    """Return what is shown of a sheet being built: the next step, and the state of its drafts."""
    counts = drafts.counts(store, name)
    facts = (in_states(counts),) if any(counts.values()) else ()
    return Document(headline(store, name), facts=facts)


def headline(store: Store, name: str) -> str:
    """Return the next step of building a sheet, in one sentence."""
    counts, sheet = drafts.counts(store, name), sheets.find(store, name)
    ready = counts[APPROVED] + len(open_questions.of_sheet(store, name))
    documents = len(drafts.document_ids(store, name))
    if counts[WAITING]:
        state = said("{drafts} to review", drafts=counted(counts[WAITING], "draft"))
    elif sheet and name in sheets.being_built(store):
        state = said(
            "{answers} to {questions} by {models}",
            answers=counted(sheet.items, "answer"),
            questions=counted(sheet.questions, "question"),
            models=counted(len(sheet.answer_models), "model"),
        )
    elif ready:
        state = said("{questions} ready to be answered", questions=counted(ready, "question"))
    elif any(counts.values()):
        state = "no draft is left"
    elif documents:
        state = said("{n} to draft questions from", n=counted(documents, "document"))
    else:
        state = "further models can answer its questions"
    return joined(": ", [name, state])


def has_drafts(store: Store, name: str) -> bool:
    """True where a model has written drafts for a sheet."""
    return any(drafts.counts(store, name).values())


def is_unfinished(store: Store, name: str, purpose: str) -> bool:
    """True where a run for a sheet is in progress, or has left requests open."""
    states = [stand.state for stand in request_states(store, name, purpose, ())]
    return any(s.is_live() or s.phase != "done" or s.counts.troubles for s in states)


def is_at_work(store: Store, name: str, purpose: str) -> bool:
    """True where a run for a sheet is in progress."""
    return any(stand.state.is_live() for stand in request_states(store, name, purpose, ()))


def intake_summary(read: Reading, new: int) -> Document:
    """Return what is shown of documents that were read: how many are new, and each left out."""
    columns = (Column("file"), Column("left out because"))
    rows = tuple((visible(one.name), one.why) for one in read.excluded)
    return Document(
        _imported(counted(new, "document"), len(read.documents) - new),
        tables=(Table("passed-over", columns, rows),),
    )


def imported_questions(found: Sequence[Question], new: int) -> Document:
    """Return what is shown of questions that were imported."""
    return Document(_imported(counted(new, "question"), len(found) - new))


def file_questions(found: Sequence[Question]) -> Document:
    """Return what is shown of a file of questions."""
    bare = sum(not question.contexts for question in found)
    questions = counted(len(found), "question")
    return Document(said("{questions}, {n:,} without a context", questions=questions, n=bare))


def _imported(new: str, before: int) -> str:
    return said("{new} imported; {before:,} had been before.", new=new, before=before)


def built(outcome: RequestOutcome, counts: dict[str, int]) -> Document:
    """Return how drafting ended and how many drafts there are to review."""
    tables, notes = _gaps([outcome])
    return Document(
        outcome.sentence(), (in_states(counts),), (*outcomes([outcome]), *tables), notes
    )


def in_states(counts: dict[str, int]) -> str:
    """Return how many drafts wait, are approved, are rejected and are faulty."""
    return said(
        "Drafts: {waiting:,} to review, {approved:,} approved, {rejected:,} rejected, "
        "{faulty:,} faulty.",
        waiting=counts[WAITING],
        approved=counts[APPROVED],
        rejected=counts[REJECTED],
        faulty=counts[FAULTY],
    )


def answered(sheet: str, questions: Sequence[Question], done: Sequence[Answered]) -> Document:
    """Return how every model's run ended."""
    made = sum(question.synthetic for question in questions)
    about = counted(len(questions), "question")
    headline = said("{sheet}: {questions}, {n:,} synthetic.", sheet=sheet, questions=about, n=made)
    facts = tuple(one.sentence() for one in done)
    runs = [one.outcome for one in done]
    tables, notes = _gaps(runs)
    return Document(headline, facts, (*outcomes(runs), *tables), notes)


def listed(sheet: str, counts: dict[str, int], found: Sequence[Draft]) -> Document:
    """Return the drafts in full, each below the other."""
    whole = draft_table(found)
    each = tuple(replace(whole, rows=(row,), across=True) for row in whole.rows)
    return Document(said("{sheet}. {drafts}", sheet=sheet, drafts=in_states(counts)), tables=each)


def draft_table(found: Iterable[Draft]) -> Table:
    """Return a row for each draft."""
    parts = (
        (Column("draft", "count"), "id"),
        (Column("state"), "state"),
        (Column("document"), "document"),
        (Column("question"), "words.question"),
        (Column("reference"), "words.reference"),
        (Column("quote"), "words.quote"),
        (Column("by"), "who"),
        (Column("why"), "why"),
        (Column("model"), "model"),
        (Column("edited"), lambda one: "yes" if one.edited else ""),
    )
    return table_of("drafts", found, parts)


def drafted(draft: Draft) -> dict[str, Any]:
    """Return what `--json` has of a draft: all but its document's text."""
    about = {"number": draft.id, "document": draft.document, "model": draft.model}
    about |= draft.words._asdict()
    return (
        about | {key: getattr(draft, key) for key in ("state", "edited", "why")} | {"by": draft.who}
    )


def _gaps(outcomes: Iterable[RequestOutcome]) -> tuple[tuple[Table, ...], tuple[str, ...]]:
    """Return what got no usable reply, each with the reason, and how many more there are."""
    gaps = [(gap.key, status_words(gap.status), gap.why) for run in outcomes for gap in run.missing]
    columns = (Column("no usable reply"), Column("status"), Column("why"))
    more = len(gaps) - MOST_GAPS
    rest = said("And {more:,} more without a usable reply.", more=more)
    notes = (rest,) if more > 0 else ()
    return (Table("missing", columns, tuple(gaps[:MOST_GAPS])),), notes
