"""Compare: variants of a judge laid side by side on the same answers.

The same answers are those that every variant compared scored and people graded; what is left out is
counted. Agreement with people is on [0, 1], so that scales can be compared.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from data.people import NOT_CHOSEN
from reports import majority_baseline, ranking, two_judges
from reports.agreement import weighting
from reports.cost import Cost
from reports.ground import ground
from reports.majority_baseline import Baseline
from reports.panel import COMPOSITE, STATUS_NAMES, Panel
from reports.reference import EACH
from reports.side import Side, first_target, side_by_side
from reports.signature import synthetic, versions
from reports.steadiness import steadiness
from reports.variants import Variant
from stats.draws import Draws
from stats.estimate import Estimate, undefined
from stats.member import Member, difference
from stats.simultaneous import simultaneous
from stats.spread import spread
from stats.table import ranked
from stats.wilson import proportion
from words.said import said

LEVEL = 0.05
MAPPED = ("mae", "bias", "ccc")
OWN = ("exact", "within_one", "qwk", "caught")
NO_OWN_PEOPLE = said("no person graded these answers on this scale")
NO_OWN_SCALE = said("a composite is no score of the scale")
NO_COST = said("nothing is known of what it costs")
IS_BASE = said("it is the variant the others are compared with")
NOT_ASKED = said("it was asked about no answer")


def report(
    chosen: Sequence[Variant],
    people: Panel,
    target: str | None = None,
    base: Variant | None = None,
    kind: str = EACH,
    costs: Mapping[int, Cost] | None = None,
    draws: Draws | None = None,
) -> dict:
    """The whole comparison.

    Args:
        chosen: The variants.
        people: Who they are held against.
        target: A criterion or `composite`; else `first_target`.
        base: Whom the others are compared with; else the first that is not the baseline.
        kind: `each` person or their `consensus`.
        costs: What each judge costs, by grader id; of those not in it nothing is known.
        draws: The resamples of questions, for the order of the answering models.

    Returns:
        Who and what is compared, on how many answers; `left_out` and `holding_back`; `people`'s own
        spread; `majority_baseline`, the constant nearest to them; one entry of `variants` each;
        `headline`, the nearest variant and why it may make none; `not_compared` with the reason.
    """
    target = target or first_target(chosen, people)
    side = side_by_side(chosen, people, target, kind)
    base = _base(side.chosen, base)
    draws = draws or Draws()
    orders = ranking.report(side.panel, draws)["orders"]
    further = _further(side, base, draws)
    always = majority_baseline.baseline(side)
    rows = [
        _row(side, place)
        | _beyond_distance(side, place, base, always)
        | {"order": order, "further": apart._asdict()}
        | {"paired": _paired(variant, base, people, target, kind)}
        | _priced(variant, costs)
        for place, (variant, order, apart) in enumerate(
            zip(side.chosen, orders, further, strict=True)
        )
    ]
    return _head(side, base) | {
        "left_out": side.left_out(),
        "holding_back": side.holding_back(),
        "ceiling": _ceiling(side),
        "people_scale": list(people.rubric.scale),
        "people_spread": _people_spread(side),
        "majority_baseline": majority_baseline.as_json(side, always, MAPPED, OWN),
        "variants": rows,
        "headline": _headline(side, rows, always),
        "not_compared": {
            v.label: said("it does not grade {target}", target=target)
            for v in chosen
            if v not in side.chosen
        },
        "compared": max(0, len(rows) - 1),
        "signature": _signature(side, base, draws),
    }


def _head(side: Side, base: Variant | None) -> dict:
    """Who and what is compared, and on how much."""
    people, on = side.people, side.shared
    return {
        "sheet": people.sheet.name,
        "people_rubric": people.rubric.name,
        "target": side.target,
        "reference": side.on.kind,
        "base": base.label if base else None,
        "n": int(on.sum()),
        "questions": ranked(people.question[on])[0],
        "clusters": ranked(people.cluster[on])[0],
        "people": [{"name": p.name, "simulated": p.simulated} for p in side.on.people_on(on)],
        "uncounted": people.uncounted,
        "weighting": weighting(people),
    }


def _signature(side: Side, base: Variant | None, draws: Draws) -> str:
    """One line that says how the comparison was made, so that it can be made again."""
    judges = [v.judge.label() + f" by {v.rubric.name}" for v in side.chosen]
    parts = {
        "variants": ", ".join(judges) or "none",
        "base": base.label if base else "none",
        "target": side.target,
        "reference": side.on.kind,
        "people": ", ".join(p.name for p in side.on.people_on(side.shared)) or "none",
        "people's rubric": side.people.rubric.name,
        "versions": versions(side.people, side.target),
        "answers": int(side.shared.sum()),
        **synthetic(side.people),
        "scores": "mapped to [0, 1] by (score - lowest) / (highest - lowest)",
        "limits": f"question jackknife; differences simultaneous, question max-t at {LEVEL:g}",
        "seed": f"{draws.seed}, {draws.resamples} resamples",
    }
    return " | ".join(f"{key}: {value}" for key, value in parts.items())


def _base(chosen: Sequence[Variant], wanted: Variant | None) -> Variant | None:
    if wanted in chosen:
        return wanted
    real = [variant for variant in chosen if not variant.floor]
    return next(iter(real or chosen), None)


def _row(side: Side, place: int) -> dict:
    variant, mapped = side.chosen[place], side.on.judged(side.mapped(place)).figures
    return {
        "variant": variant.label,
        "judge": variant.judge.name,
        "fingerprint": variant.judge.fingerprint,
        **variant.facts(),
        "simulated": variant.judge.simulated,
        "floor": variant.floor,
        "graded": int(side.scored[place].sum()),
        **{name: mapped[name]._asdict() for name in MAPPED},
        "own": _own(side, variant),
        "spread": _spread(side, variant),
        "steadiness": steadiness(variant.panel, variant.judge.id, _graded_as(side.target, variant)),
        "no_score": _no_score(side, variant),
    }


def _ceiling(side: Side) -> dict:
    """How far people are from one another on the shared answers that two or more graded."""
    people = side.on.ceiling(side.shared)
    return {"n": people.n, **{name: people.figures[name]._asdict() for name in MAPPED}}


def _further(side: Side, base: Variant | None, draws: Draws) -> list[Estimate]:
    """How much further from people than the base each variant is, on [0, 1]; below 0 it is nearer.

    The limits of all of them hold together.
    """
    if base is None:
        return []
    others = [place for place, variant in enumerate(side.chosen) if variant is not base]
    members = [apart(side, place, side.chosen.index(base)) for place in others]
    found = simultaneous(members, LEVEL, draws, two_sided=True).estimates if members else []
    limits = dict(zip(others, found, strict=True))
    return [limits.get(place, undefined(IS_BASE)) for place in range(len(side.chosen))]


def apart(side: Side, place: int, base: int) -> Member:
    """The mean distances of two variants from people, per question."""
    mine, others = side.pairs(place), side.pairs(base)
    questions, group = ranked(mine.cluster)
    columns = (np.abs(mine.judge - mine.person), np.abs(others.judge - others.person), 1.0)
    return difference(
        *(np.bincount(group, weights=mine.weight * c, minlength=questions) for c in columns)
    )


def _beyond_distance(side: Side, place: int, base: Variant | None, always: Baseline | None) -> dict:
    """Skill over the majority-class baseline, and the differences to the base that go with it."""
    itself = base is None or side.chosen[place] is base
    differences = {
        "ccc_difference": majority_baseline.ccc_difference,
        "failure_recall_difference": majority_baseline.recall_difference,
    }
    return {
        "skill": majority_baseline.skill(side, place, always)._asdict(),
        **{
            name: (
                undefined(IS_BASE) if itself else of(side, place, side.chosen.index(base))
            )._asdict()
            for name, of in differences.items()
        },
    }


def _headline(side: Side, rows: list[dict], always: Baseline | None) -> dict:
    """The variant nearest to people, and why that makes no headline."""
    known = [
        i for i, row in enumerate(rows) if not row["floor"] and row["mae"]["value"] is not None
    ]
    if not known or always is None:
        return {"variant": None, "withheld": []}
    best = min(known, key=lambda place: rows[place]["mae"]["value"])
    reasons = majority_baseline.withheld(side, rows, best, always)
    return {"variant": rows[best]["variant"], "withheld": reasons}


def _paired(
    variant: Variant, base: Variant | None, people: Panel, target: str, kind: str
) -> dict | None:
    """The paired tests against the base, on all answers that these two scored; None for itself."""
    return None if variant is base else two_judges.tested(variant, base, people, target, kind)


def _priced(variant: Variant, costs: Mapping[int, Cost] | None) -> dict:
    found = (costs or {}).get(variant.judge.id, Cost(why_none=NO_COST, why_no_seconds=NO_COST))
    return {"cost": found.as_json()}


def _own(side: Side, variant: Variant) -> dict:
    """Exact, within one, quadratic kappa and caught where people graded on the same scale."""
    criterion = _own_criterion(side, variant)
    if criterion is None:
        return _no_own(NO_OWN_SCALE)
    on = ground(_own_people(side, variant), criterion, side.on.kind)
    pairs = on.pairs(variant.judge)
    pairs = pairs.where(side.shared[pairs.item])
    if not len(pairs.item):
        return _no_own(NO_OWN_PEOPLE)
    found = on.measured(pairs)
    return {
        "n": found.n,
        **{name: found.figures[name]._asdict() for name in OWN},
        "failing": found.failing,
        "why_none": None,
    }


def _no_own(why: str) -> dict:
    nothing = {name: undefined(why)._asdict() for name in OWN}
    return {"n": 0, **nothing, "failing": None, "why_none": why}


def _own_criterion(side: Side, variant: Variant) -> str | None:
    """The criterion whose scores are compared on the variant's own scale."""
    if side.target != COMPOSITE:
        return side.target
    criteria = variant.rubric.criteria
    return criteria[0].name if len(criteria) == 1 else None


