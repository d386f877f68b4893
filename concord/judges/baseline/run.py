"""Baseline over a sheet: trained on the annotators that count, storing its grades."""

from collections import Counter
from typing import NamedTuple

from concord.judges.definition.model import Judge
from concord.judges.run.job import FREE, GRADE_MORE, Outcome
from concord.judges.run.progress import Counts
from concord.judges.training_grades import training_grades
from concord.messages import Problem, joined, said
from concord.model import BASELINE, Grader, Sheet
from concord.rubrics.model import Rubric
from concord.samples import load
from concord.store import graders, grades, items, runs, sheets
from concord.store.database import Store
from concord.store.grades import Press
from concord.store.rubrics import rubric_versions

ABOUT = "text features and an ordinal regression; the floor every judge should beat"


class BaselineRun(NamedTuple):
    """Result of a baseline run: grades stored now, and per criterion why there are none."""

    stored: int
    lacking: dict[str, str]
    grader: Grader | None

    def sentence(self) -> str:
        """The outcome in words."""
        stored = self.grader and said("Grades stored, each out of fold: {n:,}.", n=self.stored)
        return joined(" ", [stored, *dict.fromkeys(self.lacking.values())])


def run_baseline(store: Store, sheet: Sheet, rubric_id: int, rubric: Rubric) -> BaselineRun:
    """Train on annotators' grades and grade every item by a model that never saw its question.

    The fingerprint holds the grades it was trained on, so new grades make a new baseline; the same
    grades change nothing.
    """
    from concord.judges.baseline import feature_model  # scikit-learn takes a second to import

    item_ids = items.item_ids(store, sheet.id)
    # In slices: SQLite limits the number of parameters.
    slices = (item_ids[start : start + 500] for start in range(0, len(item_ids), 500))
    found = (stored.item for some in slices for stored in items.items(store, some))
    # No more than the rubric shows annotators.
    texts = [
        feature_model.Text(
            question=item.question,
            contexts=tuple(c.text for c in item.contexts) if "contexts" in rubric.shown else (),
            answer=item.answer,
            references=item.reference if "reference" in rubric.shown else (),
            cluster=item.cluster,
        )
        for item in found
    ]
    training = training_grades(store, sheet, rubric, item_ids)
    identity = feature_model.training_digest(texts, training, rubric.scale)
    known = graders.find(store, "judge", f"{BASELINE}@{identity}")
    if known and grades.statuses(store, sheet.id, known.id):
        return BaselineRun(0, {}, known)
    graded = feature_model.grade(texts, training, rubric.scale)
    lacking = {name: one for name, one in graded.items() if isinstance(one, str)}
    if len(lacking) == len(graded):
        return BaselineRun(0, lacking, None)
    versions = rubric.versions()
    presses = [
        Press(item_id, versions[name], 0, "scored", score)
        for name, scores in graded.items()
        if name not in lacking
        for item_id, score in zip(item_ids, scores, strict=True)
    ]
    with store.write():
        about = {"about": ABOUT, "rubric": rubric.name}
        grader = graders.get(store, graders.ensure(store, "judge", BASELINE, identity, about))
        if grades.statuses(store, sheet.id, grader.id):  # another process was faster
            return BaselineRun(0, lacking, grader)
        of = {"grader_id": grader.id, "sheet_id": sheet.id, "rubric_id": rubric_id}
        runs.of_computed(store, presses, len(item_ids), **of)
    return BaselineRun(len(presses), lacking, grader)


def carry_out(
    store: Store, judge: Judge, rubric_name: str | None, sheet_name: str | None, estimate: bool
) -> Outcome:
    """Train the baseline on a sheet and store its grades; only say what that costs to `estimate`.

    Raises:
        Problem: There are too few grades.
    """
    if estimate:
        return Outcome(judge.name, "estimated", FREE)
    sheet = sheets.chosen(store, sheet_name)
    used = rubric_name or rubric_versions.annotators_use(store, sheet.id) or judge.rubric
    rubric_id, rubric = rubric_versions.argument(store, used)
    run = run_baseline(store, sheet, rubric_id, rubric)
    if run.grader is None:
        elsewhere = rubric_versions.without_annotators(store, sheet, rubric.name)
        raise Problem(elsewhere or joined(" ", [run.sentence(), GRADE_MORE]))
    return Outcome(
        judge.name, "done", run.sentence(), counts=Counts(statuses=Counter(scored=run.stored))
    )


def demo(store: Store, again: bool = False) -> str:
    """Load the sample and run the baseline; returns what happened, as sentences.

    Not where the user removed the sample before, unless `again`.
    """
    load.load_sample(store, again)
    sheet = sheets.find(store, load.NAME)
    if sheet is None:
        return "The sample was removed before, so it is not loaded again. Add --again to load it."
    outcome = run_baseline(store, sheet, *rubric_versions.named(store, load.RUBRIC))
    return joined(" ", ["The sample is loaded.", outcome.sentence()])
