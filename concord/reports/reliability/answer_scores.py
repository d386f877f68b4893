"""Scores of annotators and judges beside the answers that they are of, as a list shows them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from concord.grading import gold_items
from concord.store import answer_record
from concord.store.answer_record import ListedScore
from concord.store.database import Store


def read(store: Store, item_ids: Sequence[int], annotator: str = "") -> dict[int, dict[str, str]]:
    """Return a cell by answer and criterion, as `cells`. For leads: gold scores are in them."""
    given = answer_record.scores(store, item_ids)
    return cells(given, gold_items.of_answers(store, item_ids), annotator)


def cells(
    given: Iterable[ListedScore], gold: Mapping[tuple[int, str], float], annotator: str = ""
) -> dict[int, dict[str, str]]:
    """Return `3, 2 | 1 (gold 3)`: annotators' scores by name, `annotator` first, then judges'.

    All are under one wording: the newest that the annotator used, else any annotator, else a judge.
    `gold` is by answer and wording. Pure.
    """
    given = [*given]
    by_name = sorted(given, key=lambda one: (one.grader != annotator, one.grader))
    given.sort(key=lambda one: (one.kind == "person", one.grader == annotator))
    wording = {(one.item_id, one.criterion): one.version for one in given}
    scores: dict[tuple[int, str], dict[str, list[str]]] = {
        place: {"person": [], "judge": []} for place in wording
    }
    for one in by_name:
        place = one.item_id, one.criterion
        if one.version == wording[place]:
            scores[place][one.kind].append("–" if one.score is None else f"{one.score:g}")
    found: dict[int, dict[str, str]] = defaultdict(dict)
    for place, by_kind in scores.items():
        people, judges = (", ".join(by_kind[kind]) for kind in ("person", "judge"))
        known = gold.get((place[0], wording[place]))
        text = f"{people or '–'} | {judges}" if judges else people
        found[place[0]][place[1]] = text if known is None else f"{text} (gold {known:g})"
    return dict(found)
