"""Packs by way of Label Studio and Argilla: what they read, and what they export."""

import json
from copy import deepcopy
from xml.etree import ElementTree

import pytest

from concord.grading.offline import take_back
from concord.importing.readers.formats import open_table
from concord.messages import Problem, is_message
from tests.support.packs import graded, take


def annotation(score="2", person=7, **more):
    result = [
        {
            "from_name": f"score_{name}",
            "to_name": "answer",
            "type": "choices",
            "value": {"choices": [score]},
        }
        for name in ("correctness", "comprehensiveness", "readability")
    ]
    note = {"from_name": "note", "type": "textarea", "value": {"text": ["読みやすい"]}}
    return {
        "completed_by": person,
        "was_cancelled": False,
        "lead_time": 30.0,
        "result": [*result, note],
        **more,
    }


def tasks(made, *annotations):
    """The export of a project in which every task has these annotations."""
    found = json.loads(made.held["Team - Ana tasks.json"])
    return [
        {"id": n, "data": one["data"], "annotations": deepcopy([*annotations]), "predictions": []}
        for n, one in enumerate(found, 1)
    ]


def comes_back(store, export, **more):
    return take(store, json.dumps(export).encode(), "export.json", **more)


def is_pack(export):
    table = open_table(json.dumps(export).encode(), "export.json")
    return take_back.table_of(table, None) is not None


def test_the_interface_asks_one_choice_of_every_criterion_and_shows_every_text(
    packed_for_platforms, rubric
):
    view = ElementTree.fromstring(packed_for_platforms.held["Team interface.xml"])
    shown = {text.get("name"): text.get("value") for text in view.iter("Text")}
    (first, *_) = json.loads(packed_for_platforms.held["Team - Ana tasks.json"])
    assert shown == {name: f"${name}" for name in ("question", "contexts", "answer")}
    assert {*first["data"]} == {"row_code", *shown}
    choices = {c.get("name"): [x.get("alias") for x in c] for c in view.iter("Choices")}
    given = ["0", "1", "2", "3", "cannot grade"]
    assert choices == {f"score_{one.name}": given for one in rubric[1].criteria}
    assert all(choice.get("toName") == "answer" for choice in view.iter("Choices"))


def test_an_export_of_label_studio_comes_back_with_its_time_and_notes(store, packed_for_platforms):
    read, taken = comes_back(store, tasks(packed_for_platforms, annotation()))
    assert taken.grades == 12 and read.skipped() == []
    assert {tuple(row)[2:] for row in graded(store)} == {("scored", 2.0, "読みやすい", 1, 10.0)}
    assert comes_back(store, tasks(packed_for_platforms, annotation()))[1].grades == 0


def test_ratings_count_and_the_whole_words_of_a_choice_mean_its_score(
    store, packed_for_platforms, rubric
):
    export = tasks(packed_for_platforms, annotation())
    level = rubric[1].criteria[0].levels[3]
    for task in export:
        task["annotations"][0]["result"][0]["value"] = {"rating": 1}
        task["annotations"][0]["result"][1]["value"] = {"choices": ["cannot grade"]}
    export[0]["annotations"][0]["result"][0]["value"] = {"choices": [f"3: {level.meaning}"]}
    assert comes_back(store, export)[1].grades == 12
    scores = [row["score"] for row in graded(store)]
    assert (scores.count(1), scores.count(3), scores.count(None)) == (3, 1, 4)


def test_drafts_skipped_answers_and_predictions_are_said_and_are_no_grades(
    store, packed_for_platforms
):
    export = tasks(packed_for_platforms, annotation(), annotation("0", 9, was_cancelled=True))
    export[0]["annotations"] = []
    export[0]["drafts"] = [{"result": []}]
    export[1]["predictions"] = [{"result": []}]
    with pytest.raises(
        Problem, match=r"Row 1 of the package: the answer “.*” is not in the export"
    ):
        comes_back(store, export)
    read, taken = comes_back(store, export, partial=True)
    assert taken.grades == 9
    assert read.skipped() == [
        "1 draft is not submitted, so no grade yet.",
        "1 prediction by a model there was not imported.",
        "3 answers are skipped there, so no grade.",
    ]
    assert all(map(is_message, [*read.skipped(), *(bad.problem for bad in read.bad_rows)]))


def test_several_annotators_of_one_project_have_to_be_named(store, packed_for_platforms):
    export = tasks(
        packed_for_platforms, annotation(), annotation("0", {"id": 9, "email": "bo@example.org"})
    )
    with pytest.raises(Problem) as refused:
        comes_back(store, export)
    assert "7 (4 answers), bo@example.org (4 answers). Say who each one is with" in str(
        refused.value
    )
    on_screen = refused.value.on_screen
    assert "--" not in on_screen and "Export the grades of one annotator" in on_screen
    who = {"7": "Ana", "bo@example.org": "Bo"}
    assert comes_back(store, export, who=who)[1].grades == 24
    assert {row["score"] for row in graded(store, "Bo")} == {0.0}


