"""Tables as files, without a browser."""

from concord.reports.document import Column, Table
from concord.stats.core.estimate import Estimate
from concord.ui.render import unrounded


def test_a_file_has_fractions_and_says_so_in_its_heads():
    columns = (Column("exact [95% CI]", "share"), Column("difference, points", "points"))
    table = Table("t", columns, ((Estimate(0.75, 0.7, 0.8), Estimate(-0.164, -0.2, -0.1)),))
    (row,) = unrounded(table).to_dict("records")
    assert (row["exact"], row["exact low"], row["exact high"]) == (0.75, 0.7, 0.8)
    assert (row["difference"], row["difference low"]) == (-0.164, -0.2)
