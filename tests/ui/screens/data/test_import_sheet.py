"""The import of answers in three steps: see the file, map its columns, set the scale."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from concord.importing import answer_file, sheet_import
from concord.importing import spec as specs
from concord.store import grade_table, items, sheets
from concord.store.rubrics import rubric_versions
from tests.support.annotations import scored_traces, tasks
from tests.support.exports import CASES, FOLDER
from tests.support.uploads import give, press, words

PAGE = "pages/data.py"

PLACES = ["Paris", "Rome", "Oslo", "Bern", "Kyiv"]


def pick(app: AppTest, label: str):
    """The picker of a field."""
    return next(box for box in (*app.selectbox, *app.multiselect) if box.label == label)


def switch(app: AppTest, label: str):
    """A choice between buttons."""
    return next(one for one in app.get("button_group") if one.label == label)


def nested() -> str:
    """Answers of two systems to five questions, under the name of each system, with a grade."""
    rows = [
        {
            "query": f"Where is the town of {place}?",
            "meta": {"topic": "towns"},
            "gt_answer": f"It lies in the country of {place}.",
            "answers": {
                system: {
                    "answer_string": f"{place} lies where {system} says it is.",
                    "contexts": [f"{place} is a town.", "A town is a place."],
                    "human_grade": 1 + (n + len(system)) % 5,
                }
                for system in ("rag", "plain")
            },
        }
        for n, place in enumerate(PLACES)
    ]
    return json.dumps({"version": 1, "rows": rows})


def long(score: str = "{n}") -> str:
    """One grade per row: five answers, each graded by two annotators."""
    rows = [
        f"Where is the town of {place}?,It is where they say it is: {place}.,{who},"
        f"{score.format(n=1 + (n + len(who)) % 3)}\n"
        for n, place in enumerate(PLACES)
        for who in ("ana", "chen")
    ]
    return "prompt,response,annotator_id,rating\n" + "".join(rows)


def test_the_first_rows_are_shown_as_they_are_with_dotted_columns(screen):
    app = give(screen(), nested(), "rag.json")
    raw = app.dataframe[0].value
    assert len(raw) == 5
    assert list(raw["meta.topic"]) == ["towns"] * 5
    assert "First rows of the file (5 rows in total)." in words(app)


def test_answers_under_the_names_of_models_are_proposed_with_the_reason(screen, store):
    app = give(screen(), nested(), "rag.json")
    assert "One entry per answering model" in switch(app, "Shape").value
    assert pick(app, "Answer").value == "answers.{answer_model}.answer_string"
    assert "one answer under each key: “rag”, “plain”" in words(app)
    assert r"Also imported: Reference answer from gt\_answer" in words(app)
    assert "10 answers, 5 questions, 2 answering models, 1 annotator, 10 grades" in words(app)
    press(app, "import.go")
    sheet = sheets.find(store, "rag")
    assert (sheet.items, sheet.questions, sheet.answer_models) == (10, 5, ["plain", "rag"])
    first = items.item(store, 1).item
    assert (first.reference, len(first.contexts)) == (("It lies in the country of Paris.",), 2)


def test_a_file_without_grades_needs_no_scale(screen):
    app = give(screen(), "question,answer,team\nWhy?,Because.,sales\n")
    assert switch(app, "Grades in this file").value == "No grades"
    assert "3. Scale" not in words(app)


def test_grades_can_be_left_out(screen, store):
    app = give(screen(), nested(), "rag.json")
    assert "3. Scale" in words(app)
    app = switch(app, "Grades in this file").set_value("No grades").run()
    assert "3. Scale" not in words(app)
    press(app, "import.go")
    assert store.value("select count(*) from grades") == 0


def test_a_field_that_is_cleared_is_no_longer_said_to_be_imported(screen):
    app = give(screen(), nested(), "rag.json")
    pick(app, "Reference answer").set_value([]).run()
    assert "Also imported" not in words(app)
    pick(app, "Question id").set_value("meta.topic").run()
    assert "Also imported: Question id from meta.topic" in words(app)


def test_a_column_that_is_mapped_to_a_field_holds_no_grades(screen):
    def lines(app):
        return app.dataframe[1].value["column"].tolist()

    rows = [f"Where is {place}?,There.,{n % 3},{n}" for n, place in enumerate(PLACES)]
    app = give(screen(), "\n".join(("prompt,response,llm,rating", *rows)))
    assert {"llm", "rating"} <= {*lines(app)}
    app = pick(app, "Answering model").set_value("llm").run()
    assert "llm" not in lines(app)
    assert "rating" in lines(app)


def test_one_grade_per_row_repeats_the_answer(screen, store):
    app = give(screen(), long())
    assert pick(app, "Answer").value == "response"
    assert "5 answers, 5 questions, 2 annotators, 10 grades" in words(app)
    press(app, "import.go")
    assert (sheets.find(store, "answers").items, store.value("select count(*) from grades")) == (
        5,
        10,
    )


def test_one_grade_per_row_keeps_the_probabilities_of_a_judge(screen, store):
    head, *rows = long().splitlines()
    given = [f"{row},judge,0.25,0.75,0,native" for row in rows]
    head += ",grader_kind,p:1,p:2,p:3,probabilities_source"
    app = give(screen(), "\n".join((head, *given)))
    assert pick(app, "Probabilities of the scores").value == ["p:1", "p:2", "p:3"]
    assert "Also imported: Source of the probabilities from" in words(app)
    press(app, "import.go")
    assert store.value("select count(*) from distributions where source = 'native'") == 10


def test_grades_in_lists_are_mapped_with_their_reasons(screen, store):
    of_no_tool = json.dumps(tasks()).replace("completed_by", "annotator")
    app = give(screen(), of_no_tool, "tasks.json")
    assert pick(app, "Grader").value == "annotations.{n}.annotator"
    assert pick(app, "Criteria left out").value == ["topic", "comment"]
    assert "12 answers, 12 questions, 2 annotators, 24 grades" in words(app)
    press(app, "import.go")
    assert store.value("select count(*) from grades where reason <> ''") == 12


def test_graders_without_a_name_are_read_from_a_second_column(screen):
    app = give(screen(), json.dumps(scored_traces()), "traces.json")
    assert pick(app, "Grader").value == ["scores.{n}.authorUserId", "scores.{n}.source"]
    assert "2 annotators, 1 judge, 36 grades" in words(app)


def test_what_metrics_are_compared_with_is_said(screen):
    rows = [f"What is {p}?,It is a town in a country: {p}.,{n % 3},0.{n}\n"
            for n, p in enumerate(PLACES)]  # fmt: skip
    app = give(screen(), "question,answer,human_score,faithfulness\n" + "".join(rows))
    assert "Check faithfulness: no annotator graded" in words(app)


@pytest.mark.parametrize(
    ("name", "more"),
    [("metric_columns.csv", ""), ("answers.csv", "How?,So.,1\nWho?,She did.,0\nWhy?,For it.,1\n")],
)
def test_no_grades_are_taken_before_it_is_said_who_graded(screen, store, name, more):
    text = f"question,answer,correctness\n{more}" if more else (CASES / name).read_text()
    app = give(screen(), text, name)
    press(app, "import.go")
    assert store.value("select count(*) from grades") == 0


def test_a_mapping_is_saved_and_used_again(screen, store):
    app = give(screen(), "ask,told,id\nWhy?,Because.,a\n")
    app = pick(app, "Question").set_value("ask").run()
    app = pick(app, "Answer").set_value("told").run()
    [save] = [one for one in app.get("download_button") if one.label == "Save mapping"]
    assert save.proto.url
    press(app, "import.go")
    app = give(screen(do="import"), "ask,told,id\nWho?,He.,b\n", "more.csv")
    assert "No column is mapped to the answer yet" in words(app)
    [again] = [box for box in app.selectbox if box.label == "Mapping"]
    assert again.options == [
        "Proposed from the values",
        "As in the import of answers.csv into answers",
    ]
    app = again.set_value(again.options[1]).run()
    assert pick(app, "Question").value == "ask"
    assert pick(app, "Item id").value == "id"
    assert "1 answer to 1 question, all valid" in words(app)


def test_a_spec_fills_the_mapping(screen):
    app = give(screen(), "ask,reply,id\nWhy?,Because.,a\n")
    spec = specs.Spec(map=("question=ask", "answer=reply", "answer_model:=ours", "item_id="))
    uploader = next(one for one in app.file_uploader if ".toml" in one.label)
    app = uploader.set_value([("m.toml", specs.as_toml(spec).encode(), "application/toml")]).run()
    assert pick(app, "Answering model").value == ":=ours"
    assert pick(app, "Item id").value is None
    assert "1 answer, 1 question, 1 answering model" in words(app)


@pytest.mark.parametrize(
    ("content", "told"),
    [(b"map = 3", "m.toml"), (b"\xff\xfe", "is not UTF-8"), (b'map = ["question=no"]', "no")],
)
def test_a_spec_that_does_not_fit_is_one_sentence(screen, content, told):
    app = give(screen(), "ask,reply\nWhy?,Because.\n")
    uploader = next(one for one in app.file_uploader if ".toml" in one.label)
    app = uploader.set_value([("m.toml", content, "application/toml")]).run()
    assert not app.exception
    assert told in app.error[0].value


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("question,answer\nWhy?,Because.\n", "annotate"),
        (long(), "judges"),
        (
            "question,answer,human_correctness,gpt4_correctness\nWhy?,So.,3,2\nWho?,He.,1,1\n"
            "When?,Now.,2,2\n",
            "agreement",
        ),
    ],
)
def test_the_next_step_depends_on_who_graded(screen, text, page):
    app = press(give(screen(), text), "import.go")
    [link] = app.get("page_link")[-1:]
    assert link.proto.label.startswith("Next: ")
    assert link.proto.page.endswith(page)


def test_a_file_of_grades_is_led_to_its_own_import(screen):
    app = give(
        screen(), "item_id,grader,criterion,score\na,Ana,correctness,2\nb,Ana,correctness,1\n"
    )
    assert "These look like grades of answers" in words(app)


def test_names_of_columns_run_nothing(screen):
    name = "![x](http://x.example/a.png) <b>"
    app = give(screen(), f'question,answer,"{name}"\nWhy is it so?,Because it is.,1\nWho?,He.,2\n')
    app = pick(app, "Reference answer").set_value([name]).run()
    assert not app.exception
    assert "![x](" not in words(app)


def test_a_file_is_read_once_per_choice(screen, monkeypatch):
    from concord.ui.screens.data import import_sheet

    calls = []
    true = import_sheet.read
    monkeypatch.setattr(import_sheet, "read", lambda *args: calls.append(1) or true(*args))
    app = give(screen(), "question,answer\nWhy?,Because.\n")
    app = app.run()
    app = app.run()
    assert len(calls) == 1


def worded() -> str:
    """Ten answers with grades in words, by an annotator and a judge."""
    given = ["Useful", "Not useful", "Partially useful", "Useful", "Not useful"]
    rows = [
        f"Where {verb} {place}?,It is where they say.,{word},Useful\n"
        for verb in ("is", "was")
        for place, word in zip(PLACES, given, strict=True)
    ]
    return "question,answer,human_usefulness,judge_usefulness\n" + "".join(rows)


def test_words_are_given_their_usual_scores_and_a_rubric_is_made(screen, store):
    app = give(screen(), worded(), "words.csv")
    table = app.dataframe[3].value
    assert dict(zip(table["word"], table["score"], strict=True)) == {
        "Not useful": 0,
        "Partially useful": 1,
        "Useful": 2,
    }
    assert pick(app, "Rubric").value == ""
    app = next(one for one in app.text_input if one.label == "Name").set_value("Use").run()
    app = app.text_input[-1].set_value("Usefulness to the reader").run()
    assert "Import 10 answers and 20 grades into words" in [one.label for one in app.button]
    app = press(app, "import.go")
    _, rubric = rubric_versions.named(store, "use")
    assert (rubric.title, rubric.scale) == ("Use", (0, 1, 2))
    assert [(c.name, c.title) for c in rubric.criteria] == [
        ("usefulness", "Usefulness to the reader")
    ]
    scores = store.rows("select score, count(*) from grades group by score order by score")
    assert [tuple(row) for row in scores] == [(0, 4), (1, 2), (2, 14)]


def test_the_ends_of_a_new_scale_can_be_widened(screen, store):
    app = give(screen(), nested(), "rag.json")
    high = next(one for one in app.number_input if one.label == "Highest score")
    assert high.value == 5
    press(high.set_value(7).run(), "import.go")
    assert rubric_versions.named(store, "rag")[1].scale == (1, 2, 3, 4, 5, 6, 7)


def test_a_saved_mapping_brings_its_words_and_its_rubric(screen, store):
    app = give(screen(), worded(), "words.csv")
    spec = specs.Spec(
        map=("question=question", "answer=answer", "score:annotator:Ana:use=human_usefulness"),
        rubric="three",
        scores={"Useful": 3, "Partially useful": 2, "Not useful": ""},
        new_rubric=specs.NewRubric(
            name="three",
            title="Three",
            scale=(1, 2, 3),
            criteria=(specs.NewCriterion(name="use", title="Use for the reader"),),
        ),
    )
    uploader = next(one for one in app.file_uploader if ".toml" in one.label)
    app = uploader.set_value([("m.toml", specs.as_toml(spec).encode(), "application/toml")]).run()
    assert "1 annotator, 6 grades" in words(app)
    press(app, "import.go")
    rubric = rubric_versions.named(store, "three")[1]
    assert (rubric.scale, rubric.criteria[0].title) == ((1, 2, 3), "Use for the reader")
    assert sorted(r[0] for r in store.rows("select score from grades")) == [2, 2, 3, 3, 3, 3]


def test_criteria_on_different_scales_are_pointed_out_and_no_rubric_is_chosen(screen):
    rows = [f"Where is {p}?,It is there.,{n + 1},{n % 2}\n" for n, p in enumerate(PLACES * 2)]
    text = "question,answer,human_fluency,human_correctness\n" + "".join(rows)
    app = give(screen(), text)
    assert pick(app, "Rubric").value is None
    (error,) = app.error
    assert "different scales (fluency: 1-10, correctness: 0-1), and a rubric has one" in error.value
    assert "Leave out the other criteria above (deselect their columns" in error.value
    app = pick(app, "Rubric").select("").run()
    assert not app.error


def test_columns_that_can_be_read_in_two_ways_are_pointed_out(screen):
    rows = [f"Where is place {n}?,It is there.,{n % 3},{n % 2}\n" for n in range(20)]
    app = give(screen(), "question,answer,Tone Ana,Tone Ben\n" + "".join(rows))
    assert "Check Tone Ana, Tone Ben: they are read as several graders" in words(app)
    assert "2 annotators" in words(app)


def test_columns_that_may_be_graders_or_criteria_are_pointed_out(screen):
    rows = [f"Where is place {n}?,It is there.,{n % 3},{n % 4}\n" for n in range(20)]
    app = give(screen(), "question,answer,ana,ben\n" + "".join(rows))
    assert switch(app, "Each of ana, ben is").value is None
    assert "Not proposed" not in words(app)


def unclear(app: AppTest):
    """The choice of what columns are that may be graders or criteria."""
    return switch(app, "Each of Reviewer Ann, Reviewer Bob is")


@pytest.mark.parametrize(
    ("meaning", "counts"),
    [("A grader", "2 annotators, 40 grades"), ("A criterion", "1 annotator, 40 gr")],
)
def test_columns_that_may_be_graders_or_criteria_are_taken_at_one_word(screen, meaning, counts):
    rows = [f"Where is place {n}?,It is there.,{n % 3},{n % 4}\n" for n in range(20)]
    app = give(screen(), "question,answer,Reviewer Ann,Reviewer Bob\n" + "".join(rows))
    app = unclear(app).set_value(meaning).run()
    assert not app.exception
    assert counts in words(app)


def test_one_column_of_grades_fills_the_pickers_of_one_grade_per_row(screen):
    rows = [f"Where is place {n}?,It is there.,{n % 3},{'ab'[n % 2]}\n" for n in range(20)]
    app = give(screen(), "question,answer,rating,rater\n" + "".join(rows))
    app = switch(app, "Grades in this file").set_value("One grade per row").run()
    assert pick(app, "Score").value == "rating"
    assert pick(app, "Grader").value == "rater"
    assert "2 annotators, 20 grades" in words(app)


def test_one_grade_per_row_needs_a_column_of_scores(screen):
    rows = [f"Where is place {n}?,It is there.\n" for n in range(20)]
    app = give(screen(), "question,answer\n" + "".join(rows))
    app = switch(app, "Grades in this file").set_value("One grade per row").run()
    assert "No column is mapped to the score yet" in app.error[0].value


def test_a_list_of_several_is_chosen_on_the_screen(screen):
    lists = {
        name: [{"question": f"Where is {p}?", "answer": f"In {p} {name}."} for p in PLACES[:n]]
        for name, n in (("first", 2), ("second", 4))
    }
    app = give(screen(), json.dumps({"run": lists}), "runs.json")
    assert "Choose the one to read above" in app.error[0].value
    assert "--" not in app.error[0].value
    app = pick(app, "List").select("run.second").run()
    assert "4 answers, 4 questions" in words(app)


def test_the_first_answers_are_shown_with_their_grades(screen):
    rows = [f"Where is place {n}?,It is there.,{n % 3},{n % 2}\n" for n in range(20)]
    app = give(screen(), "question,answer,rater_1,rater_2\n" + "".join(rows))
    shown = next(one.value for one in app.dataframe if "grades" in one.value)
    assert shown["grades"].iloc[2] == "rater_1: 2; rater_2: 0"


def test_words_without_a_usual_order_ask_for_their_scores(screen):
    text = worded().replace("Partially useful", "Zig").replace("Not useful", "Zag")
    app = give(screen(), text.replace("Useful", "Zog"))
    assert not app.exception
    assert "Give each word a score, or choose a rubric" in app.error[0].value


def test_three_annotators_on_1_to_10_come_in_under_a_rubric_that_fits(screen, store):
    rows = [f"Where is {p}?,It is there.,{n + 1},{n + 2},{n + 6}\n" for n, p in enumerate(PLACES)]
    text = "question,answer,annotator_1,annotator_2,annotator_3\n" + "".join(rows)
    app = give(screen(), text)
    assert "5 answers, 5 questions, 3 annotators, 15 grades" in words(app)
    press(app, "import.go")
    _, rubric = rubric_versions.named(store, "holistic-1-10")
    versions = {v: n for n, v in rubric.versions().items()}
    assert len(grade_table.table(store, 1, versions)) == 15


def test_the_screen_says_which_answers_look_like_stored_ones(screen, store):
    read = answer_file.load(b"question_id,question,answer\nq1,What?,That.\n", "towns.csv")
    sheet_import.take_sheet(store, read, "towns")
    app = give(screen(do="import"), "question,answer\nWhat?,That.\n", "towns.csv")
    assert "1 answer without ids" in words(app)
    app = give(screen(do="import"), "question_id,question,answer\nx1,What?,That.\n", "towns.csv")
    assert "under another id" in words(app)


def test_an_export_of_a_tool_is_recognised_shown_and_imported(screen, store):
    app = give(screen(), (FOLDER / "mlflow.json").read_bytes(), "mlflow.json")
    assert not app.exception
    assert "Recognised: **MLflow traces**" in words(app)
    assert "Grades by annotators: bo (2), cem (2), ana (2)" in words(app)
    assert "Left out: assessments (3), because the grader returned an error" in words(app)
    assert pick(app, "Score").value == "grades.{n}.score"
    press(app, "import.go")
    assert sheets.find(store, "mlflow").items == 3
    blind = "select blind, count(*) from grades where blind is not null group by blind"
    assert [tuple(row) for row in store.rows(blind)] == [(0, 6)]


def test_the_preview_names_criteria_by_their_titles_everywhere(screen):
    app = give(screen(), (FOLDER / "ragas_annotations.json").read_bytes(), "ragas_annotations.json")
    assert (
        "Faithfulness 3, Faithfulness accepted 1, Exact match 1, Exact match accepted 1"
        in words(app)
    )
    shown = [one.value for one in app.dataframe if "grades" in one.value and "row" in one.value]
    assert "RAGAS annotator Faithfulness: 1" in shown[0]["grades"].iloc[0]


def test_annotators_who_saw_no_scores_may_be_blind(screen, store):
    app = give(screen(), (FOLDER / "mlflow.json").read_bytes(), "mlflow.json")
    app = next(b for b in app.checkbox if b.label.startswith("The annotators saw")).check().run()
    press(app, "import.go")
    assert store.value("select count(*) from grades where blind is null") == 15


def test_criteria_of_an_export_are_left_out_or_read_as_another(screen, store):
    app = give(screen(), (FOLDER / "promptfoo.json").read_bytes(), "promptfoo.json")
    assert pick(app, "Criteria left out").options == ["overall", "correctness", "tone"]
    same = pick(app, "Same criteria")
    assert same.options == ["correctness → overall", "tone → overall"]
    app = same.set_value(["criterion:correctness=overall"]).run()
    press(app, "import.go")
    both = "select count(distinct kind) from grades join graders on graders.id = grader_id where"
    version = "version = (select version from grades where blind = 0 limit 1)"
    assert store.value(f"{both} {version}") == 2


def test_a_new_sheet_is_the_one_that_is_shown_after_its_import(screen, store):
    """The picker had kept another sheet of this session."""
    for name in ("first", "second"):
        press(
            give(screen(do="import"), f"question,answer\n{name}?,So.\n", f"{name}.csv"), "import.go"
        )
    app = pick(screen(sheet="first"), "Sheet").select("second").run()
    app.query_params["do"] = "import"
    app = press(give(app.run(), "question,answer\nHow?,So.\n", "third.csv"), "import.go")
    assert "third: 1 answer" in app.header[0].value


def test_the_verdicts_beside_the_scores_of_an_export_can_be_the_scores(screen, store):
    app = give(screen(), (FOLDER / "promptfoo.json").read_bytes(), "promptfoo.json")
    verdicts = "grades.{n}.passed"
    assert verdicts in pick(app, "Score").options
    press(pick(app, "Score").select(verdicts).run(), "import.go")
    assert {row[0] for row in store.rows("select score from grades")} <= {0, 1}
    assert store.value("select count(*) from grades where score is not null") > 0


def test_words_among_numbers_have_their_usual_scores_on_the_same_scale(screen, store):
    """RAGAS: metrics from 0 to 1, and annotators' true and false."""
    name = "ragas_annotations.json"
    press(give(screen(), (FOLDER / name).read_bytes(), name), "import.go")
    assert store.value("select count(*) from grades") == 6


def test_words_among_numbers_on_another_scale_have_no_score_yet(screen):
    name = "label_studio.json"  # scores from 1 to 4, and “correct”
    app = give(screen(), (FOLDER / name).read_bytes(), name)
    scored = [one.value for one in app.dataframe if "word" in one.value]
    assert [[*table["word"]] for table in scored] == [["correct"]]
    assert all(table["score"].isna().all() for table in scored)
