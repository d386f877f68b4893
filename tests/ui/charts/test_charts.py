"""The confusion matrix as a heat map."""

import pytest

from concord.reports.agreement.charts import chart
from concord.reports.charts import Matrix, graders
from concord.reports.ranking.document import slopes
from concord.ui import style
from concord.ui.charts.intervals import draw as intervals_draw
from concord.ui.charts.matrix import draw
from concord.ui.charts.slopes import SWAP
from concord.ui.charts.slopes import draw as slopes_draw
from tests.support.agreement_rows import SAME, ceiling, figure, order, statistics
from tests.support.agreement_rows import row as made_row
from tests.support.rubrics import rubric

DRAWN = draw(
    Matrix(
        *("matrix", "Scores", "Scores", (1, 2, 5), ("1", "2", "5"), "annotator", "judge"),
        counts=((2, 1, 0), (0, 0, 0), (0, 1, 3)),
        shares=((0.75, 0.25, 0), (0, 0, 0), (0, 0.25, 0.75)),
        words=(("",) * 3,) * 3,
    )
)


def test_a_cell_is_coloured_by_its_share_of_the_persons_row_and_says_its_answers():
    light, deep, _ = DRAWN.data
    assert [*map(list, light.z)] == [[None, 0.25, 0], [0, 0, 0], [0, 0.25, None]]
    assert [*map(list, deep.z)] == [[0.75, None, None], [None] * 3, [None, None, 0.75]]
    assert [*map(list, light.text)] == [["", "1", ""], ["", "", ""], ["", "1", ""]]
    assert [*map(list, deep.text)] == [["2", "", ""], ["", "", ""], ["", "", "3"]]
    assert (light.textfont.color, deep.textfont.color) == ("black", "white")
    assert tuple(light.x) == tuple(light.y) == ("1", "2", "5")


LOOK = style.look(0)


def drawn_of_slopes(found):
    return slopes_draw(slopes(found))


def lines(chart):
    return [trace for trace in chart.data if trace.mode == "lines" and trace.name != "leader"]


def points(chart):
    return [trace for trace in chart.data if trace.mode == "markers"]


def test_every_model_has_a_line_from_the_annotators_to_the_judge():
    chart = drawn_of_slopes(order(SAME))
    assert [trace.y for trace in lines(chart)] == [(2.9, 2.8), (2.0, 2.1), (1.0, 1.5)]
    assert [trace.marker.symbol for trace in points(chart)[:2]] == ["circle", LOOK.symbol]
    assert points(chart)[0].marker.color == style.ANNOTATORS.colour


def test_models_that_swap_are_thick_and_red_and_dashed_where_it_may_be_chance():
    chart = drawn_of_slopes(order(SAME, [("atlas", "birch", 0.99, 0.01)]))
    assert [trace.line.color == SWAP for trace in lines(chart)] == [True, True, False]
    assert [trace.line.dash for trace in lines(chart)] == ["solid", "solid", None]
    unsure = drawn_of_slopes(order(SAME, [("atlas", "birch", 0.8, 0.01)]))
    assert [trace.line.dash for trace in lines(unsure)] == ["dash", "dash", None]
    assert lines(unsure)[0].line.width > lines(unsure)[2].line.width


def row(judge, criterion="correctness", exact=0.75, **changes):
    own = statistics(exact=figure(exact, exact - 0.05, 0.9))
    annotators = statistics(exact=figure(0.86, 0.8, 0.9))
    return made_row(judge, own, criterion=criterion, ceiling=ceiling(found=annotators), **changes)


ROWS = [
    row(judge, exact=exact)
    for judge, exact in [("baseline", 0.5), ("gpt", 0.75), ("sim-judge", 0.8)]
]


RUBRIC = rubric("correctness", "readability")


def made_of_intervals(rows):
    """The charts of rows, one per criterion or judge, as data."""
    looks = graders((row.judge, row.floor) for row in rows)
    return chart(rows, RUBRIC, "exact", looks)


def drawn_of_intervals(rows):
    return intervals_draw(made_of_intervals(rows))


def dots(chart, name):
    return [trace for trace in chart.data if trace.name == name]


def words(chart):
    return [note.text for note in chart.layout.annotations]


def test_every_judge_has_a_dot_with_its_interval_on_the_chart():
    chart = drawn_of_intervals(ROWS)
    assert words(chart)[-4] == "<b>correctness</b>"
    (dot,) = dots(chart, "gpt")
    assert dot.x == (0.75,)
    assert dot.error_x.array[0] == pytest.approx(0.15)
    assert dot.error_x.arrayminus[0] == pytest.approx(0.05)


def test_names_and_titles_are_text_and_never_markup():
    assert "&lt;b&gt;gpt&lt;/b&gt;" in words(drawn_of_intervals([row("<b>gpt</b>")]))
