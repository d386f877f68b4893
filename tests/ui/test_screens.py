"""Every screen opens on no sheet, on the sample and on 5,000 answers, and its main action works.

What a pane in the browser sends, handed to the server as Streamlit would: without a browser.
"""

import json
import os
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from streamlit.testing.v1 import AppTest

from concord.building import drafts
from concord.grading import annotators, assignments, campaigns, grading_sets
from concord.sampling import splits
from concord.store import graders, items, sheets
from concord.store.database import READ_ONLY, open_store
from concord.store.permissions import LEAD, Who
from concord.store.rubrics import rubric_versions
from concord.team import members
from concord.ui import navigation
from tests.support.files import give, press
from tests.support.grading_room import component_json
from tests.support.grading_room import press as grade_place
from tests.support.judges.building import proposed
from tests.support.panels import give as grade
from tests.support.screens import PAGES, counts, labelled, opened, sign_in_as

# The pages of one sheet.
SHEET_PAGES = [page for page in PAGES if not re.search("build|rubrics|settings", page)]


def rows(app: AppTest) -> int:
    """The length of the first table; 0 where there is none."""
    return next((len(one.value) for one in app.dataframe), 0)


def most_rows(app: AppTest) -> int:
    """The length of the longest table."""
    return max(len(one.value) for one in app.dataframe)


def variants(app: AppTest) -> int:
    """How many judges are compared."""
    return len(app.multiselect[0].value)


def bases(app: AppTest) -> int:
    """How many judges may be the one that the others are compared with."""
    return len(next(one for one in app.selectbox if one.label == "Base variant").options)


def cards(app: AppTest) -> int:
    return len([*app.header, *app.subheader])


def folds(app: AppTest) -> int:
    return len(app.expander)


def uploads(app: AppTest) -> int:
    return len(app.file_uploader)


def to_do(app: AppTest) -> int:
    """How much there is to work through in a pane."""
    return json.loads(component_json(app))["total"]


def options(key: str) -> Callable[[AppTest], int]:
    """How many choices a picker has."""
    return lambda app: len(app.selectbox(key=key).options)


def enabled(key: str) -> Callable[[AppTest], bool]:
    """Whether a button can be pressed."""
    return lambda app: key in {one.key for one in app.button if not one.disabled}


class View(NamedTuple):
    """An address: what is read on it, and what that is on the sample and on 5,000 answers."""

    address: str
    read: Callable[[AppTest], object]
    sample: object
    large: object


WRITE = "FormSubmitter:certificate.write-Write the certificate"
VIEWS = (
    View("overview", counts, (192, 192, 3), (5000, 5000, 2)),
    View("data", counts, (192, 64, 3), (5000, 1250, 4)),
    View("data?item=1", enabled("browse.close"), True, True),
    View("data?do=import", uploads, 1, 1),
    View("data?do=grades", uploads, 1, 1),
    View("build", uploads, 1, 1),
    View("splits", counts, (0, 64, 0), (0, 1250, 0)),
    View("rubrics", enabled("rubric.edit"), True, True),
    View("rubrics?edit=1", rows, 2, 2),
    View("annotate", enabled("sets.make"), True, True),
    View("plan", rows, 1, 1),
    View("progress", folds, 3, 2),
    View("grade", enabled("grader.first"), True, True),
    View("adjudicate", to_do, 91, 2730),
    View("judges", rows, 4, 4),
    View("judges?judge=computed", enabled("judge.run"), True, True),
    View("judges?add=1", enabled("judge.save"), True, True),
    View("agreement", rows, 6, 4),
    View("agreement?cell=3:1", cards, 2, 1),
    View("agreement?detail=confidence", rows, 10, 0),
    View("agreement?detail=columns", rows, 3, 4),
    View("agreement?detail=bias", rows, 10, 7),
    View("agreement?detail=reliability", rows, 3, 3),
    View("agreement?detail=exclusions", lambda app: len(app.code), 1, 1),
    View("annotators", lambda app: len(app.dataframe[1].value), 3, 2),
    View("ranking", most_rows, 15, 12),
    View("compare", variants, 4, 2),
    View("compare?view=flips", most_rows, 73, 1111),
    View("compare?study=agreement", bases, 3, 2),
    View("review", to_do, 78, 1530),
    View("review?list=all", to_do, 78, 16734),
    View("review?list=claims", cards, 1, 1),
    View("metrics", rows, 0, 1),
    View("metrics?view=annotators", rows, 0, 1),
    View("metrics?view=columns&by=set", rows, 0, 1),
    View("metrics?view=vera", rows, 0, 0),
    View("metrics?view=one", lambda app: len(app.header), 1, 1),
    View("metrics?view=do", rows, 0, 1),
    View("decide", options("choose.against"), 3, 2),
    View("certificate", enabled(WRITE), False, True),
    View("team", cards, 1, 1),
)


