"""The charts of agreement, by criterion and by answering model."""

import pytest

from concord.reports.agreement.charts import charts
from concord.reports.charts import graders
from concord.ui import style
from concord.ui.charts.intervals import draw
from tests.support.agreement_rows import ceiling, figure, statistics
from tests.support.agreement_rows import row as made_row
from tests.support.rubrics import rubric


def row(judge, criterion="correctness", exact=0.75, **changes):
    own = statistics(exact=figure(exact, exact - 0.05, 0.9))
    annotators = statistics(exact=figure(0.86, 0.8, 0.9))
    return made_row(judge, own, criterion=criterion, ceiling=ceiling(found=annotators), **changes)


ROWS = [
    row(judge, criterion, exact)
    for criterion in ("correctness", "readability")
    for judge, exact in [("baseline", 0.5), ("gpt", 0.75), ("sim-judge", 0.8)]
]


RUBRIC = rubric("correctness", "readability")


def made(rows):
    """The charts of rows, one per criterion or judge, as data."""
    return charts(rows, RUBRIC, "exact", None)


def drawn(rows):
    (chart,) = made(rows)
    return draw(chart)


def dots(chart, name):
    return [trace for trace in chart.data if trace.name == name]


def words(chart):
    return [note.text for note in chart.layout.annotations]


def test_every_judge_has_a_dot_with_its_interval_on_the_chart_of_every_criterion():
    both = [draw(chart) for chart in made(ROWS)]
    assert [words(chart)[-4] for chart in both] == ["<b>correctness</b>", "<b>readability</b>"]
    for chart in both:
        (dot,) = dots(chart, "gpt")
        assert dot.x == (0.75,)
        assert dot.error_x.array[0] == pytest.approx(0.15)
        assert dot.error_x.arrayminus[0] == pytest.approx(0.05)


def test_annotators_are_a_dashed_line_with_a_band_and_the_constant_a_grey_one():
    shapes = drawn(ROWS[:3]).layout.shapes
    lines = {shape.x0: shape.line for shape in shapes if shape.type == "line"}
    assert lines[0.86].dash == "dash"
    assert lines[0.86].color == style.ANNOTATORS.colour
    assert lines[0.7].color == style.CONSTANT.colour
    (band,) = [shape for shape in shapes if shape.type == "rect"]
    assert (band.x0, band.x1) == (0.8, 0.9)
    assert {"annotators: 86%", "always 3: 70%"} <= {*words(drawn(ROWS[:3]))}


def test_the_best_judge_comes_first_and_the_floor_last():
    chart = drawn(ROWS[:3])
    height = {trace.name: trace.y[0] for trace in chart.data}
    assert height["sim-judge"] > height["gpt"] > height["baseline"]


def test_judges_and_the_floor_look_different():
    found = {name: style.look(of) for name, of in graders((r.judge, r.floor) for r in ROWS).items()}
    assert found["baseline"] == style.BASELINE
    assert found["gpt"].symbol != found["sim-judge"].symbol
    assert style.ANNOTATORS.colour not in {look.colour for look in found.values()}


def test_names_and_titles_are_text_and_never_markup():
    assert "&lt;b&gt;gpt&lt;/b&gt;" in words(drawn([row("<b>gpt</b>")]))
    chart = drawn([row("<i>x</i>", answer_model="m")])
    assert chart.layout.title.text == "&lt;i&gt;x&lt;/i&gt; by answering model"


BY_MODEL = [row("gpt", answer_model=m, exact=e) for m, e in [("atlas", 0.8), ("birch", 0.6)]]


def test_annotators_stand_beside_the_judge_on_each_models_answers():
    chart = drawn(BY_MODEL)
    assert [trace.x[0] for trace in dots(chart, "gpt")] == [0.6, 0.8]
    assert [trace.x[0] for trace in dots(chart, "annotators")] == [0.86, 0.86]
    assert {trace.marker.symbol for trace in dots(chart, "annotators")} == {style.ANNOTATORS.symbol}
    assert [trace.showlegend for trace in chart.data] == [True, True, False, False]
