"""Annotators' grades that a judge without a model is fitted to."""

from concord.grading import annotators
from concord.model import Sheet
from concord.rubrics.model import Rubric
from concord.store import grade_table, graders
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


def training_grades(
    store: Store, sheet: Sheet, rubric: Rubric, item_ids: list[int]
) -> dict[str, list[tuple[int, int]]]:
    """Return annotators' scores as (item index, score) by criterion, blind grades preferred."""
    table = grade_table.table(store, sheet.id, rubric_versions.criteria(store, rubric))
    table = table.drop_duplicates(["item_id", "criterion", "grader_id", "repeat"], keep="last")
    usable = table[(table["status"] == "scored") & (table["repeat"] == 1) & (table["blind"] != 0)]
    who, _ = annotators.counting(graders.get(store, int(g)) for g in usable["grader_id"].unique())
    usable = usable[usable["grader_id"].isin(list(who))]
    place = {item_id: index for index, item_id in enumerate(item_ids)}
    training: dict[str, list[tuple[int, int]]] = {name: [] for name in rubric.versions()}
    for row in usable.itertuples():
        training[row.criterion].append((place[row.item_id], int(row.score)))
    return training
