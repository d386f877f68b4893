import pytest

from concord.reports.panel.simulated import named, people_sentence, worded


def test_a_simulated_grader_is_marked_once():
    assert named("ana", False) == "ana"
    assert named("ana", True) == "ana (simulated)"
    assert named("simulated-ana", True) == "simulated-ana"


@pytest.mark.parametrize(
    ("simulated", "people", "said"),
    [
        (0, 3, ""),
        (1, 3, "1 of the 3 people is simulated."),
        (2, 3, "2 of the 3 people are simulated."),
        (1, 1, "The person is simulated."),
        (3, 3, "All of the people are simulated."),
    ],
)
def test_simulated_people_are_told_beside_a_figure(simulated, people, said):
    assert people_sentence(simulated, people) == said


def test_reasons_speak_of_simulated_people_where_they_are():
    found = {
        "why_none": "people fail 0 answers",
        "rows": [{"auc": {"why_none": None}, "name": "x"}],
    }
    assert worded(found, False) == found
    assert worded(found, True) == found | {"why_none": "simulated people fail 0 answers"}
