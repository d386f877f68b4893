"""The screen that compares prompts and scales, without a browser."""

import json

from streamlit.testing.v1 import AppTest

from concord.sampling import split_assignment, splits
from concord.store import sheets
from concord.store.rubrics import rubric_versions
from tests.support import scales
from tests.support.fakejudge import Fake, run_rubric
from tests.support.judges.decisions import decided, decision_judge
from tests.support.judges.rubric_runs import prepared
from tests.support.panels import give
from tests.support.screens import opened, said, tables

PAGE = "pages/compare.py"
BASELINE = "majority-class baseline (always 1)"


def shown(monkeypatch, db, **query) -> AppTest:
    app = opened(monkeypatch, db, PAGE, **query)
    assert not app.exception and not app.error
    return app


def title(app: AppTest) -> str:
    return app.header[0].value.replace("\\", "")


def column(app: AppTest, name: str) -> dict:
    """A column of the table of figures, by figure."""
    frame = tables(app)[0].set_index("figure")
    return frame[name].to_dict()


def test_an_empty_database_says_what_to_do(monkeypatch, db):
    assert "There is no sheet yet" in said(shown(monkeypatch, db))


def test_a_sheet_without_judges_leads_to_them(monkeypatch, db, graded_sheet):
    assert "No judge has graded “numbers” yet" in said(shown(monkeypatch, db))


def test_a_sheet_without_blind_grades_says_so(monkeypatch, db, store, graded_sheet):
    with store.write():
        store.execute("update grades set blind = 0")
    words = said(shown(monkeypatch, db))
    assert "No annotator has graded “numbers” blind yet" in words
    assert "so no figure includes them" in words


def test_continuous_numbers_alone_have_a_chart_of_distance_and_none_of_scores(
    monkeypatch, db, store, sheet, rubric
):
    give(store, rubric[1], "Ana", {0: 3, 1: 2, 2: 0})
    give(store, rubric[1], "smooth", {0: 2.5, 1: 1.25, 2: 0.5}, kind="judge")
    app = shown(monkeypatch, db)
    assert "Mean distance of smooth from annotators" in said(app)
    assert len(app.get("plotly_chart")) == 1


def test_the_sample_is_compared_and_says_what_to_run(monkeypatch, sample_db):
    app = shown(monkeypatch, sample_db)
    assert title(app) == "No clear best variant on correctness"
    assert "simulated-careful-judge has the smallest mean distance from annotators: " in said(app)
    assert "192 answers to 64 questions" in said(app)
    assert "To compare scales, run the same judge with another rubric" in said(app)
    assert column(app, "baseline (floor)")["model"] == "text features"


def test_scales_and_a_holistic_judge_stand_side_by_side_on_the_composite(
    monkeypatch, db, store, graded_sheet
):
    scales.judged(store, graded_sheet, "three", every=9)
    scales.judged(store, graded_sheet, "ten", "doc-qa-0-10", every=2)
    scales.judged(store, graded_sheet, "whole", "holistic-1-10", kind="holistic", prompt="holistic")
    app = shown(monkeypatch, db)
    assert app.query_params["criterion"] == "composite"
    assert [column(app, name)["scale"] for name in ("three (base)", "ten", "whole")] == [
        *("0-3", "0-10", "1-10")
    ]
    app.selectbox(key=key_of(app, "base")).select("ten").run()
    assert column(app, "ten (base)")["scale"] == "0-10"
    assert app.query_params["base"] == "ten"


def key_of(app: AppTest, name: str) -> str:
    return next(box.key for box in app.selectbox if box.key.startswith(f"pick.{name}."))


def test_where_annotators_used_two_rubrics_one_of_them_is_chosen(
    monkeypatch, db, store, graded_sheet
):
    scales.judged(store, graded_sheet, "three", every=3)
    _, ten = rubric_versions.named(store, "doc-qa-0-10")
    give(store, ten, "Ben", {place: 10 for place in range(12)})
    app = shown(monkeypatch, db)
    assert app.query_params["rubric"] == "doc-qa-0-3"
    app.selectbox(key=key_of(app, "rubric")).select("doc-qa-0-10").run()
    assert "the majority-class baseline (always 10) is 0.0% of the scale away" in said(app)


