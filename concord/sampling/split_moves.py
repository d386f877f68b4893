"""Which moves of a question from role to role would leak, and why. Pure.

What judges were shown is never scored; what is sealed stays unseen until a certificate opens it;
and a question does not leave the figures because of what a judge made of it. The rule looks at a
whole family: the questions that share a cluster or a text, in whatever sheet.
"""

from typing import NamedTuple

from concord.messages import joined, said

ROLES = ("examples", "evaluation", "sealed")
EXAMPLES, EVALUATION, SEALED = ROLES
CALLED = {
    EXAMPLES: said("examples"),
    EVALUATION: said("evaluation"),
    SEALED: said("sealed"),
}

UNSEALING = said(
    "It is sealed, and no certificate has opened it yet. Make the certificate first; then it may "
    "have another role."
)
SHOWN = said(
    "A judge was shown it, or a question of its text or cluster, so its answers are no test any "
    "more. Leave it among the examples."
)
KNOWN = said(
    "Annotators were told the score of one of its answers, or of its text or cluster: it is "
    "practice, "
    "or a known answer mixed into queues. Leave it among the examples."
)
LOOKED_AT = said(
    "Someone has read its answers, or those of its text or cluster, beside what judges said. "
    "Choose a question that nobody has opened."
)
LOOKED_AT_EXAMPLE = said(
    "Someone has read its answers, or those of its text or cluster, beside what judges said, and "
    "figures without it would flatter the judges that were wrong there. Choose a question that "
    "nobody has opened."
)
AN_EXAMPLE = said(
    "It, or a question of its text or cluster, is or was an example, so judges and whoever wrote "
    "their prompts may know it. Choose another question."
)
OPENED = said(
    "A certificate has opened it before, so it is no longer unseen. Choose a question that no "
    "certificate has opened."
)
AMONG_SEALED = said(
    "A question of its text or cluster is sealed, and judges would be shown what must stay "
    "unseen. Choose another question."
)


class Family(NamedTuple):
    """What is known of a question's family, itself included, as it stands before the move.

    Attributes:
        shown: A judge was shown one of them in a run.
        was_example: One of them is or was `examples`, or stands in a rubric as an example.
        closed: One of them is `examples` now, so that none of them is in any figure.
        looked_at: Someone read what judges said of an answer to one of them.
        opened: A certificate opened one of them.
        sealed: One of those that do not move along is sealed.
        left_behind: The sheets in which one that does not move along stays in evaluation.
        known: An answer to one of them is or was for practice, or a known one in queues.
    """

    shown: bool = False
    was_example: bool = False
    closed: bool = False
    looked_at: bool = False
    opened: bool = False
    sealed: bool = False
    left_behind: tuple[str, ...] = ()
    known: bool = False


def refusal(sheet: str, role: str, to: str, opened: bool, family: Family) -> str | None:
    """Why a question must not get a role; None where it may.

    Args:
        sheet: The question's sheet.
        role: The role it has.
        to: The role it would get.
        opened: Whether a certificate has opened the question itself.
        family: What is known of its family.
    """
    if role == to:
        return None
    if role == SEALED and not opened:
        return UNSEALING
    if to == EVALUATION:
        return _no_return(family) if role == EXAMPLES else None
    if to == SEALED:
        return _no_seal(sheet, family)
    return _no_example(sheet, family)


def _no_return(family: Family) -> str | None:
    if family.shown:
        return SHOWN
    return KNOWN if family.known else None


def _no_seal(sheet: str, family: Family) -> str | None:
    known = (
        (family.opened, OPENED),
        (family.shown or family.was_example, AN_EXAMPLE),
        (family.looked_at, LOOKED_AT),
    )
    for holds, why in known:
        if holds:
            return why
    return _left_behind(sheet, family.left_behind, said("read there"))


def _no_example(sheet: str, family: Family) -> str | None:
    if family.sealed:
        return AMONG_SEALED
    if family.looked_at and not family.closed:
        return LOOKED_AT_EXAMPLE
    elsewhere = tuple(name for name in family.left_behind if name != sheet)
    return _left_behind(sheet, elsewhere, said("scored there"))


def _left_behind(sheet: str, where: tuple[str, ...], what: str) -> str | None:
    if not where:
        return None
    if sheet in where:
        return said(
            "Its cluster or text has more questions in this sheet, which would be {what}. Give all "
            "of them the role together.",
            what=what,
        )
    return said(
        "Its text or cluster stands in {sheets} too, and would be {what}. Give the role in every "
        "sheet at once.",
        sheets=joined(" and ", [said("“{name}”", name=name) for name in where]),
        what=what,
    )
