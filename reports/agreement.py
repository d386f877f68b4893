"""Agreement: how far each judge agrees with people. One definition for screen and `--json`.

Under `each` all pairs (judge, person) on the same items count, every item with total weight 1;
under `consensus` the people's consensus is the one reference. Intervals take whole clusters.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np

from data.graders import Grader
from reports.panel import COMPOSITE, Panel
from reports.reference import CONSENSUS, EACH, Reference, reference
from rubrics.model import Criterion
from stats.alt_test import alt_test
from stats.caught import caught
from stats.composite import composite_figures
from stats.consensus import others_pairs
from stats.constant import constant
from stats.estimate import Estimate
from stats.figures import absent, figures
from stats.pairs import Pairs, judge_pairs, people_pairs
from stats.reliability import reliability
from stats.table import question_tables

NOT_JUDGED = "not graded by this judge"
ONE_PERSON = "no answer was graded by two people, so how well people agree is unknown"
FIGURES = (
    *("exact", "within_one", "off_by_two", "kappa", "qwk", "ac2", "alpha", "tau_b"),
    *("bias", "mae", "ccc", "caught"),
)


class Comparison(NamedTuple):
    """A judge beside the people on one criterion: what all figures of a row are made from."""

    pairs: Pairs
    between_people: Pairs
    on_same_items: Pairs
    left_out: dict[str, int]


def report(panel: Panel, kind: str = EACH, by_answer_model: bool = False) -> dict:
    """The whole report: `rows` as design says, and each person's own `reliability`."""
    found = rows(panel, kind)
    if by_answer_model:
        for model in panel.answer_models:
            found += [row | {"answer_model": model} for row in rows(panel.within(model), kind)]
    return {"rows": found, "reliability": repeat_rows(panel), "uncounted": panel.uncounted}


def rows(panel: Panel, kind: str = EACH) -> list[dict]:
    """One row per judge and criterion, and one per judge for the composite."""
    criteria = [c.name for c in panel.rubric.criteria]
    names = [*criteria, COMPOSITE] if len(criteria) > 1 else criteria
    references = {name: reference(panel, name, kind) for name in names}
    return [
        row(panel, judge, name, references[name], kind)
        for judge in panel.judges.values()
        for name in names
    ]


def row(panel: Panel, judge: Grader, criterion: str, people: Reference, kind: str) -> dict:
    """Everything about one judge and one criterion (or the composite)."""
    compared = compare(panel, judge.id, criterion, people, kind)
    items = np.unique(compared.pairs.item)
    definition = None if criterion == COMPOSITE else panel.rubric.criterion(criterion)
    found = _figures(panel, definition, compared.pairs)
    return {
        "sheet": panel.sheet.name,
        "rubric": panel.rubric.name,
        "judge": judge.name,
        "fingerprint": judge.fingerprint,
        "kind": judge.kind,
        "simulated": judge.simulated,
        "criterion": criterion,
        "reference": kind,
        "answer_model": None,
        "n": len(items),
        "people": _people_on(panel, criterion, items),
        "questions": int(panel.items["question"].iloc[items].nunique()),
        "clusters": int(panel.items["cluster"].iloc[items].nunique()),
        "left_out": compared.left_out,
        **{name: _json(found[name]) for name in FIGURES},
        "failing": _failing(panel, definition, compared.pairs),
        "alt_test": _alt_test(panel, judge, criterion),
        "constant_baseline": _constant(panel, definition, compared.pairs),
        "ceiling": ceiling(panel, definition, compared, kind),
    }


def compare(
    panel: Panel, judge_id: int, criterion: str, people: Reference, kind: str
) -> Comparison:
    """Pair a judge with the reference, and people with one another on the same items."""
    mine = panel.of(criterion, [judge_id])
    scored = mine[(mine["status"] == "scored") & panel.open[mine["item"]]]
    pairs = judge_pairs(
        scored["item"].to_numpy(),
        scored["score"].to_numpy(),
        people.item,
        people.score,
        panel.cluster,
    )
    between = people_among(panel, criterion, people, kind)
    between = between.on(np.unique(pairs.item))
    return Comparison(
        pairs,
        between,
        pairs.on(np.unique(between.item)),
        left_out(panel, people, mine.set_index("item")["status"].to_dict()),
    )


def people_among(panel: Panel, criterion: str, people: Reference, kind: str) -> Pairs:
    """People against one another: ordered pairs, or each against the others' consensus."""
    if kind == EACH:
        return people_pairs(people.item, people.score, panel.cluster)
    each = reference(panel, criterion, EACH)
    return others_pairs(each.item, each.score, panel.cluster)


