"""Disagreements, contradicted claims and claims in one list under one bar of filters."""

import json
from urllib.parse import parse_qsl

from streamlit.testing.v1 import AppTest

from concord.sampling import split_assignment
from concord.store import additions, graders
from concord.store.rubrics import rubric_versions
from concord.ui.screens import review
from tests.support.made_items import made_item
from tests.support.panels import give, judge, panel
from tests.support.screens import labelled, opened

PAGE = "pages/review.py"


def kinds(told) -> list[str]:
    return [entry["kind"] for entry in told["data"]["entries"]]


def test_the_screen_opens_on_the_disagreements_of_one_judge_whatever_else_is_there(
    screen, of_every_kind, told
):
    app = screen()
    assert kinds(told) == ["disagreements"] * 2
    labelled(app, "Show").select("all").run()
    assert kinds(told) == ["disagreements"] * 2 + ["contradicted"] * 2 + ["claims"] * 2
    decisions = {name: len(one["decisions"]) for name, one in told["data"]["kinds"].items()}
    assert decisions == {"disagreements": 5, "contradicted": 2, "claims": 0}
    labelled(app, "Show").select("disagreements").run()
    assert labelled(app, "Judge").value == "gpt"
    prompt, reword = (parse_qsl(link.proto.query_string) for link in app.main.get("page_link"))
    assert dict(prompt)["item"] == "1" and dict(prompt)["judge"].startswith("gpt")
    assert dict(reword)["criterion"] == "correctness"


def test_a_claim_stands_with_its_reason_beside_the_texts_with_the_quote_marked(
    screen, refuted, told
):
    screen(list="contradicted")
    data = told["data"]
    first, _ = data["entries"]
    assert first["row"] == "One." and first["claim"]["reason"]
    assert first["question"] == "What is 1?" and "Answer 1" in first["answer"]
    marked = [one for part in data["more"][first["id"]]["parts"] for one in part["segments"]]
    assert [one["text"] for one in marked if one["units"]]


def openings(store):
    rows = store.rows("select item_id, grader_id from openings order by id")
    return {tuple(row) for row in rows}


def test_the_answer_graders_differ_on_is_shown_first_and_that_it_was_seen_is_noted(
    screen, store, judged_claims, told
):
    screen(list="claims")
    assert told["data"]["at"] == "claims.2" and openings(store) == {(2, None), (1, None)}
    more = told["data"]["more"]["claims.2"]
    first, second = more["units"]
    assert first["differs"] and not second["differs"]
    assert [one["who"] for one in first["said"]] == ["Ana", "mine"]
    assert second["text"] == "<i>Two.</i>"
    assert more["parts"][0] == {
        "name": "Answer",
        "segments": [{"text": "<b>Answer 1</b>", "units": []}],
    }


def test_a_sealed_answer_stays_closed_also_by_its_link(screen, store, judged_claims, told):
    question = store.value("select question_id from items where id = 2")
    split_assignment.assign(store, [question], "held-out", "for later")
    screen(list="claims", entry="claims.2")
    assert told["data"]["at"] == "claims.1" and (2, None) not in openings(store)


def shown_of_review(monkeypatch, db, **query) -> AppTest:
    app = opened(monkeypatch, db, PAGE, **query)
    assert not app.exception and not app.error
    return app


def test_a_viewer_is_asked_for_no_name_and_decides_nothing(monkeypatch, sample_db, told, viewer):
    app = shown_of_review(monkeypatch, sample_db)
    assert not [box for box in app.selectbox if box.key == "you"]
    assert told["data"]["locked"] and told["data"]["who"] == "" and told["data"]["entries"]


def test_a_link_to_one_disagreement_opens_its_page(monkeypatch, sample_db, told):
    shown_of_review(monkeypatch, sample_db)
    first = told["data"]["entries"][0]["id"]
    shown_of_review(monkeypatch, sample_db, cell="0:2")
    last = told["data"]["entries"][-1]["id"]
    shown_of_review(monkeypatch, sample_db, entry=last)
    assert told["data"]["at"] == last != first
    shown_of_review(monkeypatch, sample_db, entry="gone")
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
    app = shown_of_review(monkeypatch, db, grader="Ben")
    assert not told
    assert store.value("select count(*) from openings") == 0
    app.button(key="beside.show").click().run()
    assert len(told["data"]["entries"]) == 2
    assert store.value("select count(*) from openings where grader_id = ?", (ben,)) == 2
    reloaded = shown_of_review(monkeypatch, db, grader="Ben")
    assert not reloaded.info and told["data"]["who"] == "Ben"


def test_texts_are_text_and_the_answer_is_safe(monkeypatch, store, db, told):
    made = made_item(1, answer="<script>alert(1)</script>", question="<b>?</b>")
    additions.add(store, "hostile", [made], "h.csv", "0" * 64, {})
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    give(store, rubric, "Ana", {0: 3})
    judge(store, rubric, "gpt", {0: 0})
    shown_of_review(monkeypatch, db)
    assert "<script" not in told["data"]["entries"][0]["answer"]
    assert told["data"]["entries"][0]["question"] == "<b>?</b>"


def test_a_press_is_kept_once_and_what_was_changed_meanwhile_is_told(
    monkeypatch, store, db, three_graded
):
    monkeypatch.setenv("CONCORD_DB", str(db))
    ana = graders.named(store, "person", "Ana").id
    gpt = graders.named(store, "judge", "gpt").id
    session = {}
    monkeypatch.setattr(review.st, "session_state", session)

    def press(n, item, cause):
        said = {1: 0, 2: 1}[item]
        key = f"{item}.{gpt}.{said}.3.correctness"
        return {"n": n, "id": key, "decision": cause, "note": "", "grader": ana}

    def save(seq, *presses):
        session["review"] = {"batch": {"seq": seq, "presses": list(presses)}}
        kind = review.Disagreements.__new__(review.Disagreements)
        kind.panel = panel(store, three_graded)
        review.save([kind])
        return session["review.reply"]

    both = press(1, 1, "judge_wrong"), press(2, 2, "person_wrong")
    assert save(1, *both) == {"heard": 1, "done": 2, "problem": ""}
    assert save(2, *both, press(3, 1, ""))["done"] == 3
    rows = store.rows("select item_id, cause, grade_ids from adjudications order by id")
    assert [(r["item_id"], r["cause"]) for r in rows] == [
        (1, "judge_wrong"),
        (2, "person_wrong"),
        (1, ""),
    ]
    assert len(json.loads(rows[0]["grade_ids"])) == 2
    give(store, three_graded, "Ana", {0: 2})
    assert save(3, press(4, 1, "judge_wrong"))["problem"]  # it was changed in the meantime
