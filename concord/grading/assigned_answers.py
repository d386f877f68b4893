"""Assigned answers: which answers of a set its annotators grade, by block or one by one."""

from concord.grading import assignments, campaigns
from concord.grading.campaign_plan import SINGLE
from concord.grading.grading_sets import GradingSet
from concord.store.database import Store


def of_set(store: Store, grading_set: GradingSet) -> dict[int, set[int]]:
    """Return the answers of each annotator by grader id, without gold items.

    Who was removed from a campaign is left out.
    """
    items = "select item_id, block from grading_set_items where set_id = ?"
    places = [(row["item_id"], row["block"]) for row in store.rows(items, (grading_set.id,))]
    found: dict[int, set[int]] = {}
    for grader_id in assignments.everyone(store, grading_set.id):
        if not campaigns.has_left(store, grading_set, grader_id):
            blocks = {*campaigns.blocks_of(store, grading_set, grader_id)}
            found[grader_id] = {item for item, block in places if block in blocks}
    one_by_one = "select item_id, grader_id from assignments where set_id = ? and block = ?"
    for row in store.rows(one_by_one, (grading_set.id, SINGLE)):
        if row["grader_id"] in found:
            found[row["grader_id"]].add(row["item_id"])
    return found
