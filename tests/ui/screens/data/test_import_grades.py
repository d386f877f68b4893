"""A colleague's file of grades as it comes: nothing in it needs renaming."""

import json

from concord.importing.fields import GRADE_FIELDS
from concord.language.languages import shown
from concord.store import items
from concord.ui.grade_columns_table import KINDS
from concord.ui.import_findings import shown_column
from concord.ui.screens.data import grade_words
from tests.support.uploads import give, press, words

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


def test_the_kind_of_grader_of_every_row_is_in_the_language_of_the_reader(translate):
    translate("ja", {"every row: {value}": "すべての行：{value}", "annotator": "採点者"})
    shown_kind = shown_column(":=annotator", KINDS)
    assert (shown_kind, shown(shown_kind, "ja")) == ("every row: annotator", "すべての行：採点者")
    assert shown(shown_column(":=judge"), "ja") == "すべての行：judge"


def test_the_criterion_of_every_row_is_named_in_the_language_of_the_reader(screen, sheet):
    app = give(screen(do="grades", rubric="doc-qa-0-1", lang="zh"), FILE)
    assert "每一行：正确性" in picker(app, "criterion").options


def test_a_file_of_pass_and_fail_is_stored_with_no_header_renamed(screen, store, sheet):
    app = give(screen(do="grades", rubric="doc-qa-0-1"), FILE)
    given = [picker(app, field).value for field in ("item_id", "grader", "score")]
    assert given == ["ticket", "reviewer", "verdict"]
    assert picker(app, "grader_kind").value == ":=annotator"  # no name in the column is a judge's
    assert "every row: annotator" in picker(app, "grader_kind").options
    assert "every row: Correctness" in picker(app, "criterion").options
    app = choose(app, criterion=":=correctness")
    assert "every row: Correctness" in [one.value for one in app.caption]
    [scale] = [one.value for one in app.dataframe if "word" in one.value]
    assert dict(zip(scale["word"], scale["score"], strict=True)) == {"fail": 0, "pass": 1}
    assert "2 grades by Ana, all valid" in words(app)
    assert "No column is chosen yet for: grader." in words(choose(app, grader=None))
    app = choose(app, grader="reviewer")
    press(app, "grades.go")
    assert sorted(row["score"] for row in store.rows("select score from grades")) == [0, 1]


def test_names_of_judges_among_the_graders_leave_the_kind_to_the_user(screen, sheet):
    file = FILE.replace("Ana", "gpt-4o")
    assert picker(give(screen(do="grades", rubric="doc-qa-0-1"), file), "grader_kind").value is None


def test_the_help_of_each_field_says_what_it_is_and_paths_are_explained_once(screen, sheet):
    app = give(screen(do="grades", rubric="doc-qa-0-1"), FILE)
    fields = [field for field in GRADE_FIELDS if field not in ("label", "probabilities")]
    helps = [picker(app, field).help for field in fields]
    assert all(helps) and len({*helps}) == len(helps)
    assert picker(app, "question").help == "The text of the question."
    assert "every row gets that value" in picker(app, "grader_kind").help
    assert words(app).count("metrics.f1") == 1
    assert not any("metrics.f1" in one for one in helps)


def test_a_choice_takes_its_column_from_a_proposal_and_proposals_are_cleared(screen, sheet):
    app = give(screen(do="grades", rubric="doc-qa-0-1"), FILE)
    app = choose(app, reason="verdict")
    assert picker(app, "score").value is None
    app = choose(app, score="verdict")  # it gives way once
    assert (picker(app, "score").value, picker(app, "reason").value) == ("verdict", "verdict")
    app = choose(app, reason=None, score=None)
    assert "No column is chosen yet for" in words(app) and "score" in words(app)
    assert "Several columns" not in words(app)


def test_another_rubric_keeps_the_mapping(screen, sheet, rubric, monkeypatch):
    app = give(screen(do="grades", rubric="doc-qa-0-1"), FILE)
    app = choose(app, criterion=":=correctness", grader_kind=":=annotator")
    app = app.selectbox(key="pick.rubric").set_value("doc-qa-0-3").run()
    assert picker(app, "criterion").value == ":=correctness"
    assert picker(app, "grader_kind").value == ":=annotator"
    # Pass says little on a scale from 0 to 3: the user maps it in the table named Scale.
    assert "2 of 2 rows cannot be imported" in words(app)
    [scale] = [one for one in app.dataframe if "word" in one.value]
    assert scale.value["score"].isna().all() and "**Scale**" in words(app)
    assert scale.proto.placeholder == "—"  # without one an empty cell says None
    monkeypatch.setattr(grade_words, "spelt_scores", lambda _: {"pass": 3, "fail": 0})
    assert "2 grades by Ana, all valid" in words(app.run())


