"""Every move of a question from split to split, and what is known of its family, as a table."""

import itertools

import pytest

from concord.model import EVALUATION, FEW_SHOT, HELD_OUT, SPLITS
from concord.sampling import split_moves as moves
from concord.sampling.split_moves import Family, refusal

UNKNOWN = Family()
HERE, THERE = Family(left_behind=("a",)), Family(left_behind=("b",))

TABLE = [
    # from, to, opened itself, family, why it is refused ("" where it may be)
    (EVALUATION, FEW_SHOT, False, UNKNOWN, ""),
    (EVALUATION, FEW_SHOT, False, Family(looked_at=True), moves.LOOKED_AT_EXAMPLE),
    (EVALUATION, FEW_SHOT, False, Family(looked_at=True, closed=True), ""),
    (EVALUATION, FEW_SHOT, False, Family(held_out=True), moves.AMONG_HELD_OUT),
    (EVALUATION, FEW_SHOT, False, Family(shown=True), ""),
    (EVALUATION, FEW_SHOT, False, HERE, ""),  # the leak guard closes the rest of its cluster
    (EVALUATION, FEW_SHOT, False, THERE, "cluster are also in “b”"),
    (EVALUATION, HELD_OUT, False, UNKNOWN, ""),
    (EVALUATION, HELD_OUT, False, Family(looked_at=True), moves.LOOKED_AT),
    (EVALUATION, HELD_OUT, False, Family(was_example=True), moves.AN_EXAMPLE),
    (EVALUATION, HELD_OUT, False, Family(shown=True), moves.AN_EXAMPLE),
    (EVALUATION, HELD_OUT, False, Family(held_out=True), ""),  # it joins its sealed family
    (EVALUATION, HELD_OUT, False, Family(opened=True), moves.OPENED),
    (EVALUATION, HELD_OUT, True, Family(opened=True), moves.OPENED),
    (EVALUATION, HELD_OUT, False, HERE, "Move all of them together"),
    (EVALUATION, HELD_OUT, False, THERE, "in every sheet at once"),
    (FEW_SHOT, EVALUATION, False, UNKNOWN, ""),
    (FEW_SHOT, EVALUATION, False, Family(was_example=True, closed=True), ""),
    (FEW_SHOT, EVALUATION, False, Family(shown=True), moves.SHOWN),
    (FEW_SHOT, HELD_OUT, False, Family(was_example=True), moves.AN_EXAMPLE),
    (HELD_OUT, EVALUATION, False, UNKNOWN, moves.LEAVING_HELD_OUT),
    (
        HELD_OUT,
        EVALUATION,
        False,
        Family(opened=True),
        moves.LEAVING_HELD_OUT,
    ),  # another of its text was
    (HELD_OUT, EVALUATION, True, Family(opened=True), ""),
    (HELD_OUT, FEW_SHOT, False, UNKNOWN, moves.LEAVING_HELD_OUT),
    (HELD_OUT, FEW_SHOT, True, Family(opened=True), ""),
    (HELD_OUT, FEW_SHOT, True, Family(opened=True, held_out=True), moves.AMONG_HELD_OUT),
]


@pytest.mark.parametrize(("split", "to", "opened", "family", "why"), TABLE)
def test_a_move_is_made_or_refused_with_its_reason(split, to, opened, family, why):
    said = refusal("a", split, to, opened, family)
    assert (said is None) == (why == "")
    assert why in (said or "")


def test_every_pair_of_splits_stands_in_the_table():
    assert {(row[0], row[1]) for row in TABLE} == set(itertools.permutations(SPLITS, 2))


@pytest.mark.parametrize("split", SPLITS)
def test_a_split_a_question_has_already_is_never_refused(split):
    worst = Family(True, True, True, True, True, True, ("a", "b"))
    assert refusal("a", split, split, False, worst) is None
