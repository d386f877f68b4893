"""Samples of questions: the next grading set, those held out, and what each does to the figures.

A grading set may take answers that judges fail, among which annotators find failing ones sooner.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from concord.grading import active_sampling, annotators, grading_sets
from concord.grading.active_sampling import SampleRequest
from concord.messages import Problem, counted
from concord.model import EVALUATION, HELD_OUT, Sheet
from concord.reports.document import Column, Document, Table, table_of
from concord.reports.panel.panel import Panel
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


class HoldOut(NamedTuple):
    """A random sample of questions to hold out, before anything is stored.

    Attributes:
        strata: Sampled, of how many, by answering models and whether annotators failed an answer.
        move: The effect of holding them out, in every sheet it touches.
    """

    seed: int
    questions: list[int]
    strata: dict[str, tuple[int, int]]
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
    able = sum(len(family.questions) for family in whole)
    if able < wanted:
        whys = Counter(refused[question] for question in pool & refused.keys())
        raise Problem(
            "Sheet “{sheet}” has only {able} questions that may be held out. {why}",
            sheet=sheet.name,
            able=able,
            why=max(whys, key=whys.get, default=""),
        )
    drawn = sample.draw_hold_out(whole, wanted, seed)
    move = split_assignment.weigh(store, drawn.questions, HELD_OUT, everywhere)
    return HoldOut(seed, drawn.questions, drawn.strata, move)


def hold_out(
    store: Store, sheet: Sheet, drawn: HoldOut, why: str, everywhere: bool = False
) -> Move:
    """Hold out the sampled questions; a Problem where that would leak by now."""
    noted = f"seed {drawn.seed}: {why}".removesuffix(": ")
    return split_assignment.assign(store, drawn.questions, HELD_OUT, noted, everywhere)


def document(move: Move) -> Document:
    """Return what a move takes from the figures, or brings back into them."""
    parts = (
        (Column("questions out of the figures", "count"), lambda one: len(one.leaving)),
        (Column("answers", "count"), "answers"),
        (Column("annotators' grades", "count"), "graded"),
        (Column("judges' grades", "count"), "judged"),
        (Column("questions back in the figures", "count"), lambda one: len(one.returning)),
    )
    return Document(headline(move), tables=(table_of("effect", [move], parts),))


def strata(found: Mapping[str, tuple[int, int]]) -> Table:
    """Return how many questions of each stratum were sampled, of how many."""
    rows = [(name or "unknown", taken, size, taken / size) for name, (taken, size) in found.items()]
    columns = (
        Column("Stratum"),
        Column("Questions sampled", "count"),
        Column("Available", "count"),
        Column("Inclusion probability", "precise"),
    )
    return Table("strata", columns, tuple(rows))


def tied(questions: int) -> str:
    """Return how many questions the figures exclude though nobody put them in a split."""
    return "Excluded too, by a text or cluster in common: " + counted(questions, "question")


def headline(move: Move) -> str:
    """Return where how many questions move, and what figures make of them and of tied ones."""
    if not move.moved:
        return "Already in this split: " + CALLED[move.split]
    moving = f"{CALLED[move.split]}: {counted(len(move.moved), 'question')}."
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


WEIGHED = (
    "Inclusion probabilities are stored and all figures are weighted by their inverse, so none is "
    "biased by the choice."
)


def request(
    panel: Panel, criterion: str, questions: int, seed: int, extra: float = 0.0
) -> SampleRequest:
    """Return the sample to take, a share `extra` of it for answers that a judge fails.

    A Problem where such are wanted and no judge has graded.
    """
    if not extra:
        return SampleRequest(questions, seed)
    judges = [judge.id for judge in panel.judges.values() if judge.kind == "judge"]
    if not judges:
        raise Problem(
            "No judge has graded this sheet, so there are no suspected failures. Run one first."
        )
    failing = list(panel.rubric.failing(panel.rubric.criterion(criterion)))
    marks = [panel.of(criterion, judge) for judge in judges]
    failed = np.any([one.scored & np.isin(one.score, failing) for one in marks], axis=0)
    items = frozenset(panel.items["id"].to_numpy()[panel.open & failed].tolist())
    return SampleRequest(questions, seed, items, extra)


def propose(store: Store, panel: Panel, rubric_id: int, wanted: SampleRequest) -> dict[str, Any]:
    """Return the draw that `create` would make now; a Problem where it cannot.

    `held` are the questions passed over because they are graded or in a grading set, and `warning`
    what to consider before.
    """
    pool = active_sampling.pool(store, panel.sheet, rubric_id, wanted)
    drawn = active_sampling.drawn(pool, wanted)
    items, warning = {answer.item_id for answer in drawn.answers}, ""
    if wanted.extra:
        given = [
            marks.status >= 0
            for (_, grader), marks in panel.marks.items()
            if grader in panel.annotators
        ]
        graded = {*panel.items["id"].to_numpy()[np.any(given, axis=0)].tolist()} if given else set()
        sets = grading_sets.of_sheet(store, panel.sheet.id)
        unknown = graded.difference(items, *(grading_sets.items(store, one.id) for one in sets))
        if unknown:
            warning = (
                "The figures will exclude answers graded outside every set, of unknown inclusion "
                "probability: " + counted(len(unknown), "answer")
            )
    return {
        "questions": sum(count for count, _ in drawn.strata.values()),
        "answers": len(items),
        "held": pool.held,
        "warning": warning,
    }


def create(
    store: Store, panel: Panel, rubric_id: int, name: str | None, wanted: SampleRequest
) -> dict[str, Any]:
    """Take the sample and store it as a set; without a name it is numbered."""
    sets = grading_sets.of_sheet(store, panel.sheet.id)
    given = (name or "").strip() or grading_sets.next_name(sets)
    made = active_sampling.create(store, panel.sheet, rubric_id, given, wanted)
    return {
        "set": made.name,
        "id": made.id,
        "questions": made.questions,
        "answers": made.answers,
        "seed": made.seed,
        "enriched": wanted.extra,
        "strata": dict(grading_sets.strata(store, made.id)),
    }


def sentence(made: Mapping[str, Any]) -> str:
    """Return what was sampled."""
    size = f"{counted(made['questions'], 'question')} with {counted(made['answers'], 'answer')}"
    return f"{made['set']}: {size}. {WEIGHED if made['enriched'] else ''}"
