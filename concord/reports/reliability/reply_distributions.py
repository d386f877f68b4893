"""The probabilities that a judge gave the scores of one answer, for display with its replies."""

from collections.abc import Mapping
from operator import itemgetter

from concord.messages import Numeral
from concord.reports.document import Column, Table, table_of
from concord.store import grades
from concord.store.database import Store


def table(store: Store, item_id: int, grader_id: int, versions: Mapping[str, str]) -> Table:
    """Return a row for each criterion and repeat, with a column for each score.

    The probabilities are those that were returned; the table has no rows where there are none.
    `versions` are the criterion versions, by the criterion's name.
    """
    names = {version: name for name, version in versions.items()}
    found = grades.distributions_of_item(store, item_id, grader_id, names)
    scores = {
        (names[row["version"]], row["repeat"]): row["score"]
        for row in grades.of_grader(store, grader_id, [item_id], list(names))
    }
    # In the order of the rubric, whichever was stored first.
    rows = [
        (name, repeat, scores.get((name, repeat)), one)
        for name in versions
        for (_, of, repeat), one in sorted(found.items())
        if of == name
    ]
    levels = sorted({score for row in rows for score, _ in row[3].probabilities})
    heads = (
        "criterion",
        Column("repeat", "count"),
        Column("score", "count"),
        *(Column(Numeral(f"{level:g}"), "share") for level in levels),
        Column("outside the scale", "share"),
    )
    cells = ((*row, *map(dict(one.probabilities).get, levels), one.outside) for *row, one in rows)
    parts = [(head, itemgetter(place)) for place, head in enumerate(heads)]
    if not any(row[1] > 1 for row in rows):
        del parts[1]
    return table_of("reply-distributions", cells, parts, "Probability of each score", True)
