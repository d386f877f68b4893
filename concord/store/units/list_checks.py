"""List checks: annotators' labels of unit lists: missing, invented, not atomic, or right.

A check is a grade with a label and no score, linked to the list it is about. It does not enter any
statistic of a judge's verdicts; only lists that a model made are checked.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from concord.rubrics import list_check
from concord.store.database import Row, Store, marks
from concord.store.grades import CURRENT
from concord.store.rubrics import rubric_versions
from concord.store.units.units import NEWEST

if TYPE_CHECKING:
    import pandas as pd

# Of a list `d`: whether a model made it, so that it is checked.
IS_CHECKED = """exists (select 1 from graders maker where maker.id = d.decomposer_id
    and maker.kind <> 'person')"""


def version(kind: str) -> str:
    """The criterion version of checks of lists of a kind."""
    [one] = list_check.rubric(kind).versions().values()
    return one


def begin(store: Store, kind: str) -> None:
    """Prepare the store for checks of a kind; inside `write()`."""
    rubric_versions.register_criteria(store, list_check.rubric(kind))


def keep(store: Store, press_id: str, list_id: int) -> None:
    """Note which list a check that is on disk was said of; inside `write()`. Twice is once."""
    store.execute(
        """insert into main.list_checks (grade_id, decomposition_id)
        select g.id, ? from grades g where g.press_id = ? and not exists
        (select 1 from list_checks c where c.grade_id = g.id)""",
        (list_id, press_id),
    )


def made_by_model(store: Store, list_ids: Sequence[int]) -> set[int]:
    """Return those of these lists that a model made."""
    return set(
        store.column(
            f"select d.id from decompositions d where d.id in ({marks(list_ids)}) and {IS_CHECKED}",
            list_ids,
        )
    )


def is_of(store: Store, list_id: int, item_id: int, kind: str) -> bool:
    """True where a list, newest or not, belongs to that item and kind."""
    return store.has(
        "select 1 from decompositions where id = ? and item_id = ? and kind = ?",
        (list_id, item_id, kind),
    )


def of_grader(store: Store, grader_id: int, list_ids: Sequence[int]) -> list[Row]:
    """A grader's own current checks of some lists."""
    return store.rows(
        f"""select g.id, g.item_id, g.repeat, g.version, g.status, g.label, g.reason,
        c.decomposition_id from list_checks c join grades g on g.id = c.grade_id
        where c.decomposition_id in ({marks(list_ids)}) and g.grader_id = ?
        and g.status <> 'withdrawn' and {CURRENT}""",
        (*list_ids, grader_id),
    )


def of_sheet(store: Store, sheet_id: int, kind: str) -> "pd.DataFrame":
    """Annotators' current first checks of a sheet's newest lists of a kind, one row each.

    Returns:
        Columns item_id, question_id, cluster, annotator (grader id), simulated, label (None where
        the annotator could not say); sorted by item and annotator.
    """
    rows = store.rows(
        f"""select i.id, i.question_id, q.cluster, r.id as person, r.simulated, g.label
        from list_checks c join grades g on g.id = c.grade_id
        join decompositions d on d.id = c.decomposition_id join items i on i.id = d.item_id
        join questions q on q.id = i.question_id join graders o on o.id = g.grader_id
        join graders r on r.id = coalesce(o.merged_into, o.id)
        where i.sheet_id = ? and d.kind = ? and r.kind = 'person' and g.repeat = 1 and {NEWEST}
        and g.status <> 'withdrawn' and {CURRENT} order by i.id, r.id""",
        (sheet_id, kind),
    )
    columns = ["item_id", "question_id", "cluster", "person", "simulated", "label"]
    import pandas as pd  # a second, which an import does not need

    return pd.DataFrame(map(tuple, rows), columns=columns)