def test_variants_are_those_of_the_link(monkeypatch, db, store, graded_sheet):
    for name in ("a", "b", "c"):
        scales.judged(store, graded_sheet, name)
    app = shown(monkeypatch, db, variants=json.dumps(["a", "c"]), base="c")
    assert list(tables(app)[0].columns) == ["figure", "a", "c (base)", BASELINE]
    app = shown(monkeypatch, db, variants="nonsense", base="nobody")
    assert list(tables(app)[0].columns) == ["figure", "a (base)", "b", "c", BASELINE]


def test_flips_stand_beside_the_diff_of_the_prompts(monkeypatch, db, store, graded_sheet):
    scales.judged(store, graded_sheet, "zero", every=3, temperature=0)
    scales.judged(store, graded_sheet, "few", every=9, prompt="few_shot", temperature=1)
    app = shown(monkeypatch, db, view="flips")
    assert title(app) == ("16 of 72 answers flip on correctness")
    nearer, differ, settings = tables(app)
    assert [*nearer["flips"]] == [0, 16, 0, 0]
    (flips,) = (frame.value for frame in app.dataframe)
    assert "answering model" in differ["split by"].tolist()
    assert (len(flips), set(flips["annotators nearer"])) == (16, {"to"})
    assert settings["setting"].tolist() == ["temperature"]
    pages = " ".join(element.proto.body for element in app.get("html"))
    assert "# Examples" in pages and "concord-diff" in pages
    assert app.query_params["item"]


def test_a_lone_variant_cannot_flip(monkeypatch, db, store, graded_sheet):
    scales.judged(store, graded_sheet, "zero")
    app = shown(monkeypatch, db, view="flips")
    assert "There is only one variant" in said(app)


def test_prompts_that_are_not_stored_say_so(monkeypatch, sample_db):
    app = shown(monkeypatch, sample_db, view="flips")
    assert "its grades came from a file" in app.info[0].value


def test_the_four_questions_are_answered_or_say_what_to_do(monkeypatch, sample_db):
    app = shown(monkeypatch, sample_db, view="studies")
    assert title(app).startswith("simulated-careful-judge reaches 80% on")
    app.selectbox(key=key_of(app, "study")).select("scales").run()
    assert title(app).startswith(
        "This cannot be answered yet: no judge has graded this sheet on two"
    )
    assert "under Judges with another rubric" in said(app)
    assert app.query_params["study"] == "scales"


def test_the_reading_rule_is_chosen_on_the_few_shot_pool(monkeypatch, sample_db, sample_store):
    sheet = sheets.all_sheets(sample_store)[0]
    app = shown(monkeypatch, sample_db, view="studies", study="reading", questions="pool")
    assert "No annotator has graded an answer to a question in the few-shot pool" in said(app)
    ids = [row["id"] for row in splits.of_sheet(sample_store, sheet.id)][:13]
    split_assignment.assign(sample_store, ids, "few-shot", "to develop on")
    rubric = rubric_versions.named(sample_store, "doc-qa-0-3")
    job = prepared(sample_store, sheet, rubric, decision_judge(), pool=True)
    run_rubric(sample_store, job, Fake(decided()))
    app = shown(monkeypatch, sample_db, view="studies", study="reading", questions="pool")
    assert title(app).startswith("On correctness, decides agrees most by")
    assert "on 39 answers to 13 questions; the majority class has" in title(app)
    (button,) = [one for one in app.get("download_button") if "decides" in one.proto.label]
    assert button.proto.label.startswith("Download decides-")
    app = shown(monkeypatch, sample_db, view="studies", study="reading")
    assert "decides agrees" not in title(app)
