"""Splits of questions, and the leak guard: what may be shown to judges is never scored."""

from collections.abc import Iterable
from typing import NamedTuple

from concord.clock import now
from concord.messages import joined, said
from concord.problems import Problem
from concord.sampling import question_exposure
from concord.sampling.leak_guard import Origin, Shown
from concord.sampling.question_exposure import Question
from concord.sampling.split_moves import CALLED, EVALUATION, EXAMPLES, SEALED, SPLITS, refusal
from concord.store.database import Row, Store
from concord.store.sheets import Sheet

_SPLIT = "(select role from question_roles r where r.question_id = q.id order by r.id desc limit 1)"
_TOLD = 5  # refusals named in one Problem


class Move(NamedTuple):
    """The effect of moving questions to a split, in every sheet it touches.

    `refused` is the reason by question that must not move; where it is empty the move may be made.
    `moved` are the questions that would move; `leaving` and `returning` those that would leave the
    figures and come back. `answers` counts the answers to `leaving`, `graded`
    and `judged` the current grades of these by annotators and by judges.
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
        """What was moved and what left the figures, for `--json`."""
        return {
            "split": self.split,
            "moved": sorted(self.moved),
            "leaving": sorted(self.leaving),
            "returning": sorted(self.returning),
            "answers": self.answers,
            "graded": self.graded,
            "judged": self.judged,
        }


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
            [(question_id, split, why, now()) for question_id in move.moved],
        )
    return move


def weigh(store: Store, question_ids: list[int], split: str, everywhere: bool = False) -> Move:
    """Return the effect of moving questions to a split, and what forbids it; nothing is stored."""
    if split not in SPLITS:
        every = ", ".join(SPLITS)
        raise Problem(f"“{split}” is not a split. Choose one of: {every}.")
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


def questions_named(store: Store, sheet: Sheet, names: Iterable[str]) -> list[int]:
    """The ids of questions by the sheet's own ids, or by number where the sheet gives none.

    A Problem that names those there are not.
    """
    known = {row["own_id"] or str(row["id"]): row["id"] for row in of_sheet(store, sheet.id)}
    unknown = [name for name in names if name not in known]
    if unknown:
        listed = ", ".join(f"“{name}”" for name in unknown)
        raise Problem(
            f"Sheet “{sheet.name}” has no question {listed}. The command `splits` lists them."
        )
    return [known[name] for name in names]


def of_sheet(store: Store, sheet_id: int) -> list[Row]:
    """Every question of a sheet with its split and its number of answers."""
    return store.rows(
        f"select q.id, q.own_id, q.text, q.cluster, coalesce({_SPLIT}, 'evaluation') as split,"
        " (select count(*) from items i where i.question_id = q.id) as answers"
        " from questions q where sheet_id = ? order by q.id",
        (sheet_id,),
    )


def leaked(store: Store, sheet_id: int, also: Iterable[Origin] = ()) -> set[int]:
    """The questions of a sheet that are never scored, because judges may have seen them.

    Those that leak by what is shown anywhere: the questions with split `examples` in any sheet, and
    `also`, what else a judge is shown.
    """
    return _tied(store, sheet_id, [*_origins(store, EXAMPLES), *also])


def sealed(store: Store, sheet_id: int) -> set[int]:
    """The questions of a sheet that stay closed until a certificate opens them.

    Those with split `sealed`, and those that came in later with the text or cluster of one that is
    sealed in any sheet.
    """
    return _tied(store, sheet_id, _origins(store, SEALED))


def _tied(store: Store, sheet_id: int, origins: list[Origin]) -> set[int]:
    """The questions of a sheet that share the cluster or text of some origins."""
    if not origins:
        return set()
    shown = Shown(origins)
    return {
        row["id"]
        for row in store.rows(
            "select id, text_hash, cluster from questions where sheet_id = ?", (sheet_id,)
        )
        if shown.leaks(Origin(row["text_hash"], row["cluster"]))
    }


def _origins(store: Store, split: str) -> list[Origin]:
    return [
        Origin(*row)
        for row in store.rows(
            "select q.text_hash, q.cluster from questions q join question_roles r"
            " on r.question_id = q.id where r.role = ? and r.id ="
            " (select max(id) from question_roles l where l.question_id = q.id)",
            (split,),
        )
    ]


def _moving(questions: list[Question], chosen: set[int], everywhere: bool) -> set[int]:
    """The questions that move: those chosen, and their families in other sheets if wanted."""
    if not everywhere:
        return chosen
    families = {q.family for q in questions if q.id in chosen}
    sheets = {q.sheet for q in questions if q.id in chosen}
    return chosen | {q.id for q in questions if q.family in families and q.sheet not in sheets}


def _out(questions: list[Question]) -> set[int]:
    """The questions that are in no figure."""
    closing = Shown([q.origin for q in questions if q.split != EVALUATION])
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
                "Question {names} cannot move to the {split}. {why}",
                names=some_of(names, _TOLD),
                split=CALLED[move.split],
                why=why,
            )
            for why, names in by_reason.items()
        ],
    )


def some_of(names: list[str], told: int) -> str:
    """The first so many of some names, and how many more there are."""
    listed = joined(", ", names[:told])
    more = len(names) - told
    return said("{names} and {n} more", names=listed, n=more) if more > 0 else listed
