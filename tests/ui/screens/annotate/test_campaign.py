"""The lead shares out a grading set on its screen, moves a block, and lets somebody leave."""

import io
import json
import zipfile

import openpyxl
import pytest

from concord.grading import adjudications as stored
from concord.grading import (
    annotators,
    assignments,
    campaigns,
    comments,
    grading_sets,
    packages,
    workspace,
)
from concord.grading import package_files as make
from concord.grading.comments import At
from concord.reports.disagreements import adjudicate
from concord.reports.disagreements.adjudicate import AdjudicationPick, differing
from concord.reports.panel import panel as panel_reading
from concord.reports.planning import plan, power
from concord.store import additions, graders, sheets
from concord.store.database import READ_ONLY
from concord.store.rubrics import rubric_edits, rubric_versions
from tests.support import simulated_plans
from tests.support.grading_room import component_json, press
from tests.support.made_items import made_item
from tests.support.panels import ATLAS, BIRCH, give, judge
from tests.support.rubrics import reworded
from tests.support.screens import labelled, opened, said, tables


def type_in(app, key: str, name: str) -> None:
    """Type a name that is not listed: AppTest sends listed options alone."""
    app.selectbox(key=key).options.append(name)
    app.selectbox(key=key).set_value(name).run()
    app.selectbox(key=key).options.append(name)


def test_a_set_is_shared_out_a_block_moved_and_a_person_leaves(store, sheet, rubric, monkeypatch):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    ann, bo, _ = (graders.ensure(store, "person", name) for name in ("Ann", "Bo", "Cleo"))
    key = f"campaign.{made.id}"
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert app.button(key=f"{key}.begin").disabled
    app.multiselect(key=f"{key}.names").set_value(["Ann", "Bo"]).run()
    assert app.number_input(key=f"{key}.each").value == 2
    app.slider(key=f"{key}.shared").set_value(50).run()
    app.text_input(key=f"{key}.until").set_value("24.12.2026")
    app.button(key=f"{key}.begin").click().run()
    assert campaigns.find(store, made.id) is None
    app.text_input(key=f"{key}.until").set_value("2026-12-24")
    app.button(key=f"{key}.begin").click().run()
    assert not app.exception and not app.error
    app.text_input(key=f"{key}.until.2026-12-24").set_value("2027-01-15").run()
    assert campaigns.find(store, made.id).deadline == "2027-01-15"
    app.text_input(key=f"{key}.until.2027-01-15").set_value("soon").run()
    assert campaigns.find(store, made.id).deadline == "2027-01-15"
    app.text_input(key=f"{key}.until.2027-01-15").set_value("").run()
    assert campaigns.find(store, made.id).deadline is None and not app.error
    shared = {seat.block for seat in campaigns.taken(store, made.id) if seat.seat}
    [single, *_] = {*campaigns.blocks_of(store, made, ann)} - shared
    app.selectbox(key=f"{key}.from").set_value(ann).run()
    app.selectbox(key=f"{key}.block").set_value(single).run()
    assert app.selectbox(key=f"{key}.to").value is None and app.button(key=f"{key}.move").disabled
    app.selectbox(key=f"{key}.to").set_value("Bo").run()
    app.button(key=f"{key}.move").click().run()
    assert app.selectbox(key=f"{key}.to").value is None
    assert single in campaigns.blocks_of(store, made, bo)
    app.selectbox(key=f"{key}.from").set_value(ann).run()
    app.button(key=f"{key}.leave").click().run()
    assert campaigns.blocks_of(store, made, ann) == []
    assert campaigns.blocks_of(store, made, bo) == [*range(6)]
    app.selectbox(key=f"{key}.from").set_value(bo).run()
    app.button(key=f"{key}.leave").click().run()
    assert not app.exception and len(campaigns.unassigned(store, made.id)) == 9
    app.selectbox(key=f"{key}.block").set_value(0).run()
    type_in(app, f"{key}.to", "Ann")
    app.button(key=f"{key}.move").click().run()
    assert campaigns.blocks_of(store, made, ann) == [0]


