"""Practised: who has done the practice of a grading set, and where they differ from the agreed.

What counts is what an annotator said before the agreed scores were shown: the grades that stood
when
every criterion of the answer was on disk for the first time. For whoever leads; by name, no ranks.
"""

from collections.abc import Iterable

from concord.grading import set_graders, training_round
from concord.grading.grading_sets import GradingSet
from concord.language.plurals import counted
from concord.messages import Said, joined, said
from concord.rubrics.model import Rubric
from concord.store import graders
from concord.store import items as store_items
from concord.store.database import Row, Store
from concord.store.rubrics import rubric_versions


def document(store: Store, grading_set: GradingSet) -> dict:
    """Who has done it and where they differ; the keys are those of `practice --json`.

    `answers` are to be practised; `outdated` were agreed on under earlier words of the rubric and
    are not asked any more. A difference has `given` null where the annotator said “cannot grade”.
    """
    rubric = rubric_versions.get(store, grading_set.rubric_id)
    versions = list(rubric.versions().values())
    items = training_round.answers(store, grading_set.id, versions)
    before = before_reveal(training_round.history(store, grading_set.id, items, versions), versions)
    agreed = training_round.agreed(store, items, versions)
    names = _names(store, grading_set, {person for person, _ in before})
    called = store_items.item_names(store, grading_set.sheet_id) if items else {}
    return {
        "set": grading_set.name,
        "answers": len(items),
        "outdated": len(training_round.outdated(store, grading_set.id, versions)),
        "annotators": [
            {
                "name": name,
                "done": sum((person, item) in before for item in items),
                "of": len(items),
            }
            for person, name in names
        ],
        "differences": [
            difference
            for item in items
            for person, name in names
            for difference in _differences(
                rubric, called[item], name, before.get((person, item), {}), agreed.get(item, {})
            )
        ],
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


def text(found: dict) -> str:
    """The same for a terminal."""
    if not found["answers"]:
        return outdated(found) or f"Nothing is practised before “{found['set']}”."
    lines: list[str] = [progress(row) for row in found["annotators"]]
    for row in found["differences"]:
        given = "cannot grade" if row["given"] is None else f"{row['given']:g}"
        lines.append(
            f"{row['item']}, {row['criterion']}: agreed {row['agreed']:g}, {row['name']} {given}"
        )
    nobody = f"{counted(found['answers'], 'answer')} to practise; nobody has begun."
    return "\n".join([*(lines or [nobody]), *filter(None, [outdated(found)])])


def progress(row: dict) -> Said:
    """How many of the answers one annotator has practised."""
    return said(
        "{name}: {done} of {of} practised", name=row["name"], done=row["done"], of=row["of"]
    )


def outdated(found: dict) -> str:
    """What is said where answers were agreed on under earlier words; '' where there are none."""
    if not found["outdated"]:
        return ""
    answers = counted(found["outdated"], "answer")
    agreed = said(
        "{answers} was agreed on under earlier words of the rubric."
        if found["outdated"] == 1
        else "{answers} were agreed on under earlier words of the rubric.",
        answers=answers,
    )
    return joined(" ", [agreed, said("Agree on the scores again, or take them out.")])


def _names(store: Store, grading_set: GradingSet, begun: set[int]) -> list[tuple[int, str]]:
    asked = {row["id"]: row["name"] for row in set_graders.of_set(store, grading_set.id)}
    known = {one.id: one.name for one in graders.of_kind(store, "person") if one.id in begun}
    return sorted((asked | known).items(), key=lambda one: one[1].casefold())


def _differences(rubric: Rubric, called: tuple, name: str, given, agreed) -> list[dict]:
    if not given:
        return []
    item, question, _ = called
    return [
        {
            "name": name,
            "item": item,
            "question": question,
            "criterion": criterion,
            "agreed": agreed[version].score,
            "given": given[version],
        }
        for criterion, version in rubric.versions().items()
        if version in agreed and given[version] != agreed[version].score
    ]
