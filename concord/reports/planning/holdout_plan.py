"""Holding out questions: the random sample, and what it takes from the figures."""

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import NamedTuple

from concord.grading import annotators
from concord.messages import Problem, counted, said
from concord.model import EVALUATION, FEW_SHOT, HELD_OUT, Sheet
from concord.reports.document import Column, Document, Table
from concord.sampling import question_exposure, sample, split_assignment, splits
from concord.sampling.sample import Whole
from concord.sampling.split_assignment import Move
from concord.sampling.splits import CALLED
from concord.store import grade_table
from concord.store import items as store_items
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

# Strata are sampled in the order of these words: another wording would change the sample of a seed.
FAILED, PASSED = "annotators failed one", "annotators failed none"
UNGRADED = "not graded"
ON_SCREEN = "on the splits screen"  # the reason recorded with questions held out there
_MOVING = {
    FEW_SHOT: "to the few-shot pool: judges may be shown these, and no figure counts them.",
    EVALUATION: "to evaluation: every figure counts these.",
    HELD_OUT: "to the held-out test: no figure counts these until a certificate opens them.",
}
_TIED = (
    "Excluded from the figures too: {questions} that share a text or cluster with a question in "
    "the few-shot pool or the held-out test."
)
_BARRED = "{questions} cannot be held out. Reason, per question: {why}"


class HoldOut(NamedTuple):
    """A random sample of questions to hold out, before anything is stored.

    Attributes:
        strata: Sampled, of how many, by answering models and whether annotators failed an answer.
        barred: Number of questions of the sheet that cannot be held out, by reason.
        move: The effect of holding them out, in every sheet it touches.
    """

    seed: int
    questions: list[int]
    strata: dict[str, tuple[int, int]]
    barred: dict[str, int]
    move: Move


def draw(store: Store, sheet: Sheet, wanted: int, seed: int, everywhere: bool = False) -> HoldOut:
    """Sample about `wanted` questions of a sheet to hold out; a Problem where fewer may be."""
    if wanted < 1:
        raise Problem("Hold out at least 1 question.")
    pool = _pool(store, sheet)
    refused = split_assignment.weigh(store, sorted(pool), HELD_OUT, everywhere).refused
    families: dict[int, list[int]] = defaultdict(list)
    for question in question_exposure.read(store):
        if question.id in pool:
            families[question.family].append(question.id)
    stratum = _strata(store, sheet)
    whole = [
        Whole(tuple(those), stratum(those))
        for those in families.values()
        if refused.keys().isdisjoint(those)
    ]
    barred = dict(Counter(refused[question] for question in pool & refused.keys()))
    able = sum(len(family.questions) for family in whole)
    if able < wanted:
        raise Problem(
            "{questions} cannot be held out: sheet “{sheet}” has only {able} that may be. Ask for "
            "fewer.{whys}",
            questions=counted(wanted, "question"),
            sheet=sheet.name,
            able=able,
            whys="".join(f"\n{barred_sentence(n, why)}" for why, n in barred.items()),
        )
    drawn = sample.draw_hold_out(whole, wanted, seed)
    move = split_assignment.weigh(store, drawn.questions, HELD_OUT, everywhere)
    return HoldOut(seed, drawn.questions, drawn.strata, barred, move)


def barred_sentence(questions: int, why: str) -> str:
    """Return how many questions cannot be held out, and why."""
    return _BARRED.format(questions=counted(questions, "question"), why=why)


def hold_out(
    store: Store, sheet: Sheet, drawn: HoldOut, why: str, everywhere: bool = False
) -> Move:
    """Hold out the sampled questions; a Problem where that would leak by now."""
    noted = f"held-out sample, seed {drawn.seed}: {why}".removesuffix(": ")
    return split_assignment.assign(store, drawn.questions, HELD_OUT, noted, everywhere)


def document(move: Move) -> Document:
    """Return what a move takes from the figures, or brings back into them."""
    columns = (
        Column("effect"),
        Column("questions", "count"),
        Column("answers", "count"),
        Column("annotators' grades", "count"),
        Column("judges' grades", "count"),
    )
    leaving = (len(move.leaving), move.answers, move.graded, move.judged)
    rows = [("excluded from all figures", *leaving)] if move.leaving else []
    if move.returning:
        rows.append(("included in figures again", len(move.returning), None, None, None))
    unchanged = move.moved and not rows
    return Document(
        headline(move),
        facts=("No figure changes.",) if unchanged else (),
        tables=(Table("effect", columns, tuple(rows), across=True),),
    )


def strata(drawn: HoldOut) -> Table:
    """Return how many questions of each stratum were sampled, and of how many."""
    columns = (
        Column("Answered by; annotators' grades"),
        Column("Sampled", "count"),
        Column("Available", "count"),
    )
    rows = tuple((name, taken, of) for name, (taken, of) in drawn.strata.items())
    return Table("strata", columns, rows)


def tied(questions: int) -> str:
    """Return how many questions the figures exclude though nobody put them in a split."""
    return _TIED.format(questions=counted(questions, "question"))


def headline(move: Move) -> str:
    """Return where how many questions move, and what figures make of them and of tied ones."""
    if not move.moved:
        return said("Nothing changes. Already in this split: {name}.", name=CALLED[move.split])
    moving = f"{counted(len(move.moved), 'question')} {_MOVING[move.split]}"
    further = len(move.leaving.difference(move.moved))
    return f"{moving} {tied(further)}" if further else moving


def share_of(store: Store, sheet: Sheet, share: float) -> int:
    """Convert a share of the sheet's evaluation questions to a number, rounded, at least one."""
    return max(1, round(share * len(_pool(store, sheet))))


def _pool(store: Store, sheet: Sheet) -> set[int]:
    return {row["id"] for row in splits.of_sheet(store, sheet.id) if row["split"] == EVALUATION}


def _strata(store: Store, sheet: Sheet) -> Callable[[list[int]], str]:
    """The stratum of some questions: the models that answered, and what annotators made of it."""
    models: dict[int, set[str]] = defaultdict(set)
    question_of = {}
    for row in store_items.item_index(store, sheet.id):
        models[row["question_id"]].add(row["answer_model"] or "unknown")
        question_of[row["id"]] = row["question_id"]
    graded, failed = ({question_of[item] for item in items} for items in _graded(store, sheet))

    def stratum(questions: list[int]) -> str:
        answered = " + ".join(sorted(set().union(*(models[q] for q in questions))))
        made = FAILED if not failed.isdisjoint(questions) else PASSED
        grades = made if not graded.isdisjoint(questions) else UNGRADED
        return f"{answered}; {grades}"

    return stratum


def _graded(store: Store, sheet: Sheet) -> tuple[set[int], set[int]]:
    """The items annotators scored on the heaviest criterion, and those of them one failed."""
    names = rubric_versions.graded(store, sheet.id)
    if not names:
        return set(), set()
    rubric = rubric_versions.named(store, names[0])[1]
    heaviest = rubric.heaviest()
    versions = rubric_versions.counting(store, rubric.version(heaviest))
    table = grade_table.table(store, sheet.id, dict.fromkeys(versions, heaviest.name))
    persons = annotators.included(store, sheet.id)
    scored = table[table["grader_id"].isin(persons) & (table["status"] == "scored")]
    failing = scored[scored["score"].isin(rubric.failing(heaviest))]
    return set(scored["item_id"]), set(failing["item_id"])
