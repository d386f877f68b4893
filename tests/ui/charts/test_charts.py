import tomllib
from dataclasses import replace

import pytest

from concord.reports.agreement.confusion import Confusion
from concord.reports.cells import written
from concord.reports.panel.unit_words import UnitWords
from concord.resources import ROOT
from concord.ui import style
from concord.ui.charts import charts
from concord.ui.charts.charts import wrapped
from concord.ui.charts.confusion_chart import confusion_alt, confusion_chart
from tests.support.agreement_rows import ceiling, figure, statistics
from tests.support.agreement_rows import row as made_row


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


def dots(chart, name):
    return [trace for trace in chart.data if trace.name == name]


def words(chart):
    return [note.text for note in chart.layout.annotations]


def test_every_judge_has_a_dot_with_its_interval_in_every_facet():
    chart = charts.agreement(ROWS)
    assert [trace.x for trace in dots(chart, "gpt")] == [(0.75,), (0.75,)]
    assert {trace.yaxis for trace in dots(chart, "gpt")} == {"y", "y2"}
    (first, _) = dots(chart, "gpt")
    assert first.error_x.array[0] == pytest.approx(0.15)
    assert first.error_x.arrayminus[0] == pytest.approx(0.05)


def test_values_stand_in_words_beside_their_dots():
    assert dots(charts.agreement(ROWS), "gpt")[0].text == (
        written(ROWS[1].statistics["exact"], "share"),
    )


def test_the_axis_is_the_whole_share_for_all_facets():
    chart = charts.agreement(ROWS)
    assert {chart.layout.xaxis.range, chart.layout.xaxis2.range} == {(-0.01, 1.01)}
    assert chart.layout.xaxis2.title.text == "share of answers with an annotator's exact score"


def test_annotators_are_a_dashed_line_with_a_band_and_the_constant_a_grey_one():
    shapes = charts.agreement(ROWS[:3]).layout.shapes
    lines = {shape.x0: shape.line for shape in shapes if shape.type == "line"}
    assert lines[0.86].dash == "dash"
    assert lines[0.86].color == style.ANNOTATORS.colour
    assert lines[0.7].color == style.CONSTANT.colour
    (band,) = [shape for shape in shapes if shape.type == "rect"]
    assert (band.x0, band.x1) == (0.8, 0.9)
    assert {"annotators: 86%", "always 3: 70%"} <= {*words(charts.agreement(ROWS[:3]))}


def test_within_one_stands_beside_the_best_constant():
    assert "always 2: 91%" in words(charts.agreement(ROWS[:3], "within_one"))


def test_an_unknown_ceiling_says_so_and_why():
    chart = charts.agreement(ROWS[:3], "failure_recall")
    assert {shape.x0 for shape in chart.layout.shapes} == {0}  # the constant, which catches none
    (note,) = [note for note in chart.layout.annotations if note.text == "annotators: unknown"]
    assert note.hovertext == "annotators failed no answer"
    assert "always 3: 0%" in words(chart)


def test_bias_has_both_sides_and_a_line_where_there_is_none():
    chart = charts.agreement(ROWS[:3], "bias")
    low, high = chart.layout.xaxis.range
    assert low == -high and high > 0.9
    assert {"no bias", "always 3: +0.60"} <= {*words(chart)}
    assert dots(chart, "gpt")[0].text == ("-0.70 [-0.90, -0.50]",)


def test_quadratic_kappa_may_fall_below_chance():
    chart = charts.agreement(ROWS[:3], "qwk")
    assert chart.layout.xaxis.range[0] < -0.4
    assert {"annotators: 0.80", "always 3: 0.00"} <= {*words(chart)}


def test_the_judge_closest_to_no_bias_comes_first():
    rows = [row("far", bias=figure(0.5)), row("near", bias=figure(-0.1))]
    height = {trace.name: trace.y[0] for trace in charts.agreement(rows, "bias").data}
    assert height["near"] > height["far"]


def test_a_figure_without_an_interval_says_why_on_hover():
    bare = row("gpt", exact=0.7)
    bare = replace(bare, statistics=statistics(exact=figure(0.7, why_none="under 10 questions")))
    (dot,) = dots(charts.agreement([bare]), "gpt")
    assert dot.hovertemplate.startswith("gpt: 70%, 240 answers<br>under 10 questions")


