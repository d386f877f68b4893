"""Who grades which block: shared as much as wanted, evenly, and the same for the same seed."""

import pytest
from hypothesis import given as over
from hypothesis import strategies as st

from concord.grading.campaigns import Seat, assigned_annotators, overlap, seats_of_blocks
from concord.messages import Problem

ANNOTATORS = [11, 12, 13]


def test_every_block_has_its_seats():
    assert seats_of_blocks([0, 1], 2, 1, 7) == [Seat(0, 0), Seat(0, 1), Seat(1, 0), Seat(1, 1)]
    assert seats_of_blocks([0, 1], 3, 0, 7) == [Seat(0, 0), Seat(1, 0)]


@over(st.integers(1, 12), st.integers(1, 3), st.floats(0, 1), st.integers(0, 99), st.integers(3, 6))
def test_nobody_sits_twice_at_a_block_and_all_have_about_as_much(
    blocks, k, shared, seed, annotators
):
    taken = assigned_annotators(
        seats_of_blocks(range(blocks), k, shared, seed), range(annotators), seed
    )
    at_block = [(seat.block, person) for seat, person in taken.items()]
    assert len(at_block) == len(set(at_block))
    work = [list(taken.values()).count(person) for person in range(annotators)]
    assert max(work) - min(work) <= 2


def test_every_two_annotators_share_about_as_many_blocks():
    met = overlap(assigned_annotators(seats_of_blocks(range(12), 2, 1, 3), ANNOTATORS, 3))
    assert sorted(met.values()) == [4, 4, 4]


def test_what_annotators_have_already_counts_as_theirs():
    held = [(Seat(block, 0), 11) for block in range(3)]
    taken = assigned_annotators([Seat(block, 0) for block in range(3, 9)], ANNOTATORS, 1, held)
    assert sorted(list(taken.values()).count(person) for person in ANNOTATORS) == [0, 3, 3]
    assert assigned_annotators([Seat(0, 1)], [11, 12], 1, held) == {Seat(0, 1): 12}


def test_a_block_that_wants_more_annotators_than_there_are_is_refused():
    with pytest.raises(Problem):
        assigned_annotators(seats_of_blocks([0], 4, 1, 1), ANNOTATORS, 1)
