"""The grader that a shipped judge is on a sheet."""

from concord.judges import few_shot
from concord.judges.definition.model import Judge
from concord.judges.metric_runs import job as measuring
from concord.judges.prompting.request import fingerprint
from concord.metrics.selection import choice
from concord.model import BASELINE, Grader, Sheet
from concord.store import runs
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


def grader_of_preset(
    store: Store, sheet: Sheet, judge: Judge, known: dict[str, Grader], rubrics: dict
) -> Grader | None:
    """Return the grader that a preset is on a sheet; None where it was never run.

    `known` are graders by label; `rubrics`, those read so far by name, is filled.
    """
    if judge.model is None and judge.kind == "metric":
        return known.get(judge.name)
    if judge.kind == "baseline":
        mine = [grader for grader in known.values() if is_baseline(grader)]
        latest = [runs.newest(store, sheet_id=sheet.id, grader_id=grader.id) for grader in mine]
        return next((g for g, run in list(zip(mine, latest, strict=True))[::-1] if run), None)
    if not any(label.startswith(f"{judge.name}@") for label in known):
        return None
    if judge.kind == "metric":
        identity = measuring.fingerprint(judge, choice(judge))
        return known.get(f"{judge.name}@{identity}")
    if judge.rubric not in rubrics:
        rubrics[judge.rubric] = rubric_versions.named(store, judge.rubric)[1]
    rubric = rubrics[judge.rubric]
    shown = few_shot.gather(store, judge, rubric, sheet)
    return known.get(f"{judge.name}@{fingerprint(judge, rubric, shown)}")


def is_baseline(grader: Grader) -> bool:
    """Return True for a baseline that was trained here."""
    return grader.name == BASELINE and "about" in grader.definition