def _own_people(side: Side, variant: Variant) -> Panel:
    """The people who graded under the variant's rubric; where people were named, those alone."""
    if variant.rubric.name == side.people.rubric.name:
        return side.people
    if NOT_CHOSEN not in side.people.uncounted.values():
        return variant.panel
    names = {person.name for person in side.people.people.values()}
    persons = variant.panel.persons.items()
    return replace(variant.panel, people={i: p for i, p in persons if p.name in names})


def _spread(side: Side, variant: Variant) -> dict:
    """How the variant spreads its own scores on the shared answers; all criteria of a composite."""
    scores = [
        marks.score[side.shared & marks.scored]
        for name in _graded_as(side.target, variant)
        for marks in [variant.panel.of(name, variant.judge.id)]
    ]
    found = spread(np.concatenate(scores), variant.rubric.scale)
    return found._asdict() | {"of": len(variant.rubric.scale)}


def _people_spread(side: Side) -> dict:
    """The same of the people, on their own scale."""
    scores = [
        side.people.of(name, person).score[side.people.counted(name, person) & side.shared]
        for name in (side.people.weights if side.target == COMPOSITE else [side.target])
        for person in side.people.people
    ]
    found = spread(np.concatenate([np.zeros(0), *scores]), side.people.rubric.scale)
    return found._asdict() | {"of": len(side.people.rubric.scale)}


def _graded_as(target: str, variant: Variant) -> list[str]:
    """The variant's own criteria that a target is made of."""
    return list(variant.rubric.weights()) if target == COMPOSITE else [target]


def _no_score(side: Side, variant: Variant) -> dict:
    """The share of the answers it was asked about that have no score, and why, by status."""
    marks = variant.marks(side.target, side.people)
    asked = marks.status >= 0
    failed = (asked & ~marks.scored).astype(float)
    names = Counter(STATUS_NAMES[code] for code in marks.status[marks.status > 0])
    if not asked.any():
        return undefined(NOT_ASKED)._asdict() | {"asked": 0, "why": {}}
    questions, group = ranked(side.people.cluster[asked])
    hits = np.bincount(group, weights=failed[asked], minlength=questions)
    base = np.bincount(group, minlength=questions).astype(float)
    share = proportion(hits, base, int(asked.sum()))
    return share._asdict() | {"asked": int(asked.sum()), "why": dict(names)}
