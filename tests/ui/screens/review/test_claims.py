"""The claims of a review without a browser: what is shown, who saw it, editing and approving."""

import json
from urllib.parse import parse_qsl

from concord.model import Cell
from concord.sampling import split_assignment
from concord.store import additions, graders, metric_values
from concord.store.grades import Press
from concord.store.metric_values import NewMetricValue
from concord.store.units import units
from tests.support.evidence_room import number, say
from tests.support.made_items import made_item
from tests.support.screens import opened, said

PAGE = "pages/review.py"


def openings(store):
    rows = store.rows("select item_id, grader_id from openings order by id")
    return {tuple(row) for row in rows}


def questions(told):
    return [entry["question"] for entry in told["data"]["entries"]]


def test_the_answer_graders_differ_on_is_shown_first_and_that_it_was_seen_is_noted(
    monkeypatch, store, judged_claims, told
):
    app = opened(monkeypatch, store.path, PAGE, list="claims")
    assert not app.exception
    assert app.header[0].value == "Graders differ on claims of 1 of 2 answers; these come first"
    assert told["data"]["at"] == "claims.2" and openings(store) == {(2, None), (1, None)}
    assert not told["data"]["kinds"]["claims"]["decisions"]
    assert not told["data"]["kinds"]["claims"]["prompts"]
    marked, plain = ([mark["text"] for mark in one["marks"]] for one in told["data"]["entries"])
    assert (marked, plain) == (["1"], [])
    more = told["data"]["more"]["claims.2"]
    first, second = more["units"]
    assert first["differs"] and not second["differs"]
    assert [one["label"] for one in first["said"]] == ["contradicted", "supported"]
    assert [one["who"] for one in first["said"]] == ["Ana", "mine"]
    assert second["text"] == "<i>Two.</i>"
    assert more["parts"][0] == {
        "name": "Answer",
        "segments": [{"text": "<b>Answer 1</b>", "units": []}],
    }


def test_the_list_tells_answers_apart_and_what_counts_once_is_in_the_singular(
    monkeypatch, store, judged_claims, told, ana
):
    unit = store.value("select min(id) from units where item_id = 2")
    mine = graders.find(store, "metric", "mine").id
    say(store, 2, mine, {unit: 0}, quote="This stands nowhere.")
    app = opened(monkeypatch, store.path, PAGE, list="claims", answer="2")
    names = [row["own_id"] or row["id"] for row in store.rows("select * from items order by id")]
    about = [f"{name} · atlas · 1.000" for name in names]
    assert sorted(entry["about"] for entry in told["data"]["entries"]) == sorted(about)
    assert "1 quote is not verbatim in any of these texts." in said(app)


def test_the_list_is_narrowed_by_answering_model_and_by_words(monkeypatch, store, told):
    made = [made_item(n, model) for n in range(3) for model in ("atlas", "birch")]
    additions.add(store, "six", made, "s.csv", "5" * 64, {})
    mine = graders.ensure(store, "metric", "mine", "f1")
    for item_id in range(1, 7):
        number(store, mine, item_id, item_id / 10)
    app = opened(monkeypatch, store.path, PAGE, list="claims", answer_model="birch")
    assert {entry["model"] for entry in told["data"]["entries"]} == {"birch"}
    assert "3 of 6 answers; graders disagree on 0." in said(app)
    app.text_input(key="review.words.1").set_value("what is 1").run()
    assert app.query_params["words"] == "what is 1"
    assert questions(told) == ["What is 1?"] and told["data"]["at"] == "claims.4"
    told.clear()
    app.text_input(key="review.words.1").set_value("coffee").run()
    assert not app.exception and not told and "0 of 6 answers" in said(app)


def test_a_metric_without_a_value_is_not_the_first_in_the_list(monkeypatch, store, told):
    additions.add(store, "two", [made_item(n) for n in range(2)], "t.csv", "5" * 64, {})
    mine = graders.ensure(store, "metric", "mine", "f1")
    body = json.dumps({"metric": "average_precision", "switches": {}})
    metric_values.register(store, "average_precision", "v0", body)
    metric_values.record(store, [NewMetricValue(Press(1, "v0", mine, "missing_input"), {}, (), 0)])
    number(store, mine, 2, 0.25)
    app = opened(monkeypatch, store.path, PAGE, list="claims")
    assert not app.exception and app.header[0].value.startswith("Metric values of 1 answer of two")


def test_a_long_list_is_shown_and_noted_a_page_at_a_time(monkeypatch, store, told):
    made = [made_item(n) for n in range(45)]
    additions.add(store, "long", made, "l.csv", "5" * 64, {})
    mine = graders.ensure(store, "metric", "mine", "f1")
    for item_id in range(1, 46):
        number(store, mine, item_id, item_id / 45)
    opened(monkeypatch, store.path, PAGE, list="claims")
    assert len(told["data"]["entries"]) == len(openings(store)) == 20
    assert [*told["data"]["more"]] == ["claims.1", "claims.2"]  # the one in sight and its neighbour
    opened(monkeypatch, store.path, PAGE, list="claims", answer="21")
    assert (told["data"]["page"], told["data"]["at"]) == (2, "claims.21")
    assert len(told["data"]["entries"]) == 20 and len(openings(store)) == 40
    assert [*told["data"]["more"]] == ["claims.21", "claims.22"]


