"""A sheet of 60 answers without ids of their own, on which every kind of count can go wrong.

Three models answered questions q00 to q19. q00 and q01 are in the few-shot pool, q19 is held out,
so 51 answers to 17 questions count.
"""

from concord.grading import (
    assignments,
    campaigns,
    gold_items,
    grading_sets,
    pauses,
    single_assignments,
)
from concord.grading.adjudication.adjudications import ANNOTATORS, Adjudication
from concord.grading.adjudication.adjudications import record as adjudicate
from concord.sampling import split_assignment, splits
from concord.store import additions, graders, items
from concord.store.grades import Press, record
from concord.store.rubrics import rubric_versions
from tests.support.commandline import invoke
from tests.support.known import known
from tests.support.made_items import made_item

NAME = "counts"
_COLUMNS = "question_id,model,criterion,grader,grader_kind,score"
QUESTIONS, MODELS = 20, ("atlas", "birch", "cobalt")


def add(store, rubric, folder):
    """The sheet, graded: Ana, Bo, Dan, Eva, Fay and Gus count; Cleo graded the pool alone."""
    made = [
        made_item(n, m, own_id=None, question_id=f"q{n:02}", question=f"What is item {n}?")
        for n in range(QUESTIONS)
        for m in MODELS
    ]
    sheet = additions.add(store, NAME, made, "counts.csv", "c" * 64, {})
    ids = items.item_ids(store, sheet.id)
    versions = list(rubric[1].versions().values())

    def grade(name, places, kind="person", status="scored", shift=0):
        return _grade(store, versions, ids, name, places, kind, status, shift)

    whole = grading_sets.create(store, sheet.id, rubric[0], "Whole", None, 1, 9, 0.0)
    grade("Ana", range(39))
    bo = grade("Bo", range(6, 21), shift=1)
    dan = grade("Dan", range(6, 12))
    grade("Gus", range(6, 8), status="cannot_grade")
    grade("Cleo", range(3))
    grade("strict", [*range(9), *range(12, 60)], kind="judge")
    grade("strict", range(9, 12), kind="judge", status="failed")
    grade("lenient", range(60), kind="judge", shift=1)
    for split, names in (("few-shot", ["q00", "q01"]), ("held-out", ["q19"])):
        split_assignment.assign(store, splits.questions_named(store, sheet, names), split, "")
    pauses.pause(store, dan, "Lea")
    ten = grading_sets.create(store, sheet.id, rubric[0], "Ten", 10, 2, 9, 0.0)
    gold_items.agree(store, ten, known(store, ten, rubric, [f"q00, no. {ids[0]}"]), "Lea")
    gold_items.mix_in(store, ten, known(store, ten, rubric, [f"q01, no. {ids[3]}"]), "Lea")
    cleo = graders.ensure(store, "person", "Cleo")
    for one in (whole, ten):
        assignments.queue(store, one, cleo, versions, 1)
    assignments.queue(store, whole, graders.ensure(store, "person", "Ana"), versions, 1)
    campaign = grading_sets.create(store, sheet.id, rubric[0], "Campaign", None, 3, 9, 0.0)
    campaigns.begin(store, campaign, [bo], 1)
    eva = graders.ensure(store, "person", "Eva")
    for at in (39, 40):
        single_assignments.assign(store, campaign, ids[at], eva, "Lea")
    grade("Eva", [39, 40])
    _import(store, rubric[1], folder)
    lea = graders.ensure(store, "person", "Lea")
    seen = store.column(
        "select g.id from grades g join graders r on r.id = g.grader_id where g.item_id = ?"
        " and g.version = ? and r.kind = 'person'",
        (ids[12], versions[0]),
    )
    adjudicate(store, Adjudication(ids[12], versions[0], 2, ANNOTATORS, tuple(seen), lea))
    return sheet


def add_hostile(store, rubric):
    """A second sheet: 90 answers, two rubrics, a judge without a score, and questions moved later.

    Bo is paused, Cy graded one criterion on some answers, Di skipped all hers, Eli saw the judges'
    grades, Fi graded by the other rubric alone. Two questions left for the pool once graded.
    """
    other_id, other = rubric_versions.named(store, "holistic-1-10")
    versions, others = ([*one.versions().values()] for one in (rubric[1], other))
    made = [made_item(n, m, own_id=None, question_id=f"h{n:02}") for n in range(30) for m in MODELS]
    sheet = additions.add(store, "hostile", made, "h.csv", "d" * 64, {})
    ids = items.item_ids(store, sheet.id)

    def grade(name, places, kind="person", status="scored", shift=0, by=versions, blind=None):
        lowest = int(by is others)
        return _grade(store, by, ids, name, places, kind, status, shift, blind, lowest)

    whole = grading_sets.create(store, sheet.id, rubric[0], "All", None, 1, 10, 0.0)
    holistic = grading_sets.create(store, sheet.id, other_id, "Holistic", None, 2, 10, 0.0)
    ana = grade("Ana", range(60))
    bo = grade("Bo", range(30, 75), shift=1)
    grade("Cy", range(60, 70), by=versions[:1])
    grade("Cy", range(60, 64), status="cannot_grade", by=versions[1:])
    grade("Di", range(80, 84), status="cannot_grade")
    grade("Eli", range(70, 80), blind=False)
    grade("Ana", range(1, 40), by=others)
    grade("Fi", range(20, 50), by=others, shift=1)
    grade("garbled", range(90), kind="judge", status="failed")
    grade("good", range(90), kind="judge")
    grade("okay", range(70), kind="judge", shift=1)
    grade("okay", range(70, 75), kind="judge", status="failed")
    for grading_set, who, by in (
        (whole, ana, versions),
        (whole, bo, versions),
        (holistic, ana, others),
    ):
        assignments.queue(store, grading_set, who, by, 1)
    for split, names in (("few-shot", ["h04", "h05"]), ("held-out", ["h28", "h29"])):
        split_assignment.assign(store, splits.questions_named(store, sheet, names), split, "later")
    pauses.pause(store, bo, "Lea")
    return sheet


def _grade(store, versions, ids, name, places, kind, status, shift, blind=None, lowest=0):
    who = graders.ensure(store, kind, name)
    scored = status == "scored"
    presses = [
        Press(ids[at], one, who, status, lowest + (at + shift) % 4 if scored else None, blind=blind)
        for at in places
        for one in versions
    ]
    record(store, presses)
    return who


def _import(store, rubric, folder):
    """Fay's grades, from a file."""
    file = folder / "fay.csv"
    rows = [
        f"q{at // 3:02},{MODELS[at % 3]},{one.name},Fay,person,{at % 4}"
        for at in range(9, 18)
        for one in rubric.criteria
    ]
    file.write_text("\n".join([_COLUMNS, *rows]), encoding="utf-8")
    assert not invoke(store.path, "grades", file, "--sheet", NAME).exit_code
