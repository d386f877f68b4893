"""A share of the time: what may be spent at once, what is earned back, what was overspent."""

from concord.judges.running.writer import TimeShare


def test_what_is_saved_up_may_be_spent_at_once_and_no_more():
    one = TimeShare(0.25, 0.5)
    assert one.is_left(100.0)
    one.spend(0.5)
    assert not one.is_left(100.0)


def test_time_earns_its_part_back_up_to_what_may_be_saved():
    one = TimeShare(0.25, 0.5)
    one.is_left(100.0)
    one.spend(1.5)  # one second more than there was
    assert not one.is_left(104.0)  # four seconds earn it back: nothing is left, and nothing owed
    assert one.is_left(104.5)
    assert one.is_left(1000.0)
    one.spend(0.5)
    assert not one.is_left(1000.0)
