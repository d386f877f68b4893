"""The confusion matrix as a heat map."""

from concord.reports.agreement.confusion import Confusion, matrix
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


def test_every_cell_can_be_clicked():
    """A heat map alone reports no click, nor do markers that cannot be seen at all."""
    spots = drawn(TABLE).data[-1]
    assert spots.marker.color == "rgba(0,0,0,0.01)"
    assert len(spots.x) == 9
    assert (spots.y[1], spots.x[1]) == ("1", "2")
    assert list(spots.customdata[1]) == [1, 2]
