"""Moves of a question between splits that would leak, with the reason. Pure.

What judges were shown is never scored; a held-out question stays unseen until a certificate opens
it; and a question cannot be removed from the statistics because of a judge's grades. The rule
applies to a whole family: the questions that share a cluster or a text, in any sheet.
"""

from typing import NamedTuple

from concord.messages import quoted, said
from concord.model import EVALUATION, FEW_SHOT, HELD_OUT

LEAVING_HELD_OUT = (
    "It is held out, and no certificate has opened it yet. Write the certificate first; then the "
    "question can move to another split."
)
SHOWN = (
    "A judge was shown it, or a question with the same text or cluster, so its answers can no "
    "longer test a judge. Leave it in the few-shot pool."
)
KNOWN = (
    "Annotators know the score of an answer to it, or to a question with the same text or cluster: "
    "it was used in a training round or as a gold item. Leave it in the few-shot pool."
)
LOOKED_AT = (
    "Someone has read its answers, or those of a question with the same text or cluster, together "
    "with judges' grades. Choose a question for which no one has opened those grades."
)
LOOKED_AT_EXAMPLE = (
    "Someone has read its answers, or those of a question with the same text or cluster, together "
    "with judges' grades. Excluding it would favour judges that were wrong there. Choose a "
    "question for which no one has opened those grades."
)
AN_EXAMPLE = (
    "It, or a question with the same text or cluster, is or was in the few-shot pool, so judges "
    "and the authors of their prompts may know it. Choose another question."
)
OPENED = (
    "A certificate has opened it, so it is no longer unseen. Choose a question that no certificate "
    "has opened."
)
AMONG_HELD_OUT = (
    "A question with the same text or cluster is held out, and judges would be shown what must "
    "stay unseen. Choose another question."
)
_READ = "Their answers could still be read together with judges' grades."
_SCORED = "Their answers would still be scored, although judges were shown the question."


class Family(NamedTuple):
    """Facts about a question's family, itself included, before the move.

    Attributes:
        shown: A judge was shown one of them in a run.
        was_example: One of them is or was in the few-shot pool, or is an example of a rubric.
        closed: One of them is in the few-shot pool now, so that none of them is in any figure.
        looked_at: Someone read the grades of judges for an answer to one of them.
        opened: A certificate opened one of them.
        held_out: One of those that do not move along is held out.
        left_behind: The sheets in which one that does not move along stays in evaluation.
        known: An answer to one of them is or was in a training round or a gold item.
    """

    shown: bool = False
    was_example: bool = False
    closed: bool = False
    looked_at: bool = False
    opened: bool = False
    held_out: bool = False
    left_behind: tuple[str, ...] = ()
    known: bool = False


def refusal(sheet: str, split: str, to: str, opened: bool, family: Family) -> str | None:
    """Return why a question must not move from its split to another; None where it may.

    `opened` tells whether a certificate has opened the question itself.
    """
    if split == to:
        return None
    reasons = {
        EVALUATION: (
            (split == FEW_SHOT and family.shown, SHOWN),
            (split == FEW_SHOT and family.known, KNOWN),
        ),
        HELD_OUT: (
            (family.opened, OPENED),
            (family.shown or family.was_example, AN_EXAMPLE),
            (family.looked_at, LOOKED_AT),
        ),
        FEW_SHOT: (
            (family.held_out, AMONG_HELD_OUT),
            (family.looked_at and not family.closed, LOOKED_AT_EXAMPLE),
        ),
    }
    for holds, why in ((split == HELD_OUT and not opened, LEAVING_HELD_OUT), *reasons[to]):
        if holds:
            return why
    left = family.left_behind
    if to == EVALUATION or not left or (to == FEW_SHOT and left == (sheet,)):
        return None
    danger = _READ if to == HELD_OUT else _SCORED
    if to == HELD_OUT and sheet in left:
        return said(
            "This sheet has more questions with the same cluster or text. {danger} Move all of "
            "them together.",
            danger=danger,
        )
    return said(
        "Questions with the same text or cluster are also in {sheets}. {danger} Move them in "
        "every sheet at once.",
        sheets=quoted([one for one in left if one != sheet], " and "),
        danger=danger,
    )
