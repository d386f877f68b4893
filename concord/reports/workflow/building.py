"""Building a sheet in words: what was read, drafted, decided and answered."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from concord.building import drafts, open_questions
from concord.building.drafts import APPROVED, FAULTY, REJECTED, WAITING, Draft, Words
from concord.building.questions import Question
from concord.importing.readers.documents import Reading
from concord.judges.building.build import Answered
from concord.judges.building.requests import RequestOutcome
from concord.messages import counted, joined, said
from concord.reports.document import FLAT
from concord.reports.workflow import request_judges
from concord.store import sheets
from concord.store.database import Store
from concord.text.display import visible

MOST_GAPS = 20
_STATES = {
    state: state for state in (said("waiting"), said("approved"), said("rejected"), said("faulty"))
}


def reading(read: Reading) -> str:
    """Return what a folder gave, and each file that gave nothing."""
    lines = [counted(len(read.documents), "document")]
    lines += [visible(one.sentence()) for one in read.passed_over]
    return "\n".join(lines)


def headline(store: Store, name: str) -> tuple[str, str]:
    """The screen's title and a line below it."""
    counts = drafts.counts(store, name)
    waiting, approved = counts[WAITING], counts[APPROVED]
    sheet = sheets.find(store, name)
    documents, own = (
        len(drafts.document_ids(store, name)),
        len(open_questions.of_sheet(store, name)),
    )
    detail = said(
        "{approved:,} approved, {rejected:,} rejected. {drafts} discarded unread, mostly because "
        "the quote is not in the document. No question is used before an annotator approves it, "
        "and every answer to it is marked synthetic.",
        approved=approved,
        rejected=counts[REJECTED],
        drafts=counted(counts[FAULTY], "draft"),
    )
    if waiting:
        waits = counted(waiting, "draft waits", "drafts wait")
        title = said("{drafts_wait} for your word", drafts_wait=waits)
    elif sheet and name in sheets.being_built(store):
        title = said(
            "{answers} to {questions} by {models}",
            answers=counted(sheet.items, "answer"),
            questions=counted(sheet.questions, "question"),
            models=counted(len(sheet.answer_models), "model"),
        )
    elif approved + own:
        ready = counted(approved + own, "question is", "questions are")
        title = said("{questions_are} ready to be asked", questions_are=ready)
    elif sum(counts.values()):
        title = said("No drafted question is left")
    elif documents:
        title = said(
            "{documents} to draft questions from", documents=counted(documents, "document")
        )
    else:
        title, detail = said("Other models can answer its questions"), ""
    if not sum(counts.values()):
        detail = said(
            "What models are asked, and every reply, is kept: nothing is asked or paid twice."
        )
    return said("{sheet}: {title}", sheet=name, title=title), detail


def has_drafts(store: Store, name: str) -> bool:
    """True where a model has written drafts for a sheet."""
    return any(drafts.counts(store, name).values())


def wants_a_look(store: Store, name: str, purpose: str) -> bool:
    """True where a run for a sheet is in progress, or has left requests open."""
    states = [stand.state for stand in request_judges.stands(store, name, purpose, ())]
    return any(s.is_live() or s.phase != "done" or s.counts.troubles for s in states)


def is_at_work(store: Store, name: str, purpose: str) -> bool:
    """True where a run for a sheet is in progress."""
    return any(stand.state.is_live() for stand in request_judges.stands(store, name, purpose, ()))


def taken(read: Reading, new: int) -> str:
    """Return the result of reading files on the screen."""
    before = counted(len(read.documents) - new, "document")
    here = [said("{documents} taken in.", documents=counted(new, "document"))]
    if len(read.documents) > new:
        here.append(said("{documents} stood here before.", documents=before))
    lines = [joined(" ", here)]
    lines += [
        said("- {file}: {why}", file=visible(one.name), why=said(visible(one.why)))
        for one in read.passed_over[:MOST_GAPS]
    ]
    more = len(read.passed_over) - MOST_GAPS
    if more > 0:
        lines.append(said("- and {files}", files=counted(more, "more file")))
    return joined("\n", lines)


