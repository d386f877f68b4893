"""Gold results: accuracy of each annotator on the gold items, for leads.

Access is limited to leads: a grader's connection reads neither the gold scores nor which answers
have them, and a viewer's reads no score. Gold items enter no statistic.

Training results: progress in the training round, and differences from the agreed scores.

An annotator's score counts as it was before the agreed scores were shown, which is when every
criterion of the answer had been stored for the first time. For leads, in the order of names.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from concord.grading import gold_items, grading_sets
from concord.grading.gold_items import AgreedScore, PoolAnswer
from concord.grading.grading_sets import GradingSet
from concord.messages import Problem, counted, said
from concord.reports.document import Column, Document, Part, Table, table_of
from concord.rubrics.model import Rubric
from concord.stats.core.tables import ranked
from concord.stats.intervals import wilson
from concord.store import graders
from concord.store import items as store_items
from concord.store.database import Row, Store
from concord.store.permissions import LEAD
from concord.store.rubrics import rubric_versions
from concord.text.display import end_cut

ALL = "all criteria"
LEADS_ONLY = "Only leads may see how annotators graded the gold items. Ask a lead."


# Columns of text in a list: a cell cuts what is too long for it through a letter.
_QUESTION, _ANSWER = 25, 47


def offered(rows: Sequence[PoolAnswer], scores: Mapping[int, Mapping[str, AgreedScore]]) -> Table:
    """Return the answers that may be gold or training items, with the scores of those that are."""
    parts: list[Part] = [
        ("item", "name"),
        ("scores", lambda row: ", ".join(_scores(scores.get(row.id, {})))),
        ("question", lambda row: end_cut(row.question, _QUESTION)),
        ("answer", lambda row: end_cut(row.answer, _ANSWER)),
    ]
    return table_of("items", rows, parts)


def _scores(of: Mapping[str, AgreedScore]) -> list[str]:
    return [str(one.score) for one in of.values()]


Result = dict[str, Any]  # counts, names and estimates, as JSON has them


def gold_results(store: Store, grading_set: GradingSet) -> Result:
    """Return how each annotator graded the gold items; a Problem for anyone but a lead.

    `answers` are the gold items, `outdated` those without a known score under the current wording
    of the rubric; `annotators` come by name, with each criterion and all together.
    """
    if store.who and store.who.role != LEAD:
        raise Problem(LEADS_ONLY)
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    criteria = {version: name for name, version in rubric.versions().items()}
    known = gold_items.gold_scores(store, grading_set.id, list(criteria))
    rows = [
        row
        for row in gold_items.current_grades(store, grading_set.id, list(criteria))
        if (row["item_id"], row["version"]) in known
    ]
    return {
        "set": grading_set.name,
        "answers": len(gold_items.answers(store, grading_set.id)),
        "outdated": gold_items.outdated(store, grading_set.id, list(criteria)),
        "annotators": [*_annotators(rows, criteria, known)],
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


def gold_document(found: Result) -> Document:
    """Return the accuracy of each annotator."""
    parts = [
        ("Annotator", itemgetter("name")),
        ("Criterion", itemgetter("criterion")),
        (Column("n", "count"), itemgetter("n")),
        (Column("Exact", "share", "exact"), itemgetter("exact")),
        (Column("Within one", "share", "within one"), itemgetter("within_one")),
        (Column("Cannot grade", "count"), itemgetter("cannot_grade")),
    ]
    table = table_of("gold", found["annotators"], parts)
    headline = said("Gold items: {answers}", answers=counted(found["answers"], "answer"))
    return Document(headline, outdated(found["outdated"]), (table,))


def outdated(answers: int) -> tuple[str, ...]:
    """Return what to do about answers scored under an earlier wording."""
    if not answers:
        return ()
    note = "Scored under an earlier wording of the rubric, so score again or remove: {answers}."
    return (said(note, answers=counted(answers, "answer")),)


def _annotators(
    rows: Sequence[Row],
    criteria: Mapping[str, str],
    known: Mapping[tuple[int, str], float],
) -> Iterator[Result]:
    """Yield each annotator by name, on each criterion and on all together."""
    names = {row["person"]: row["name"] for row in rows}
    for person, name in sorted(names.items(), key=lambda one: (one[1].casefold(), one[0])):
        own = [row for row in rows if row["person"] == person]
        for version, criterion in criteria.items():
            mine = (row for row in own if row["version"] == version)
            yield _accuracy(name, criterion, list(mine), known)
        if len(criteria) > 1:
            yield _accuracy(name, ALL, own, known)


def _accuracy(
    name: str, criterion: str, rows: Sequence[Row], known: Mapping[tuple[int, str], float]
) -> Result:
    hits = [
        (row["question_id"], row["score"], known[row["item_id"], row["version"]])
        for row in rows
        if row["status"] == "scored"
    ]
    of = {"name": name, "criterion": criterion}
    return of | accuracy(hits) | {"cannot_grade": len(rows) - len(hits)}


def training_results(store: Store, grading_set: GradingSet) -> Result:
    """Return progress by annotator, and scores that differ from the agreed ones, by answer.

    `outdated` counts answers agreed on under an earlier wording, which are no longer shown.
    """
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    versions = list(rubric.versions().values())
    items = gold_items.training_answers(store, grading_set.id, versions)
    before = before_reveal(
        gold_items.training_history(store, grading_set.id, items, versions), versions
    )
    agreed = gold_items.agreed(store, items, versions)
    names = _names(store, grading_set, {person for person, _ in before})
    called = store_items.item_names(store, grading_set.sheet_id) if items else {}
    keys = ("name", "item", "question", "criterion", "agreed", "given")
    differences = [
        dict(zip(keys, (name, *called[item][:2], *scores), strict=True))
        for item in items
        for person, name in names
        for scores in _differences(rubric, before.get((person, item), {}), agreed.get(item, {}))
    ]
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


def before_reveal(
    history: Iterable[Row], versions: list[str]
) -> dict[tuple[int, int], dict[str, float | None]]:
    """Scores by (annotator, answer) and version as of when the last criterion came in. Pure.

    Args:
        history: Rows of item_id, version, annotator, status and score, oldest first.
        versions: The criterion versions that all have to be there.

    Returns:
        Only answers that were graded whole; None for “cannot grade”.
    """
    standing: dict[tuple[int, int], dict[str, float | None]] = {}
    fixed: dict[tuple[int, int], dict[str, float | None]] = {}
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


def training_document(found: Result) -> Document:
    """Return progress by annotator, and the differences."""
    progress = [
        ("Annotator", itemgetter("name")),
        (Column("Done", "count"), itemgetter("done")),
        (Column("Of", "count"), itemgetter("of")),
    ]
    parts = [
        ("Annotator", itemgetter("name")),
        ("Item", itemgetter("item")),
        ("Criterion", itemgetter("criterion")),
        ("Agreed", lambda row: f"{row['agreed']:g}"),
        ("Given", lambda row: "cannot grade" if row["given"] is None else f"{row['given']:g}"),
    ]
    return Document(
        said("Training round: {answers}", answers=counted(found["answers"], "answer")),
        outdated(found["outdated"]),
        (
            table_of("progress", found["annotators"], progress),
            table_of("differences", found["differences"], parts, "Scores before the agreed ones"),
        ),
    )


def _names(store: Store, grading_set: GradingSet, begun: set[int]) -> list[tuple[int, str]]:
    asked = {row["id"]: row["name"] for row in grading_sets.of_set(store, grading_set.id)}
    known = {one.id: one.name for one in graders.of_kind(store, "person") if one.id in begun}
    return sorted((asked | known).items(), key=lambda one: one[1].casefold())


def _differences(
    rubric: Rubric, given: Mapping[str, float | None], agreed: Mapping
) -> Iterator[tuple[str, float, float | None]]:
    """Criterion, agreed and given score, where these differ; nothing without a whole grade."""
    for criterion, version in rubric.versions().items() if given else ():
        if version in agreed and given[version] != agreed[version].score:
            yield criterion, agreed[version].score, given[version]