def test_all_blocks_are_moved_or_none(store, sheet, rubric, monkeypatch):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    ann, bo = (graders.ensure(store, "person", name) for name in ("Ann", "Bo"))
    campaigns.begin(store, made, [ann, bo], 2, 0.5)
    before = campaigns.taken(store, made.id)
    key = f"campaign.{made.id}"
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    app.selectbox(key=f"{key}.block").set_value(-1).run()
    type_in(app, f"{key}.to", "Bo")
    app.button(key=f"{key}.move").click().run()
    assert campaigns.taken(store, made.id) == before


def test_files_are_made_for_named_annotators_and_offered_as_one_archive(
    store, four, rubric, monkeypatch
):
    made = grading_sets.create(store, four.id, rubric[0], "Team", None, 1, 6, 0.0)
    key = f"packs.{made.id}"
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert app.button(key=f"{key}.make").disabled
    app.multiselect(key=f"{key}.names").set_value(["漢字", "Bo"]).run()
    app.button(key=f"{key}.make").click().run()
    assert not app.exception and not app.error
    name, content, notes = app.session_state[f"{key}.made"]
    held = zipfile.ZipFile(io.BytesIO(content)).namelist()
    assert (name, notes, len(held)) == ("Team.zip", [], 2)
    assert "Team - 漢字.xlsx" in held
    assert [one.grader for one, rows, back in packages.of_set(store, made.id) if rows == 4] == [
        "漢字",
        "Bo",
    ]


def test_of_a_returned_file_what_is_valid_is_taken_only_on_the_leads_word(
    store, four, rubric, monkeypatch
):
    grading_set = grading_sets.create(store, four.id, rubric[0], "Team", None, 1, 6, 0.0)
    made = make.make(store, grading_set, ["Ana"], None, 0, "Lead")
    book = openpyxl.load_workbook(io.BytesIO(made.held["Team - Ana.xlsx"]))
    for number, row in enumerate(book["Answers"].iter_rows(min_row=2)):
        for cell in row[-4:-1]:
            cell.value = 2 if number else 9
    held = io.BytesIO()
    book.save(held)
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    (back,) = (one for one in app.file_uploader if one.label == "Returned file")
    back.set_value([("Team - Ana.xlsx", held.getvalue(), "application/x-xlsx")]).run()
    assert not app.exception
    (alone,) = (one for one in app.checkbox if one.label.startswith("Import 9 grades and skip"))
    (button,) = (one for one in app.button if one.label == "Import grades")
    assert button.disabled
    app = alone.check().run()
    (button,) = (one for one in app.button if one.label == "Import grades")
    button.click().run()
    assert not app.exception and store.value("select count(*) from grades") == 9


def test_a_lead_replies_to_a_flag_and_the_pane_shows_it(store, sheet, rubric, app):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1)
    ana = graders.ensure(store, "person", "Ana")
    versions = list(rubric[1].versions().values())
    place = assignments.queue(store, made, ana, versions, 1)[0]
    at = At(made.id, place.item_id, ana)
    comments.add(store, "flag", at, "Ana", "Is *tea* fermented?")
    assert len(app("pages/overview.py").info) == 1
    page = app("pages/annotate.py")
    rows = next(one for one in page.dataframe if "Flag" in one.value)
    assert list(rows.value.iloc[0][:2]) == ["open", "Ana"]
    page.session_state[rows.key] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    page.run()
    key = f"flags.{':'.join(map(str, at))}"
    page.text_area(key=key).set_value("Some is.").run()
    page.button(key=f"{key}.send").click().run()
    assert not page.exception
    sent = json.loads(component_json(app("pages/grade.py", set=made.id, grader="Ana")))
    assert sent["places"][0]["own"] == [
        [["flag", "Ana", "Is *tea* fermented?"], ["reply", "local", "Some is."]],
        "",
    ]
    [[replied, _]] = sent["answered"]
    assert replied == place.id


