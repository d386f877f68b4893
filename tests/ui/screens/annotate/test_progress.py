"""The lead sees a card per annotator, reads an alert and its answers, and pauses an annotator."""

import re

from concord.grading import (
    assignments,
    campaigns,
    grading_sets,
    pauses,
    set_graders,
    workspace,
)
from concord.grading.adjudication import adjudicators
from concord.reports.disagreements import adjudicators as report
from concord.reports.panel.panel_reading import read
from concord.reports.reliability.annotator_signals import AnnotatorSignals, Signal
from concord.store import graders, items
from concord.store.answers import answer_search
from concord.store.answers.answer_search import AnswerFilter
from tests.support.panels import give, judge
from tests.support.screens import opened, said

PAGE = "pages/progress.py"


def test_an_alert_leads_to_the_answers_and_to_a_pause(store, rubric, with_eve, monkeypatch):
    eve = graders.named(store, "person", "Eve").id
    made = grading_sets.create(store, with_eve.id, rubric[0], "Team", None, 1)
    set_graders.join(store, made, eve, "Max")
    app = opened(monkeypatch, store.path, PAGE)
    assert not app.exception
    assert app.header[0].value == "Annotators with an alert: Eve"
    [warning] = app.warning
    assert warning.value.startswith("- Agreement on correctness is low: QWK")
    assert app.subheader[0].value == "Eve"  # alerts first
    figures = app.table[0].value
    assert [*figures] == ["figure", "n", "annotator", "compared with", "p"]
    assert figures["p"].iloc[0].endswith("< 0.001")  # what the alert rests on
    assert 0 not in [*map(int, figures["n"])]
    assert [*app.table[1].value] == ["annotator", "n", "exact", "QWK"]  # with each partner
    assert sum("An alert requires" in caption.value for caption in app.caption) == 1
    pauses_offered = [one.key for one in app.button if str(one.key).startswith("pause.")]
    assert pauses_offered == [f"pause.{eve}"]  # the others have no set
    app.button(key=f"pause.{eve}").click().run()
    assert pauses.of(store, eve)
    assert "Assignments are kept." in said(app)
    assert app.header[0].value == "No annotator who still grades has an alert"
    assert len(app.warning) == 1  # her card keeps the reason
    app.button(key=f"pause.{eve}").click().run()
    assert pauses.of(store, eve) is None and "Assignments are kept." not in said(app)


def test_a_paused_annotator_who_was_removed_is_offered_no_resume(store, sheet, rubric, monkeypatch):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", None, 1, 6, 0.0)
    ann, bo = (graders.ensure(store, "person", name) for name in ("Ann", "Bo"))
    campaigns.begin(store, made, [ann, bo], 1, 0.0)
    versions = list(rubric[1].versions().values())
    place, *_ = assignments.queue(store, made, ann, versions, 1)
    keys = [workspace.Key(one, place.id, one, "scored", 2) for one in versions]
    workspace.save(store, made, ann, rubric[1], keys)
    campaigns.leave(store, made, ann, "Lea")
    pauses.pause(store, ann, "Lea")
    app = opened(monkeypatch, store.path, PAGE)
    assert "Team: removed from the set; 1 graded, and kept" in said(app)
    assert "Paused since " not in said(app)
    assert f"pause.{ann}" not in [one.key for one in app.button]


def test_answers_left_to_adjudicate_are_on_the_card_and_on_the_line_of_the_set(
    store, sheet, rubric, monkeypatch
):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", 1, 1, 6, 0.0)
    for name, score in (("Ann", 0), ("Bo", 3)):
        give(store, rubric[1], name, dict.fromkeys(range(36), score))
    lea = graders.ensure(store, "person", "Lea")
    set_graders.join(store, made, lea, "Max")
    own = grading_sets.items(store, made.id)
    version = rubric[1].versions()["correctness"]
    free = [one for one in items.item_ids(store, sheet.id) if one not in own][:2]
    adjudicators.assign(store, [adjudicators.Part(one, version) for one in free], lea, "Max")
    line = "Lea: 0 of 3 · left to adjudicate: 2"
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert line in [bar.proto.text for bar in app.get("progress")]
    assert "left to adjudicate: 2" in said(opened(monkeypatch, store.path, PAGE))
    adjudicators.withdraw(store, adjudicators.of_annotator(store, lea), lea, "Max")
    assert "left to adjudicate" not in said(opened(monkeypatch, store.path, PAGE))