def pressed(app: AppTest, key: str) -> AppTest:
    app = press(app, key)
    assert not app.exception and not app.error
    return app


def named(found, label: str):
    """The only one of some elements with a label."""
    [one] = [one for one in found if one.label == label]
    return one


def test_every_page_is_a_tab_of_one_screen():
    tabs = [navigation.path(name) for screen in navigation.SCREENS for name in screen.tabs]
    assert sorted(tabs) == PAGES


@pytest.mark.parametrize("screen", navigation.SCREENS, ids=lambda screen: next(iter(screen.tabs)))
def test_a_screen_without_a_sheet_leads_on(screen, look, db):
    for name in screen.tabs:
        app = look(db, name)
        shown = len(screen.tabs) - ("team" in screen.tabs and name != "team")
        links = len(app.main.get("page_link")) - (shown if shown > 1 else 0)
        keys = [one.key for one in app.button if not one.disabled]
        assert links > 0 or keys or uploads(app) or name == "team", name


@pytest.mark.parametrize("view", VIEWS, ids=[view.address for view in VIEWS])
def test_a_screen_opens_on_the_sample(view, look, sample_db, few_sheets):
    assert view.read(look(sample_db, view.address)) == view.sample


@pytest.mark.parametrize("view", VIEWS, ids=[view.address for view in VIEWS])
def test_a_screen_opens_on_5_000_answers(view, look, large_db, few_sheets):
    assert view.read(look(large_db, view.address)) == view.large


@pytest.mark.parametrize("page", SHEET_PAGES)
def test_a_sheet_that_is_not_there_is_never_replaced_by_another(page, sample_db, monkeypatch):
    app = opened(monkeypatch, sample_db, page, sheet="gone")
    assert not app.exception and app.query_params["sheet"] in ("gone", ["gone"])
    assert cards(app) == 1
    assert not app.dataframe


@pytest.mark.parametrize("page", PAGES)
def test_a_link_that_names_what_is_gone_opens_its_page(page, sample_db, monkeypatch, few_sheets):
    query = {key: "gone" for key in ("rubric", "grader", "judge", "item", "set", "criterion")}
    assert not opened(monkeypatch, sample_db, page, sheet="sample", **query).exception


@pytest.mark.parametrize("page", PAGES)
def test_what_a_viewer_can_press_ends_in_no_error(
    page, store, sheet, viewer, monkeypatch, few_sheets
):
    buttons = opened(monkeypatch, store.path, page).button
    for place in [n for n, button in enumerate(buttons) if not button.disabled]:
        assert not opened(monkeypatch, store.path, page).button[place].click().run().exception


@pytest.mark.parametrize("query", [{}, {"do": "import"}, {"do": "grades"}])
def test_a_viewer_imports_and_deletes_nothing(query, store, sheet, viewer, monkeypatch):
    app = opened(monkeypatch, store.path, "pages/data.py", **query)
    keys = {one.key for one in (*app.button, *app.text_input)}
    assert not keys & {"sheets.new", "sheets.grades", "sample.load", "sheets.delete"}
    assert not app.file_uploader


# Labels of what would store something or cost money, on the screens as a single user has them.
ACTIONS = (
    *("Import answers", "Import grades", "Edit a copy", "Add judge", "Your name", "Review terms"),
    *("Create grading set", "Start grading", "Key for this session", "Write the certificate"),
    *("Upload", "Delete this sheet", "Load the sample", "Check with one request"),
    *("Set the terms", "Go to Judges", "Create a grading set and grade"),
    "Adjudicate without seeing judges or names",
)


@pytest.mark.parametrize("page", PAGES)
def test_a_read_only_app_offers_no_action_and_writes_nothing(
    page, sample_db, monkeypatch, few_sheets
):
    monkeypatch.setenv(READ_ONLY, "1")
    before = sample_db.read_bytes()
    app = opened(monkeypatch, sample_db, page)
    assert not app.exception and not app.error
    parts = (*app.button, *app.text_input, *app.selectbox, *app.expander, *app.file_uploader)
    labels = [one.label for one in parts if not getattr(one, "disabled", False)]
    labels += [one.proto.label for one in app.main.get("page_link")]
    assert {*labels}.isdisjoint(ACTIONS)
    assert sample_db.read_bytes() == before


