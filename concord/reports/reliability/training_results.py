"""Training results: progress in the training round, and differences from the agreed scores.

An annotator's score counts as it was before the agreed scores were shown, which is when every
criterion of the answer had been stored for the first time. For leads, in the order of names.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from concord.grading import gold_items, grading_sets
from concord.grading.grading_sets import GradingSet
from concord.messages import Numeral, counted, said
from concord.reports.document import Column, Document, table_of
from concord.reports.reliability.gold_results import outdated
from concord.rubrics.model import Rubric
from concord.store import graders
from concord.store import items as store_items
from concord.store.database import Row, Store
from concord.store.rubrics import rubric_versions


@dataclass(frozen=True)
class Progress:
    """Training items that an annotator has graded, of all."""

    name: str
    done: int
    of: int


@dataclass(frozen=True)
class Difference:
    """A score that differs from the agreed one; `given`: None for “cannot grade”."""

    name: str
    item: str
    question: str
    criterion: str
    agreed: float
    given: float | None


@dataclass(frozen=True)
class TrainingResults:
    """The training round of a grading set.

    Attributes:
        answers: Training items.
        outdated: Answers agreed on under an earlier wording, which are no longer shown.
        differences: By answer, then by name.
    """

    set: str
    answers: int
    outdated: int
    annotators: tuple[Progress, ...]
    differences: tuple[Difference, ...]


def results(store: Store, grading_set: GradingSet) -> TrainingResults:
    """Return progress and differences."""
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    versions = list(rubric.versions().values())
    items = gold_items.training_answers(store, grading_set.id, versions)
    before = before_reveal(
        gold_items.training_history(store, grading_set.id, items, versions), versions
    )
    agreed = gold_items.agreed(store, items, versions)
    names = _names(store, grading_set, {person for person, _ in before})
    called = store_items.item_names(store, grading_set.sheet_id) if items else {}
    return TrainingResults(
        set=grading_set.name,
        answers=len(items),
        outdated=len(gold_items.training_outdated(store, grading_set.id, versions)),
        annotators=tuple(
            Progress(name, sum((person, item) in before for item in items), len(items))
            for person, name in names
        ),
        differences=tuple(
            Difference(name, *called[item][:2], *scores)
            for item in items
            for person, name in names
            for scores in _differences(rubric, before.get((person, item), {}), agreed.get(item, {}))
        ),
    )


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


def document(found: TrainingResults) -> Document:
    """Return progress by annotator, and the differences."""
    progress = [
        (Column(said("Annotator")), lambda row: row.name),
        (Column(said("Done"), "count"), lambda row: row.done),
        (Column(said("Of"), "count"), lambda row: row.of),
    ]
    parts = [
        (Column(said("Annotator")), lambda row: row.name),
        (Column(said("Item")), lambda row: row.item),
        (Column(said("Criterion")), lambda row: row.criterion),
        (Column(said("Agreed")), lambda row: Numeral(f"{row.agreed:g}")),
        (
            Column(said("Given")),
            lambda row: said("cannot grade") if row.given is None else Numeral(f"{row.given:g}"),
        ),
    ]
    title = said("Differences from the agreed scores, before these were shown")
    return Document(
        said("Training round: {answers}", answers=counted(found.answers, "answer")),
        outdated(found.outdated),
        (
            table_of("progress", found.annotators, progress),
            table_of("differences", found.differences, parts, title),
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
