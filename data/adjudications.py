"""Adjudications: a score settled after people differed; it never overwrites a grade."""

import pandas as pd

from data.store import Store, marks


def entering_consensus(store: Store, sheet_id: int, versions: dict[str, str]) -> pd.DataFrame:
    """The newest blind adjudication of each answer and criterion that people or a draw triggered.

    One that a judge's disagreement triggered is never among them: it would flatter that judge.

    Args:
        store: The open store.
        sheet_id: The sheet.
        versions: Criterion name by criterion version that counts.

    Returns:
        Columns item_id, criterion, score.
    """
    rows = store.rows(
        "select a.item_id, a.version, a.score from adjudications a"
        " join items i on i.id = a.item_id where i.sheet_id = ? and a.blind = 1"
        " and a.unit_id is null and a.score is not null and a.triggered_by in ('people', 'draw')"
        f" and a.version in ({marks(versions)}) order by a.id",
        (sheet_id, *versions),
    )
    frame = pd.DataFrame(
        [(row["item_id"], versions[row["version"]], row["score"]) for row in rows],
        columns=["item_id", "criterion", "score"],
    )
    return frame.drop_duplicates(["item_id", "criterion"], keep="last", ignore_index=True)
