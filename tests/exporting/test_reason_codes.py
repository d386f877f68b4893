import json

from concord.exporting.reason_codes import read_reasons, with_reasons
from concord.messages import Said, message_of
from concord.reports.document import as_json
from concord.stats.core.estimate import Estimate, Reason, reason, under

FEW = under(20, reason("no_verdict"))
OTHER = "it is worse than before"  # of a version that stored no codes


def stored(document):
    return json.loads(json.dumps(document))


def test_reasons_are_read_back_with_their_codes_and_values():
    found = {
        "why": (FEW, OTHER, reason("difference_fails")),
        "value": Estimate(None, why_none=reason("too_few_pairs", n=30)),
        "left_out": {"simple": reason("baseline_is_no_candidate"), "why_none": OTHER},
        "uncounted": {},
    }
    plain = stored(with_reasons(as_json(found)))
    assert plain["why"] == [message_of(FEW), OTHER, message_of(found["why"][2])]
    assert plain["why_code"] == ["too_few_questions", None, "difference_fails"]
    assert plain["why_values"] == [{"floor": 20, "then": {"code": "no_verdict"}}, {}, {}]
    assert plain["value"]["why_code"] == "too_few_pairs"
    assert plain["value"]["why_values"] == {"n": 30}
    again = read_reasons(plain)
    assert again["why"] == [*found["why"]]
    assert Estimate(**again["value"]) == found["value"]
    assert again["left_out"] == found["left_out"] and again["uncounted"] == {}
    assert again.keys() == found.keys()


def test_a_stored_reason_is_worded_by_its_code_and_one_without_keeps_its_english():
    document = {"why_none": "said otherwise then", "why_code": "no_verdict"}
    assert read_reasons(document) == {"why_none": Reason("no_verdict")}
    for unknown in ({}, {"why_code": None}, {"why_code": "of_a_later_version"}):
        again = read_reasons({"why_none": OTHER, **unknown})
        assert again == {"why_none": OTHER}


def test_a_message_around_a_reason_is_not_taken_for_the_reason():
    around = Said("judge: no", "judge: {why}", {"why": message_of(reason("no_verdict"))})
    assert with_reasons({"why_none": around}) == {"why_none": around}