def test_a_file_that_names_no_answer_is_told_where_to_choose_it(screen, sheet):
    app = give(screen(do="grades", rubric="doc-qa-0-1"), "who,verdict\nAna,pass\n")
    assert "Choose it above under “Item id”." in words(app)
    assert [one.label for one in app.selectbox if one.label == "Item id"] == ["Item id"]


def test_a_column_that_does_not_say_who_graded_has_no_kind(screen, sheet):
    app = give(screen(do="grades", rubric="doc-qa-0-1"), "item_id,feedback\n000-atlas,1\n")
    [rows] = [one.value for one in app.dataframe if "take" in one.value]
    assert list(rows["column"]) == ["feedback"] and rows["kind"].isna().all()
    (table,) = [one for one in app.expander if one.label.startswith("Grades in this file")]
    assert table.proto.expanded


def test_columns_without_a_grader_of_their_own_are_of_the_grader_whom_each_row_names(screen, sheet):
    file = "ticket,reviewer,correctness,tone\n000-atlas,Ana,1,0\n001-atlas,Tom,0,1\n"
    app = give(screen(do="grades", rubric="doc-qa-0-1"), file)
    [rows] = [one.value for one in app.dataframe if "take" in one.value]
    assert list(rows["grader"]) == ["from column reviewer"] * 2
    assert list(rows["take"]) == [True, False]  # tone is no criterion of the rubric
    app = choose(app, grader=None)
    [rows] = [one.value for one in app.dataframe if "take" in one.value]
    assert "from column reviewer" not in list(rows["grader"])


def test_scores_under_the_criteria_of_annotators_in_a_column_are_imported_at_once(
    screen, store, sheet
):
    file = "item_id,who,correctness\n000-atlas,Ana,1\n001-atlas,Tom,0\n"
    app = give(screen(do="grades", rubric="doc-qa-0-1"), file)
    assert picker(app, "grader").value == "who"
    assert "2 grades by Ana, Tom, all valid" in words(app)
    assert "only if you choose" not in words(app)
    app = press(app, "grades.go")
    links = [one.proto.label for one in app.get("page_link")]
    assert "Next: let judges grade these answers" in links
    kinds = "select distinct kind from graders where name in ('Ana', 'Tom')"
    assert [row["kind"] for row in store.rows(kinds)] == ["person"]


def test_scores_of_judges_in_a_column_wait_until_the_user_says_what_graded(screen, sheet):
    file = "item_id,who,correctness\n000-atlas,gpt-4,1\n001-atlas,Tom,0\n"
    app = give(screen(do="grades", rubric="doc-qa-0-1"), file)
    [rows] = [one.value for one in app.dataframe if "take" in one.value]
    assert list(rows["take"]) == [False]
    assert "only if you choose" in words(app)


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
    assert "Recognised: **promptfoo results**." in words(app)
    assert "2 grades by" in words(app) and "all valid" in words(app)
    press(app, "grades.go")
    graded = [row["item_id"] for row in store.rows("select item_id from grades order by item_id")]
    assert graded == [one.id for one in stored]


def test_ids_are_known_by_their_values_and_graders_by_the_brackets_of_headers(screen, store, sheet):
    file = (
        "Ref #,Correctness 0-1 (Priya),Correctness 0-1 (Tom),Helpful 1-5 (Priya),"
        "Helpful 1-5 (Tom)\n000-atlas,1,0,4,5\n001-atlas,0,1,3,2\n"
    )
    app = give(screen(do="grades", rubric="doc-qa-0-3"), file)
    assert picker(app, "item_id").value == "Ref #"
    [rows] = [one.value for one in app.dataframe if "take" in one.value]
    assert list(rows["grader"]) == ["Priya", "Tom"] * 2
    assert list(rows["kind"]) == ["annotator"] * 4
    assert list(rows["criterion"].fillna("")) == ["correctness", "correctness", "", ""]
    assert "Select each one in the table of columns" in words(app)


def test_grades_that_are_stored_without_probabilities_are_replaced_by_those_with(
    screen, store, sheet
):
    rows = [("item_id,grader,grader_kind,criterion,score", ",p:0,p:1")]
    rows += [(f"00{n}-atlas,gpt,judge,correctness,1", ",0.2,0.8") for n in range(2)]
    for file in ("\n".join(row for row, _ in rows), "\n".join(map("".join, rows))):
        app = give(screen(do="grades", rubric="doc-qa-0-1"), file)
        button = app.button(key="grades.go").label
        press(app, "grades.go")
    assert button == "Import 0 new grades and replace 2"
    assert store.value("select count(*) from distributions") == 2
