"""A disabled button says why."""

from tests.support.screens import opened


def test_a_disabled_button_says_what_is_missing(monkeypatch, sample_db):
    app = opened(monkeypatch, sample_db, "pages/build.py", start="new")
    button, why = app.button(key="build.take."), "Choose the documents first."
    assert button.disabled and button.help == why
    assert why in [one.value for one in app.caption]  # also where there is no hover


def test_the_form_of_a_rubric_offers_no_change_that_does_nothing(monkeypatch, sample_db):
    app = opened(monkeypatch, sample_db, "pages/rubrics.py", edit="1")
    ups = [one for one in app.button if str(one.key).endswith(".up")]
    assert ups and not [one for one in ups if one.disabled]
    while len(out := [one for one in app.button if str(one.key).endswith(".remove")]) > 1:
        out[0].click().run()
        assert not app.exception
    [last] = out
    why = "A rubric has at least one criterion."
    assert last.disabled and why in [one.value for one in app.caption]
    assert not [one for one in app.button if one.key == "rubric.equal"]
    assert not [one for one in app.button if str(one.key).endswith(".up")]