PAGE = "pages/adjudicate.py"


def made(store):
    """Three answers: annotators differ on the first two, and a judge differs from both."""
    sheet = additions.add(store, "n", [made_item(n) for n in range(3)], "n.csv", "0" * 64, {})
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    give(store, rubric, "Ana", {0: 3, 1: 0, 2: 2}, reason="said Ana")
    give(store, rubric, "Ben", {0: 2, 1: 3, 2: 2}, reason="<b>no</b>")
    judge(store, rubric, "gpt", {0: 0, 1: 1, 2: 0}, reason="a judge said so")
    lea = graders.get(store, graders.ensure(store, "person", "Lea"))
    panel = panel_reading.read(store, sheet, rubric)
    return AdjudicationPick(panel, "people", differing(panel, lea.id), lea, sheet.seed())


def key(wanted, version, shown, press_id="k", **fields):
    place = wanted.cases[0].at
    sent = {"press_id": press_id, "place": place, "version": version, "status": "scored"}
    return sent | {"seen": shown, **fields}


def test_cases_are_shown_by_letter_and_without_judges(store, monkeypatch):
    wanted = made(store)
    app = opened(monkeypatch, store.path, PAGE, grader="Lea")
    assert not app.exception
    text = component_json(app)
    for hidden in ("gpt", "judge said", '"Ana"', '"Ben"'):
        assert hidden not in text
    sent = json.loads(text)
    assert [place["id"] for place in sent["places"]] == [case.at for case in wanted.cases]
    assert (sent["done"], sent["total"], sent["locked"]) == (0, 2, "")
    [version] = sent["places"][0]["slots"]
    first = sent["places"][0]["voices"][version]
    assert [letter for letter, *_ in first] == ["A", "B"]
    assert sorted(one[1:] for one in first) == [["0", "said Ana"], ["3", "<b>no</b>"]]


def test_keys_are_stored_once_and_what_was_not_shown_is_refused(store):
    wanted = made(store)
    [version] = {wanted.panel.rubric.versions()[name] for name in wanted.cases[0].points_apart}
    voices = adjudicate.voices_of(
        store, wanted.panel, wanted.cases[0].at, wanted.seed
    )
    shown = adjudicate.seen(voices)
    good = key(wanted, version, shown, "good", score=1, quote="overlooked", note=" why ")
    sent = [
        good,
        good,
        key(wanted, version, "another", "stale", score=2),
        key(wanted, "x" * 16, shown, "criterion", score=2),
        key(wanted, version, shown, "scale", score=9),
        key(wanted, version, shown, "cause", score=2, quote="no cause"),
        key(wanted, version, shown, "status", status="cannot_grade"),
        key(wanted, version, shown, "answer", score=2) | {"place": 999},
        {"press_id": "nothing"},
    ]
    saved = adjudicate.save(store, wanted, sent)
    assert saved.on_disk == ["good", "good"]
    assert [*saved.refused] == [one["press_id"] for one in sent[2:]]
    rows = "select score, cause, note, triggered_by, blind, grader_id from adjudications"
    assert [tuple(row) for row in store.rows(rows)] == [
        (1, "overlooked", "why", "people", 1, wanted.adjudicator.id)
    ]
    undone = key(wanted, version, shown, "undo", status="withdrawn", undo=True)
    assert adjudicate.save(store, wanted, [undone]).on_disk == ["undo"]
    assert store.column("select score from adjudications order by id") == [1, None]
    nobody = wanted._replace(adjudicator=None)
    assert [*adjudicate.save(store, nobody, [good]).refused] == ["good"]


