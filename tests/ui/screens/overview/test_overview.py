"""The start screen: three buttons on an empty database, the loop and its next step otherwise."""

from pathlib import Path

from concord.store import additions, sheets
from concord.store.rubrics import rubric_versions
from tests.support.made_items import made_item
from tests.support.panels import give
from tests.support.screens import labelled

PAGE = "pages/overview.py"


def test_an_empty_database_is_told_what_concord_is_and_offered_three_ways_in(screen):
    app = screen()
    assert "calibrates LLM judges against annotators" in app.markdown[0].value
    ways = ["Load the sample", "Import a sheet", "Build a sheet"]
    assert [button.label for button in app.button] == ways


def test_a_database_deleted_while_the_app_runs_is_one_sentence_on_the_screen(screen, store):
    screen()
    store.close()
    Path(store.path).unlink()
    app = screen()
    assert not app.exception
    assert "was deleted, moved or replaced while Concord was working" in app.error[0].value
    assert not Path(store.path).exists()


def test_a_team_without_answers_is_led_to_build(screen):
    app = screen().button(key="start.build").click().run()
    assert not app.exception
    assert app.header[0].value == "Build a sheet from documents or questions"


def test_the_sample_is_loaded_with_its_baseline_and_the_decision_is_next(screen, store):
    app = screen().button(key="sample.load").click().run()
    assert not app.exception
    assert "The sample is loaded. The baseline stored 576 grades" in app.success[0].value
    assert app.header[0].value == ("192 of 192 answers graded by annotators; 3 judges to compare")
    assert app.button(key="start.next").label == "Set the terms"
    # The figure is on a card.
    assert not any("before you can see" in one.value for one in app.markdown)
    assert sheets.find(store, "sample")


def test_continuous_numbers_alone_lead_to_no_decision_and_the_card_says_why(
    screen, store, rubric, sheet
):
    give(store, rubric[1], "Ana", {0: 3, 1: 2})
    for name in ("smooth", "smoother"):
        give(store, rubric[1], name, {0: 1.25, 1: 2.5}, kind="judge")
    app = screen()
    assert "smooth is left out: its grades are continuous numbers" in card(app, "Decision")
    assert "reference judge and a non-inferiority margin" not in card(app, "Decision")
    assert app.button(key="start.next").label == "Read the judges' agreement with annotators"
    give(store, rubric[1], "whole", {0: 3, 1: 2}, kind="judge")
    assert "is left out" not in card(screen(), "Decision")


def card(app, title: str) -> str:
    """What the card of a step says."""
    return next(one.proto.body for one in app.get("html") if title in one.proto.body)


def test_a_sheet_without_grades_sends_to_grading(screen, sheet):
    app = screen()
    assert app.header[0].value == "36 answers, none graded yet"
    assert app.button(key="start.next").label == "Create a grading set and grade"


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
    assert "Run the baseline now, free" in [button.label for button in app.button]
