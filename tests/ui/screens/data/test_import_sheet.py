"""The import of answers in three steps: see the file, map its columns, set the scale."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from concord.importing import spec as specs
from concord.store import items, sheets
from concord.store.rubrics import rubric_versions
from tests.support.annotations import tasks
from tests.support.exports import CASES, FOLDER
from tests.support.uploads import give, press

PAGE = "pages/data.py"

PLACES = ["Paris", "Rome", "Oslo", "Bern", "Kyiv"]


def pick(app: AppTest, label: str):
    """The picker of a field."""
    return next(box for box in (*app.selectbox, *app.multiselect) if box.label == label)


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


def test_answers_under_the_names_of_models_are_proposed_with_the_reason(screen, store):
    app = give(screen(), nested(), "rag.json")
    assert pick(app, "Answer").value == "answers.{answer_model}.answer_string"
    press(app, "import.go")
    sheet = sheets.find(store, "rag")
    assert (sheet.items, sheet.questions, sheet.answer_models) == (10, 5, ["plain", "rag"])
    first = items.item(store, 1).item
    assert (first.reference, len(first.contexts)) == (("It lies in the country of Paris.",), 2)


def test_one_grade_per_row_keeps_the_probabilities_of_a_judge(screen, store):
    head, *rows = long().splitlines()
    given = [f"{row},judge,0.25,0.75,0,native" for row in rows]
    head += ",grader_kind,p:1,p:2,p:3,probabilities_source"
    app = give(screen(), "\n".join((head, *given)))
    assert pick(app, "Probabilities of the scores").value == ["p:1", "p:2", "p:3"]
    press(app, "import.go")
    assert store.value("select count(*) from distributions where source = 'native'") == 10


def test_grades_in_lists_are_mapped_with_their_reasons(screen, store):
    of_no_tool = json.dumps(tasks()).replace("completed_by", "annotator")
    app = give(screen(), of_no_tool, "tasks.json")
    assert pick(app, "Grader").value == "annotations.{n}.annotator"
    assert pick(app, "Criteria left out").value == ["topic", "comment"]
    press(app, "import.go")
    assert store.value("select count(*) from grades where reason <> ''") == 12


@pytest.mark.parametrize(
    ("name", "more"),
    [("metric_columns.csv", ""), ("answers.csv", "How?,So.,1\nWho?,She did.,0\nWhy?,For it.,1\n")],
)
def test_no_grades_are_taken_before_it_is_said_who_graded(screen, store, name, more):
    text = f"question,answer,correctness\n{more}" if more else (CASES / name).read_text()
    app = give(screen(), text, name)
    press(app, "import.go")
    assert store.value("select count(*) from grades") == 0


def worded() -> str:
    """Ten answers with grades in words, by an annotator and a judge."""
    given = ["Useful", "Not useful", "Partially useful", "Useful", "Not useful"]
    rows = [
        f"Where {verb} {place}?,It is where they say.,{word},Useful\n"
        for verb in ("is", "was")
        for place, word in zip(PLACES, given, strict=True)
    ]
    return "question,answer,human_usefulness,judge_usefulness\n" + "".join(rows)


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
    press(app, "import.go")
    rubric_versions.named(store, "three")[1]
    assert sorted(r[0] for r in store.rows("select score from grades")) == [2, 2, 3, 3, 3, 3]


def test_an_export_of_a_tool_is_recognised_shown_and_imported(screen, store):
    app = give(screen(), (FOLDER / "mlflow.json").read_bytes(), "mlflow.json")
    assert not app.exception
    assert pick(app, "Score").value == "grades.{n}.score"
    press(app, "import.go")
    assert sheets.find(store, "mlflow").items == 3
    blind = "select blind, count(*) from grades where blind is not null group by blind"
    assert [tuple(row) for row in store.rows(blind)] == [(0, 6)]


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
