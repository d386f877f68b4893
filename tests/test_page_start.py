"""The start screen: three buttons on an empty database, the loop and its next step otherwise."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from data import sheets
from patience import PATIENT_S

APP = Path(__file__).parent.parent / "app.py"


@pytest.fixture
def screen(store, monkeypatch):
    monkeypatch.setenv("CONCORD_DB", store.path)
    return lambda: AppTest.from_file(str(APP), default_timeout=PATIENT_S).run()


def test_an_empty_database_is_told_what_concord_is_and_offered_three_ways_in(screen):
    app = screen()
    assert "calibrates LLM judges against people" in app.markdown[0].value
    ways = ["Load the sample", "Import a sheet", "Build a sheet"]
    assert [button.label for button in app.button] == ways


def test_a_team_without_answers_is_led_to_build(screen):
    app = screen().button(key="start.build").click().run()
    assert not app.exception
    assert app.header[0].value == "What shall a new sheet be built from?"


def test_the_sample_is_loaded_with_its_baseline_and_the_decision_is_next(screen, store):
    app = screen().button(key="sample.load").click().run()
    assert not app.exception
    assert "The sample is loaded. The baseline stored 576 grades" in app.success[0].value
    assert app.header[0].value == (
        "192 of 192 answers graded by people, and 3 judges to compare with them"
    )
    assert app.button(key="start.next").label == "Name what would be good enough"
    assert not any("before you" in one.value for one in app.markdown)  # the figure is on a card
    assert sheets.find(store, "sample")


def test_a_sheet_without_grades_sends_to_grading(screen, sheet):
    app = screen()
    assert app.header[0].value == "36 answers wait for a first grade"
    assert app.button(key="start.next").label == "Draw a grading set and grade"
