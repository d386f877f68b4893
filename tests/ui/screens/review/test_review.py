"""The screen of disagreements without a browser: filters, links, and what is noted and offered."""

import json
from urllib.parse import parse_qsl

from streamlit.testing.v1 import AppTest

from concord.reports.disagreements.disagreements import EVERYTHING, Filtered, every
from concord.rubrics import fit
from concord.store import additions, graders
from concord.store.rubrics import rubric_versions
from concord.ui.components.review_list import ReviewList
from concord.ui.screens.review import review_work
from concord.ui.screens.review.disagreements_kind import Disagreements
from tests.support.made_items import made_item
from tests.support.panels import give, judge, panel
from tests.support.screens import opened

PAGE = "pages/review.py"


def shown(monkeypatch, db, **query) -> AppTest:
    app = opened(monkeypatch, db, PAGE, **query)
    assert not app.exception and not app.error
    return app


def test_a_viewer_is_asked_for_no_name_and_decides_nothing(monkeypatch, sample_db, told, viewer):
    app = shown(monkeypatch, sample_db)
    assert not [box for box in app.selectbox if box.key == "you"]
    assert told["data"]["locked"] and told["data"]["who"] == "" and told["data"]["entries"]


def test_filters_are_those_of_the_link_and_go_into_it(monkeypatch, sample_db, told):
    query = {"judge": "simulated-lenient-judge", "criterion": "*", "cell": "1:3", "size": "2"}
    app = shown(monkeypatch, sample_db, **query)
    entries = told["data"]["entries"]
    assert {(entry["scores"]["person"], entry["scores"]["said"]) for entry in entries} == {(1, 3)}
    (criterion,) = [box for box in app.selectbox if box.label == "Criterion"]
    criterion.select("readability").run()
    assert app.query_params["criterion"] == "readability"
    assert {entry["scores"]["criterion"] for entry in told["data"]["entries"]} == {"readability"}


def test_a_link_to_one_disagreement_opens_its_page(monkeypatch, sample_db, told):
    shown(monkeypatch, sample_db)
    first = told["data"]["entries"][0]["id"]
    shown(monkeypatch, sample_db, size="2")
    last = told["data"]["entries"][-1]["id"]
    shown(monkeypatch, sample_db, entry=last)
    assert told["data"]["at"] == last != first
    shown(monkeypatch, sample_db, entry="gone")
    assert told["data"]["at"] == first


def test_a_cell_of_the_confusion_table_leads_to_its_disagreements(monkeypatch, sample_db):
    query = {"judge": "simulated-lenient-judge", "criterion": "readability", "cell": "1:3"}
    app = opened(monkeypatch, sample_db, "pages/agreement.py", **query, grader="author")
    (link,) = [link.proto for link in app.main.get("page_link") if link.proto.page == "review"]
    rest = {"sheet": "sample", "rubric": "doc-qa-0-3", "grader": "author"}
    assert dict(parse_qsl(link.query_string)) == query | rest


def test_who_looks_is_told_first_and_every_answer_of_the_page_is_noted(
    monkeypatch, store, db, three_graded, told
):
    ben = graders.ensure(store, "person", "Ben")
    app = shown(monkeypatch, db, grader="Ben")
    assert not told
    assert store.value("select count(*) from openings") == 0
    app.button(key="beside.show").click().run()
    assert len(told["data"]["entries"]) == 2
    assert store.value("select count(*) from openings where grader_id = ?", (ben,)) == 2
    reloaded = shown(monkeypatch, db, grader="Ben")
    assert not reloaded.info and told["data"]["who"] == "Ben"


def test_texts_are_text_and_the_answer_is_safe(monkeypatch, store, db, told):
    made = made_item(1, answer="<script>alert(1)</script>", question="<b>?</b>")
    additions.add(store, "hostile", [made], "h.csv", "0" * 64, {})
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    give(store, rubric, "Ana", {0: 3})
    judge(store, rubric, "gpt", {0: 0})
    shown(monkeypatch, db)
    assert "<script" not in told["data"]["entries"][0]["answer"]
    assert told["data"]["entries"][0]["question"] == "<b>?</b>"


def test_a_press_is_kept_once_and_what_was_changed_meanwhile_is_told(
    monkeypatch, store, db, three_graded
):
    monkeypatch.setenv("CONCORD_DB", str(db))
    ana = graders.named(store, "person", "Ana").id
    gpt = graders.named(store, "judge", "gpt").id
    graded = panel(store, three_graded)
    found = Filtered(graded, EVERYTHING, every(graded), "", 0)
    session = {}
    monkeypatch.setattr(review_work.st, "session_state", session)

    def press(n, item, cause):
        said = {1: 0, 2: 1}[item]
        key = f"{item}.{gpt}.{said}.3.correctness"
        return {"n": n, "id": key, "decision": cause, "note": "", "grader": ana}

    def save(seq, *presses):
        session["review"] = {"batch": {"seq": seq, "presses": list(presses)}}
        current = found._replace(panel=panel(store, three_graded))
        review_work._save(ReviewList([Disagreements(None, current, store)]))
        return session["review.reply"]

    both = press(1, 1, "judge_wrong"), press(2, 2, "person_wrong")
    assert save(1, *both) == review_work.ReviewReply(heard=1, done=2)
    assert save(2, *both, press(3, 1, "")).done == 3
    rows = store.rows("select item_id, cause, grade_ids from adjudications order by id")
    assert [(r["item_id"], r["cause"]) for r in rows] == [
        (1, "judge_wrong"),
        (2, "person_wrong"),
        (1, ""),
    ]
    assert len(json.loads(rows[0]["grade_ids"])) == 2
    give(store, three_graded, "Ana", {0: 2})
    assert save(3, press(4, 1, "judge_wrong")).problem  # it was changed in the meantime


def test_a_rubric_without_meanings_shows_every_score_of_the_scale(monkeypatch, store, db, told):
    """One that an import made; the pane ended in an error instead of the list."""
    additions.add(store, "numbers", [made_item(n) for n in range(3)], "n.csv", "0" * 64, {})
    rubric = fit.new_rubric(["correctness"], (0, 1))
    rubric_versions.register(store, rubric, "own")
    give(store, rubric, "Ana", {0: 0, 1: 1, 2: 1})
    judge(store, rubric, "gpt", {0: 1, 1: 1, 2: 1})
    shown(monkeypatch, db)
    levels = told["data"]["criteria"]["correctness"]["levels"]
    assert [(one["score"], one["meaning"]) for one in levels] == [(0, ""), (1, "")]
    assert told["data"]["entries"][0]["scores"]["person"] == 0
