"""Every move of a question from split to split, and what is known of its family, as a table."""

import itertools

import pytest

from concord.sampling import split_moves as moves
from concord.sampling.split_moves import Family, refusal
from concord.sampling.splits import EVALUATION, EXAMPLES, SEALED, SPLITS

UNKNOWN = Family()
HERE, THERE = Family(left_behind=("a",)), Family(left_behind=("b",))

TABLE = [
    # from, to, opened itself, family, why it is refused ("" where it may be)
    (EVALUATION, EXAMPLES, False, UNKNOWN, ""),
    (EVALUATION, EXAMPLES, False, Family(looked_at=True), moves.LOOKED_AT_EXAMPLE),
    (EVALUATION, EXAMPLES, False, Family(looked_at=True, closed=True), ""),
    (EVALUATION, EXAMPLES, False, Family(sealed=True), moves.AMONG_SEALED),
    (EVALUATION, EXAMPLES, False, Family(shown=True), ""),
    (EVALUATION, EXAMPLES, False, HERE, ""),  # the leak guard closes the rest of its cluster
    (EVALUATION, EXAMPLES, False, THERE, "“b” have questions with the same text"),
    (EVALUATION, SEALED, False, UNKNOWN, ""),
    (EVALUATION, SEALED, False, Family(looked_at=True), moves.LOOKED_AT),
    (EVALUATION, SEALED, False, Family(was_example=True), moves.AN_EXAMPLE),
    (EVALUATION, SEALED, False, Family(shown=True), moves.AN_EXAMPLE),
    (EVALUATION, SEALED, False, Family(sealed=True), ""),  # it joins its sealed family
    (EVALUATION, SEALED, False, Family(opened=True), moves.OPENED),
    (EVALUATION, SEALED, True, Family(opened=True), moves.OPENED),
    (EVALUATION, SEALED, False, HERE, "Move all of them together"),
    (EVALUATION, SEALED, False, THERE, "in every sheet at once"),
    (EXAMPLES, EVALUATION, False, UNKNOWN, ""),
    (EXAMPLES, EVALUATION, False, Family(was_example=True, closed=True), ""),
    (EXAMPLES, EVALUATION, False, Family(shown=True), moves.SHOWN),
    (EXAMPLES, SEALED, False, Family(was_example=True), moves.AN_EXAMPLE),
    (SEALED, EVALUATION, False, UNKNOWN, moves.UNSEALING),
    (SEALED, EVALUATION, False, Family(opened=True), moves.UNSEALING),  # another of its text was
    (SEALED, EVALUATION, True, Family(opened=True), ""),
    (SEALED, EXAMPLES, False, UNKNOWN, moves.UNSEALING),
    (SEALED, EXAMPLES, True, Family(opened=True), ""),
    (SEALED, EXAMPLES, True, Family(opened=True, sealed=True), moves.AMONG_SEALED),
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
