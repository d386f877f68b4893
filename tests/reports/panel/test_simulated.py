import pytest

from concord.messages import message_of
from concord.reports.panel.simulated import annotators_sentence, named, worded
from concord.stats.core.estimate import reason


def test_a_simulated_grader_is_marked_once():
    assert named("ana", False) == "ana"
    assert named("ana", True) == "ana (simulated)"
    assert named("simulated-ana", True) == "simulated-ana"


def test_of_a_fingerprint_the_beginning_is_shown_as_on_the_screen_judges():
    assert named("mine@d159e54c5df1047e", False) == "mine@d159e5"
    assert named("mine@d159e54c5df1047e", True) == "mine@d159e5 (simulated)"
    assert [named(one, False) for one in ("mine@d159e5", "a@b", "mine@0.3")] == [
        *("mine@d159e5", "a@b", "mine@0.3")
    ]


@pytest.mark.parametrize(
    ("simulated", "annotators", "said"),
    [
        (0, 3, ""),
        (1, 3, "1 of the 3 annotators is simulated."),
        (2, 3, "2 of the 3 annotators are simulated."),
        (1, 1, "The annotator is simulated."),
        (3, 3, "All of the annotators are simulated."),
    ],
)
def test_simulated_annotators_are_told_beside_a_figure(simulated, annotators, said):
    assert annotators_sentence(simulated, annotators) == said


def test_reasons_speak_of_simulated_annotators_where_they_are():
    why = reason("too_few_of_a_class", verb=reason("fail"), n=0, least=5)
    found = {"why_none": why, "rows": [{"auc": {"why_none": None}, "name": "x"}]}
    assert worded(found, False) == found
    simulated = worded(found, True)
    assert (
        message_of(simulated["why_none"])
        == "simulated annotators fail 0 of the answers; it requires 5"
    )
    assert simulated["rows"] == found["rows"]
