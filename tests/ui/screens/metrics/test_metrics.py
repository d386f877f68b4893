"""The metrics screen without a browser: every view, other readings, and links to the evidence."""

from urllib.parse import parse_qsl

import pytest

from concord.reports.metrics import metric_notes, metric_validity, model_leaders
from concord.reports.metrics import metric_records as readings
from concord.reports.metrics.metric_mean import MetricMean
from concord.reports.metrics.metric_validity import Validity
from concord.reports.metrics.metrics import MetricValues
from concord.sampling import split_assignment
from concord.stats.core.estimate import Estimate, undefined
from concord.store import graders, metric_values
from concord.store.grades import Press
from concord.store.metric_values import NewMetricValue
from concord.ui.charts.dots import draw
from tests.support.found_values import COUNT
from tests.support.judges.screen import selected
from tests.support.measured_sets import give, spread
from tests.support.screens import opened, said

PAGE = "pages/metrics.py"


def test_the_title_says_which_metric_predicts_annotators(monkeypatch, measured_db):
    app = opened(monkeypatch, measured_db[0], PAGE)
    assert not app.exception
    title = app.header[0].value
    assert title.startswith("Faithfulness correlates best with annotators on correctness")
    assert "ahead of Document precision by" in said(app)
    rows = app.table[0].value
    assert rows["metric"].tolist() == ["Faithfulness", "Document precision"]
    assert (
        rows["mean"][0].startswith("0.375 \\[") and rows["n"][0] == rows["all answers"][0] == COUNT
    )


def test_what_was_chosen_has_its_name_and_what_a_correlation_is_stands_beside_it(
    monkeypatch, measured_db
):
    app = opened(monkeypatch, measured_db[0], PAGE)
    assert app.table[0].value["variant"].tolist() == ["support: strict", ""]
    assert "Higher is better for both" not in said(app)
    app = opened(monkeypatch, measured_db[0], PAGE, view="annotators")
    assert "Higher is better for both" in said(app)


def test_a_reading_is_changed_in_the_link_at_no_cost(monkeypatch, store, measured_db):
    mine = graders.find(store, "metric", "mine").id
    again = Press(1, "v-faithfulness", mine, score=0.5, repeat=2)
    metric_values.record(store, [NewMetricValue(again, {}, (), 5, ())])
    app = opened(monkeypatch, measured_db[0], PAGE, view="one")
    assert "0.375" in app.subheader[0].value
    repeats = [one.value for one in app.dataframe if "answers changed" in one.value]
    assert [(one["repeated requests"][0], one["answers changed"][0]) for one in repeats] == [(2, 1)]
    assert "supported claims of the answer / claims of the answer" in said(app)
    app.selectbox[1].select("lenient").run()
    assert app.query_params["faithfulness.support"] == "lenient"
    assert "0.900 on 36 of 36" in app.subheader[0].value and "at no cost" in said(app)
    assert not [one for one in app.dataframe if "answers changed" in one.value]
    query = {"view": "one", "faithfulness.support": "lenient"}
    assert "0.900" in opened(monkeypatch, measured_db[0], PAGE, **query).subheader[0].value


def test_means_stand_by_answering_model_and_who_leads_is_said(monkeypatch, measured_db):
    app = opened(monkeypatch, measured_db[0], PAGE)
    assert "has the best mean in 1 of 2 metrics." in said(app)
    rows = app.table[1].value
    assert rows["better if"].tolist() == ["higher", "higher"]
    assert rows["atlas"][0].startswith("0.500 \\[") and rows["birch"][0].startswith("0.250 \\[")
    assert rows["atlas"][0].endswith("(n\xa0=\xa018)")


def test_the_worst_answers_lead_to_their_evidence(monkeypatch, measured_db):
    app = opened(monkeypatch, measured_db[0], PAGE, view="one")
    links = [one.proto for one in app.get("page_link") if one.proto.page == "review"]
    assert "What is 0?" in links[0].label
    query = dict(parse_qsl(links[0].query_string))
    assert (query["entry"], query["criterion"]) == ("claims.1", "claims-in-contexts")
    assert query["sheet"] == "many"