def test_two_choices_where_one_is_meant_and_an_export_that_hides_what_was_skipped_are_refused(
    store, packed_for_platforms
):
    export = tasks(packed_for_platforms, annotation())
    export[0]["annotations"][0]["result"][0]["value"]["choices"] = ["1", "2"]
    with pytest.raises(Problem, match="column “score_correctness”: the score “1, 2” is not a num"):
        comes_back(store, export)
    flat = [{**task["data"], "annotation_id": 1, "annotator": 7} for task in export]
    with pytest.raises(Problem, match="does not say what was skipped"):
        comes_back(store, flat)
    assert is_pack(export)
    for task in export:
        del task["data"]["row_code"]
    assert not is_pack(export)


def test_an_export_of_other_records_is_no_package():
    one = {"value": 2, "user_id": "ana", "status": "draft"}
    record = {"id": "r0", "fields": {"prompt": "Why?"}, "responses": {"correctness": [one]}}
    assert not is_pack([record])
    assert is_pack([record | {"id": "6pfnt3da-msbtt27tgdgks4un"}])


def test_argilla_is_given_records_and_settings_that_belong_together(packed_for_platforms, rubric):
    settings = json.loads(packed_for_platforms.held["Team settings.json"])
    records = json.loads(packed_for_platforms.held["Team - Ana records.json"])
    assert {*records[0]["fields"]} == {one["name"] for one in settings["fields"]}
    asked = {one["name"]: one["settings"] for one in settings["questions"]}
    assert [*asked] == [*(f"score_{one.name}" for one in rubric[1].criteria), "note"]
    options = asked["score_correctness"]["options"]
    assert [one["value"] for one in options] == ["0", "1", "2", "3", "cannot grade"]
    assert len({one["id"] for one in records}) == len(records) == 4


def responses(status="submitted", value="3", user="u1"):
    return {"value": value, "user_id": user, "status": status}


def argilla(made, *given):
    found = json.loads(made.held["Team - Ana records.json"])
    for record in found:
        record["responses"] = {
            f"score_{name}": list(given)
            for name in ("correctness", "comprehensiveness", "readability")
        }
    return found


def flattened(records):
    """The same as Argilla flattens it."""
    return [
        {"id": record["id"], **record["fields"]}
        | {
            f"{question}.responses{part}": [one[key] for one in given]
            for question, given in record["responses"].items()
            for part, key in (("", "value"), (".users", "user_id"), (".status", "status"))
        }
        for record in records
    ]


@pytest.mark.parametrize("form", [list, flattened])
def test_submitted_responses_of_argilla_come_back_and_others_are_said(
    store, packed_for_platforms, form
):
    export = argilla(packed_for_platforms, responses())
    for key in export[0]["responses"]:
        export[0]["responses"][key] = [responses("draft")]
        export[1]["responses"][key] = [responses("discarded")]
    read, taken = comes_back(store, form(export), partial=True)
    assert taken.grades == 6 and {row["score"] for row in graded(store)} == {3.0}
    assert read.skipped() == [
        "1 answer is discarded there, so no grade.",
        "1 draft is not submitted, so no grade yet.",
    ]


def test_an_export_of_argilla_that_does_not_say_what_was_submitted_is_refused(
    store, packed_for_platforms
):
    export = argilla(packed_for_platforms, {"value": "3", "user_id": "u1"})
    with pytest.raises(Problem, match="does not say which responses were submitted"):
        comes_back(store, export)


def test_responses_as_argillas_server_gives_them_come_back_too(store, packed_for_platforms):
    export = argilla(packed_for_platforms, responses())
    for record in export:
        values = {name: {"value": "1"} for name in record["responses"]}
        record["responses"] = [{"values": values, "status": "submitted", "user_id": "u1"}]
    assert comes_back(store, export)[1].grades == 12


def test_a_text_changed_on_a_platform_is_no_longer_the_answer_that_was_sent(
    store, packed_for_platforms
):
    export = tasks(packed_for_platforms, annotation())
    export[2]["data"]["answer"] = "Better."
    with pytest.raises(Problem, match="Row 3, column “answer”: the text differs from the one"):
        comes_back(store, export)


def test_an_answer_that_nobody_finished_is_missing_also_where_several_annotators_worked(
    store, packed_for_platforms
):
    export = tasks(packed_for_platforms, annotation(), annotation("0", 9))
    export[0]["annotations"] = []
    del export[1]["annotations"][1]
    with pytest.raises(Problem) as refused:
        comes_back(store, export, who={"7": "Ana", "9": "Bo"})
    assert str(refused.value).count("is not finished") == 1
    assert "Row 1 of the package: " in str(refused.value)


def test_two_different_words_of_one_person_on_a_task_are_said_to_be(store, packed_for_platforms):
    export = tasks(packed_for_platforms, annotation(), annotation("0"))
    with pytest.raises(Problem, match="one annotator graded it twice there, differently"):
        comes_back(store, export)