def test_an_annotator_s_link_opens_only_what_was_assigned(store, monkeypatch):
    wanted = made(store)
    parts = adjudicate.parts(wanted.panel, wanted.cases)
    link = {"view": "grader", "grader": "Lea"}
    assert not opened(monkeypatch, store.path, PAGE, **link).get("bidi_component")[1:]
    stored.assign(store, parts[:1], wanted.adjudicator.id, "Max")
    app = opened(monkeypatch, store.path, PAGE, **link)
    assert not app.exception
    text = component_json(app)
    for hidden in ("gpt", "judge said", '"Ana"', '"Ben"'):
        assert hidden not in text
    sent = json.loads(text)
    assert [place["id"] for place in sent["places"]] == [wanted.cases[0].at]
    assert (sent["total"], sent["locked"]) == (1, "")
    annotators.pause(store, wanted.adjudicator.id, "Max")
    assert not opened(monkeypatch, store.path, PAGE, **link).get("bidi_component")[1:]


def test_a_lead_assigns_the_contested_answers_and_withdraws_them(store, monkeypatch):
    wanted = made(store)
    app = opened(monkeypatch, store.path, PAGE, grader="Max")
    assert app.button(key="adjudicators.assign").disabled
    app.selectbox(key="adjudicators.name").set_value("Lea").run()
    app.button(key="adjudicators.assign").click().run()
    assert not app.exception
    assert app.run().button(key="adjudicators.assign").disabled
    lea = wanted.adjudicator.id
    parts = adjudicate.parts(wanted.panel, wanted.cases)
    assert stored.of_annotator(store, lea) == parts
    app.button(key=f"adjudicators.withdraw.{lea}").click().run()
    assert not app.exception
    assert stored.of_annotator(store, lea) == []
    app.selectbox(key="adjudicators.name").set_value("Ana").run()
    assert app.button(key="adjudicators.assign").disabled  # Ana graded all of them


def test_who_is_excluded_makes_no_case_here(store, monkeypatch):
    made(store)
    rubric = rubric_versions.named(store, "doc-qa-0-3")[1]
    rex = give(store, rubric, "Rex", {0: 0, 2: 0})
    sheet = sheets.all_sheets(store)[0]
    graders.decide_annotator(store, sheet.id, rex, "excluded", "Lea", "at random")
    app = opened(monkeypatch, store.path, PAGE, grader="Lea")
    sent = json.loads(component_json(app))
    assert max(len(voices) for voices in sent["places"][0]["voices"].values()) == 2


PAGE_OF_PLAN = "pages/plan.py"


def shown(monkeypatch, store, **query):
    app = opened(monkeypatch, store.path, PAGE_OF_PLAN, **query)
    assert not app.exception
    return app


def likely(app) -> tuple[int, int, int]:
    """The questions for 80% power: low, likely and high."""
    assert not app.exception
    (row,) = [one for one in tables(app)[0].to_dict("records") if "power" in one["aim"]]
    return tuple(row[end] for end in ("questions from", "likely", "up to"))


def test_figure_margin_judges_and_annotators_replan_the_decision(monkeypatch, store, pilot):
    simulated_plans.few_sheets(monkeypatch, 4)
    app = shown(monkeypatch, store)
    low, first, high = likely(app)
    assert low < first < high
    app = app.number_input(key="plan.margin").set_value(20.0).run()
    wider = likely(app)[1]
    assert wider < first
    app.number_input(key="plan.judges").set_value(4)
    app = labelled(app, "Annotators per answer").select("1").run()
    assert likely(app)[1] > wider
    labelled(app, "Deciding figure").select("qwk")
    app = labelled(app, "Compare").select("annotators").run()
    query = dict(app.query_params)
    asked = {name: query[name] for name in ("figure", "compare", "each")}
    assert asked == {"figure": "qwk", "compare": "annotators", "each": "1"}
    assert query["candidates"] == "4"