def test_adjudication_that_is_left_to_who_was_removed_or_paused_is_said_to_be(
    store, sheet, rubric, monkeypatch
):
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", 1, 1, 6, 0.0)
    for name, score in (("Ann", 0), ("Bo", 3)):
        give(store, rubric[1], name, dict.fromkeys(range(36), score))
    lea, mia = (graders.ensure(store, "person", name) for name in ("Lea", "Mia"))
    campaigns.begin(store, made, [lea, mia], 1, 0.0)
    own = grading_sets.items(store, made.id)
    version = rubric[1].versions()["correctness"]
    free = [one for one in items.item_ids(store, sheet.id) if one not in own][:2]
    parts = [adjudicators.Part(one, version) for one in free]
    for person in (lea, mia):
        adjudicators.assign(store, parts, person, "Max")
    campaigns.leave(store, made, lea, "Max")
    pauses.pause(store, mia, "Max")
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert "Lea: removed from the set; 0 graded, and kept · left to adjudicate: 2" in said(app)
    found = report.report(store, read(store, sheet, rubric[1]))
    since = pauses.since(store, mia)
    assert found.annotators == (("Lea", 2, 2, True, None), ("Mia", 2, 2, False, since))
    [row, other] = report.table(found).rows
    assert (str(row[-1]), str(other[-1])) == ("left the set", f"paused since {since[:10]}")
    app = opened(monkeypatch, store.path, "pages/adjudicate.py")
    assert app.button(key=f"adjudicators.withdraw.{lea}").label == "Withdraw from Lea"


def test_a_card_shows_the_criterion_of_its_alert_and_links_to_its_scores(
    store, rubric, with_eve, monkeypatch
):
    app = opened(monkeypatch, store.path, PAGE, criterion="readability")
    assert "**Correctness**" in [one.value for one in app.markdown]
    links = (one.proto for one in app.get("page_link"))
    eve = next(one for one in links if one.label == "Read the answers")
    assert "criteria=" in eve.query_string and "correctness" in eve.query_string


def test_a_card_on_a_telephone_has_four_columns(store, rubric, with_eve, monkeypatch):
    monkeypatch.setattr("concord.ui.screens.annotate.annotator_cards.is_narrow", lambda: True)
    app = opened(monkeypatch, store.path, PAGE)
    assert [*app.table[0].value] == ["figure", "n", "annotator", "compared with"]


def test_the_answers_of_one_annotator_are_found(store, rubric, sheet):
    give(store, rubric[1], "Ana", {0: 2, 1: 3})
    give(store, rubric[1], "Ben", {1: 2})
    found = answer_search.find(store, sheet.id, AnswerFilter(annotator="Ben"), 10)
    assert found.total == 1
    assert answer_search.find(store, sheet.id, AnswerFilter(annotator="Ana"), 10).total == 2
    assert answer_search.find(store, sheet.id, AnswerFilter(annotator="Cyd"), 10).total == 0


def test_the_browser_opens_on_the_answers_of_the_annotator_in_the_link(
    store, rubric, sheet, monkeypatch
):
    give(store, rubric[1], "Ana", {0: 2, 1: 3})
    give(store, rubric[1], "Ben", {1: 2})
    app = opened(monkeypatch, store.path, "pages/data.py", annotator=".Ben")
    assert not app.exception and "**1** of" in said(app)


def test_without_grades_the_screen_says_what_it_is_for(store, sheet, monkeypatch):
    app = opened(monkeypatch, store.path, PAGE)
    assert not app.exception and not app.warning


def test_who_does_not_lead_sees_no_card(store, rubric, with_eve, monkeypatch):
    monkeypatch.setattr("concord.ui.looker.leads", lambda store: False)
    app = opened(monkeypatch, store.path, PAGE)
    assert not app.exception and "Only leads see this" in said(app)
    assert not app.warning


