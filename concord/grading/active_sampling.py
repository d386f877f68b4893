"""Active sampling: the next answers to label, sampled evenly or favouring suspected failures.

An even sample takes questions that are in no grading set and ungraded. A sample that favours
suspected questions, and every sample after one, takes from all questions whatever other sets hold,
so that samples are independent. The inclusion probability of every question is stored, also of
those not sampled, for the weighted estimates (`concord/grading/inclusion_probabilities.py`).
"""

from collections.abc import Collection
from typing import NamedTuple

from concord.grading import annotators, grading_sets, inclusion_probabilities
from concord.grading.grading_sets import BLOCK_SIZE, GradingSet
from concord.messages import Problem, counted
from concord.model import Sheet
from concord.sampling import sample
from concord.sampling.sample import Draw, Question
from concord.sampling.splits import held_out
from concord.store import grade_table
from concord.store.database import Store
from concord.store.rubrics import rubric_versions

WORTHWHILE = 0.1  # the part of the questions that must be ungraded for suspicion to find anything


class SampleRequest(NamedTuple):
    """The next sample to take.

    `suspected` are ids of answers suspected to fail; one of them makes its question suspected.
    `extra` is the share of the sample reserved for those, 0 (an even sample) to 1.
    """

    questions: int
    seed: int
    suspected: Collection[int] = ()
    extra: float = 0.0


class Pool(NamedTuple):
    """The questions a sample may take, and how many are excluded: in a set, or graded."""

    questions: list[Question]
    held: int


def pool(store: Store, sheet: Sheet, rubric_id: int, wanted: SampleRequest) -> Pool:
    """Return the questions a sample may take.

    Held-out questions are left to even samples: a certificate must not depend on judges' grades. A
    Problem where a sample that favours suspected questions has too few new ones.
    """
    every = grading_sets.drawable(store, sheet.id)
    if wanted.extra:
        # Oversampling goes by judges' grades, which must not decide what a certificate rests on.
        shut = held_out(store, sheet.id)
        left = [question for question in every if question.id not in shut]
        graded = _graded(store, sheet, rubric_id)
        done = sum(graded.issuperset(item for item, _ in question.answers) for question in left)
        if left and len(left) - done < WORTHWHILE * len(left):
            raise Problem(
                "Annotators have already graded {done:,} of the {questions} this set would be "
                "sampled from. Almost no failures are left to find, and the figures would include "
                "fewer answers than now. For a second annotator, sample at random under Grading "
                "sets; for more answers, import more questions.",
                done=done,
                questions=counted(len(left), "question"),
            )
        return Pool(left, 0)
    versions = rubric_versions.criteria(store, rubric_versions.get(store, rubric_id))
    if inclusion_probabilities.drawn_sets(store, sheet.id, versions):
        return Pool(every, 0)
    held, graded = _held(store, sheet, rubric_id), _graded(store, sheet, rubric_id)
    fresh = [
        question
        for question in every
        if held.isdisjoint(items := {item for item, _ in question.answers}) and not items <= graded
    ]
    return Pool(fresh, len(every) - len(fresh))


def drawn(of: Pool, wanted: SampleRequest) -> Draw:
    """Return the sample; a Problem without questions, or with an inclusion probability of 0."""
    grading_sets.checked(wanted.questions)
    if not of.questions:
        raise Problem(
            "Every question is already graded or in a grading set. Let more annotators grade "
            "those sets, or import more questions."
        )
    if not wanted.extra:
        return sample.draw(of.questions, wanted.questions, BLOCK_SIZE, wanted.seed)
    if wanted.questions < 2 <= len(of.questions):
        raise Problem(
            "Oversampling suspected questions needs at least two questions, so that every "
            "question can be sampled. Request more."
        )
    suspects = suspected(of.questions, wanted)
    return sample.enriched(
        of.questions, suspects, wanted.questions, wanted.extra, BLOCK_SIZE, wanted.seed
    )


def suspected(questions: list[Question], wanted: SampleRequest) -> set[int]:
    """The questions of which an answer is suspected to fail."""
    items = set(wanted.suspected)
    return {q.id for q in questions if any(item in items for item, _ in q.answers)}


def create(
    store: Store, sheet: Sheet, rubric_id: int, name: str, wanted: SampleRequest
) -> GradingSet:
    """Draw the next grading set, and store it with the chance of every question."""
    with store.write():
        of = pool(store, sheet, rubric_id, wanted)
        made = drawn(of, wanted)
        whole = not of.held and len(made.answers) == sheet.items
        given = rubric_id, name, wanted.seed, "whole" if whole else "draw", made
        kept = grading_sets.keep(store, sheet.id, *given)
        if wanted.extra and not whole:
            inclusion_probabilities.record(store, kept.id, _chances(of, made, wanted))
    return kept


def _held(store: Store, sheet: Sheet, rubric_id: int) -> set[int]:
    """The answers in sets whose grades count under the rubric."""
    counting = set(rubric_versions.criteria(store, rubric_versions.get(store, rubric_id)))
    held: set[int] = set()
    for one in grading_sets.of_sheet(store, sheet.id):
        versions = rubric_versions.get(store, one.rubric_id).versions().values()
        if not counting.isdisjoint(versions):
            held |= grading_sets.items(store, one.id)
    return held


def _graded(store: Store, sheet: Sheet, rubric_id: int) -> set[int]:
    """The answers that an included annotator has graded under the rubric."""
    versions = rubric_versions.criteria(store, rubric_versions.get(store, rubric_id))
    persons = annotators.included(store, sheet.id)
    table = grade_table.table(store, sheet.id, versions)
    return set(table.loc[table["grader_id"].isin(persons), "item_id"])


def _chances(of: Pool, made: Draw, wanted: SampleRequest) -> dict[int, float]:
    """Return the inclusion probability of every answer that could have been sampled."""
    suspects = suspected(of.questions, wanted)
    found = {}
    for question in of.questions:
        group = sample.SUSPECTED if question.id in suspects else sample.OTHERS
        taken, size = made.strata.get(f"{question.stratum()}; {group}") or made.strata[group]
        found |= {item: taken / size for item, _ in question.answers}
    return found
