"""A disabled button says why."""

from tests.support.screens import opened


def test_a_disabled_button_says_what_is_missing(monkeypatch, sample_db):
    for page, key, why, query in (
        ("pages/build.py", "build.take.", "Choose the documents first.", {"start": "new"}),
        ("pages/rubrics.py", ".up", "This is the first criterion.", {"edit": "1"}),
    ):
        app = opened(monkeypatch, sample_db, page, **query)
        button = next(one for one in app.button if key in one.key)
        assert button.disabled and button.help == why