def test_the_overview_names_annotators_with_an_alert_to_leads_alone(
    store, rubric, with_eve, monkeypatch
):
    eve = graders.named(store, "person", "Eve").id
    app = opened(monkeypatch, store.path, "pages/overview.py")
    assert not app.exception
    assert [one.value for one in app.warning] == ["Annotators with an alert: Eve"]
    pauses.pause(store, eve, "Lea")
    assert not opened(monkeypatch, store.path, "pages/overview.py").warning  # a lead has acted
    pauses.resume(store, eve, "Lea")
    made = grading_sets.create(store, with_eve.id, rubric[0], "Team", None, 1)
    campaigns.begin(store, made, [eve], 1, 0.0)
    assert opened(monkeypatch, store.path, "pages/overview.py").warning
    campaigns.leave(store, made, eve, "Lea")
    assert not opened(monkeypatch, store.path, "pages/overview.py").warning
    pauses.pause(store, eve, "Lea")
    both = (eve, graders.named(store, "person", "Ben").id)
    raised = AnnotatorSignals((Signal("speed", None, 50, 0.9, 0.1, 0.001, True),))
    module = "concord.ui.screens.annotate.out_of_line"
    monkeypatch.setattr(f"{module}.measured", lambda report: dict.fromkeys(both, raised))
    [warning] = opened(monkeypatch, store.path, "pages/overview.py").warning
    assert warning.value == "Annotators with an alert: Ben"
    pauses.resume(store, eve, "Lea")
    monkeypatch.setattr("concord.ui.screens.annotate.out_of_line.leads", lambda store: False)
    app = opened(monkeypatch, store.path, "pages/overview.py")
    assert not app.exception and not app.warning


def test_the_terms_of_a_decision_warn_as_agreement_does(store, rubric, with_eve, monkeypatch):
    judge(store, rubric[1], "Jo", dict.fromkeys(range(36), 3))
    about = {"rubric": rubric[1].name, "sheet": with_eve.name}
    agreement = opened(monkeypatch, store.path, "pages/annotators.py", **about)
    app = opened(monkeypatch, store.path, "pages/decide.py", **about)
    assert not app.exception
    warned = [one.value for one in agreement.warning if "Eve" in one.value]
    assert len(warned) == 1 and warned[0] in [one.value for one in app.warning]


def test_a_card_below_the_number_of_shared_answers_says_so(store, rubric, with_eve, monkeypatch):
    give(store, rubric[1], "Late", dict.fromkeys(range(22), 2))
    app = opened(monkeypatch, store.path, PAGE)
    assert [one.value for one in app.caption if "tested" in one.value] == [
        "Agreement is tested from 30 shared answers on; 22 so far."
    ]


def test_without_a_test_no_threshold_of_alerts_is_shown(store, sheet, rubric, monkeypatch):
    give(store, rubric[1], "Alone", dict.fromkeys(range(6), 2))
    app = opened(monkeypatch, store.path, PAGE)
    assert app.header[0].value == "No alert can be computed yet"
    assert not [one.value for one in app.caption if "An alert requires" in one.value]


def test_an_opened_answer_begins_with_the_grades_of_the_annotator_in_the_link(
    store, rubric, sheet, monkeypatch
):
    for name, score in (("Ana", 0), ("Ben", 1), ("Cyd", 2)):
        give(store, rubric[1], name, {0: score})
    item = items.item_ids(store, sheet.id)[0]

    def rows(**link):
        app = opened(monkeypatch, store.path, "pages/data.py", item=str(item), **link)
        assert not app.exception
        [table] = [one.proto.body for one in app.get("html") if "<th>Ana" in one.proto.body]
        return re.findall(r'<tr class="(\w*)"><th>(\w+)', table)

    assert rows() == [("chosen", "Ana"), ("chosen", "Ben"), ("chosen", "Cyd")]
    assert rows(annotator=".Ben") == [("chosen", "Ben"), ("", "Ana"), ("", "Cyd")]


def test_the_headline_of_annotate_is_about_the_campaign_under_way(
    store, sheet, rubric, monkeypatch
):
    give(store, rubric[1], "Ana", dict.fromkeys(range(36), 2))
    made = grading_sets.create(store, sheet.id, rubric[0], "Team", 1, 1, 6, 0.0)
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert "graded by annotators" in app.header[0].value  # no campaign yet
    bo = graders.ensure(store, "person", "Bo")
    campaigns.begin(store, made, [bo], 1, 0.0)
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert app.header[0].value == "Team: 0 of 3 graded"
    assert "graded by annotators" in said(app)
    versions = list(rubric[1].versions().values())
    for place in assignments.queue(store, made, bo, versions, 9):
        keys = [workspace.Key(f"{place.id}{one}", place.id, one, "scored", 2) for one in versions]
        workspace.save(store, made, bo, rubric[1], keys)
    app = opened(monkeypatch, store.path, "pages/annotate.py")
    assert "graded by annotators" in app.header[0].value  # it is finished
