"""The build screen: an annotator's word on every draft, and documents that try to take it."""

from concord.building import drafts
from concord.store import additions
from tests.support.made_items import made_item
from tests.support.screens import labelled, opened, said

PAGE = "pages/build.py"


def test_a_draft_is_read_changed_and_approved_and_the_next_one_comes(monkeypatch, store, port):
    app = opened(monkeypatch, store.path, PAGE)
    assert "port: 2 drafts to review" in said(app) and "1 faulty" in said(app)
    app.text_area(key="build.1.question").input("At what time does the harbour open?")
    app.text_input(key="build.1.who").input("Ana")
    app.button(key="build.1.approved").click().run()
    assert not app.exception and "Draft 1 is approved." in app.success[0].value
    assert app.selectbox(key="build.open.port").placeholder == "Choose"
    first = drafts.get(store, 1)
    assert (first.state, first.who, first.edited) == ("approved", "Ana", True)
    assert app.text_area(key="build.2.question").value == "What do boats wait for?"
    assert app.text_input(key="build.2.who").value == "Ana"
    app.text_input(key="build.2.why").input("trivial")
    app.button(key="build.2.rejected").click().run()
    assert drafts.get(store, 2).why == "trivial"
    assert "1 question ready to be answered" in said(app)
    assert app.button(key="build.run.answers").label.startswith("Generate answers: 1 request")


def test_the_sheet_that_is_being_built_stays_meant_on_screens_that_cannot_show_it(
    monkeypatch, store, sheet, port
):
    app = opened(monkeypatch, store.path, PAGE, sheet="port")
    app.query_params.clear()
    app.switch_page("pages/splits.py").run()
    assert not app.exception
    assert app.session_state["kept.sheet"] == "port"
    assert "There is no sheet “port” with answers" in said(app)
    assert app.get("page_link")[-1].proto.label == "Build from documents"
    other = [made_item(1), made_item(2)]
    additions.add(store, "port", other, "port", "8" * 64, {})
    additions.add(store, "newer", other, "newer.csv", "9" * 64, {})
    app.switch_page("pages/splits.py").run()
    assert labelled(app, "Sheet").value == "port"


def test_a_quote_that_is_not_there_and_a_missing_name_are_refused(monkeypatch, store, port):
    app = opened(monkeypatch, store.path, PAGE, draft="3")
    app.button(key="build.3.approved").click().run()
    assert "The quote is not in the document" in app.error[0].value
    app.text_area(key="build.3.quote").input("opens at six in the morning")
    app.button(key="build.3.approved").click().run()
    assert "Give the reviewer" in app.error[0].value
    assert drafts.counts(store, "port")["approved"] == 0


def test_documents_that_give_nothing_are_named_where_no_sheet_begins(monkeypatch, store, tmp_path):
    folder = tmp_path / "manuals"
    folder.mkdir()
    (folder / "empty.txt").write_text("")
    app = opened(monkeypatch, store.path, PAGE)
    app.segmented_control(key="build.kind.").set_value("folder").run()
    app.text_input(key="build.folder.").input(str(folder)).run()
    app.button(key="build.take.").click().run()
    assert not app.exception
    assert "0 documents imported." in said(app)
    left_out = next(one.value for one in app.dataframe if "file" in one.value)
    assert left_out["file"].tolist() == ["empty.txt"]
