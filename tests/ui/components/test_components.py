"""What a browser sends in any form is answered: nothing raises, and what is sound is saved."""

from functools import partial

import pytest

from concord.grading import workspace
from concord.store.database import open_store
from concord.ui.components import grading_data, grading_pane, payload
from concord.ui.screens import review

GOOD = {"press_id": "p", "status": "scored", "score": 1}
MALFORMED = [
    *(7, "x", [1], [[]], {"seq": "1"}, {"seq": None}, {"seq": -1}, {"seq": 1.5}, {"seq": True}),
    *({"seq": 1, "keys": value} for value in (None, 5, "keys", {"press_id": "p"})),
    *({"seq": 1, "set": value} for value in (None, 5, [], "half \ud83d", "x" * 200_000)),
    *({"seq": 1, "at": value} for value in ("1", 2**63, -1, 1.5, [1])),
    *({"seq": 1, "have": value} for value in (5, "x", [1], [None], {"x": 1})),
    *({"seq": 1, "language": value} for value in (5, ["ja"])),
]
NO_KEYS = (None, 3, "key", [], {}, {"press_id": ["p"]}, {"press_id": "x", "seen": 4})


def answer(monkeypatch, pane, batch, save):
    """The reply of a pane to a batch that Streamlit hands it."""
    state = {key: {"batch": batch} for key in ("name", review.NAME)}
    monkeypatch.setattr(pane.st, "session_state", state)
    save()
    return next(value for key, value in state.items() if key.endswith(".reply"))


@pytest.mark.parametrize("batch", MALFORMED, ids=lambda value: str(value)[:30])
def test_a_malformed_grading_message_is_answered_and_saves_nothing(store, monkeypatch, batch):
    def unreached(*_):
        raise AssertionError("an unreadable message was to be saved")

    act = partial(grading_pane._save, "name", unreached, lambda: store)
    reply = answer(monkeypatch, grading_pane, batch, act)
    assert (reply.saved, reply.refused, bool(reply.problem)) == ([], {}, True)
    assert grading_pane.sent("name", grading_pane.Batch) is None


def test_malformed_presses_hold_up_no_sound_one(
    store, whole_set, rubric, ana, db, monkeypatch, version
):
    place = workspace.window(store, whole_set, ana, rubric[1], None).places[0]
    keys = [*NO_KEYS, GOOD | {"place": place.id, "version": version}]
    batch = {"seq": 3, "set": grading_data.set_token(whole_set), "keys": keys}
    save = partial(grading_pane._saved, set_id=whole_set.id, grader_id=ana)
    act = partial(grading_pane._save, "name", save, lambda: open_store(db))
    reply = answer(monkeypatch, grading_pane, batch, act)
    assert (reply.heard, reply.saved, reply.problem) == (3, ["p"], "")
    assert store.value("select count(*) from grades") == 1


@pytest.mark.parametrize(
    "batch",
    [
        *MALFORMED[:9],
        *({"seq": 1, "presses": value} for value in (5, "x", [1], [{}], [{"n": 1}], [[]])),
        *({"seq": 1, "page": value} for value in ("2", -1, 2**63)),
        *({"seq": 1, "token": value} for value in (5, ["x"])),
        {"seq": 1, "presses": [{"n": "1", "id": "x", "decision": "", "note": "", "grader": 1}]},
        {"seq": 1, "presses": [{"n": 1, "id": "x", "decision": "", "note": "\ud800", "grader": 1}]},
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_malformed_message_of_the_review_is_answered(monkeypatch, batch):
    reply = answer(monkeypatch, review, batch, partial(review.save, [review.Kind()]))
    assert reply["done"] == 0 and reply["problem"]


def test_a_component_is_sent_its_own_words_and_none_in_english(tmp_path, say_in):
    page = tmp_path / "page.html"
    page.write_text("<p>\n Language\n</p>")
    assert payload.words_of((page,)) == {}
    say_in("ko", {"Language": "언어"})
    assert payload.words_of((page,)) == {"Language": "언어"}
