"""The screen Topicality: sets side by side, and what it says where there are none."""

from dataclasses import replace

import pytest

from concord.reports.segments import segment_analysis, segments
from concord.stats.intervals.resampling import Draws
from concord.store import additions
from concord.ui.charts import curves, spreads
from tests.support.made_items import made_item
from tests.support.measured_sets import give
from tests.support.screens import said

PAGE = "pages/topicality.py"


def test_the_finding_stands_on_top_and_each_contrast_below_its_picture(screen, two_sets):
    app = screen()
    assert not app.exception
    shown = said(app).replace("\\", "")
    assert "in scores better in 1 and worse in 0 of 1 comparison with out" in shown
    assert "Largest difference: Faithfulness, in minus out: +0.7" in shown


def test_another_set_is_the_topic_by_the_address(screen, two_sets):
    assert "out scores better in 0 and worse in 1" in said(screen(topic="out"))


def test_other_sheets_can_be_the_sets(screen, store, two_sets):
    made = [made_item(n, question=f"Other {n}?") for n in range(12)]
    other = additions.add(store, "other", made, "o.csv", "2" * 64, {})
    give(store, other.id, "faithfulness", [0.01, 0.02] * 6)
    shown = said(screen(sheet="two", sets="sheets", others="other")).replace("\\", "")
    assert "two scores better in 1 and worse in 0 of 1 comparison with other" in shown


def test_a_sheet_without_sets_is_one_set_and_says_how_to_name_more(screen, store, sheet):
    give(store, sheet.id, "faithfulness", [n / 36 for n in range(36)])
    shown = said(screen())
    assert "There is one segment, numbers: nothing to compare it with" in shown
    assert "names no segments" in shown and "built from documents" in shown


def test_sets_without_a_number_lead_to_the_judges(screen, store):
    made = [made_item(n, metadata={"set": "in" if n < 6 else "out"}) for n in range(12)]
    additions.add(store, "bare", made, "b.csv", "3" * 64, {})
    app = screen()
    assert "No metric has values" in said(app)
    assert [one.label for one in app.selectbox] == ["Language"]  # there is nothing to choose yet


def test_the_picture_shows_the_shares_of_each_sets_resamples_and_its_interval(store, two_sets):
    found = segment_analysis.report(segments.of_column(store, two_sets), Draws(300, 7))
    (chart,) = segment_analysis.document(found).charts
    figure = spreads.draw(chart)
    shapes = [trace for trace in figure.data if trace.mode != "markers"]
    assert [trace.name for trace in shapes] == ["in", "out"]
    assert max(shapes[0].y + shapes[1].y) == 1.0
    means = [trace.x[0] for trace in figure.data if trace.mode == "markers"]
    assert means == pytest.approx([0.855, 0.15])
    assert "Faithfulness: in 0.86, out 0.15" in figure.layout.title.text.replace("<br>", " ")
    alike = replace(chart, spreads=tuple(replace(one, high=one.low) for one in chart.spreads))
    without = spreads.draw(alike)
    assert {trace.mode for trace in without.data} == {"markers"}
    assert without.layout.height == figure.layout.height - 150


def test_the_error_is_drawn_as_it_settles_with_the_resamples(store, two_sets):
    rows = segment_analysis.report(segments.of_column(store, two_sets), Draws(500, 7)).metrics
    figure = curves.draw(segment_analysis.errors(rows))
    assert [trace.x[-1] for trace in figure.data] == [500, 500]
    assert [trace.y[-1] for trace in figure.data] == [1, 1]
    assert "within 5% of the last from B = " in figure.layout.title.text.replace("<br>", " ")
