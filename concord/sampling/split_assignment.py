"""Assignment of questions to splits: the effect of a move, and the move; all or none."""

from typing import NamedTuple

from concord.clock import now
from concord.messages import Problem, joined, said
from concord.model import EVALUATION, SPLITS, STORED_SPLITS
from concord.sampling import question_exposure
from concord.sampling.leak_guard import ShownExamples
from concord.sampling.question_exposure import SheetQuestion, refusal
from concord.sampling.splits import CALLED
from concord.store.database import Store

_TOLD = 5  # refusals named in one Problem


class Move(NamedTuple):
    """The effect of moving questions to a split, in every sheet it touches.

    `refused` is the reason by question that must not move; where it is empty the move may be made.
    `moved` are the questions that would move; `leaving` and `returning` those that would leave the
    figures and come back. `answers` counts the answers to `leaving`, `graded` and `judged` the
    current grades of these by annotators and by judges.
    """

    split: str
    moved: list[int]
    refused: dict[int, str]
    leaving: set[int]
    returning: set[int]
    answers: int
    graded: int
    judged: int

    def as_json(self) -> dict:
        """Return the moved questions and what the statistics lost with them, for `--json`."""
        shown = self._asdict()
        del shown["refused"]
        return shown | {name: sorted(shown[name]) for name in ("moved", "leaving", "returning")}


def assign(
    store: Store, question_ids: list[int], split: str, why: str, everywhere: bool = False
) -> Move:
    """Move questions to a split from now on; the history is kept.

    A Problem where that would leak: all of them move, or none. `everywhere` takes along the
    questions of other sheets that share their cluster or text.
    """
    with store.write():
        move = weigh(store, question_ids, split, everywhere)
        if move.refused:
            raise Problem(_refusals(store, move))
        store.insert_many(
            "question_roles",
            ("question_id", "role", "why", "created_at"),
            [(question_id, STORED_SPLITS[split], why, now()) for question_id in move.moved],
        )
    return move


def weigh(store: Store, question_ids: list[int], split: str, everywhere: bool = False) -> Move:
    """Return the effect of moving questions to a split, and what forbids it; nothing is stored."""
    if split not in SPLITS:
        every = joined(", ", SPLITS)
        raise Problem("“{split}” is not a split. Choose one of: {every}.", split=split, every=every)
    questions = question_exposure.read(store)
    moving = _moving(questions, set(question_ids), everywhere)
    facts = question_exposure.facts(store, questions, moving)
    refused = {
        q.id: why
        for q in questions
        if q.id in moving
        and (why := refusal(q.sheet, q.split, split, q.id in facts.opened, facts.of(q)))
    }
    after = [q._replace(split=split) if q.id in moving else q for q in questions]
    out, out_then = _out(questions), _out(after)
    leaving = out_then - out
    moved = [q.id for q in questions if q.id in moving and q.split != split]
    counts = question_exposure.counts(store, leaving)
    return Move(split, moved, refused, leaving, out - out_then, *counts)


def _moving(questions: list[SheetQuestion], chosen: set[int], everywhere: bool) -> set[int]:
    """The questions that move: those chosen, and their families in other sheets if wanted."""
    if not everywhere:
        return chosen
    families = {q.family for q in questions if q.id in chosen}
    sheets = {q.sheet for q in questions if q.id in chosen}
    return chosen | {q.id for q in questions if q.family in families and q.sheet not in sheets}


def _out(questions: list[SheetQuestion]) -> set[int]:
    """The questions that are in no figure."""
    closing = ShownExamples([q.origin for q in questions if q.split != EVALUATION])
    return {q.id for q in questions if closing.leaks(q.origin)}


def _refusals(store: Store, move: Move) -> str:
    """The refused questions by reason, in words."""
    named = question_exposure.names(store, list(move.refused))
    by_reason: dict[str, list[str]] = {}
    for question_id, why in move.refused.items():
        by_reason.setdefault(why, []).append(said("“{name}”", name=named[question_id]))
    return joined(
        " ",
        [
            said(
                "{names} cannot move to “{split}”. Reason, per question: {why}",
                names=abbreviated(names, _TOLD),
                split=CALLED[move.split],
                why=why,
            )
            for why, names in by_reason.items()
        ],
    )


def abbreviated(names: list[str], told: int) -> str:
    """The first so many of some names, and how many more there are."""
    listed = joined(", ", names[:told])
    more = len(names) - told
    return said("{names} and {n} more", names=listed, n=more) if more > 0 else listed