def left_out(panel: Panel, people: Reference, statuses: dict[int, str]) -> dict[str, int]:
    """Why each item of the sheet that is not in the figures is not, as reason -> count."""
    reasons = Counter()
    for item, why in enumerate(people.why):
        status = statuses.get(item, NOT_JUDGED)
        if why:
            reasons[why] += 1
        elif status != "scored":
            reasons[status if status == NOT_JUDGED else f"judge: {status}"] += 1
    return dict(reasons)


def ceiling(panel: Panel, criterion: Criterion | None, compared: Comparison, kind: str) -> dict:
    """How well people agree with one another on the items of a row, and the judge on the same."""
    between = compared.between_people
    items = np.unique(between.item)
    symmetric = kind == EACH
    people = _figures(panel, criterion, between, symmetric) if len(items) else absent(ONE_PERSON)
    judge = _figures(panel, criterion, compared.on_same_items) if len(items) else people
    return {
        "n": len(items),
        "people": _people_on(panel, criterion.name if criterion else COMPOSITE, items),
        "questions": int(panel.items["question"].iloc[items].nunique()),
        **{name: _json(people[name]) for name in FIGURES},
        "judge_on_same_items": {name: _json(judge[name]) for name in FIGURES},
        "why_none": None if len(items) else ONE_PERSON,
    }


def repeat_rows(panel: Panel) -> list[dict]:
    """Each person against themselves, from hidden repeats."""
    found = []
    for criterion in panel.rubric.criteria:
        for grader_id, person in panel.people.items():
            first = panel.of(criterion.name, [grader_id])
            second = panel.repeats[
                (panel.repeats["criterion"] == criterion.name)
                & (panel.repeats["grader_id"] == grader_id)
                & (panel.repeats["repeat"] == 2)
            ]
            both = first.merge(second, on="item", suffixes=("", "_again"))
            both = both[(both["status"] == "scored") & (both["status_again"] == "scored")]
            if len(both):
                found.append(_repeat_row(panel, person, criterion, both))
    return found


def _repeat_row(panel: Panel, person: Grader, criterion: Criterion, both) -> dict:
    same = reliability(
        both["score"].to_numpy(),
        both["score_again"].to_numpy(),
        panel.cluster[both["item"].to_numpy()],
        panel.rubric.scale,
    )
    return {
        "person": person.name,
        "criterion": criterion.name,
        "n": same.n,
        "exact": _json(same.exact),
        "within_one": _json(same.within_one),
        "drift": _json(same.drift),
    }


def _figures(
    panel: Panel, criterion: Criterion | None, pairs: Pairs, between_people: bool = False
) -> dict[str, Estimate]:
    """The figures of a criterion, or of the composite where it is None."""
    if criterion is None:
        return composite_figures(pairs, between_people)
    failing = panel.rubric.failing(criterion)
    return figures(pairs, panel.rubric.scale, failing, between_people)


def _people_on(panel: Panel, criterion: str, items: np.ndarray) -> int:
    """How many people's scores of these items count."""
    people = panel.of(criterion, panel.people)
    counted = people[(people["status"] == "scored") & (people["blind"] != 0)]
    return int(counted.loc[counted["item"].isin(items), "grader_id"].nunique())


def _failing(panel: Panel, criterion: Criterion | None, pairs: Pairs) -> int | None:
    """How many answers at least one person failed; None for the composite."""
    if criterion is None:
        return None
    return caught(pairs, panel.rubric.failing(criterion)).items


def _alt_test(panel: Panel, judge: Grader, criterion: str) -> list[dict]:
    """The alternative annotator test per item; for the composite as for a criterion."""
    people = reference(panel, criterion, EACH)
    order = {grader_id: place for place, grader_id in enumerate(panel.people)}
    matrix = np.full((len(order), len(panel.items)), np.nan)
    matrix[[order[g] for g in people.grader], people.item] = people.score
    mine = panel.of(criterion, [judge.id])
    scored = mine[(mine["status"] == "scored") & panel.open[mine["item"]]]
    own = np.full(len(panel.items), np.nan)
    own[scored["item"]] = scored["score"]
    return [result._asdict() for result in alt_test(matrix, own)]


def _constant(panel: Panel, criterion: Criterion | None, pairs: Pairs) -> dict:
    """The commonest grade as a judge; every value None for the composite or without pairs."""
    nothing = {"score": None, "exact": None, "within_one": None, "best_within_one": None}
    if criterion is None or not len(pairs.item):
        return nothing | {"best_within_one_score": None}
    tables = question_tables(pairs, panel.rubric.scale)
    found = constant(tables.sum(axis=(0, 2)), panel.rubric.scale)
    return found._asdict() if found else nothing | {"best_within_one_score": None}


def _json(estimate: Estimate) -> dict:
    return estimate._asdict()


__all__ = ["CONSENSUS", "EACH", "FIGURES", "compare", "report", "row", "rows"]
