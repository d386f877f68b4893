"""Moves of a question between splits that would leak, with the reason. Pure.

What judges were shown is never scored; a held-out question stays unseen until a certificate opens
it; and a question cannot be removed from the statistics because of a judge's grades. The rule
applies to a whole family: the questions that share a cluster or a text, in any sheet.
"""

from typing import NamedTuple

from concord.messages import Said, quoted, said
from concord.model import EVALUATION, FEW_SHOT, HELD_OUT

LEAVING_HELD_OUT = said(
    "It is held out, and no certificate has opened it yet. Write the certificate first; then the "
    "question can move to another split."
)
SHOWN = said(
    "A judge was shown it, or a question with the same text or cluster, so its answers can no "
    "longer test a judge. Leave it in the few-shot pool."
)
KNOWN = said(
    "Annotators know the score of an answer to it, or to a question with the same text or cluster: "
    "it was used in a training round or as a gold item. Leave it in the few-shot pool."
)
LOOKED_AT = said(
    "Someone has read its answers, or those of a question with the same text or cluster, together "
    "with judges' grades. Choose a question for which no one has opened those grades."
)
LOOKED_AT_EXAMPLE = said(
    "Someone has read its answers, or those of a question with the same text or cluster, together "
    "with judges' grades. Excluding it would favour judges that were wrong there. Choose a "
    "question for which no one has opened those grades."
)
AN_EXAMPLE = said(
    "It, or a question with the same text or cluster, is or was in the few-shot pool, so judges "
    "and the authors of their prompts may know it. Choose another question."
)
OPENED = said(
    "A certificate has opened it, so it is no longer unseen. Choose a question that no certificate "
    "has opened."
)
AMONG_HELD_OUT = said(
    "A question with the same text or cluster is held out, and judges would be shown what must "
    "stay unseen. Choose another question."
)
_READ = said("Their answers could still be read together with judges' grades.")
_SCORED = said("Their answers would still be scored, although judges were shown the question.")


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
    if split == HELD_OUT and not opened:
        return LEAVING_HELD_OUT
    if to == EVALUATION:
        known = KNOWN if family.known else None
        return (SHOWN if family.shown else known) if split == FEW_SHOT else None
    if to == HELD_OUT:
        return _no_hold_out(sheet, family)
    return _no_example(sheet, family)


def _no_hold_out(sheet: str, family: Family) -> str | None:
    known = (
        (family.opened, OPENED),
        (family.shown or family.was_example, AN_EXAMPLE),
        (family.looked_at, LOOKED_AT),
    )
    for holds, why in known:
        if holds:
            return why
    return _left_behind(sheet, family.left_behind, _READ)


def _no_example(sheet: str, family: Family) -> str | None:
    if family.held_out:
        return AMONG_HELD_OUT
    if family.looked_at and not family.closed:
        return LOOKED_AT_EXAMPLE
    elsewhere = tuple(name for name in family.left_behind if name != sheet)
    return _left_behind(sheet, elsewhere, _SCORED)


def _left_behind(sheet: str, where: tuple[str, ...], danger: Said) -> str | None:
    if not where:
        return None
    if sheet in where:
        return said(
            "This sheet has more questions with the same cluster or text. {danger} Move all of "
            "them together.",
            danger=danger,
        )
    return said(
        "Questions with the same text or cluster are also in {sheets}. {danger} Move them in "
        "every sheet at once.",
        sheets=quoted(where, " and "),
        danger=danger,
    )