def found_questions(found: Sequence[Question]) -> str:
    """Return a summary of a file of questions."""
    bare = sum(not question.contexts for question in found)
    told = [said("{questions}.", questions=counted(len(found), "question"))]
    if bare:
        told.append(
            said("{n:,} of them without a context, which models answer from nothing.", n=bare)
        )
    return joined(" ", told)


def taken_questions(found: Sequence[Question], new: int) -> str:
    """Return the result of importing questions."""
    told = [said("{questions} taken in.", questions=counted(new, "question"))]
    if len(found) > new:
        told.append(said("{n:,} stood here before.", n=len(found) - new))
    return joined(" ", told)


def state_words(state: str) -> str:
    """Return the state of a draft, in one word."""
    return _STATES.get(state, state)


def built(outcome: RequestOutcome, counts: dict[str, int]) -> str:
    """Return how drafting ended and what an annotator has to do next."""
    lines = [outcome.sentence(), *_gaps(outcome), f"Drafts: {in_states(counts)}."]
    if counts[WAITING]:
        lines.append("Read and decide each with the verb drafts, or on the screen Build.")
    return "\n".join(lines)


def in_states(counts: dict[str, int]) -> str:
    """Return how many drafts wait, are approved, are rejected and are faulty."""
    told = ((WAITING, "wait for an annotator"), (APPROVED, "approved"), (REJECTED, "rejected"))
    parts = [f"{counts[state]:,} {word}" for state, word in told]
    return ", ".join([*parts, f"{counts[FAULTY]:,} thrown away unread because of a fault"])


def answered(sheet: str, questions: Sequence[Question], done: Sequence[Answered]) -> str:
    """Return how every model's run ended."""
    made = sum(question.synthetic for question in questions)
    synthetic = f", {made:,} of them synthetic" if made else ""
    lines = [f"{visible(sheet)}: {counted(len(questions), 'question')}{synthetic}."]
    for one in done:
        lines += [one.sentence(), *_gaps(one.outcome)]
    return "\n".join(lines)


def listed(sheet: str, counts: dict[str, int], found: Sequence[Draft]) -> str:
    """The drafts one under the other, as a terminal can show them."""
    blocks = [f"{visible(sheet)}: {in_states(counts)}."]
    for draft in found:
        why = f" ({_line(draft.why)})" if draft.why else ""
        by = f" by {_line(draft.who)}" if draft.who else ""
        edited = ", edited" if draft.edited else ""
        blocks.append(
            f"{draft.id}  {draft.state}{edited}{by}{why}  {_line(draft.document)}\n"
            f"  question:  {_line(draft.words.question)}\n"
            f"  reference: {_line(draft.words.reference)}\n"
            f"  quote:     {_line(draft.words.quote)}"
        )
    return "\n\n".join(blocks)


@dataclass(frozen=True)
class Drafted:
    """A draft without its document's text."""

    number: int
    document: str
    model: str
    words: Words = field(metadata=FLAT)
    state: str
    edited: bool
    why: str
    by: str


def drafted(draft: Draft) -> Drafted:
    """Return what `--json` has of a draft."""
    about = draft.id, draft.document, draft.model, draft.words
    return Drafted(*about, draft.state, draft.edited, draft.why, draft.who)


def _gaps(outcome: RequestOutcome) -> list[str]:
    """Return what got no usable reply, each with the reason."""
    gaps = [f"  {_line(gap['key'])}: {gap['status']}. {gap['why']}" for gap in outcome.missing]
    more = len(gaps) - MOST_GAPS
    return gaps[:MOST_GAPS] + ([f"  and {more:,} more"] if more > 0 else [])


def _line(text: str) -> str:
    """A text of strangers on one line, with nothing in it that a terminal obeys."""
    return _OBEYED.sub("�", " ".join(visible(text).split()))


# Control characters, and those that turn the direction of writing.
_OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