def test_what_to_do_stands_with_the_failing_answers(monkeypatch, measured_db):
    app = opened(monkeypatch, measured_db[0], PAGE, view="do")
    assert app.expander[0].label.startswith("Faithfulness: 18 of 36 answers fail")
    assert app.expander[1].label.startswith("Document precision: 24 of 36 answers fail")
    assert "use only its contexts" in said(app)
    assert "50% [28, 72] fail; an answer passes with 0.50 or more." in said(app)
    app.slider(key="metrics.threshold").set_value(0.2).run()
    assert app.query_params["threshold"] == "0.2"
    assert app.expander[0].label.startswith("Faithfulness: 9 of 36 answers fail")
    odd = opened(monkeypatch, measured_db[0], PAGE, view="do", threshold="nan")
    assert not odd.exception


def test_who_has_a_name_is_told_before_answers_are_named_and_it_is_noted(
    monkeypatch, store, measured_db
):
    app = opened(monkeypatch, measured_db[0], PAGE, view="do", grader="Ana")
    assert "You are viewing as Ana" in app.info[0].value and not app.expander
    assert store.value("select count(*) from openings") == 0
    app.button(key="beside.show").click().run()
    assert app.expander and store.value("select count(*) from openings") == 0
    app.session_state["metrics.fold.faithfulness.mine@f1.1"] = True
    app.run()
    assert len(app.get("page_link")) == store.value("select count(*) from openings") == 8


def test_metrics_stand_against_annotators_and_one_another(monkeypatch, measured_db):
    app = opened(monkeypatch, measured_db[0], PAGE, view="annotators")
    assert not app.exception
    assert app.table[0].value["metric"].tolist() == ["Faithfulness", "Document precision"]
    fitted = app.table[1].value.set_index("metric")
    assert (fitted["n"] + fitted["answers fitted on"]).tolist() == [COUNT, COUNT]
    assert (fitted["passes at"] == "—").all()
    assert fitted["undefined because"].str.startswith("of the half of the questions").all()
    assert app.dataframe[0].value["n"].tolist() == [COUNT]
    assert "it was selected on these answers" in said(app)


def test_a_single_metric_has_no_empty_part_on_correlation_with_others(monkeypatch, store, sheet):
    give(store, sheet.id, "faithfulness", spread(1, COUNT))
    app = opened(monkeypatch, store.path, PAGE, view="annotators")
    assert "Go to Grading sets" in [one.proto.label for one in app.get("page_link")]
    assert "Correlation between metrics" not in [one.value for one in app.subheader]
    give(store, sheet.id, "document_precision", spread(2, COUNT))
    app = opened(monkeypatch, store.path, PAGE, view="annotators")
    assert "Correlation between metrics" in [one.value for one in app.subheader]


def test_answers_in_no_figure_are_counted(monkeypatch, store, measured_db):
    question = store.value("select question_id from items where id = 1")
    split_assignment.assign(store, [question], "held-out", "for later")
    assert "2 answers excluded" in said(opened(monkeypatch, measured_db[0], PAGE))


def test_fixed_k_is_labelled_and_flags_are_counted(store, measured_db):
    records = readings.read(store, measured_db[1]).records
    precision = [one for one in records if one.metric == "document_precision"]
    notes = metric_notes.notes(precision)
    assert notes[0].startswith("Fixed k: 5 are retrieved each time")
    assert notes[1] == "odd: 1 of 36 answers."
    loose = [*precision[1:], precision[0]._replace(units=3)]
    assert not any(note.startswith("Fixed k") for note in metric_notes.notes(loose))
    others = [one for one in records if one.metric == "faithfulness"]
    assert metric_notes.notes(others) == ["odd: 1 of 36 answers."]