def no_database(path: Path) -> Path:
    path.write_text("just some notes " * 100)
    return path


def a_newer_one(path: Path) -> Path:
    open_store(path).close()
    connection = sqlite3.connect(path)
    connection.execute("pragma user_version = 99")
    connection.close()
    return path


def in_a_folder_that_cannot_be_written(path: Path) -> Path:
    if os.geteuid() == 0:  # root may write anywhere but into the kernel's own file system
        return Path("/proc/concord.db")
    path.parent.chmod(0o555)
    return path


def in_no_folder(path: Path) -> Path:
    return path.parent / "nowhere" / "concord.db"


def a_damaged_one(path: Path) -> Path:
    open_store(path).close()
    content = bytearray(path.read_bytes())
    content[100:4096] = b"\xff" * 3996
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    "spoil",
    [no_database, a_newer_one, in_a_folder_that_cannot_be_written, in_no_folder, a_damaged_one],
)
@pytest.mark.parametrize("page", ["pages/overview.py", "pages/grade.py"])
def test_a_database_that_cannot_be_used_is_one_error(spoil, page, tmp_path, monkeypatch):
    app = opened(monkeypatch, spoil(tmp_path / "concord.db"), page)
    tmp_path.chmod(0o755)
    assert not app.exception and len(app.error) == 1


def test_a_filter_holds_on_the_other_screens_of_its_sheet(sample_db, look):
    app = look(sample_db, "agreement")
    labelled(app, "Criterion").set_value("readability").run()
    labelled(app, "Judge").select("simulated-lenient-judge").run()
    for page in ("annotators", "review", "agreement"):
        app.query_params.clear()
        app.switch_page(navigation.path(page)).run()
        assert not app.exception and labelled(app, "Criterion").value == "readability", page
    assert labelled(app, "Judge").value == "simulated-lenient-judge"
    app.query_params["criterion"] = "correctness"
    app.switch_page("pages/annotators.py").run()
    assert labelled(app, "Criterion").value == "correctness"  # an address wins


# The main action of each screen.


def test_data_imports_answers_with_their_grades(look, store):
    text = "item_id,question,answer,answer_model,human_correctness\n"
    app = give(look(store.path, "data"), f"{text}007,Why?,So.,m,3\n008,Who?,NA,m,1\n,,,,\n")
    named(app.selectbox, "Rubric of correctness").set_value("doc-qa-0-3").run()
    pressed(app, "import.go")
    sheet = sheets.find(store, "answers")
    stored = items.items(store, items.item_ids(store, sheet.id))
    assert [(one.item.own_id, one.item.answer) for one in stored] == [("007", "So."), ("008", "NA")]
    assert store.column("select score from grades order by item_id") == [3, 1]


def test_build_approves_a_draft(look, store):
    text = "The harbour opens at six in the morning. Boats wait until the signal is green."
    words = drafts.Words("When does it open?", "At six.", "opens at six in the morning")
    proposed(store, "port", text, words)
    app = look(store.path, "build", sheet="port")
    app.text_input(key="build.1.who").input("Ana")
    pressed(app, "build.1.approved")
    assert (drafts.get(store, 1).state, drafts.get(store, 1).who) == ("approved", "Ana")


def test_splits_hold_out_questions(look, sample_store):
    app = look(sample_store.path, "splits").run()  # the frame of a first run is lost in the next
    button = app.button(key="splits.hold-out.0")
    pressed(app, "splits.hold-out.0")
    assert len(splits.held_out(sample_store, 1)) == 17  # of 64, and clusters whole
    button.click().run()  # a second press, sent before the first was heard
    assert len(splits.held_out(sample_store, 1)) == 17


def test_a_campaign_is_set_up_in_one_form_and_closed_and_opened(look, store, sheet, rubric):
    for name in ("Ann", "Bo"):
        graders.ensure(store, "person", name)
    app, key = look(store.path, "annotate"), f"sets.new.{sheet.id}"
    app.multiselect(key=f"{key}.names").set_value(["Ann", "Bo"]).run()
    app.text_input(key=f"{key}.until").set_value("2026-12-24").run()
    app = pressed(app, "sets.make")
    [made] = grading_sets.of_sheet(store, sheet.id)
    assert (made.questions, made.answers) == (12, 36)
    assert campaigns.find(store, made.id)[:2] == (2, "2026-12-24")
    assert [*grading_sets.block_sizes(store, made).values()] == [18, 18]
    assert f"sets.close.{made.id}" not in {one.key for one in app.button}  # nobody has begun
    ann = graders.named(store, "person", "Ann").id
    [place, *_] = assignments.queue(store, made, ann, [*rubric[1].versions().values()], 1)
    grade_place(store, made, ann, rubric, place, 2)
    app = pressed(look(store.path, "annotate"), f"sets.close.{made.id}")
    assert grading_sets.closing(store, made.id).by == "local"
    pressed(app, f"sets.close.{made.id}")
    assert grading_sets.closing(store, made.id) is None


