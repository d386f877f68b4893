"""The charts of agreement, by criterion and by answering model."""

from dataclasses import replace

import pytest

from concord.reports.agreement.charts import charts
from concord.reports.cells import written
from concord.reports.charts import graders
from concord.reports.panel.unit_words import UnitWords
from concord.ui import style
from concord.ui.charts.intervals import draw
from tests.support.agreement_rows import ceiling, figure, statistics
from tests.support.agreement_rows import row as made_row
from tests.support.rubrics import rubric


def row(judge, criterion="correctness", exact=0.75, **changes):
    own = dict(
        exact=figure(exact, None if exact is None else exact - 0.05, 0.9, "no grade"),
        within_one=figure(0.95, 0.9, 0.98),
        failure_recall=figure(0.6, 0.4, 0.8),
        bias=figure(-0.7, -0.9, -0.5),
        qwk=figure(-0.2, -0.4, 0.1),
    )
    annotators = statistics(
        bias=figure(None, why_none="no one side"),
        qwk=figure(0.8, 0.7, 0.9),
        exact=figure(0.86, 0.8, 0.9),
        within_one=figure(0.97, 0.95, 0.99),
        failure_recall=figure(None, why_none="annotators failed no answer"),
    )
    kept = {key: one for key, one in changes.items() if key not in own}
    found = statistics(**own | {key: one for key, one in changes.items() if key in own})
    return made_row(judge, found, criterion=criterion, ceiling=ceiling(found=annotators), **kept)


ROWS = [
    row(judge, criterion, exact)
    for criterion in ("correctness", "readability")
    for judge, exact in [("baseline", 0.5), ("gpt", 0.75), ("sim-judge", 0.8)]
]


RUBRIC = rubric("correctness", "readability")


def made(rows, figure="exact", of=None):
    """The charts of rows, one per criterion or judge, as data."""
    return charts(rows, RUBRIC, figure, of)


def drawn(rows, figure="exact", of=None):
    (chart,) = made(rows, figure, of)
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


def test_values_stand_in_words_below_their_dots():
    chart = drawn(ROWS[:3])
    (value,) = [note for note in chart.layout.annotations if note.x == 0.75]
    assert value.text == written(ROWS[1].statistics["exact"], "share")
    assert value.yanchor == "top" and value.y == dots(chart, "gpt")[0].y[0]


def test_the_axis_is_the_whole_share():
    axis = drawn(ROWS[:3]).layout.xaxis
    assert axis.range == (-0.01, 1.01)
    assert axis.title.text == "share of answers with an annotator's exact score"


def test_annotators_are_a_dashed_line_with_a_band_and_the_constant_a_grey_one():
    shapes = drawn(ROWS[:3]).layout.shapes
    lines = {shape.x0: shape.line for shape in shapes if shape.type == "line"}
    assert lines[0.86].dash == "dash"
    assert lines[0.86].color == style.ANNOTATORS.colour
    assert lines[0.7].color == style.CONSTANT.colour
    (band,) = [shape for shape in shapes if shape.type == "rect"]
    assert (band.x0, band.x1) == (0.8, 0.9)
    assert {"annotators: 86%", "always 3: 70%"} <= {*words(drawn(ROWS[:3]))}


def test_labels_of_lines_leave_out_n_in_a_narrow_window(monkeypatch):
    rows = [row("gpt"), row("other", n=20)]
    n = [word for word in words(drawn(rows)) if "(n = " in word]
    assert len(n) == 2
    monkeypatch.setattr("concord.ui.charts.intervals.is_narrow", lambda: True)
    assert {word.partition(" (n")[0] for word in n} < {*words(drawn(rows))}


def test_the_label_of_annotators_begins_after_the_heading_in_a_narrow_window(monkeypatch):
    monkeypatch.setattr("concord.ui.charts.intervals.is_narrow", lambda: True)
    for criterion, value in (("correctness", 0.29), ("comprehensiveness", 0.8)):
        chart = made([row("gpt", criterion)])[0]
        low, high = chart.reach
        (line,) = [one for one in chart.lines if one.of == "annotators"]
        chart = replace(chart, lines=(replace(line, found=figure(value)),), heading=criterion)
        label = next(one for one in draw(chart).layout.annotations if "annotators" in one.text)
        begins = (label.x - low) / (high - low) * 310
        assert label.xanchor == "left" and begins > 8.5 * len(criterion)
        assert begins + 6.5 * len(label.text) < 310


def test_within_one_stands_beside_the_best_constant():
    assert "always 2: 91%" in words(drawn(ROWS[:3], "within_one"))


def test_an_unknown_ceiling_says_so_and_why():
    chart = drawn(ROWS[:3], "failure_recall")
    assert {shape.x0 for shape in chart.layout.shapes} == {0}  # the constant, which catches none
    (note,) = [note for note in chart.layout.annotations if note.text == "annotators: unknown"]
    assert note.hovertext == "annotators failed no answer"
    assert "always 3: 0%" in words(chart)


