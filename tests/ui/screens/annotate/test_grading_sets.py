"""The lead's card of a set, and what a read-only app leaves out of it."""

import pytest

from concord.grading import grading_sets
from concord.store.database import READ_ONLY
from tests.support.screens import opened, said

# What leads find on the card of a set.
CHANGES = (
    *("Assign blocks to annotators", "Training round: 0 answers", "Freeze the rubric"),
    *("Links to send", "Files for annotators without access", "New grading set"),
    *("Grade this set myself", "Withdraw this set", "Send"),
)


def every_word(app) -> str:
    """All words of a page, those on what can be opened and pressed too."""
    parts = [*app.expander, *app.button, *app.get("page_link")]
    labels = [getattr(one, "label", "") or one.proto.label for one in parts]
    return " ".join([said(app), *labels])


def test_a_lead_finds_what_changes_a_set(store, whole_set, monkeypatch):
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    words = every_word(app)
    assert [one for one in CHANGES if one not in words] == []


def test_links_come_first_until_an_annotator_has_begun(store, whole_set, monkeypatch):
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    folds = [fold.label for fold in app.expander]
    assert folds.index("Links to send") < folds.index("Assign blocks to annotators")


def test_where_people_sign_in_a_lead_sends_no_links(as_whom):
    words = said(as_whom("Lea", "pages/annotate.py"))
    assert "Annotators with access to a set see it when they sign in." in words
    assert "a link from below" not in words


def test_a_set_that_nobody_has_begun_is_withdrawn_without_opening_anything(
    store, whole_set, monkeypatch
):
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    key = f"sets.remove.{whole_set.id}"
    assert key not in [one.key for fold in app.expander for one in fold.button]
    app.button(key=key).click().run()
    assert not app.exception and grading_sets.of_sheet(store, whole_set.sheet_id) == []


def test_the_card_leads_to_the_splits_where_no_answer_can_be_gold(store, whole_set, monkeypatch):
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert "Go to Splits" in every_word(app)


def test_a_read_only_app_shows_the_set_alone(store, whole_set, monkeypatch):
    monkeypatch.setenv(READ_ONLY, "1")
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert not app.exception
    words = every_word(app)
    assert "Set 1" in words and "Sampling" in words
    assert [one for one in (*CHANGES, "below") if one in words] == []
    assert not app.button and not app.text_input


@pytest.mark.parametrize(
    ("share", "shown"), [(0.0, "No answer is repeated."), (0.1, "17% of the answers are repeated")]
)
def test_a_card_says_if_answers_are_repeated(store, sheet, rubric, monkeypatch, share, shown):
    grading_sets.create(store, sheet.id, rubric[0], "Once", None, 1, 6, share)
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert shown in said(app) and " 0% of" not in said(app)
