"""Building a sheet in words: what was read, drafted, decided and answered."""

import re
from collections.abc import Sequence

from data import drafts, open_questions, sheets
from data.counted import counted
from data.documents import Reading
from data.drafts import APPROVED, FAULTY, REJECTED, WAITING, Draft
from data.questions import Question
from data.store import Store
from judges.asking import Outcome
from judges.build import Answered
from judges.fence import visible
from reports import askers

MOST_GAPS = 20


def reading(read: Reading) -> str:
    """What a folder gave, and each file that gave nothing."""
    said = [counted(len(read.documents), "document")]
    said += [visible(one.sentence()) for one in read.passed_over]
    return "\n".join(said)


def headline(store: Store, name: str) -> tuple[str, str]:
    """The screen's title and a line below it."""
    counts = drafts.counts(store, name)
    waiting, approved = counts[WAITING], counts[APPROVED]
    sheet = sheets.find(store, name)
    documents, own = (
        len(drafts.document_ids(store, name)),
        len(open_questions.of_sheet(store, name)),
    )
    detail = (
        f"{approved:,} approved, {counts[REJECTED]:,} rejected. {counted(counts[FAULTY], 'draft')} "
        "thrown away unread, mostly because a quote did not stand in its document. Nothing is "
        "asked before a person approves it, and every answer to it is marked synthetic."
    )
    if waiting:
        title = f"{counted(waiting, 'draft waits', 'drafts wait')} for your word"
    elif sheet and name in drafts.builds(store):
        by = counted(len(sheet.answer_models), "model")
        title = (
            f"{counted(sheet.items, 'answer')} to {counted(sheet.questions, 'question')} by {by}"
        )
    elif approved + own:
        title = f"{counted(approved + own, 'question is', 'questions are')} ready to be asked"
    elif sum(counts.values()):
        title = "No drafted question is left"
    elif documents:
        title = f"{counted(documents, 'document')} to draft questions from"
    else:
        title, detail = "Other models can answer its questions", ""
    if not sum(counts.values()):
        detail = "What models are asked, and every reply, is kept: nothing is asked or paid twice."
    return f"{name}: {title}", detail


def has_drafts(store: Store, name: str) -> bool:
    """Whether a model has written anything for a sheet."""
    return any(drafts.counts(store, name).values())


def wants_a_look(store: Store, name: str, purpose: str) -> bool:
    """Whether a model is being asked for a sheet, or was and something is left open by it."""
    states = [stand.state for stand in askers.stands(store, name, purpose, ())]
    return any(s.is_live() or s.phase != "done" or s.counts.troubles for s in states)


def is_at_work(store: Store, name: str, purpose: str) -> bool:
    """Whether a model is being asked for a sheet."""
    return any(stand.state.is_live() for stand in askers.stands(store, name, purpose, ()))


def taken(read: Reading, new: int) -> str:
    """What came of reading files on the screen."""
    here = (
        f" {counted(len(read.documents) - new, 'document')} stood here before."
        if (len(read.documents) > new)
        else ""
    )
    lines = [f"{counted(new, 'document')} taken in.{here}"]
    lines += [f"- {visible(one.sentence())}" for one in read.passed_over[:MOST_GAPS]]
    more = len(read.passed_over) - MOST_GAPS
    return "\n".join(lines + ([f"- and {counted(more, 'more file')}"] if more > 0 else []))


def found_questions(found: Sequence[Question]) -> str:
    """What a file of questions holds."""
    bare = sum(not question.contexts for question in found)
    without = (
        f" {bare:,} of them without a context, which models answer from nothing." if bare else ""
    )
    return f"{counted(len(found), 'question')}.{without}"


def taken_questions(found: Sequence[Question], new: int) -> str:
    """What came of taking questions in."""
    here = f" {len(found) - new:,} stood here before." if len(found) > new else ""
    return f"{counted(new, 'question')} taken in.{here}"


def built(outcome: Outcome, counts: dict[str, int]) -> str:
    """How drafting ended and what a person has to do next."""
    lines = [outcome.sentence(), *_gaps(outcome), f"Drafts: {in_states(counts)}."]
    if counts[WAITING]:
        lines.append("Read and decide each with the verb drafts, or on the screen Build.")
    return "\n".join(lines)


def in_states(counts: dict[str, int]) -> str:
    """How many drafts wait, are approved, are rejected and are faulty."""
    told = ((WAITING, "wait for a person"), (APPROVED, "approved"), (REJECTED, "rejected"))
    said = [f"{counts[state]:,} {word}" for state, word in told]
    return ", ".join([*said, f"{counts[FAULTY]:,} thrown away unread because of a fault"])


def answered(sheet: str, questions: Sequence[Question], done: Sequence[Answered]) -> str:
    """How every model's run ended."""
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


def as_json(draft: Draft) -> dict:
    """A draft for `--json`, without its document's text."""
    return {
        "number": draft.id,
        "document": draft.document,
        "model": draft.model,
        **draft.words._asdict(),
        "state": draft.state,
        "edited": draft.edited,
        "why": draft.why,
        "by": draft.who,
    }


def _gaps(outcome: Outcome) -> list[str]:
    """What got no usable reply, each with the reason."""
    gaps = [f"  {_line(gap['key'])}: {gap['status']}. {gap['why']}" for gap in outcome.missing]
    more = len(gaps) - MOST_GAPS
    return gaps[:MOST_GAPS] + ([f"  and {more:,} more"] if more > 0 else [])


def _line(text: str) -> str:
    """A text of strangers on one line, with nothing in it that a terminal obeys."""
    return _OBEYED.sub("�", " ".join(visible(text).split()))


# Control characters, and those that turn the direction of writing.
_OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