def test_each_curve_is_kept_and_another_comparison_leaves_the_number(monkeypatch, store, pilot):
    simulated_plans.few_sheets(monkeypatch)
    needed, simulated = [], []
    of_needed, of_curve = power.questions_needed, plan.curve
    monkeypatch.setattr(
        power, "questions_needed", lambda *given: needed.append(1) or of_needed(*given)
    )
    monkeypatch.setattr(
        plan, "curve", lambda *given: simulated.append(given[-1]) or of_curve(*given)
    )
    app = shown(monkeypatch, store).run()
    assert (len(needed), simulated) == (1, [1, 4, 9])
    app = labelled(app, "Compare").select("margin").run()
    assert not app.exception
    assert (len(needed), simulated[3:]) == (1, [0.05, 0.1, 0.15, 0.2])


@pytest.mark.parametrize(
    ("typed", "margin", "candidates", "failing"), [("7.5", 7.5, 3, 40), ("nan", 10.0, 1, 0)]
)
def test_a_plan_begins_with_what_the_url_says_where_it_can(
    monkeypatch, store, pilot, typed, margin, candidates, failing
):
    simulated_plans.few_sheets(monkeypatch, 4)
    good = typed == "7.5"
    asked = {
        "margin": typed,
        "candidates": "3" if good else "0",
        "failing": "40" if good else typed,
    }
    app = shown(monkeypatch, store, **asked)
    assert not app.exception
    found = (app.number_input(key="plan.margin").value, app.number_input(key="plan.judges").value)
    assert (*found, app.slider(key="plan.failing").value) == (margin, candidates, failing)
    left = {name: app.query_params.get(name) for name in asked}
    assert (left == asked) if good else not any(left.values())


def rows(app):
    return next(one for one in app.dataframe if "assigned to" in one.value)


def items(app):
    return list(rows(app).value["item"])


def choose(app, place):
    selected = {"selection": {"rows": [place], "columns": [], "cells": []}}
    app.session_state[rows(app).key] = selected
    return app.run()


def test_answers_are_found_assigned_and_taken_back(store, sheet, rubric, monkeypatch):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    ann, bo, cleo = (graders.ensure(store, "person", name) for name in ("Ann", "Bo", "Cleo"))
    campaigns.begin(store, made, [ann, bo], 1, 0.0, None, "Lea")
    versions = list(rubric[1].versions().values())
    press(store, made, ann, rubric, assignments.queue(store, made, ann, versions, 1)[0], 2)
    key = f"items.{made.id}"
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert not [one for one in app.dataframe if "assigned to" in one.value]
    app.toggle(key=f"{key}.open").set_value(True).run()
    every = assignments.answers_of_set(store, made)
    assert items(app) == [one.own_id for one in every]
    app.selectbox(key=f"{key}.assigned").set_value("Bo").run()
    assert items(app) == [one.own_id for one in every if one.assigned == ("Bo",)]
    app.selectbox(key=f"{key}.assigned").set_value("Any").run()
    app.selectbox(key=f"{key}.graded").set_value("Graded").run()
    assert len(items(app)) == 1 and list(rows(app).value["graded by"]) == ["Ann"]
    app.selectbox(key=f"{key}.graded").set_value("Not graded").run()
    app.text_input(key=f"{key}.words").set_value("BIRCH").run()
    assert items(app) and all(one.endswith("birch") for one in items(app))
    shown = opened(monkeypatch, store.path, "pages/annotate.py", **app.query_params)
    assert items(shown) == items(app)  # a colleague who opens the address sees the same
    own_id = items(app)[0]
    one = next(one for one in every if one.own_id == own_id)
    choose(app, 0)
    assert app.button(key=f"{key}.{one.id}.assign").disabled
    app.session_state[f"{key}.{one.id}.to"] = "Cleo"
    app.run()
    app.button(key=f"{key}.{one.id}.assign").click().run()
    assert not app.exception
    [place] = assignments.queue(store, made, cleo, versions, 10)
    assert place.item_id == one.id
    app.button(key=f"{key}.{one.id}.back.{cleo}").click().run()
    assert assignments.queue(store, made, cleo, versions, 10) == []


