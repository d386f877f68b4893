"""Excluding an annotator is stored per sheet, and every figure, command and export follows it."""

import json

import pandas as pd
import pytest

from concord.grading import sheet_progress
from concord.messages import Problem
from concord.reports.comparison import compare as comparison
from concord.reports.comparison.compare import ComparisonRequest
from concord.reports.reliability import annotator_alerts
from concord.store import graders, sheets
from tests.support.panels import HONEST, panel
from tests.support.screens import opened, said

COMMANDS = (
    ("agreement",),
    ("ranking",),
    ("annotators",),
    ("disagreements",),
    ("plan",),
    ("compare",),
    ("compare", "--study", "agreement"),
    ("cascade",),
    ("choose", "--against", "dear"),
    ("gate", "--judge", "dear", "--exact", "0.1"),
    ("adjudicate",),
)
SCREENS = ("agreement", "plan", "compare", "decide", "ranking", "review", "judges", "certificate")


def eve(store):
    return graders.find(store, "person", "Eve").id


def test_every_command_follows_an_exclusion_and_names_who_is_left_out(
    store, rubric, with_random_eve, run
):
    def read(*words):
        found = run(*words, "--json", code=1 if words[0] == "gate" else 0)
        return json.loads(found.stdout), found.stderr

    run("annotators", "--exclude", "Eve", "--why", "presses at random")
    excluded = {words: read(*words) for words in COMMANDS}
    for words, (document, notes) in excluded.items():
        assert [*document["uncounted"]] == ["Eve"], words
        assert "Without Eve (excluded by command line" in notes, words
    agreed = excluded["agreement",][0]["rows"]
    run("annotators", "--include", "Eve")
    restricted = [word for name in HONEST for word in ("--annotators", name)]
    assert agreed == read("agreement", *restricted)[0]["rows"]
    assert agreed != read("agreement")[0]["rows"]
    assert "uncounted" not in read("plan")[0]


def test_who_is_excluded_counts_in_no_panel_whichever_module_reads_it(
    store, rubric, with_random_eve
):
    (sheet,) = sheets.all_sheets(store)
    graders.decide_annotator(store, sheet.id, eve(store), "excluded", "Lea", "at random.")
    made = panel(store, rubric[1])
    assert {one.name for one in made.annotators.values()} == {*HONEST}
    why = made.not_included["Eve"]
    assert (why.code, dict(why.values)["why"]) == ("annotator_excluded", "at random")
    compared = comparison.compare(store, sheet, ComparisonRequest())
    assert [*compared.uncounted] == ["Eve"]
    graded = sheet_progress.graded(store, sheet.id)
    assert (graded.annotators, graded.without) == ([*HONEST], ("Eve",))
    with pytest.raises(Problem, match="“Eve” is excluded"):
        panel(store, rubric[1], "Eve")


def test_an_exclusion_is_of_one_sheet_and_its_newest_row_counts(store, rubric, with_random_eve):
    (sheet,) = sheets.all_sheets(store)
    for state in ("excluded", "included", "excluded"):
        graders.decide_annotator(store, sheet.id, eve(store), state, "Lea", "because")
    assert graders.annotator_states(store, sheet.id)[eve(store)].state == "excluded"
    assert graders.annotator_states(store, sheet.id + 1) == {}
    with pytest.raises(Problem, match="Say why"):
        graders.decide_annotator(store, sheet.id, eve(store), "excluded", "Lea", " ")
    assert store.value("select count(*) from annotator_states") == 3


@pytest.mark.parametrize("action", ["exclude", "accept"])
def test_an_alert_is_open_until_its_annotator_is_excluded_or_it_is_accepted(
    store, rubric, with_random_eve, action
):
    def alerted():
        made = panel(store, rubric[1])
        return [one.annotator for one in annotator_alerts.open_alerts(store, made)], made

    before, made = alerted()
    assert before == ["Eve"]
    annotator_alerts.decide(store, made, eve(store), action, "Lea", "seen the answers")
    after, made = alerted()
    assert after == [] and made.states[eve(store)].alert
    assert made.alert_accepted(eve(store)) is (action == "accept")
    assert (eve(store) in made.annotators) is (action == "accept")
    ana = next(iter(made.annotators))
    with pytest.raises(Problem, match="no open alert"):
        annotator_alerts.decide(store, made, ana, "accept", "Lea", "fine")


@pytest.mark.parametrize("screen", SCREENS)
def test_every_screen_names_who_is_excluded(store, rubric, with_random_eve, monkeypatch, screen):
    (sheet,) = sheets.all_sheets(store)
    graders.decide_annotator(store, sheet.id, eve(store), "excluded", "Lea", "presses at random")
    app = opened(monkeypatch, store.path, f"pages/{screen}.py", sheet=sheet.name)
    assert not app.exception
    assert "Without Eve (excluded by Lea on" in said(app)


def test_a_lead_excludes_and_includes_on_the_card(store, rubric, with_random_eve, monkeypatch):
    (sheet,) = sheets.all_sheets(store)
    app = opened(monkeypatch, store.path, "pages/progress.py", sheet=sheet.name)
    app.text_input(key=f"exclude.{eve(store)}.why").set_value("presses at random")
    app = app.button(key=f"exclude.{eve(store)}").click().run()
    assert not app.exception
    decided = graders.annotator_states(store, sheet.id)[eve(store)]
    assert decided[:3] == ("excluded", True, "presses at random")
    assert "presses at random" in said(app)
    app.button(key=f"include.{eve(store)}").click().run()
    assert graders.annotator_states(store, sheet.id)[eve(store)].state == "included"


def test_an_export_holds_the_decisions_and_its_figures_follow_them(
    store, rubric, with_random_eve, run, tmp_path
):
    run("annotators", "--exclude", "Eve", "--why", "presses at random")
    run("export", tmp_path / "out")
    assert "presses at random" in (tmp_path / "out/annotator_states.csv").read_text("utf-8-sig")
    grades = pd.read_csv(tmp_path / "out/grades.csv")
    assert {*grades[grades["excluded"] == 1]["grader"]} == {"Eve"}
    agreed = json.loads((tmp_path / "out/agreement.json").read_text())
    assert [row["annotators"] for row in agreed["rows"]][:1] == [len(HONEST)]
    [left_out] = agreed["uncounted"]
    assert left_out["annotator"] == "Eve"