def test_bias_has_both_sides_and_a_line_where_there_is_none():
    chart = drawn(ROWS[:3], "bias")
    low, high = chart.layout.xaxis.range
    assert low == -high and high > 0.9
    assert {"no bias", "always 3: +0.60"} <= {*words(chart)}
    assert "−0.70 [−0.90, −0.50]" in words(chart)


def test_quadratic_kappa_may_fall_below_chance():
    chart = drawn(ROWS[:3], "qwk")
    assert chart.layout.xaxis.range[0] < -0.4
    assert {"annotators: 0.80", "always 3: 0.00"} <= {*words(chart)}


def test_the_judge_closest_to_no_bias_comes_first():
    rows = [row("far", bias=figure(0.5)), row("near", bias=figure(-0.1))]
    height = {trace.name: trace.y[0] for trace in drawn(rows, "bias").data}
    assert height["near"] > height["far"]


def test_a_figure_without_an_interval_says_why_on_hover():
    bare = row("gpt", exact=0.7)
    bare = replace(bare, statistics=statistics(exact=figure(0.7, why_none="under 10 questions")))
    (dot,) = dots(drawn([bare]), "gpt")
    assert dot.hovertemplate.startswith("gpt: 70%, 240 answers<br>under 10 questions")


def test_a_missing_figure_says_why_instead_of_a_dot():
    chart = drawn([row("gpt", exact=None)])
    assert dots(chart, "gpt") == []
    assert "no grade" in words(chart)


def test_the_composite_is_not_drawn():
    assert made([*ROWS[:3], row("gpt", "composite", None)]) == made(ROWS[:3])


def test_the_best_judge_comes_first_and_the_floor_last():
    chart = drawn(ROWS[:3])
    height = {trace.name: trace.y[0] for trace in chart.data}
    assert height["sim-judge"] > height["gpt"] > height["baseline"]


def test_a_judge_of_too_few_answers_for_an_interval_comes_after_the_others():
    few = made_row("few", statistics(0.99), ceiling=ceiling(found=statistics(0.9)))
    height = {trace.name: trace.y[0] for trace in drawn([few, *ROWS[:3]]).data}
    assert height["sim-judge"] > height["gpt"] > height["few"] > height["baseline"]


def test_judges_and_the_floor_look_different():
    found = {name: style.look(of) for name, of in graders((r.judge, r.floor) for r in ROWS).items()}
    assert found["baseline"] == style.BASELINE
    assert found["gpt"].symbol != found["sim-judge"].symbol
    assert style.ANNOTATORS.colour not in {look.colour for look in found.values()}


def test_a_chart_of_one_criterion_keeps_the_looks_of_the_whole_report():
    of = {"baseline": "baseline", "gpt": 0, "sim-judge": 1}
    (dot,) = dots(drawn([row("sim-judge")], "exact", of), "sim-judge")
    assert dot.marker.symbol == style.look(1).symbol != style.look(0).symbol


def test_names_and_titles_are_text_and_never_markup():
    assert "&lt;b&gt;gpt&lt;/b&gt;" in words(drawn([row("<b>gpt</b>")]))
    chart = drawn([row("<i>x</i>", answer_model="m")])
    assert chart.layout.title.text == "&lt;i&gt;x&lt;/i&gt; by answering model"


def test_the_chart_is_told_in_words():
    (chart,) = made(ROWS[:2])
    assert chart.alt == (
        "Share of answers with an annotator's exact score: baseline on correctness 50% [45, 90], "
        "annotators 86% [80, 90]; gpt on correctness 75% [70, 90], annotators 86% [80, 90]."
    )


BY_MODEL = [row("gpt", answer_model=m, exact=e) for m, e in [("atlas", 0.8), ("birch", 0.6)]]


def test_annotators_stand_beside_the_judge_on_each_models_answers():
    chart = drawn(BY_MODEL)
    assert [trace.x[0] for trace in dots(chart, "gpt")] == [0.6, 0.8]
    assert [trace.x[0] for trace in dots(chart, "annotators")] == [0.86, 0.86]
    assert {trace.marker.symbol for trace in dots(chart, "annotators")} == {style.ANNOTATORS.symbol}
    assert [trace.showlegend for trace in chart.data] == [True, True, False, False]
    (chart,) = made(BY_MODEL)
    assert chart.title == "gpt agrees exactly on 60% to 80% by model"
    assert chart.alt == (
        "Exact agreement of gpt by answering model: atlas 80% [75, 90] of 240, annotators "
        "86% [80, 90]; birch 60% [55, 90] of 240, annotators 86% [80, 90]."
    )


CLAIMS = UnitWords(
    unit="claim",
    plural="claims",
    title="Supported by the contexts",
    labels={"1": "contradicted", "2": "not enough information", "5": "supported"},
)


def test_charts_of_units_count_them():
    (chart,) = made([replace(one, units=CLAIMS) for one in BY_MODEL])
    assert draw(chart).layout.xaxis.title.text == "share of claims with an annotator's exact label"
