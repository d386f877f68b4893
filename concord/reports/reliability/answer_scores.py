"""Scores of one annotator next to those of the others and the gold score, answer by answer."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from concord.grading import gold_items
from concord.messages import Numeral, Said, joined, said
from concord.store import answer_record
from concord.store.answer_record import AnnotatorScore
from concord.store.database import Store

SECONDS = "seconds per answer"


def of_annotator(
    store: Store, annotator: str, item_ids: Sequence[int]
) -> dict[int, dict[str, Said]]:
    """Return a cell by answer and criterion: the annotator's score, then the others'.

    The others' are those under the same wording. For leads: the gold score is among them. Last are
    the seconds on all criteria of an answer, where one has a time.
    """
    given = answer_record.annotator_scores(store, item_ids)
    return cells(annotator, given, gold_items.of_answers(store, item_ids))


def cells(
    annotator: str, given: Iterable[AnnotatorScore], gold: Mapping[tuple[int, str], float]
) -> dict[int, dict[str, Said]]:
    """Return the cells of `of_annotator`; `gold` is by answer and wording. Pure."""
    own: dict[tuple[int, str], AnnotatorScore] = {}
    others: dict[tuple[int, str], dict[str, float | None]] = defaultdict(dict)
    for one in given:
        if one.annotator == annotator:
            own[one.item_id, one.criterion] = one  # the newest wording
        else:
            others[one.item_id, one.version][one.annotator] = one.score
    found: dict[int, dict[str, Said]] = defaultdict(dict)
    for (item_id, criterion), one in own.items():
        place = item_id, one.version
        scores = [_score(others[place][name]) for name in sorted(others[place])]
        if place in gold:
            scores.append(said("gold {score}", score=_score(gold[place])))
        found[item_id][criterion] = (
            said("{own} ({others})", own=_score(one.score), others=joined(", ", scores))
            if scores
            else joined("", [_score(one.score)])
        )
    times: dict[int, list[float]] = defaultdict(list)
    for (item_id, _), one in own.items():
        if one.seconds is not None:
            times[item_id].append(one.seconds)
    for item_id, seconds in times.items():
        found[item_id][SECONDS] = joined("", [Numeral(f"{sum(seconds):.1f}")])
    return dict(found)


def _score(score: float | None) -> str | Numeral:
    return "–" if score is None else Numeral(f"{score:g}")
