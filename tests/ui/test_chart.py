"""Charts as plotly draws them."""

import pytest

from concord.reports.agreement.document import chart
from concord.reports.charts import Matrix, graders
from concord.reports.ranking import chart as ranking_chart
from concord.ui import style
from concord.ui.chart import draw
from tests.support.agreement_rows import SAME, ceiling, figure, order, statistics
from tests.support.agreement_rows import row as made_row
from tests.support.rubrics import rubric


def test_a_cell_is_coloured_by_its_share_of_the_persons_row_and_says_its_answers():
    [cells] = draw(
        Matrix(
            *("matrix", "Scores", "Scores", (1, 5), ("1", "5"), "annotator", "judge"),
            counts=((2, 1), (0, 3)),
            shares=((0.75, 0.25), (0, 1)),
        )
    ).data
    assert [*zip(cells.y, cells.x, cells.text, cells.marker.color, strict=True)] == [
        ("1", "1", "2", 0.75),
        ("1", "5", "1", 0.25),
        ("5", "1", "", 0),
        ("5", "5", "3", 1),
    ]
    assert cells.textfont.color == ("white", "black", "black", "white")


def test_every_model_has_its_means_by_annotators_and_judge_and_says_that_it_swaps():
    found = draw(ranking_chart(order(SAME, [("atlas", "birch", 0.99, 0.01)])))
    assert [trace.x[0] for trace in found.data[::2]] == [1.0, 2.0, 2.9]
    assert [trace.x[0] for trace in found.data[1::2]] == [1.5, 2.1, 2.8]
    assert found.data[0].marker.color == style.ANNOTATORS.colour
    names = found.layout.yaxis.ticktext
    assert names == ("cobalt", "birch, swapped", "atlas, swapped")


def row(judge, criterion="correctness", exact=0.75, **changes):
    own = statistics(exact=figure(exact, exact - 0.05, 0.9))
    annotators = statistics(exact=figure(0.86, 0.8, 0.9))
    return made_row(judge, own, criterion=criterion, ceiling=ceiling(found=annotators), **changes)


ROWS = [
    row(judge, exact=exact)
    for judge, exact in [("baseline", 0.5), ("gpt", 0.75), ("sim-judge", 0.8)]
]


RUBRIC = rubric("correctness", "readability")


def drawn(rows):
    return draw(chart(rows, RUBRIC, "exact", graders((row.judge, row.floor) for row in rows)))


def test_every_judge_has_a_dot_with_its_interval_on_the_chart():
    (dot,) = [trace for trace in drawn(ROWS).data if trace.name == "gpt"]
    assert dot.x == (0.75,)
    assert dot.error_x.array[0] == pytest.approx(0.15)
    assert dot.error_x.arrayminus[0] == pytest.approx(0.05)


def test_names_and_titles_are_text_and_never_markup():
    assert drawn([row("<b>gpt</b>")]).layout.yaxis.ticktext == ("&lt;b&gt;gpt&lt;/b&gt;",)