def test_why_answers_have_no_number_is_counted(store, measured_db):
    records = readings.read(store, measured_db[1]).records[:3]
    none = [one._replace(value=None, status="refused", reason="It declined.") for one in records]
    said_ = metric_notes.left_out([*none, records[0]], 10)
    assert said_ == ["3 refused: It declined.", "6 not requested yet"]


def of_models(**by_model):
    """A metric whose mean is .5, with the mean of each answering model."""
    whole = (24, 24, 0.5, None, None, "", None)
    return MetricValues(*whole, "m", "j", "v", {}, 24, {}, 0, by_model)


def test_the_chart_has_a_dot_with_its_interval_for_each_model(monkeypatch):
    atlas = MetricMean(12, 12, 0.7, 0.6, 0.9, "", None)
    birch = MetricMean(12, 12, 0.3, None, None, "", None)
    row = of_models(atlas=atlas, birch=birch, cobalt=MetricMean(0, 0, None, None, None, "", None))
    chart = draw(model_leaders.chart(row, "x"))
    assert [trace.x[0] for trace in chart.data] == [0.7, 0.3]
    assert chart.data[0].error_x.array[0] == pytest.approx(0.2)
    assert chart.data[1].error_x.array[0] == 0
    higher = model_leaders.chart(row, "M").table.title
    monkeypatch.setattr(model_leaders, "better", lambda name: "lower")
    lower = model_leaders.chart(row, "M").table.title
    monkeypatch.undo()
    assert higher == "M: atlas is best with 0.70, birch last with 0.30, possibly by chance"
    assert lower == "M: birch is best with 0.30, atlas last with 0.70, possibly by chance"
    apart = MetricMean(12, 12, 0.3, 0.2, 0.5, "", None)
    row = of_models(atlas=atlas, birch=apart)
    assert not model_leaders.chart(row, "M").table.title.endswith("chance")
    row = of_models(atlas=apart, birch=apart)
    assert model_leaders.chart(row, "M").table.title == "M: 0.30 for every answering model"


def test_names_in_the_chart_of_correlations_are_whole_and_no_line_crosses_them():
    def row(name):
        found = Estimate(0.1, -0.3, 0.4)
        return Validity("m", "j", "v", {}, name, 40, 20, found, undefined("none"), None)

    long = "Noise sensitivity, relevant contexts (rag-metrics, strict, one by one)"
    chart = draw(metric_validity.chart([row(long), row("BLEU")], "x", "finding"))
    names = [note.text for note in chart.layout.annotations if note.xanchor == "left"]
    assert "BLEU: 0.10 [−0.30, 0.40]" in names
    whole = next(name for name in names if name.startswith("Noise")).split("<br>")
    assert " ".join(whole).replace("rag- ", "rag-").startswith(long)
    assert max(map(len, whole)) <= 44
    assert [(line.x0, line.y0, line.y1) for line in chart.layout.shapes] == [
        (0, -0.4, 0.12),
        (0, 0.6, 1.12),
    ]


def test_without_metrics_the_screen_says_how_to_begin(monkeypatch, sample_db):
    app = opened(monkeypatch, sample_db, PAGE)
    assert "No metric has been computed on this sheet yet" in said(app)
    assert links_to_judges(app) == ["judge=computed"]


def test_without_metrics_the_links_lead_to_where_they_are_computed_for_free(monkeypatch, sample_db):
    for page in ("pages/topicality.py", "pages/review.py"):
        app = opened(monkeypatch, sample_db, page, list="claims")
        assert links_to_judges(app) == ["judge=computed"]
    app = opened(monkeypatch, sample_db, "pages/judges.py", judge="computed")
    assert selected(app) == "computed" and not app.button(key="judge.run").disabled


def links_to_judges(app):
    links = [link.proto for link in app.get("page_link")]
    return [link.query_string for link in links if link.label == "Go to Judges"]
