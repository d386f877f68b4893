"""Gold results: accuracy of each annotator on the gold items, for leads.

Access is limited to leads: a grader's connection reads neither the gold scores nor which answers
have them, and a viewer's reads no score. Gold items enter no statistic.

Training results: progress in the training round, and differences from the agreed scores.

An annotator's score counts as it was before the agreed scores were shown, which is when every
criterion of the answer had been stored for the first time. For leads, in the order of names.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from concord.grading import gold_items, grading_sets
from concord.grading.grading_sets import GradingSet
from concord.messages import Problem, counted
from concord.reports.document import Column, Document, table_of
from concord.stats.core.tables import ranked
from concord.stats.intervals import wilson
from concord.store import graders
from concord.store import items as store_items
from concord.store.database import Row, Store
from concord.store.permissions import LEAD
from concord.store.rubrics import rubric_versions

ALL = "all criteria"
LEADS_ONLY = "Only leads may see how annotators graded the gold items. Ask a lead."
_OUTDATED = "Scored under an earlier wording of the rubric, so score again or remove: {answers}."
# Columns of text in a list: a cell cuts what is too long for it through a letter.
_QUESTION, _ANSWER = 25, 47
Result = dict[str, Any]  # counts, names and estimates, as JSON has them
Scores = dict[tuple[int, int], dict[str, float | None]]  # by (annotator, answer) and version


def gold_results(store: Store, grading_set: GradingSet) -> Result:
    """Return how each annotator graded the gold items; a Problem for anyone but a lead.

    `answers` are the gold items, `outdated` those without a known score under the current wording
    of the rubric; `annotators` come by name, with each criterion and all together.
    """
    if store.who and store.who.role != LEAD:
        raise Problem(LEADS_ONLY)
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    versions = list(rubric.versions().values())
    known = gold_items.gold_scores(store, grading_set.id, versions)
    grades = [
        row
        for row in gold_items.current_grades(store, grading_set.id, versions)
        if (row["item_id"], row["version"]) in known
    ]
    parts = {name: {version} for name, version in rubric.versions().items()}
    if len(parts) > 1:
        parts[ALL] = {*versions}
    people = {row["person"]: row["name"] for row in grades}
    results = []
    for person, name in sorted(people.items(), key=lambda one: (one[1].casefold(), one[0])):
        for criterion, those in parts.items():
            own = [r for r in grades if r["person"] == person and r["version"] in those]
            hits = [
                (row["question_id"], row["score"], known[row["item_id"], row["version"]])
                for row in own
                if row["status"] == "scored"
            ]
            of = {"name": name, "criterion": criterion}
            results.append(of | accuracy(hits) | {"cannot_grade": len(own) - len(hits)})
    return {
        "set": grading_set.name,
        "answers": len(gold_items.answers(store, grading_set.id)),
        "outdated": gold_items.outdated(store, grading_set.id, versions),
        "annotators": results,
    }


def accuracy(hits: Sequence[tuple[int, float, float]]) -> Result:
    """Return the shares of grades that are exact and within one, with a CI from 10 questions.

    Each is of a question, with the score given and the known one.
    """
    _, group = ranked(np.array([question for question, *_ in hits], dtype=np.int64))
    off = np.array([abs(given - known) for _, given, known in hits])
    base = np.bincount(group).astype(float)
    exact, near = (
        wilson.proportion(np.bincount(group, weights=off <= most), base) for most in (0, 1)
    )
    return {"n": len(hits), "exact": exact, "within_one": near}


def gold_document(results: Result) -> Document:
    """Return the accuracy of each annotator."""
    parts = (
        ("Annotator", "name"),
        ("Criterion", "criterion"),
        (Column("n", "count"), "n"),
        (Column("Exact", "share", "exact"), "exact"),
        (Column("Within one", "share", "within one"), "within_one"),
        (Column("Cannot grade", "count"), "cannot_grade"),
    )
    headline = "Gold items: " + counted(results["answers"], "answer")
    tables = (table_of("gold", results["annotators"], parts),)
    return Document(headline, _outdated(results), tables)


def training_results(store: Store, grading_set: GradingSet) -> Result:
    """Return progress by annotator, and scores that differ from the agreed ones, by answer.

    `outdated` counts answers agreed on under an earlier wording, which are no longer shown.
    """
    criteria = rubric_versions.get(store, grading_set.rubric_id).versions()
    versions = list(criteria.values())
    items = gold_items.training_answers(store, grading_set.id, versions)
    history = gold_items.training_history(store, grading_set.id, items, versions)
    before = before_reveal(history, versions)
    agreed = gold_items.agreed(store, items, versions)
    people = {row["id"]: row["name"] for row in grading_sets.of_set(store, grading_set.id)}
    begun = {person for person, _ in before}
    people |= {one.id: one.name for one in graders.of_kind(store, "person") if one.id in begun}
    names = sorted(people.items(), key=lambda one: one[1].casefold())
    called = store_items.item_names(store, grading_set.sheet_id) if items else {}
    differences = []
    for item in items:
        for person, name in names:
            for criterion, version in criteria.items() if (person, item) in before else ():
                given, right = before[person, item][version], agreed.get(item, {}).get(version)
                if right and given != right.score:
                    of = {"name": name, "item": called[item][0], "question": called[item][1]}
                    scores = {"agreed": right.score, "given": given}
                    differences.append(of | {"criterion": criterion} | scores)
    return {
        "set": grading_set.name,
        "answers": len(items),
        "outdated": len(gold_items.training_answers(store, grading_set.id, versions, True)),
        "annotators": [
            {"name": name, "done": sum((i, item) in before for item in items), "of": len(items)}
            for i, name in names
        ],
        "differences": differences,
    }


def before_reveal(history: Iterable[Row], versions: list[str]) -> Scores:
    """Scores as of when the last criterion of an answer came in. Pure.

    Args:
        history: Rows of item_id, version, annotator, status and score, oldest first.
        versions: The criterion versions that all have to be there.

    Returns:
        Only answers that were graded whole; None for “cannot grade”.
    """
    standing: Scores = {}
    fixed: Scores = {}
    for row in history:
        key = row["person"], row["item_id"]
        own = standing.setdefault(key, {})
        if row["status"] == "withdrawn":
            own.pop(row["version"], None)
        else:
            own[row["version"]] = row["score"]
        if key not in fixed and set(own) >= set(versions):
            fixed[key] = dict(own)
    return fixed


def training_document(results: Result) -> Document:
    """Return progress by annotator, and the differences."""

    def given(row: Result) -> str:
        return "cannot grade" if row["given"] is None else f"{row['given']:g}"

    progress = (
        ("Annotator", "name"),
        (Column("Done", "count"), "done"),
        (Column("Of", "count"), "of"),
    )
    apart = (
        *(("Annotator", "name"), ("Item", "item"), ("Criterion", "criterion")),
        ("Agreed", lambda row: f"{row['agreed']:g}"),
        ("Given", given),
    )
    title = "Scores before the agreed ones"
    return Document(
        "Training round: " + counted(results["answers"], "answer"),
        _outdated(results),
        (
            table_of("progress", results["annotators"], progress),
            table_of("differences", results["differences"], apart, title),
        ),
    )


def _outdated(results: Result) -> tuple[str, ...]:
    """Return what to do about answers scored under an earlier wording."""
    answers = counted(results["outdated"], "answer")
    return (_OUTDATED.format(answers=answers),) if results["outdated"] else ()
