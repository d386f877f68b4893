"""The slope chart as data."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.reports.ranking.document import slopes
from concord.text.display import width
from concord.ui import style
from concord.ui.charts.slopes import SWAP, draw, short, spread
from tests.support.reports.orders import SAME, mean, order

LOOK = style.look(0)
ENDS = dict(gap=1.0, bottom=0.0, top=10.0)


def drawn(found):
    return draw(slopes(found))


def lines(chart):
    return [trace for trace in chart.data if trace.mode == "lines" and trace.name != "leader"]


def leaders(chart):
    return [trace for trace in chart.data if trace.name == "leader"]


def points(chart):
    return [trace for trace in chart.data if trace.mode == "markers"]


def labels(chart):
    return [note for note in chart.layout.annotations if note.text.startswith("<b>")]


def test_every_model_has_a_line_from_the_annotators_to_the_judge():
    chart = drawn(order(SAME))
    assert [trace.y for trace in lines(chart)] == [(2.9, 2.8), (2.0, 2.1), (1.0, 1.5)]
    assert [trace.marker.symbol for trace in points(chart)[:2]] == ["circle", LOOK.symbol]
    assert points(chart)[0].marker.color == style.ANNOTATORS.colour


def test_models_that_swap_are_thick_and_red_and_dashed_where_it_may_be_chance():
    chart = drawn(order(SAME, [("atlas", "birch", 0.99, 0.01)]))
    assert [trace.line.color == SWAP for trace in lines(chart)] == [True, True, False]
    assert [trace.line.dash for trace in lines(chart)] == ["solid", "solid", None]
    unsure = drawn(order(SAME, [("atlas", "birch", 0.8, 0.01)]))
    assert [trace.line.dash for trace in lines(unsure)] == ["dash", "dash", None]
    assert lines(unsure)[0].line.width > lines(unsure)[2].line.width


def test_intervals_are_drawn_and_step_aside_where_they_would_cover_each_other():
    made = order(SAME)
    ends = zip(made.models, (2.7, 1.8, 0.9), (3.0, 2.8, 1.1), strict=True)
    models = tuple(
        replace(one, annotators=mean(one.annotators.value, low, high)) for one, low, high in ends
    )
    chart = drawn(replace(made, models=models))
    by_annotators = points(chart)[::2]
    assert by_annotators[0].error_y.arrayminus[0] == pytest.approx(0.2)
    assert by_annotators[0].error_y.array[0] == pytest.approx(0.1)
    assert by_annotators[0].x == by_annotators[2].x == (0,)
    assert by_annotators[1].x[0] > 0
    assert [trace.x[0] for trace in lines(chart)] == [trace.x[0] for trace in by_annotators]


def test_a_model_that_one_of_them_has_not_is_not_drawn():
    chart = drawn(order(SAME | {"dune": (None, 2.0)}))
    assert len(lines(chart)) == 3
    assert "dune" not in slopes(order(SAME | {"dune": (None, 2.0)})).alt


def test_labels_hold_name_and_figure_on_both_sides_and_markup_stays_text():
    made = order({"a<b>b": (2.0, 1.0), "birch": (1.0, 2.0)}, judge="baseline")
    first = replace(made.models[0], annotators=mean(2.0, 1.5, 2.5))
    chart = drawn(replace(made, models=(first, *made.models[1:])))
    assert [note.text for note in labels(chart)] == [
        "<b>a&lt;b&gt;b</b><br>2.00 [1.50, 2.50]",
        "<b>birch</b><br>1.00",
        "<b>a&lt;b&gt;b</b><br>1.00",
        "<b>birch</b><br>2.00",
    ]
    heads = [note.text for note in chart.layout.annotations if note not in labels(chart)]
    assert heads == ["by annotators", "by baseline"]


def test_a_thin_line_leads_from_each_label_to_its_mean():
    chart = drawn(order({"atlas": (2.0, 1.0), "birch": (1.98, 2.0)}))
    assert [trace.y for trace in leaders(chart)] == [
        (note.y, float(note.text.split("<br>")[1])) for note in labels(chart)
    ]


def test_level_models_have_labels_apart_and_more_models_more_room():
    level = {f"m{n}": (2.0, 2.0) for n in range(12)}
    chart = drawn(order(level))
    heights = sorted(note.y for note in labels(chart) if note.x == 0)
    low, high = chart.layout.yaxis.range
    pixels = (chart.layout.height - chart.layout.margin.t - chart.layout.margin.b) / (high - low)
    assert min((b - a) * pixels for a, b in pairwise(heights)) > 30
    assert low <= heights[0] and heights[-1] <= high
    assert chart.layout.height > drawn(order(SAME)).layout.height


@pytest.mark.parametrize(
    ("values", "placed"),
    [
        ([5.0], [5.0]),
        ([2.0, 8.0], [2.0, 8.0]),
        ([5.0, 5.2], [4.6, 5.6]),
        ([5.2, 5.0], [5.6, 4.6]),
        ([5.0, 5.0, 5.0], [4.0, 5.0, 6.0]),
        ([9.9, 9.8], [9.5, 8.5]),
        ([0.0, 0.0, 1.2], [0.5, 1.5, 2.5]),
        ([], []),
    ],
)
def test_labels_stand_at_their_values_or_together_around_them(values, placed):
    assert spread(values, **ENDS) == pytest.approx(placed)


@given(st.lists(st.floats(0, 10), max_size=9))
def test_labels_never_touch_nor_leave_the_chart_nor_change_their_order(values):
    placed = spread(values, **ENDS)
    rising = [placed[i] for i in sorted(range(len(values)), key=lambda i: values[i])]
    assert all(b - a > 1 - 1e-6 for a, b in pairwise(rising))
    assert all(0.5 - 1e-6 <= at <= 9.5 + 1e-6 for at in rising)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("atlas", "atlas"),
        ("gpt-3.5-turbo-16k", "gpt-3.5…bo-16k"),
        ("检索增强生成系统第二版", "检索增…第二版"),
    ],
)
def test_a_long_name_loses_its_middle(name, shown):
    assert short(name) == shown
    assert width(short(name)) <= 15


def test_the_chart_in_words():
    assert slopes(order({"atlas": (2.0, 1.5)})).alt == (
        "Mean composite of each answering model: atlas 2.00 by annotators, 1.50 by gpt-4."
    )
