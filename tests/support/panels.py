"""Small graded sheets for the tests of the reports: who gave which answer which score."""

from concord.reports.panel.panel import Panel
from concord.reports.panel.panel_reading import read
from concord.store import graders, items, sheets
from concord.store.database import Store
from concord.store.grades import Press, record

ATLAS, BIRCH, COBALT = 0, 1, 2  # the answers to the first question, by their place in the sheet


def give(
    store: Store,
    rubric,
    grader: str,
    scores: dict[int, int | None],
    criterion: str = "correctness",
    kind: str = "person",
    **press,
) -> int:
    """Record a grader's scores by the item's place in the sheet; None is `cannot_grade`.

    Names that begin with `sim` are simulated. `press` goes into each `Press`. Returns the id.
    """
    grader_id = graders.ensure(store, kind, grader, simulated=grader.startswith("sim"))
    ids = items.item_ids(store, sheets.all_sheets(store)[0].id)
    version = rubric.versions()[criterion]
    record(
        store,
        [
            Press(
                ids[place],
                version,
                grader_id,
                status="cannot_grade" if score is None else "scored",
                score=score,
                **press,
            )
            for place, score in scores.items()
        ],
    )
    return grader_id


def judge(store: Store, rubric, name: str, scores: dict[int, int | None], **more) -> int:
    """The same for a judge."""
    return give(store, rubric, name, scores, kind="judge", **more)


def panel(store: Store, rubric, *annotators: str) -> Panel:
    """The panel of the only sheet."""
    return read(store, sheets.all_sheets(store)[0], rubric, annotators or None)