def test_who_gives_a_name_is_told_first_what_seeing_means(
    monkeypatch, store, judged_claims, told, ana
):
    app = opened(monkeypatch, store.path, PAGE, list="claims", grader="Ana")
    assert "You are viewing as Ana" in app.info[0].value and not told and not openings(store)
    app.button(key="beside.show").click().run()
    assert openings(store) == {(2, ana), (1, ana)} and told


def test_a_sealed_answer_stays_closed_also_by_its_link(monkeypatch, store, judged_claims, told):
    question = store.value("select question_id from items where id = 2")
    split_assignment.assign(store, [question], "held-out", "for later")
    app = opened(monkeypatch, store.path, PAGE, list="claims", answer="2")
    assert told["data"]["at"] == "claims.1" and (2, None) not in openings(store)
    assert "1 answer is not shown" in said(app)


def test_a_person_approves_and_edits_the_list(monkeypatch, store, judged_claims, told, ana):
    app = opened(monkeypatch, store.path, PAGE, list="claims", grader="Ana", answer="2")
    app.button(key="beside.show").click().run()
    app.button(key="evidence.approve.claim").click().run()
    old = units.current(store, [2], "claim")[2]
    assert old.approved_by == (ana,) and "Approved by Ana" in said(app)
    lines = app.text_area(key=f"evidence.lines.{old.id}")
    assert lines.value == "One.\n<i>Two.</i>"
    lines.set_value("One and a half.\n<i>Two.</i>").run()
    assert "1 changed, 0 added, 0 removed, 1 unchanged" in app.warning[0].value
    lost = next(one.value for one in app.dataframe if "verdicts by" in one.value)
    assert lost["verdicts by"].tolist() == ["annotators", "judges"]
    app.button(key="evidence.save.claim").click().run()
    assert not app.exception
    made = units.current(store, [2], "claim")[2]
    assert [unit.text for unit in made.units] == ["One and a half.", "<i>Two.</i>"]
    assert made.units[1].id == old.units[1].id and made.approved_by == (ana,)
    assert "2 verdicts on claims that are no longer in the list: kept" in said(app)


def test_where_a_list_was_edited_a_link_leads_to_the_judge_that_is_to_run_again(
    monkeypatch, store, judged_claims, told, ana
):
    old = units.current(store, [2], "claim")[2]
    number(store, graders.find(store, "metric", "mine").id, 2, 1.0, lists=(old.id,))
    again = "Run mine again"
    app = opened(monkeypatch, store.path, PAGE, list="claims", answer="2")
    assert again not in [link.proto.label for link in app.get("page_link")]
    units.edit(store, old, [(old.units[0].id, "One.")], ana)
    app = opened(monkeypatch, store.path, PAGE, list="claims", answer="2")
    links = {link.proto.label: link.proto for link in app.get("page_link")}
    query = dict(parse_qsl(links[again].query_string))
    assert (links[again].page, query) == ("judges", {"judge": "mine", "sheet": "two"})


def test_lists_that_nobody_judges_are_edited_too(monkeypatch, store, judged_claims, told, ana):
    cells = [Cell("Rome", 0), Cell("Roma", 1)]
    units.keep(store, 2, "reference_entity", cells, graders.find(store, "metric", "mine").id)
    app = opened(monkeypatch, store.path, PAGE, list="claims", grader="Ana", answer="2")
    app.button(key="beside.show").click().run()
    (lists,) = app.get("button_group")
    assert "entities of the reference (2)" in str(lists.proto)
    lists.set_value("reference_entity").run()
    old = units.current(store, [2], "reference_entity")[2]
    app.text_area(key=f"evidence.lines.{old.id}").set_value("Rome").run()
    app.button(key="evidence.save.reference_entity").click().run()
    made = units.current(store, [2], "reference_entity")[2]
    assert [unit.text for unit in made.units] == ["Rome"] and made.approved_by == (ana,)
    assert "precision 0.50, recall 1.00, F1 0.67" in said(app)


def test_a_sheet_with_numbers_alone_shows_these(monkeypatch, store, told):
    additions.add(store, "one", [made_item(1)], "o.csv", "1" * 64, {})
    number(store, graders.ensure(store, "metric", "mine", "f1"), 1, 0.25)
    app = opened(monkeypatch, store.path, PAGE, list="claims")
    assert not app.exception and "units" not in told["data"]["more"]["claims.1"]
    assert told["data"]["entries"][0]["answer"]
    assert app.header[0].value == "Metric values of 1 answer of one; no part was judged"
    assert told["data"]["kinds"]["claims"]["mark"] == "Metrics"


def test_without_metrics_the_screen_says_how_to_begin(monkeypatch, sample_db):
    assert "No metric has been computed on this sheet yet" in said(
        opened(monkeypatch, sample_db, PAGE, list="claims")
    )
