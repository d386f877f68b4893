"""Run of a combined judge over a sheet: what is new or differs is stored, as one run."""

import re
from collections import Counter

from concord.judges.combined.combine import Combination, combine
from concord.judges.definition import registry
from concord.judges.definition.model import Judge
from concord.judges.kinds.combined import Combined
from concord.judges.run.job import FREE, GRADE_MORE, Outcome
from concord.judges.run.progress import Counts
from concord.messages import Problem, joined
from concord.model import Grader, Sheet
from concord.rubrics.model import Rubric
from concord.store import grades, runs, sheets
from concord.store.database import Store
from concord.store.rubrics import rubric_versions


def sentence(found: Combination) -> str:
    """Return what a run of a combined judge stored, and what it could not combine, in words."""
    statuses = Counter(one.status for one in found.presses)
    counted = {
        "by a fit to other questions": found.out_of_fold,
        "without a score, as the rule was fitted to their question": statuses["not_applicable"],
        "without a score, as a member gave none": statuses["missing_input"],
        "waiting for a member's grade": found.waiting,
    }
    parts = [f"{what}: {n:,}" for what, n in counted.items() if n]
    named: dict[str, list[str]] = {}
    for name, why in found.lacking.items():
        named.setdefault(why, []).append(name)
    lacking = [f"{', '.join(names)}: {why}" for why, names in named.items()]
    if found.presses:
        lacking.insert(0, f"Grades: {'; '.join([f'stored: {found.stored:,}', *parts])}.")
    empty = "No answer was graded by all members. Run them on the same answers."
    return joined(" ", lacking) if lacking else empty


def run_combined(
    store: Store, sheet: Sheet, rubric_id: int, rubric: Rubric, judge: Judge
) -> Combination:
    """Combine what is stored and store what is new or differs; the same grades change nothing.

    Raises:
        Problem: A member has no grades on the sheet, or cannot be a member.
    """
    found = combine(store, sheet, rubric, judge)
    if not found.presses:
        return found
    with store.write():
        grader_id = found.register(store)
        rows = grades.first_grades(store, sheet.id, grader_id)
        known = {(row["item_id"], row["version"]): (row["status"], row["score"]) for row in rows}
        new = [
            one
            for one in found.presses
            if known.get((one.item_id, one.version)) != (one.status, one.score)
        ]
        if new:
            answers = len({one.item_id for one in found.presses})
            of = {"grader_id": grader_id, "sheet_id": sheet.id, "rubric_id": rubric_id}
            runs.of_computed(store, new, answers, **of)
    return found._replace(stored=len(new))


def recoded_name(grader: Grader) -> str:
    """Return the name of a judge's recode, without the white space and @ that names cannot have."""
    return re.sub(r"[\s@]+", "-", grader.label()) + "-recoded"


def recode(
    store: Store, sheet: Sheet, rubric_id: int, rubric: Rubric, grader: Grader
) -> Combination:
    """Map a judge's scores to those that annotators give, as a judge of its own: out of fold.

    Raises:
        Problem: Too few answers are graded for a fit.
    """
    judge = Combined(
        name=recoded_name(grader),
        kind="combined",
        rubric=rubric.name,
        members=(grader.label(),),
        rule="ordinal",
    )
    run = run_combined(store, sheet, rubric_id, rubric, judge)
    if not run.presses:
        raise Problem(joined(" ", [sentence(run), GRADE_MORE]))
    return run


def freeze(grader: Grader) -> Judge:
    """Return the judge with its members as they were and the one fit to all graded questions.

    Raises:
        Problem: It is no combined judge that has run here.
    """
    kept = registry.stored(grader)
    if not isinstance(kept, Combined):
        raise Problem(
            "{judge} is not a combined judge that has run here, so there is no fit to freeze. Run "
            "it with `judge` first.",
            judge=grader.label(),
        )
    fit = grader.definition.get("fit")
    return kept.changed({"members": tuple(grader.definition["members"]), "fit": fit})


def carry_out(
    store: Store, judge: Judge, rubric_name: str | None, sheet_name: str | None, estimate: bool
) -> Outcome:
    """Combine the stored grades of a sheet; only say what that costs with `estimate`.

    Raises:
        Problem: A member has no grades, or nothing could be combined.
    """
    if estimate:
        return Outcome(judge.name, "estimated", FREE)
    rubric_id, rubric = rubric_versions.argument(store, rubric_name or judge.rubric)
    run = run_combined(store, sheets.chosen(store, sheet_name), rubric_id, rubric, judge)
    if not run.presses:
        # New grades change neither a frozen fit nor which answers the members graded.
        remedy = GRADE_MORE if run.lacking and judge.fit is None else ""
        raise Problem(joined(" ", [sentence(run), remedy]))
    counts = Counts(statuses=Counter(scored=run.stored))
    return Outcome(judge.name, "done", sentence(run), counts=counts, combination=run)
