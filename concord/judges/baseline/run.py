"""Baseline over a sheet: trained on the annotators that count, storing its grades."""

from typing import NamedTuple

from concord.judges.baseline.feature_model import Text
from concord.judges.training_grades import training_grades
from concord.messages import joined, said
from concord.model import BASELINE, Grader, Sheet
from concord.rubrics.model import Rubric
from concord.samples import load
from concord.store import graders, grades, items, runs, sheets
from concord.store.database import Store
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions

NEEDS = said("30 graded answers to 10 questions")
ABOUT = "text features and an ordinal regression; the floor every judge should beat"


class BaselineRun(NamedTuple):
    """Result of a baseline run: grades stored now, and per criterion why there are none.

    Attributes:
        is_all_graded: Every answer has a grade under the first criterion that lacks some.
    """

    stored: int
    lacking: dict[str, str]
    grader: Grader | None
    is_all_graded: bool = False

    def sentence(self) -> str:
        """The outcome in words."""
        if self.lacking and self.grader is None:
            return next(iter(self.lacking.values()))
        if not self.stored:
            return said("The baseline has already graded this sheet from the same grades.")
        text = said("The baseline stored {n:,} grades, each out of fold.", n=self.stored)
        left = [
            said("{criterion}: {why}", criterion=name, why=why)
            for name, why in self.lacking.items()
        ]
        return joined(" ", [text, *left])


def run_baseline(store: Store, sheet: Sheet, rubric_id: int, rubric: Rubric) -> BaselineRun:
    """Train on annotators' grades and grade every item by a model that never saw its question.

    The fingerprint holds the grades it was trained on, so new grades make a new baseline; the same
    grades change nothing.
    """
    from concord.judges.baseline import feature_model  # scikit-learn takes a second to import

    item_ids = items.item_ids(store, sheet.id)
    texts = [_text(stored.item, rubric) for stored in _items(store, item_ids)]
    training = training_grades(store, sheet, rubric, item_ids)
    identity = feature_model.training_digest(texts, training, rubric.scale)
    known = graders.find(store, "judge", f"{BASELINE}@{identity}")
    if known and grades.statuses(store, sheet.id, known.id):
        return BaselineRun(0, {}, known)
    graded = feature_model.grade(texts, training, rubric.scale)
    lacking = {n: g.sentence for n, g in graded.items() if isinstance(g, feature_model.TooFew)}
    found = {n: g for n, g in graded.items() if n not in lacking}
    if not found:
        scored = {item for item, _ in training[next(iter(lacking))]}
        return BaselineRun(0, lacking, None, len(scored) == len(item_ids))
    return _stored(store, sheet, rubric_id, rubric, identity, item_ids, found, lacking)


def _stored(
    store: Store,
    sheet: Sheet,
    rubric_id: int,
    rubric: Rubric,
    identity: str,
    item_ids: list[int],
    found: dict,
    lacking: dict[str, str],
) -> BaselineRun:
    """Put the predictions of one training on disk, as one run."""
    versions = rubric.versions()
    with store.write():
        grader_id = graders.ensure(
            store, "judge", BASELINE, identity, {"about": ABOUT, "rubric": rubric.name}
        )
        if grades.statuses(store, sheet.id, grader_id):  # another process was faster
            return BaselineRun(0, lacking, graders.get(store, grader_id))
        run_id = runs.start(store, grader_id, sheet.id, rubric_id, {}, [], {"calls": 0}, None)
        presses = [
            Press(item_id, versions[name], grader_id, "scored", p.score, p.reason, run_id=run_id)
            for name, predictions in found.items()
            for item_id, p in zip(item_ids, predictions, strict=True)
        ]
        grades.record(store, presses)
        counts = {"total": len(item_ids), "done": len(item_ids), "cost": 0.0}
        runs.finish(store, run_id, "done", "", counts)
    return BaselineRun(len(presses), lacking, graders.get(store, grader_id))


def _items(store: Store, item_ids: list[int], size: int = 500) -> list:
    """Return all items, read in slices: SQLite limits the number of parameters."""
    return [
        stored
        for start in range(0, len(item_ids), size)
        for stored in items.items(store, item_ids[start : start + size])
    ]


def _text(item, rubric: Rubric) -> Text:
    """Return the text features are computed from: no more than the rubric shows annotators."""
    return Text(
        question=item.question,
        contexts=tuple(c.text for c in item.contexts) if "contexts" in rubric.shown else (),
        answer=item.answer,
        references=item.reference if "reference" in rubric.shown else (),
        cluster=item.cluster,
    )


def demo(store: Store, again: bool = False) -> str:
    """Load the sample and run the baseline; returns what happened, as sentences.

    Not where the user removed the sample before, unless `again`.
    """
    loaded = load.load_sample(store, again)
    sheet = sheets.find(store, load.NAME)
    if sheet is None:
        return said(
            "The sample was removed before, so it is not loaded again. Add --again to load it."
        )
    outcome = run_baseline(store, sheet, *rubric_versions.named(store, load.RUBRIC))
    sample = said("The sample is loaded." if loaded else "The sample was already loaded.")
    return joined(" ", [sample, outcome.sentence()])
