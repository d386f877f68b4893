"""The contradicted claims of a review without a browser: what is shown, decided and said of it."""

from concord.store.units import contradicted_claims
from concord.ui.screens.review import review_work
from tests.support.screens import opened

PAGE = "pages/review.py"


def shown(monkeypatch, store, **query):
    app = opened(monkeypatch, store.path, PAGE, list="contradicted", **query)
    assert not app.exception
    return app


def test_a_claim_stands_with_its_reason_beside_the_texts_with_the_quote_marked(
    monkeypatch, store, refuted, told
):
    shown(monkeypatch, store)
    data = told["data"]
    first, _ = data["entries"]
    assert first["claim"]["text"] == first["row"] == "One."
    assert first["question"] == "What is 1?" and "Answer 1" in first["answer"]
    marked = [one for part in data["more"][first["id"]]["parts"] for one in part["segments"]]
    assert [one["text"] for one in marked if one["units"]]


def test_the_first_without_a_review_is_shown_and_a_press_is_kept_with_its_note(
    monkeypatch, store, refuted, told, ana
):
    contradicted_claims.review(store, refuted[0], "confirmed", ana, "as it says")
    shown(monkeypatch, store)
    assert told["data"]["at"] == f"contradicted.{refuted[1]}"
    told["data"]["entries"][0]
    claim = f"contradicted.{refuted[1]}"
    press = {"n": 7, "id": claim, "decision": "overturned", "note": "no", "grader": ana}
    session = {"review": {"batch": {"seq": 3, "presses": [press]}}}
    monkeypatch.setattr(review_work.st, "session_state", session)
    told["on_batch_change"]()
    assert session["review.reply"] == review_work.ReviewReply(heard=3, done=7)
    assert store.value("select cause from adjudications order by id desc") == "overturned"
