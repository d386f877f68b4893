"""Building a sheet in words: what was read, drafted, decided and answered."""

import re
from collections.abc import Sequence

from data.counted import counted
from data.documents import Reading
from data.drafts import APPROVED, FAULTY, REJECTED, WAITING, Draft
from data.questions import Question
from judges.asking import Outcome
from judges.build import Answered
from judges.fence import visible

MOST_GAPS = 20


def reading(read: Reading) -> str:
    """What a folder gave, and each file that gave nothing."""
    said = [counted(len(read.documents), "document")]
    said += [visible(one.sentence()) for one in read.passed_over]
    return "\n".join(said)


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
