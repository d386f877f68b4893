"""The confusion matrix as a heat map."""

from dataclasses import replace

from concord.reports.agreement.confusion import Confusion, matrix
from concord.reports.panel.unit_words import UnitWords
from concord.ui.charts.matrix import draw

TABLE = Confusion(
    scale=(1, 2, 5),
    units=None,
    weights=[[1.5, 0.5, 0], [0, 0, 0], [0, 1, 3]],
    pairs=[],
    items=[[2, 1, 0], [0, 0, 0], [0, 1, 3]],
    n=6,
)


def drawn(table):
    return draw(matrix(table, "gpt"))


def test_a_cell_is_coloured_by_its_share_of_the_persons_row_and_says_its_answers():
    light, deep, _ = drawn(TABLE).data
    assert [*map(list, light.z)] == [[None, 0.25, 0], [0, 0, 0], [0, 0.25, None]]
    assert [*map(list, deep.z)] == [[0.75, None, None], [None] * 3, [None, None, 0.75]]
    assert [*map(list, light.text)] == [["", "1", ""], ["", "", ""], ["", "1", ""]]
    assert [*map(list, deep.text)] == [["2", "", ""], ["", "", ""], ["", "", "3"]]
    assert (light.textfont.color, deep.textfont.color) == ("black", "white")
    assert tuple(light.x) == tuple(light.y) == ("1", "2", "5")


def test_the_bar_of_shades_is_that_of_the_cells_that_every_table_has():
    """Plotly draws no bar for a heat map without a number."""
    for dark, ink in ((False, "black"), (True, "white")):
        shown = [one for one in draw(matrix(TABLE, "gpt"), dark).data[:2] if one.showscale]
        assert [one.textfont.color for one in shown] == [ink]


def test_every_cell_can_be_clicked():
    """A heat map alone reports no click, nor do markers that cannot be seen at all."""
    spots = drawn(TABLE).data[-1]
    assert spots.marker.color == "rgba(0,0,0,0.01)"
    assert len(spots.x) == 9
    assert (spots.y[1], spots.x[1]) == ("1", "2")
    assert list(spots.customdata[1]) == [1, 2]
    assert spots.text[1] == "annotator 1, judge 2: 1 answer, 25% of all with annotator score 1"


def test_cells_of_a_long_scale_still_fit_a_narrow_window():
    scale = list(range(11))
    empty = [[0] * 11 for _ in scale]
    table = Confusion(tuple(scale), None, empty, empty, empty, 0)
    chart = drawn(table)
    assert chart.data[-1].marker.size * 11 < 390
    assert chart.layout.height < 700


def test_a_bar_says_that_a_shade_is_a_share_of_its_row():
    chart = drawn(TABLE)
    assert chart.data[0].showscale is not False
    assert chart.data[0].colorbar.tickformat == ".0%"
    assert chart.layout.xaxis.title.text.endswith("shade: share of the row")
    assert chart.layout.yaxis.range == (2.5, -0.5)  # the cells reach the axis, the first row on top


def test_the_confusion_is_told_in_words():
    assert matrix(TABLE, "gpt").alt == (
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


def test_a_matrix_of_units_counts_them_and_names_their_labels():
    table = replace(TABLE, units=CLAIMS)
    chart = drawn(table)
    labels = ("contradicted", "not<br>enough<br>information", "supported")
    assert chart.layout.xaxis.ticktext == chart.layout.yaxis.ticktext == labels
    assert tuple(chart.data[0].x) == ("1", "2", "5")  # what a click gives back
    assert (
        chart.data[-1]
        .text[1]
        .startswith("annotator “contradicted”, judge “not enough information”")
    )
    assert chart.layout.yaxis.title.text == "annotator's label"
    assert matrix(table, "gpt").alt.startswith(
        "Claims by annotator's score, for judge's scores “contra"
    )
