"""The agreement report of the sample against the plain way: a joined table and scikit-learn."""

import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from concord.samples.load import GRADES

CRITERIA = ("correctness", "comprehensiveness", "readability")
JUDGES = ("simulated-careful-judge", "simulated-lenient-judge")


def _pairs(judge: str, criterion: str) -> pd.DataFrame:
    """Every pair of judge and annotator on an item; the pairs of an item weigh 1 together."""
    grades = pd.read_csv(GRADES)
    grades = grades[grades["criterion"] == criterion]
    mine = grades[grades["grader"] == judge].set_index("item_id")["score"]
    annotators = grades[grades["grader_kind"] == "person"].copy()
    annotators["judge"] = annotators["item_id"].map(mine)
    annotators["weight"] = 1 / annotators.groupby("item_id")["score"].transform("size")
    return annotators


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("judge", JUDGES)
def test_every_figure_is_what_the_plain_way_gives(sample_rows, judge, criterion):
    pairs, row = _pairs(judge, criterion), sample_rows[judge, criterion]
    apart, weight = pairs["judge"] - pairs["score"], pairs["weight"]
    failed = pairs["score"] <= 1

    def share(condition):
        return (condition * weight).sum() / weight.sum()

    def kappa(weights):
        return cohen_kappa_score(
            pairs["score"],
            pairs["judge"],
            labels=[0, 1, 2, 3],
            weights=weights,
            sample_weight=weight,
        )

    expected = {
        "exact": share(apart == 0),
        "within_one": share(apart.abs() <= 1),
        "bias": (apart * weight).sum() / weight.sum(),
        "mae": (apart.abs() * weight).sum() / weight.sum(),
        "kappa": kappa(None),
        "qwk": kappa("quadratic"),
        "failure_recall": ((pairs["judge"] <= 1) & failed).mul(weight).sum()
        / (failed * weight).sum(),
    }
    assert {name: row.statistics[name].value for name in expected} == pytest.approx(
        expected, abs=1e-12
    )
    assert row.n == pairs["item_id"].nunique() == 192