def test_a_lead_acts_on_the_annotator_who_is_selected(look, store, sheet, rubric):
    people = [graders.ensure(store, "person", name) for name in ("Ann", "Bo", "Cleo")]
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    campaigns.begin(store, made, people, 1, 0.0, None, "Lea")
    app = look(store.path, "annotate")
    rows = next(one for one in app.dataframe if "annotator" in one.value)
    app.session_state[rows.key] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    app.run()
    key = f"campaign.{made.id}.{people[0]}"
    app = pressed(app, f"{key}.pause.{people[0]}")
    assert annotators.pause_of(store, people[0])
    app.radio(key=f"{key}.to").set_value("Cleo")
    named(app.button, "Reassign").click().run()
    assert not app.exception and campaigns.blocks_of(store, made, people[0]) == []
    assert len(campaigns.blocks_of(store, made, people[2])) == 4


def test_a_criterion_is_reworded_for_a_set_under_the_same_rubric(look, store, sheet, rubric, ana):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    [place, *_] = assignments.queue(store, made, ana, [*rubric[1].versions().values()], 1)
    grade_place(store, made, ana, rubric, place, 2)
    app = look(store.path, "annotate")
    app.session_state[f"sets.part.{made.id}"] = "Reword and ask again"
    app.run()
    key = f"reword.{made.id}"
    assert app.button(key=f"{key}.ask").disabled
    at = f"{key}.{rubric[1].versions()['correctness']}"
    app.text_area(key=f"{at}.question").set_value("Is it true?").run()
    pressed(app, f"{key}.ask")
    assert store.value("select count(*) from regrade_requests") == 1
    assert len(grading_sets.of_sheet(store, sheet.id)) == 1
    assert rubric_versions.named(store, rubric[1].name)[1].criteria[0].question == "Is it true?"


def test_a_plan_draws_the_next_grading_set(look, store, sheet, few_sheets):
    app = look(store.path, "plan")
    app.number_input(key="plan.questions").set_value(5).run()
    pressed(app, "plan.make")
    [made] = grading_sets.of_sheet(store, sheet.id)
    assert (made.questions, made.answers) == (5, 15)


def test_progress_pauses_an_annotator(look, store, sheet, doc_qa, team_set):
    grade(store, doc_qa, "Eve", dict.fromkeys(range(36), 2))
    eve = graders.named(store, "person", "Eve").id
    grading_sets.join(store, team_set, eve, "Lea")
    app = pressed(look(store.path, "progress"), f"pause.{eve}")
    assert annotators.pause_of(store, eve)
    pressed(app, f"pause.{eve}")
    assert annotators.pause_of(store, eve) is None


def test_progress_excludes_an_annotator(look, store, sheet, doc_qa):
    for name in ("Ana", "Eve"):
        grade(store, doc_qa, name, dict.fromkeys(range(36), 2))
    eve = graders.named(store, "person", "Eve").id
    app = look(store.path, "progress")
    app.text_input(key=f"exclude.{eve}.why").set_value("at random")
    named(app.button, "Exclude Eve").click().run()
    assert not app.exception and graders.annotator_states(store, sheet.id)[eve].state == "excluded"
    app.button(key=f"include.{eve}").click().run()
    assert graders.annotator_states(store, sheet.id)[eve].state == "included"


def test_another_variant_is_the_base_of_a_comparison(look, sample_db):
    app = look(sample_db, "compare")
    named(app.selectbox, "Base variant").select("simulated-lenient-judge").run()
    assert not app.exception and app.query_params["base"] == "simulated-lenient-judge"


def test_a_certificate_is_written(look, store, decided):
    app = look(store.path, "certificate")
    app.selectbox[0].select("cheap")
    pressed(app, WRITE)
    assert app.query_params["certificate"] == "1"
    assert store.value("select count(*) from certificates") == 1


def test_a_lead_adds_a_member(look, store, monkeypatch):
    lea = members.add(store, "Lea", LEAD, "test")
    sign_in_as(monkeypatch, Who("Lea", LEAD, lea.grader_id))
    app = look(store.path, "team")
    app.text_input(key="team.name").set_value("Bo")
    named(app.button, "Add member").click().run()
    assert not app.exception and members.named(store, "Bo").role == "grader"
