"""Grading sets drawn with given chances."""

from concord.grading import grading_sets, inclusion_probabilities
from concord.store import items

SUSPECTED = range(4)  # the questions drawn with the higher chance


def drawn(store, sheet, rubric, name, chances, known=None):
    """A grading set of the places in `chances`, each with its chance; `known` are all chances."""
    set_id = grading_sets.create(store, sheet.id, rubric[0], name, 1, seed=1).id
    ids = items.item_ids(store, sheet.id)
    with store.write():
        store.execute("delete from grading_set_items where set_id = ?", (set_id,))
        store.insert_many(
            "grading_set_items",
            ("set_id", "item_id", "block", "position", "inclusion_probability"),
            [(set_id, ids[place], 0, place, chance) for place, chance in chances.items()],
        )
        if known:
            inclusion_probabilities.record(
                store, set_id, {ids[place]: p for place, p in known.items()}
            )
    return set_id
