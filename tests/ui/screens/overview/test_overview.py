"""The start screen: three buttons on an empty database, the loop and its next step otherwise."""

from pathlib import Path

from concord.store import additions, sheets
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item
from tests.support.panels import give
from tests.support.screens import labelled

PAGE = "pages/overview.py"


def test_a_database_deleted_while_the_app_runs_is_one_sentence_on_the_screen(screen, store):
    screen()
    store.close()
    Path(store.path).unlink()
    app = screen()
    assert not app.exception
    assert not Path(store.path).exists()


def test_without_a_sheet_in_the_url_the_one_worked_on_last_is_shown_and_said_so(screen, store, ana):
    old = additions.add(store, "old", [made_item(1)], "old.csv", "1" * 64, {})
    additions.add(store, "new", [made_item(2)], "new.csv", "2" * 64, {})
    assert sheets.last_worked_on(store) == "new"
    give(store, rubric_versions.named(store, "doc-qa-0-3")[1], "Ana", {0: 3})
    assert sheets.last_worked_on(store) == old.name
    app = screen()
    assert labelled(app, "Sheet").value == "old"
    said = "The sheet used last. Choose another here."
    assert app.caption[0].value == said
    app.run()
    assert app.caption[0].value == said  # also once the URL names it
    labelled(app, "Sheet").set_value("new").run()
    assert said not in [one.value for one in app.caption]


def test_the_next_button_opens_the_baseline_that_it_names(screen, store, rubric, sheet):
    give(store, rubric[1], "Ana", {0: 2, 1: 3})
    app = screen()
    app.button(key="start.next").click().run()
    assert not app.exception and app.query_params["judge"] in ("baseline", ["baseline"])