def test_a_missing_figure_says_why_instead_of_a_dot():
    chart = charts.agreement([row("gpt", exact=None)])
    assert dots(chart, "gpt") == []
    assert "no grade" in words(chart)


def test_the_composite_is_not_drawn():
    chart = charts.agreement([*ROWS[:3], row("gpt", "composite", None)])
    assert not any("composite" in text for text in words(chart))


def test_the_best_judge_comes_first_and_the_floor_last():
    chart = charts.agreement(ROWS[:3])
    height = {trace.name: trace.y[0] for trace in chart.data}
    assert height["sim-judge"] > height["gpt"] > height["baseline"]


def test_judges_and_the_floor_look_different():
    found = charts.looks(ROWS)
    assert found["baseline"] == style.BASELINE
    assert found["gpt"].symbol != found["sim-judge"].symbol
    assert style.ANNOTATORS.colour not in {look.colour for look in found.values()}


def test_a_chart_of_one_criterion_keeps_the_looks_of_the_whole_report():
    alone = [row("gpt")]
    (dot,) = dots(charts.agreement(alone, "exact", charts.looks(ROWS)), "gpt")
    assert dot.marker.symbol == charts.looks(ROWS)["gpt"].symbol


def test_the_lines_of_a_title_are_about_as_long_as_one_another():
    title = "simulated-careful-judge most often differs by giving 3 where an annotator gave 2"
    assert wrapped(title) == [
        "simulated-careful-judge most",
        "often differs by giving 3",
        "where an annotator gave 2",
    ]
    assert wrapped("short") == ["short"] and wrapped("") == []
    assert wrapped(f"{'x' * 50} exact") == ["x" * 40, "x" * 10 + " exact"]


def test_chinese_and_japanese_wrap_between_letters_and_korean_between_words():
    assert wrapped("在正确性上gpt-5最接近人：完全一致 83%，人与人之间完全一致 85%。") == [
        "在正确性上gpt-5最接近人：完全一",
        "致 83%，人与人之间完全一致 85%。",
    ]
    korean = "정확성에서 gpt-5가 사람에 가장 가깝습니다: 완전 일치 83%, 사람 85%"
    assert " ".join(wrapped(korean)) == korean and len(wrapped(korean)) == 2
    assert wrapped("一" * 20 + "。") == ["一" * 11, "一" * 9 + "。"]


def test_words_on_a_chart_have_the_ground_of_each_theme_around_them():
    theme = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))["theme"]
    grounds = ", ".join(theme[scheme]["backgroundColor"] for scheme in ("light", "dark"))
    assert f"stroke: light-dark({grounds})" in (ROOT / "concord/ui/assets/look.css").read_text(
        encoding="utf-8"
    )


def test_names_and_titles_are_text_and_never_markup():
    chart = charts.agreement([row("<b>gpt</b>")])
    assert "&lt;b&gt;gpt&lt;/b&gt;" in words(chart)
    look = charts.looks(ROWS)["gpt"]
    chart = charts.by_answer_model([row("gpt", answer_model="m")], look, "<i>x</i>")
    assert chart.layout.title.text == "&lt;i&gt;x&lt;/i&gt;"


def test_the_chart_is_told_in_words():
    said = charts.agreement_alt(ROWS[:2])
    assert said == (
        "Share of answers with an annotator's exact score: baseline on correctness 50% [45, 90], "
        "annotators 86% [80, 90]; gpt on correctness 75% [70, 90], annotators 86% [80, 90]."
    )


BY_MODEL = [row("gpt", answer_model=m, exact=e) for m, e in [("atlas", 0.8), ("birch", 0.6)]]


