"""A colleague's file of grades as it comes: nothing in it needs renaming."""

import json

from concord.store import items
from tests.support.uploads import give, press

PAGE = "pages/data.py"
FILE = "ticket,reviewer,verdict\n000-atlas,Ana,pass\n001-atlas,Ana,fail\n"


def picker(app, field):
    [found] = [one for one in app.selectbox if str(one.key).endswith(f".{field}")]
    return found


def choose(app, **fields):
    """Choose columns, or values of every row, in the pickers."""
    for field, value in fields.items():
        app = picker(app, field).set_value(value).run()
    return app


def test_a_file_of_pass_and_fail_is_stored_with_no_header_renamed(screen, store, sheet):
    app = give(screen(do="grades", rubric="doc-qa-0-1"), FILE)
    given = [picker(app, field).value for field in ("item_id", "grader", "score")]
    assert given == ["ticket", "reviewer", "verdict"]
    assert picker(app, "grader_kind").value == ":=annotator"  # no name in the column is a judge's
    app = choose(app, criterion=":=correctness")
    [scale] = [one.value for one in app.dataframe if "word" in one.value]
    assert dict(zip(scale["word"], scale["score"], strict=True)) == {"fail": 0, "pass": 1}
    app = choose(app, grader="reviewer")
    press(app, "grades.go")
    assert sorted(row["score"] for row in store.rows("select score from grades")) == [0, 1]


def test_a_choice_takes_its_column_from_a_proposal_and_proposals_are_cleared(screen, sheet):
    app = give(screen(do="grades", rubric="doc-qa-0-1"), FILE)
    app = choose(app, reason="verdict")
    assert picker(app, "score").value is None
    app = choose(app, score="verdict")  # it gives way once
    assert (picker(app, "score").value, picker(app, "reason").value) == ("verdict", "verdict")
    app = choose(app, reason=None, score=None)
    assert not [button for button in app.button if button.key == "grades.go"]


def test_another_rubric_keeps_the_mapping(screen, sheet, rubric):
    app = give(screen(do="grades", rubric="doc-qa-0-1"), FILE)
    app = choose(app, criterion=":=correctness", grader_kind=":=annotator")
    app = app.selectbox(key="pick.rubric").set_value("doc-qa-0-3").run()
    assert picker(app, "criterion").value == ":=correctness"
    assert picker(app, "grader_kind").value == ":=annotator"
    # Pass says little on a scale from 0 to 3: the user maps it.
    [scale] = [one for one in app.dataframe if "word" in one.value]
    assert scale.value["score"].isna().all()


def test_results_of_promptfoo_are_grades_of_the_stored_answers(screen, store, sheet):
    stored = items.items(store, items.item_ids(store, sheet.id)[:2])
    judged = {"assertion": {"type": "llm-rubric", "metric": "correctness"}, "score": 1}
    results = [
        {
            "id": f"uuid-{one.id}",
            "testIdx": one.id,
            "promptIdx": 0,
            "vars": {"question": one.item.question},
            "provider": {"label": one.item.answer_model},
            "response": {"output": one.item.answer},
            "gradingResult": {"componentResults": [judged]},
        }
        for one in stored
    ]
    file = json.dumps({"evalId": "e", "results": {"results": results}})
    app = give(screen(do="grades", rubric="doc-qa-0-1"), file, "results.json")
    press(app, "grades.go")
    graded = [row["item_id"] for row in store.rows("select item_id from grades order by item_id")]
    assert graded == [one.id for one in stored]


def test_grades_that_are_stored_without_probabilities_are_replaced_by_those_with(
    screen, store, sheet
):
    rows = [("item_id,grader,grader_kind,criterion,score", ",p:0,p:1")]
    rows += [(f"00{n}-atlas,gpt,judge,correctness,1", ",0.2,0.8") for n in range(2)]
    for file in ("\n".join(row for row, _ in rows), "\n".join(map("".join, rows))):
        app = give(screen(do="grades", rubric="doc-qa-0-1"), file)
        press(app, "grades.go")
    assert store.value("select count(*) from distributions") == 2