PAGE_OF_PROGRESS = "pages/progress.py"


def test_an_alert_comes_first_with_what_it_rests_on(store, rubric, with_eve, monkeypatch):
    eve = graders.named(store, "person", "Eve").id
    made = grading_sets.create(store, with_eve.id, rubric[0], "Team", None, 1)
    grading_sets.join(store, made, eve, "Max")
    app = opened(monkeypatch, store.path, PAGE_OF_PROGRESS)
    assert not app.exception and len(app.warning) == 1
    assert app.subheader[0].value == "Eve"
    assert [*app.table[0].value] == ["figure", "n", "annotator", "others"]
    pauses_offered = [one.key for one in app.button if str(one.key).startswith("pause.")]
    assert pauses_offered == [f"pause.{eve}"]  # the others have no set


def test_a_paused_annotator_who_was_removed_is_offered_no_resume(store, sheet, rubric, monkeypatch):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    ann, bo = (graders.ensure(store, "person", name) for name in ("Ann", "Bo"))
    campaigns.begin(store, made, [ann, bo], 1, 0.0)
    versions = list(rubric[1].versions().values())
    place, *_ = assignments.queue(store, made, ann, versions, 1)
    keys = [workspace.Key(one, place.id, one, "scored", 2) for one in versions]
    workspace.save(store, made, ann, rubric[1], keys)
    campaigns.leave(store, made, ann, "Lea")
    annotators.pause(store, ann, "Lea")
    app = opened(monkeypatch, store.path, PAGE_OF_PROGRESS)
    assert f"pause.{ann}" not in [one.key for one in app.button]


def test_who_does_not_lead_sees_no_card(store, rubric, with_eve, monkeypatch):
    monkeypatch.setattr("concord.ui.looker.leads", lambda store: False)
    app = opened(monkeypatch, store.path, PAGE_OF_PROGRESS)
    assert not app.exception
    assert not app.warning


def test_the_overview_names_annotators_with_an_alert_to_leads_alone(
    store, rubric, with_eve, monkeypatch
):
    eve = graders.named(store, "person", "Eve").id
    app = opened(monkeypatch, store.path, "pages/overview.py")
    assert not app.exception
    assert len(app.warning) == 1 and "Eve" in app.warning[0].value
    annotators.pause(store, eve, "Lea")  # which decides nothing about the grades
    assert opened(monkeypatch, store.path, "pages/overview.py").warning
    graders.decide_annotator(store, with_eve.id, eve, "included", "Lea", "seen", alert=True)
    assert not opened(monkeypatch, store.path, "pages/overview.py").warning
    graders.decide_annotator(store, with_eve.id, eve, "included", "Lea", "not seen")
    monkeypatch.setattr("concord.ui.screens.annotators.leads", lambda store: False)
    app = opened(monkeypatch, store.path, "pages/overview.py")
    assert not app.exception and not app.warning


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


def test_asking_says_how_many_first_and_shows_old_and_new_after(store, sheet, rubric, monkeypatch):
    first, second = reworded(rubric[1]), reworded(rubric[1], words="Is it true?")
    rubric_edits.save(store, rubric[1], first, {})
    give(store, first, "Ana", {ATLAS: 0, BIRCH: 2})
    rubric_edits.save(store, first, second, {})
    app = opened(monkeypatch, store.path, "pages/rubrics.py", rubric="mine")
    asked = next(one.value for one in app.dataframe if "sheet" in one.value)
    assert asked.values.tolist() == [["numbers", 2, 2, 1]]
    app.button(key="regrade.ask.correctness").click().run()
    assert not app.exception and not app.error
    [made] = grading_sets.of_sheet(store, sheet.id)
    assert (made.name, made.answers) == ("Correctness again", 2)
    give(store, second, "Ana", {ATLAS: 1})
    app.run()
    shown = next(one.value for one in app.dataframe if "mean change" in one.value)
    assert shown["up"].tolist() == [1]
