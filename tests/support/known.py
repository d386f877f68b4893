"""A grading set with known answers, and annotators who train on them."""

from concord.grading import assignments, gold_items, grading_sets, workspace
from concord.grading.gold_items import AgreedScore
from concord.sampling import split_assignment, splits


def prepared(store, sheet, rubric, name, practised=("000-atlas",)):
    """A set of a sheet whose first two questions are examples, with answers to train on."""
    examples = splits.questions_named(store, sheet, ["000", "001"])
    split_assignment.assign(store, examples, "few-shot", "for training")
    made = grading_sets.create(store, sheet.id, rubric[0], name, None, 1, 6, 0.0)
    gold_items.agree(store, made, known(store, made, rubric, practised), "Lea")
    return made


def known(store, made, rubric, answers, score=2, reason="agreed"):
    """An agreed score for every criterion of some answers."""
    ids = [gold_items.named(store, made, own_id) for own_id in answers]
    return [AgreedScore(one, c.name, score, reason) for one in ids for c in rubric[1].criteria]


def grade_training(store, made, person, rubric, score, count=None):
    """Grade everything an annotator is to train on, or the first criteria of it."""
    versions = list(rubric[1].versions().values())
    laid = [p for p in assignments.queue(store, made, person, versions, 1) if p.is_training]
    for place in laid:
        press(store, made, person, rubric, place, score, count)


def press(store, made, person, rubric, place, score, count=None):
    """Grade the first criteria of a place; all of them unless said."""
    keys = [
        workspace.Key(f"{person}-{place.id}-{n}-{score}", place.id, version, "scored", score)
        for n, version in enumerate([*rubric[1].versions().values()][:count])
    ]
    assert workspace.save(store, made, person, rubric[1], keys).refused == {}
