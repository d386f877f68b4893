"""The metrics screen without a browser: every view, other readings, and links to the evidence."""

from urllib.parse import parse_qsl

from concord.store import graders, metric_values
from concord.store.grades import Press
from concord.store.metric_values import NewMetricValue
from tests.support.screens import opened

PAGE = "pages/metrics.py"


def test_a_reading_is_changed_in_the_link_at_no_cost(monkeypatch, store, measured_db):
    mine = graders.find(store, "metric", "mine").id
    again = Press(1, "v-faithfulness", mine, score=0.5, repeat=2)
    metric_values.record(store, [NewMetricValue(again, {}, (), 5, ())])
    app = opened(monkeypatch, measured_db[0], PAGE, view="one")
    assert "0.375" in app.subheader[0].value
    repeats = [one.value for one in app.dataframe if "answers changed" in one.value]
    assert [(one["repeated requests"][0], one["answers changed"][0]) for one in repeats] == [(2, 1)]
    app.selectbox[1].select("lenient").run()
    assert app.query_params["faithfulness.support"] == "lenient"
    assert "0.900 on 36 of 36" in app.subheader[0].value
    assert not [one for one in app.dataframe if "answers changed" in one.value]


def test_the_worst_answers_lead_to_their_evidence(monkeypatch, measured_db):
    app = opened(monkeypatch, measured_db[0], PAGE, view="one")
    links = [one.proto for one in app.get("page_link") if one.proto.page == "review"]
    query = dict(parse_qsl(links[0].query_string))
    assert (query["entry"], query["criterion"]) == ("claims.1", "claims-in-contexts")
    assert query["sheet"] == "many"


def test_who_has_a_name_is_told_before_answers_are_named_and_it_is_noted(
    monkeypatch, store, measured_db
):
    app = opened(monkeypatch, measured_db[0], PAGE, view="do", grader="Ana")
    assert not app.expander
    assert store.value("select count(*) from openings") == 0
    app.button(key="beside.show").click().run()
    assert app.expander and store.value("select count(*) from openings") == 0
    app.session_state["metrics.fold.faithfulness.mine@f1.1"] = True
    app.run()
    assert len(app.get("page_link")) == store.value("select count(*) from openings") == 8
