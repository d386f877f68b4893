"""The contradicted claims of a review without a browser: what is shown, decided and said of it."""

from concord.sampling import split_assignment
from concord.store.units import contradicted_claims
from concord.ui.components import review_pane
from tests.support.screens import opened, said

PAGE = "pages/review.py"


def shown(monkeypatch, store, **query):
    app = opened(monkeypatch, store.path, PAGE, list="contradicted", **query)
    assert not app.exception
    return app


def test_a_claim_stands_with_its_reason_beside_the_texts_with_the_quote_marked(
    monkeypatch, store, refuted, told
):
    app = shown(monkeypatch, store)
    assert app.header[0].value == "2 “contradicted” verdicts"
    assert "2 “contradicted” verdicts, none reviewed yet." in said(app)
    data = told["data"]
    first, second = data["entries"]
    assert first["claim"]["text"] == first["row"] == "One."
    assert first["claim"]["reason"] == "It says otherwise."
    assert first["question"] == "What is 1?" and "Answer 1" in first["answer"]
    marked = [one for part in data["more"][first["id"]]["parts"] for one in part["segments"]]
    assert [one["text"] for one in marked if one["units"]]
    names = [part["name"] for part in data["more"][second["id"]]["parts"]]
    assert names[0] == "Quote not found in any text"
    assert [one["cap"] for one in data["kinds"]["contradicted"]["decisions"]] == ["Y", "X"]


def test_the_first_without_a_review_is_shown_and_a_press_is_kept_with_its_note(
    monkeypatch, store, refuted, told, ana
):
    contradicted_claims.review(store, refuted[0], "confirmed", ana, "as it says")
    app = shown(monkeypatch, store)
    assert told["data"]["at"] == f"contradicted.{refuted[1]}"
    done = told["data"]["entries"][0]
    assert (done["decision"], done["note"], done["who"]) == ("confirmed", "as it says", "Ana")
    claim = f"contradicted.{refuted[1]}"
    press = {"n": 7, "id": claim, "decision": "overturned", "note": "no", "grader": ana}
    session = {"review": {"batch": {"seq": 3, "presses": [press]}}}
    monkeypatch.setattr(review_pane.st, "session_state", session)
    told["on_batch_change"]()
    assert session["review.reply"] == review_pane.ReviewReply(heard=3, done=7)
    monkeypatch.undo()
    app = shown(monkeypatch, store)
    assert "1 of 2 “contradicted” verdicts confirmed: precision 0.50" in said(app)
    assert "left to review" not in said(app)


def test_a_link_to_the_rubric_and_the_claim_opens_them(monkeypatch, store, refuted, told):
    shown(monkeypatch, store, rubric="claims-in-contexts", at=str(refuted[1]))
    assert told["data"]["at"] == f"contradicted.{refuted[1]}"


def test_where_every_verdict_is_held_out_none_is_said_to_be_missing(
    monkeypatch, store, run, refuted, told
):
    (question,) = store.column("select question_id from items where id = 2")
    split_assignment.assign(store, [question], "held-out", "for later")
    listed, screen = run("contradicted").output, said(shown(monkeypatch, store))
    for text in (listed, screen):
        assert "No contradiction to show." in text and "No judge found" not in text
        assert "2 “contradicted” verdicts on held-out questions" in text


def test_without_verdicts_the_list_says_what_it_is_for(monkeypatch, sample_db, told):
    app = opened(monkeypatch, sample_db, PAGE, list="contradicted")
    assert "No judge has checked claims yet" in said(app) and not told


def test_how_precise_a_judge_is_does_not_depend_on_what_is_searched(
    monkeypatch, store, refuted, told, ana
):
    contradicted_claims.review(store, refuted[0], "confirmed", ana, "")
    contradicted_claims.review(store, refuted[1], "overturned", ana, "")
    figure = "1 of 2 “contradicted” verdicts confirmed: precision 0.50"
    assert figure in said(shown(monkeypatch, store))
    assert f"Over all answers: {figure}" in said(shown(monkeypatch, store, words="what is 0"))
