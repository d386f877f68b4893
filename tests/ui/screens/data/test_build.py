"""The build screen: an annotator's word on every draft, and documents that try to take it."""

from concord.building import drafts
from tests.support.screens import opened, said

PAGE = "pages/build.py"


def test_a_draft_is_read_changed_and_approved_and_the_next_one_comes(monkeypatch, store, port):
    app = opened(monkeypatch, store.path, PAGE)
    assert "1 faulty" in said(app)
    app.text_area(key="build.1.question").input("At what time does the harbour open?")
    app.text_input(key="build.1.who").input("Ana")
    app.button(key="build.1.approved").click().run()
    assert not app.exception
    assert app.selectbox(key="build.open.port").placeholder == "Choose"
    first = drafts.get(store, 1)
    assert (first.state, first.who, first.edited) == ("approved", "Ana", True)
    assert app.text_input(key="build.2.who").value == "Ana"
    app.text_input(key="build.2.why").input("trivial")
    app.button(key="build.2.rejected").click().run()
    assert drafts.get(store, 2).why == "trivial"


def test_a_quote_that_is_not_there_and_a_missing_name_are_refused(monkeypatch, store, port):
    app = opened(monkeypatch, store.path, PAGE, draft="3")
    app.button(key="build.3.approved").click().run()
    app.text_area(key="build.3.quote").input("opens at six in the morning")
    app.button(key="build.3.approved").click().run()
    assert drafts.counts(store, "port")["approved"] == 0
