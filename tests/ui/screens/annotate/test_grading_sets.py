"""The lead's card of a set, and what a read-only app leaves out of it."""

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


def test_a_set_that_nobody_has_begun_is_withdrawn_without_opening_anything(
    store, whole_set, monkeypatch
):
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    key = f"sets.remove.{whole_set.id}"
    assert key not in [one.key for fold in app.expander for one in fold.button]
    app.button(key=key).click().run()
    assert not app.exception and grading_sets.of_sheet(store, whole_set.sheet_id) == []


def test_a_read_only_app_shows_the_set_alone(store, whole_set, monkeypatch):
    monkeypatch.setenv(READ_ONLY, "1")
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert not app.exception
    words = every_word(app)
    assert "Set 1" in words and "Sampling" in words
    assert [one for one in (*CHANGES, "below") if one in words] == []
    assert not app.button and not app.text_input
