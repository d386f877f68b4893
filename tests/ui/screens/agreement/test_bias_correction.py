"""Corrected scores on the ranking screen and on the command line."""

import json

from tests.support import drawn_sheet
from tests.support.screens import opened, tables

PAGE = "pages/ranking.py"


def shown(app) -> str:
    assert not app.exception and not app.error
    kinds = (app.header, app.caption, app.subheader, app.markdown)
    return " ".join(e.value for kind in kinds for e in kind).replace("\\", "")


def corrected(app):
    frame = next(f for f in tables(app) if "corrected" in f.columns)
    return frame.set_index("answering model")


def test_raw_and_corrected_stand_side_by_side_where_a_drawn_set_was_graded(store, rubric, screen):
    drawn_sheet.made(store, rubric)
    app = screen()
    said = shown(app)
    order = "Corrected for bias, lenient ranks atlas > birch > cobalt"
    assert f"{order}, but not every step is certain" in said
    assert "sampled in “first”" in said
    frame = corrected(app)
    assert float(frame["uncorrected"]["cobalt"][:4]) > float(frame["corrected"]["cobalt"][:4]) + 0.5
    assert list(frame["graded in the sample"]) == [30, 30, 30]


def test_without_a_drawn_set_it_says_why_and_other_ways_are_a_click_away(sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, "pages/ranking.py")
    assert "Not corrected by random sample (PPI++): no grading set was sampled" in shown(app)
    app = opened(
        monkeypatch, sample_db, "pages/ranking.py", correct="rates", judge="simulated-careful-judge"
    )
    assert "Share of answers that pass correctness" in shown(app)
    assert "2 of the 3 annotators are simulated." in shown(app)
    assert "100%" in corrected(app)["corrected"]["atlas"]
    assert "Clipped to 0% or 100%, as the formula goes beyond: atlas." in shown(app)


def test_what_is_chosen_to_correct_by_stays_in_the_link(store, rubric, screen):
    drawn_sheet.made(store, rubric)
    app = screen(correct="matrix")
    assert "fewer than 10 answers" in shown(app)
    picker = next(one for one in app.segmented_control if one.label == "Correct by")
    app = picker.set_value("draw").run()
    assert "correct" not in app.query_params
    assert "Corrected for bias" in shown(app)


def test_ranking_says_it_in_json_and_in_text(store, rubric, run):
    drawn_sheet.made(store, rubric)
    found = json.loads(run("ranking", "--json").stdout)
    assert found["models"][0]["grader"] == "annotators"
    assert found["corrected"]["how"] == "draw"
    (one,) = found["corrected"]["judges"]
    assert {"raw", "corrected", "n", "graded"} < one["models"][0].keys()
    text = run("ranking").stdout
    assert "corrected by random sample (PPI++)" in text
    assert one["pairs"][0]["sentence"].startswith("Cannot tell atlas from birch: +")
    assert "Corrected for bias, lenient ranks atlas > birch > cobalt" in text
    assert "Not corrected by the confusion matrix" in run("ranking", "--correct", "matrix").stdout
