"""Graded items of a sheet as examples for a few-shot judge, chosen the same way every time."""

from concord.judges.definition.model import Judge, Shot
from concord.messages import Problem, joined
from concord.model import FEW_SHOT, Sheet
from concord.rubrics.model import Rubric
from concord.sampling import splits
from concord.store import graders, grades, items
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


def gather(store: Store, judge: Judge, rubric: Rubric, sheet: Sheet) -> list[Shot]:
    """The graded items a judge shows as examples; none where its examples come from elsewhere.

    Only answers to questions of the split `examples`, with the grades of the annotator the judge
    file names (or of the only one there is): those the judge file chooses, else `per_score` for
    each score of the heaviest criterion, in the order of the sheet.
    """
    plan = judge.example_plan()
    if plan is None or plan.source != "graded":
        return []
    rubric.check_meanings()
    pool = {row["id"] for row in splits.of_sheet(store, sheet.id) if row["split"] == FEW_SHOT}
    rows = items.item_index(store, sheet.id)
    item_ids = [row["id"] for row in rows if row["question_id"] in pool]
    grader_id = _grader(store, judge, plan.grader, item_ids, rubric)
    found = (_shot(store, rubric, item_id, grader_id) for item_id in item_ids)
    shots = [shot for shot in found if shot is not None]
    if not plan.chosen:
        name, most = rubric.heaviest().name, plan.per_score
        by_score = ([s for s in shots if s.scores[name] == score] for score in rubric.scale)
        return [shot for some in by_score for shot in some[:most]]
    chosen = [shot for shot in shots if items.item(store, shot.id).content_hash in plan.chosen]
    if len(chosen) < len(plan.chosen):
        raise Problem(
            "Judge {judge} shows {n} answers as examples that are not graded answers of the "
            "few-shot pool. Put their questions there under Data, or choose others.",
            judge=judge.name,
            n=len(plan.chosen) - len(chosen),
        )
    return chosen


def _grader(
    store: Store, judge: Judge, name: str | None, item_ids: list[int], rubric: Rubric
) -> int | None:
    """Return the id of the named annotator, or of the only one who graded the items."""
    if name:
        named = graders.named(store, "person", name)
        if named.is_mean:
            raise Problem(
                "“{name}” is the mean of several annotators, and examples have the scores of one. "
                "Name an annotator as `grader` under [examples].",
                name=named.name,
            )
        return named.id
    versions = list(rubric.versions().values())
    annotators = {
        row["grader_id"]: row["name"]
        for item_id in item_ids
        for row in grades.of_item(store, item_id, versions)
        if row["kind"] == "person" and not graders.get(store, row["grader_id"]).is_mean
    }
    if len(annotators) > 1:
        raise Problem(
            "Judge {judge} shows graded items, which several annotators graded: {annotators}. "
            "Name one as `grader` under [examples].",
            judge=judge.name,
            annotators=joined(", ", sorted(annotators.values())),
        )
    return next(iter(annotators), None)


def _shot(store: Store, rubric: Rubric, item_id: int, grader_id: int | None) -> Shot | None:
    """One item with an annotator's scores; None unless every criterion is scored."""
    if grader_id is None:
        return None
    names = rubric_versions.criteria(store, rubric)
    mine = [
        row
        for row in grades.of_grader(store, grader_id, [item_id], list(names))
        if row["repeat"] == 1 and row["status"] == "scored"
    ]
    scores = {names[row["version"]]: int(row["score"]) for row in mine}
    if set(scores) != set(rubric.versions()):
        return None
    reasons = {names[row["version"]]: row["reason"] for row in mine}
    return Shot(item_id, items.item(store, item_id).item, scores, reasons)
