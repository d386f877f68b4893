"""What a judge's replies to one answer came to, in words."""

from concord.reports.reliability.test_retest import by_reply

NAMES = {"v1": "correctness", "v2": "readability"}


def rows(*given):
    return [{"version": v, "repeat": repeat, "score": score} for v, repeat, score in given]


def test_replies_stand_in_their_order_and_one_without_a_score_is_a_dash():
    said = rows(("v1", 3, 2.0), ("v1", 1, 3.0), ("v2", 1, 0.0), ("v1", 2, None), ("other", 9, 1.0))
    assert by_reply(said, NAMES) == "3 replies: correctness 3, –, 2; readability 0."


def test_a_single_reply_or_none_says_nothing_of_steadiness():
    assert by_reply(rows(("v1", 1, 2.0)), NAMES) == by_reply([], NAMES) == ""