def test_annotators_stand_beside_the_judge_on_each_models_answers():
    chart = charts.by_answer_model(BY_MODEL, style.judge_looks(["gpt"])["gpt"])
    assert [trace.x[0] for trace in dots(chart, "gpt")] == [0.6, 0.8]
    assert [trace.x[0] for trace in dots(chart, "annotators")] == [0.86, 0.86]
    assert {trace.marker.symbol for trace in dots(chart, "annotators")} == {style.ANNOTATORS.symbol}
    assert [trace.showlegend for trace in chart.data] == [True, True, False, False]
    assert charts.by_answer_model_title(BY_MODEL) == (
        "gpt agrees exactly on 80% of atlas's answers and 60% of birch's"
    )
    assert charts.by_answer_model_alt(BY_MODEL) == (
        "Exact agreement of gpt by answering model: atlas 80% [75, 90] of 240, annotators "
        "86% [80, 90]; birch 60% [55, 90] of 240, annotators 86% [80, 90]."
    )


TABLE = Confusion(
    scale=(1, 2, 5),
    units=None,
    weights=[[1.5, 0.5, 0], [0, 0, 0], [0, 1, 3]],
    pairs=[],
    items=[[2, 1, 0], [0, 0, 0], [0, 1, 3]],
    n=6,
)


def test_a_cell_is_coloured_by_its_share_of_the_persons_row_and_says_its_answers():
    heat = confusion_chart(TABLE).data[0]
    assert [*map(list, heat.z)] == [[0.75, 0.25, 0], [0, 0, 0], [0, 0.25, 0.75]]
    assert [*map(list, heat.text)] == [["2", "1", ""], ["", "", ""], ["", "1", "3"]]
    assert tuple(heat.x) == tuple(heat.y) == ("1", "2", "5")


def test_every_cell_can_be_clicked():
    """A heat map alone reports no click, nor do markers that cannot be seen at all."""
    spots = confusion_chart(TABLE).data[1]
    assert spots.marker.color == "rgba(0,0,0,0.01)"
    assert len(spots.x) == 9
    assert (spots.y[1], spots.x[1]) == ("1", "2")
    assert list(spots.customdata[1]) == [1, 2]
    assert spots.text[1] == "annotator 1, judge 2: 1 answer, 25% of all with annotator score 1"


def test_cells_of_a_long_scale_still_fit_a_narrow_window():
    scale = list(range(11))
    empty = [[0] * 11 for _ in scale]
    table = Confusion(tuple(scale), None, empty, empty, empty, 0)
    chart = confusion_chart(table)
    assert chart.data[1].marker.size * 11 < 390
    assert chart.layout.height < 700


def test_a_bar_says_that_a_shade_is_a_share_of_its_row():
    chart = confusion_chart(TABLE)
    assert chart.data[0].showscale is not False
    assert chart.data[0].colorbar.tickformat == ".0%"
    assert chart.layout.xaxis.title.text.endswith("shade: share of the row")
    assert chart.layout.yaxis.range == (2.5, -0.5)  # the cells reach the axis, the first row on top


def test_the_confusion_is_told_in_words():
    assert confusion_alt(TABLE) == (
        "Answers by annotator's score, for judge's scores 1, 2, 5: annotator 1: 2, 1, 0; "
        "annotator 2: 0, 0, "
        "0; annotator 5: 0, 1, 3."
    )


CLAIMS = UnitWords(
    unit="claim",
    plural="claims",
    title="Supported by the contexts",
    labels={"1": "contradicted", "2": "not enough information", "5": "supported"},
)


def test_charts_of_units_count_them_and_name_their_labels():
    table = replace(TABLE, units=CLAIMS)
    chart = confusion_chart(table)
    labels = ("contradicted", "not<br>enough<br>information", "supported")
    assert chart.layout.xaxis.ticktext == chart.layout.yaxis.ticktext == labels
    assert tuple(chart.data[0].x) == ("1", "2", "5")  # what a click gives back
    assert (
        chart.data[1].text[1].startswith("annotator “contradicted”, judge “not enough information”")
    )
    assert chart.layout.yaxis.title.text == "annotator's label"
    assert confusion_alt(table).startswith(
        "Claims by annotator's score, for judge's scores “contra"
    )
    rows = [replace(one, units=CLAIMS) for one in BY_MODEL]
    title = charts.by_answer_model_title(rows)
    assert title.startswith("gpt agrees exactly on 80% of atlas's claims")
    axis = charts.by_answer_model(rows, charts.looks(rows)["gpt"]).layout.xaxis
    assert axis.title.text == "share of claims with an annotator's exact label"
