"""Building a sheet: what was read, drafted, reviewed and answered, and by which models."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, NamedTuple

from concord.building import drafts, open_questions
from concord.building.drafts import APPROVED, FAULTY, REJECTED, WAITING, Draft
from concord.importing.readers.documents import Reading
from concord.judges.building.answering import Answered
from concord.judges.building.requests import RequestJob
from concord.judges.definition import model, registry
from concord.judges.run.estimate import Estimate, price_in_words
from concord.judges.run.job import Outcome
from concord.judges.run.lock import RunLocation, of_asker
from concord.messages import counted, joined
from concord.model import Question
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.workflow import runs as workflow_runs
from concord.reports.workflow.runs import State, outcomes
from concord.store import graders, runs, sheets
from concord.store.database import Store
from concord.text.display import visible

DO = {"drafts": "Draft questions", "answers": "Generate answers"}


class Stand(NamedTuple):
    """State of a model's newest run for a sheet."""

    model: str
    place: RunLocation
    state: State

    def look(self, store: Store) -> State:
        """Return the run's current state."""
        return workflow_runs.at(store, where=self.place)


def request_states(
    store: Store, sheet_name: str, purpose: str, jobs: Sequence[RequestJob] = ()
) -> list[Stand]:
    """Return every model with a run for the sheet, or with a process of `jobs` starting."""
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
    store: Store, purpose: str, jobs: Sequence[RequestJob], expected: Sequence[Estimate]
) -> tuple[list[RequestJob], str]:
    """Return the jobs with requests left, or with replies known already, and the button's label."""
    both = zip(jobs, expected, strict=True)
    todo = [job for job, one in both if one.calls or job.unused(store)]
    asked = [one for one in expected if one.calls]
    if not asked:
        return todo, "Store known replies, free" if todo else workflow_runs.NOTHING
    costs = [one.cost for one in asked]
    cost = None if None in costs else [sum(ends, Decimal()) for ends in zip(*costs, strict=True)]
    calls = counted(sum(one.calls for one in asked), "request")
    return todo, f"{DO[purpose]}: {calls}, {price_in_words(cost)}"


def available_judges(store: Store) -> list[str]:
    """Return every judge whose model can be used for other requests."""
    kept = {g.label(): registry.stored(g) for g in graders.of_kind(store, "judge")}
    return [n for n, judge in (model.presets() | kept).items() if judge and judge.model]


def document(store: Store, name: str) -> Document:
    """Return what is shown of a sheet being built: the next step, and the state of its drafts."""
    counts = drafts.counts(store, name)
    facts = (in_states(counts),) if any(counts.values()) else ()
    return Document(headline(store, name), facts=facts)


def headline(store: Store, name: str) -> str:
    """Return the next step of building a sheet, in one sentence."""
    counts, sheet = drafts.counts(store, name), sheets.find(store, name)
    is_begun = sheet and name in sheets.being_built(store)
    ready = counts[APPROVED] + len(open_questions.of_sheet(store, name))
    steps = (
        (counts[WAITING], "draft"),
        (sheet.items if is_begun else 0, "answer"),
        (ready, "question"),
        (len(drafts.document_ids(store, name)), "document"),
    )
    return joined(": ", [name, next((counted(n, noun) for n, noun in steps if n), None)])


def intake_summary(read: Reading, new: int) -> Document:
    """Return what is shown of documents that were read: how many are new, and each left out."""
    parts = ("file", lambda one: visible(one.name)), ("left out because", "why")
    headline = imported("document", new, len(read.documents))
    return Document(headline, tables=(table_of("passed-over", read.excluded, parts),))


def imported(noun: str, new: int, found: int) -> str:
    """Return how many of those found are new."""
    return f"{new:,} of {counted(found, noun)} imported"


def built(outcome: Outcome, counts: dict[str, int]) -> Document:
    """Return how drafting ended and how many drafts there are to review."""
    return Document(outcome.sentence(), (in_states(counts),), outcomes([outcome]))


def in_states(counts: dict[str, int]) -> str:
    """Return how many drafts wait, are approved, are rejected and are faulty."""
    states = (f"{counts[state]:,} {state}" for state in (WAITING, APPROVED, REJECTED, FAULTY))
    return ", ".join(states)


def answered(sheet: str, questions: Sequence[Question], done: Sequence[Answered]) -> Document:
    """Return how every model's run ended."""
    made = sum(question.synthetic for question in questions)
    headline = f"{sheet}: {counted(len(questions), 'question')}, {made:,} synthetic."
    runs = [one.outcome for one in done]
    facts = tuple(one.sentence() for one in done)
    return Document(headline, facts, outcomes(runs))


def listed(sheet: str, counts: dict[str, int], found: Sequence[Draft]) -> Document:
    """Return the drafts in full, each below the other."""
    each = tuple(replace(draft_table([one]), across=True) for one in found)
    return Document(f"{sheet}. {in_states(counts)}", tables=each)


def draft_table(found: Iterable[Draft]) -> Table:
    """Return a row for each draft."""
    parts = (
        (Column("draft", "count"), "id"),
        ("state", "state"),
        ("document", "document"),
        ("question", "words.question"),
        ("reference", "words.reference"),
        ("quote", "words.quote"),
        ("by", "who"),
        ("why", "why"),
        ("model", "model"),
        ("edited", lambda one: "yes" if one.edited else ""),
    )
    return table_of("drafts", found, parts)


def drafted(draft: Draft) -> Mapping[str, Any]:
    """Return what `--json` has of a draft: all but its document's text."""
    about = {"number": draft.id, "document": draft.document, "model": draft.model}
    decided = {"state": draft.state, "edited": draft.edited, "why": draft.why, "by": draft.who}
    return about | draft.words._asdict() | decided
