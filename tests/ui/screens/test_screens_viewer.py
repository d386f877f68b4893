"""No button of a screen ends in an error for a viewer, who changes nothing."""

import pytest

from tests.support.screens import PAGES, opened, said

NO_LEAD = "Your role does not allow that"


@pytest.mark.parametrize("page", PAGES)
def test_what_a_viewer_can_press_ends_in_no_error(page, store, sheet, viewer, monkeypatch):
    buttons = opened(monkeypatch, store.path, page).button
    for place in [n for n, button in enumerate(buttons) if not button.disabled]:
        pressed = opened(monkeypatch, store.path, page).button[place].click().run()
        assert not pressed.exception


@pytest.mark.parametrize("page", ["pages/data.py", "pages/overview.py"])
def test_a_viewer_is_offered_no_import_where_there_is_no_sheet(page, store, viewer, monkeypatch):
    app = opened(monkeypatch, store.path, page)
    assert not app.button and not app.get("file_uploader")
    assert "Import answers" not in said(app)


@pytest.mark.parametrize(
    ("page", "key", "query"),
    [
        ("pages/plan.py", "plan.make", {}),
        ("pages/splits.py", "splits.hold-out.0", {}),
        ("pages/build.py", "build.take.", {}),
        ("pages/rubrics.py", "rubric.save", {"edit": 1}),
    ],
)
def test_a_viewer_is_told_why_a_button_is_disabled(
    page, key, query, store, sheet, viewer, monkeypatch
):
    app = opened(monkeypatch, store.path, page, **query)
    assert app.button(key=key).disabled and NO_LEAD in said(app)


def test_a_viewer_of_data_imports_undoes_and_deletes_nothing(store, sheet, viewer, monkeypatch):
    for query in ({}, {"do": "import"}, {"do": "grades"}):
        app = opened(monkeypatch, store.path, "pages/data.py", **query)
        keys = {button.key for button in app.button}
        assert not keys & {"sheets.new", "sheets.grades", "sample.load"}
        assert not app.get("file_uploader")
        assert "Delete this sheet" not in [fold.label for fold in app.expander]
