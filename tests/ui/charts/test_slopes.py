"""The slope chart as data."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from concord.reports.ranking.document import slopes
from concord.ui import style
from concord.ui.charts.slopes import SWAP, draw, spread
from tests.support.reports.orders import SAME, order

LOOK = style.look(0)
ENDS = dict(gap=1.0, bottom=0.0, top=10.0)


def drawn(found):
    return draw(slopes(found))


def lines(chart):
    return [trace for trace in chart.data if trace.mode == "lines" and trace.name != "leader"]


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


def test_level_models_have_labels_apart_and_more_models_more_room():
    level = {f"m{n}": (2.0, 2.0) for n in range(12)}
    chart = drawn(order(level))
    heights = sorted(note.y for note in labels(chart) if note.x == 0)
    low, high = chart.layout.yaxis.range
    pixels = (chart.layout.height - chart.layout.margin.t - chart.layout.margin.b) / (high - low)
    assert min((b - a) * pixels for a, b in pairwise(heights)) > 30
    assert low <= heights[0] and heights[-1] <= high
    assert chart.layout.height > drawn(order(SAME)).layout.height


@given(st.lists(st.floats(0, 10), max_size=9))
def test_labels_never_touch_nor_leave_the_chart_nor_change_their_order(values):
    placed = spread(values, **ENDS)
    rising = [placed[i] for i in sorted(range(len(values)), key=lambda i: values[i])]
    assert all(b - a > 1 - 1e-6 for a, b in pairwise(rising))
    assert all(0.5 - 1e-6 <= at <= 9.5 + 1e-6 for at in rising)
