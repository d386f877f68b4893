"""Choice: one look at a decision as a document, for `choose --json` and the screen.

Shares are 0 to 1 and prices USD. Every figure is an object with value, low, high, method and
why_none; what is undefined is null with its reason.
"""

from typing import NamedTuple

from concord.messages import said
from concord.reports.decision.cost import Cost
from concord.reports.decision.findings import sentence
from concord.reports.decision.more_labels import SETTLED, MoreLabels, in_questions
from concord.reports.decision.verdict import (
    CANNOT_TELL,
    CEILING,
    DIFFERENCE,
    GOOD_ENOUGH,
    KAPPA,
    NOT,
    Condition,
    Judged,
    Terms,
    Verdicts,
    vetoed,
)
from concord.reports.panel.candidates import Field
from concord.reports.panel.provenance import synthetic, versions
from concord.reports.panel.simulated import named
from concord.stats.intervals.alpha_spending import AT_MOST, Look
from concord.stats.intervals.resampling import SEED
from concord.store.decisions import Decision
from concord.store.graders import Grader

NOBODY = said("there is no other judge to choose")


class Choice(NamedTuple):
    """Everything about one look, before it is put into words; costs and ranges by grader id.

    `number` says which decision it is of those on the same answers and criterion.
    """

    field: Field
    decision: Decision
    number: int
    look: Look
    verdicts: Verdicts
    costs: dict[int, Cost]
    more: dict[int, MoreLabels]


def document(chosen: Choice) -> dict:
    """The document of a look: the terms, the verdict, every judge, and the sentence.

    `winner_by` says what made the winner: `price` (no known price is lower), `only` (no other is
    good enough) or `agreement` (no price is known).
    """
    labels = chosen.field.on.panel.labels
    verdict, focus, by = _overall(chosen)
    first = focus if verdict == GOOD_ENOUGH else None
    more = chosen.more[focus.judge.id] if focus else MoreLabels(None, None, NOBODY)
    more = more if verdict == CANNOT_TELL else MoreLabels(None, None, SETTLED)
    found = {
        **_terms(chosen),
        "winner": labels[first.judge.id] if first else None,
        "winner_by": by,
        "verdict": verdict,
        "about": labels[focus.judge.id] if focus else None,
        "more_labels": more.as_json(),
        "more_labels_why_none": more.why_none,
        **_look(chosen.look),
        "judges": _rows(chosen),
        "left_out": chosen.field.left_out,
        **_ground(chosen),
        "signature": _signature(chosen),
    }
    for one in (found, *found["judges"]):
        labels = one["more_labels"]
        one["more_questions"] = labels and in_questions(labels, found)
    return found | {"sentence": sentence(found)}


def winner(judged: list[Judged], spent: dict[int, Cost]) -> tuple[Judged | None, str | None]:
    """The cheapest candidate that is good enough, and what made it the winner.

    Args:
        judged: The candidates without the reference judge.
        spent: Costs by grader id.
    """
    good = [one for one in judged if one.verdict == GOOD_ENOUGH]
    if len(good) < 2:
        return (good[0], "only") if good else (None, None)
    priced = [one for one in good if spent[one.judge.id].per_1000 is not None]
    if priced:
        cheapest = min(priced, key=lambda one: (spent[one.judge.id].per_1000, -one.exact.value))
        return cheapest, "price"
    return max(good, key=lambda one: one.exact.value), "agreement"


def _overall(chosen: Choice) -> tuple[str, Judged | None, str | None]:
    """The verdict of the choice, the judge it is about, and what made it the winner.

    A judge that is good enough and known to be dearer than the reference judge settles nothing as
    long as one that is not may still be good enough. Where none is, the choice is about the one
    that it would take the fewest further labels to tell, else about the one that agrees most.
    """
    candidates = chosen.verdicts.judges[1:]
    first, by = winner(candidates, chosen.costs)
    pending = [one for one in candidates if one.verdict == CANNOT_TELL]
    if first and _dearer(first, chosen):
        pending = [one for one in pending if not _dearer(one, chosen)]
    if first and not (pending and _dearer(first, chosen)):
        return GOOD_ENOUGH, first, by
    if pending:
        return CANNOT_TELL, min(pending, key=lambda one: _promise(one, chosen)), None
    best = max(candidates, key=lambda one: one.exact.value or 0, default=None)
    open_still = not candidates or chosen.field.sparse
    return (CANNOT_TELL, None, None) if open_still else (NOT, best, None)


def _dearer(one: Judged, chosen: Choice) -> bool:
    """Whether a judge is known to cost more than the reference judge."""
    ours, theirs = (chosen.costs[i].per_1000 for i in (one.judge.id, chosen.field.reference.id))
    return ours is not None and theirs is not None and ours > theirs


def _promise(one: Judged, chosen: Choice) -> tuple:
    price, more = chosen.costs[one.judge.id].per_1000, chosen.more[one.judge.id]
    likely = all(
        each.above is None or each.estimate.value is None or each.estimate.value > each.above
        for each in one.conditions.values()
    )
    return more.low is None, not likely, price is None, more.high or 0, price or 0


def _terms(chosen: Choice) -> dict:
    decision, labels = chosen.decision, chosen.field.on.panel.labels
    return {
        "criterion": decision.criterion,
        "metric": decision.metric,
        "margin": decision.margin,
        "minimum": decision.minimum,
        "failure_recall": decision.caught_minimum,
        "against": labels[chosen.field.reference.id],
        "fixed_at": decision.created_at,
        "fixed_after_sight": decision.fixed_after_sight,
        "decision": {"id": decision.id, "number": chosen.number},
    }


def _look(look: Look) -> dict:
    return {
        "looks": look.number,
        "looks_at_most": AT_MOST,
        "new_look": look.new,
        "level": look.level,
    }


def _ground(chosen: Choice) -> dict:
    panel, judged = chosen.field.on.panel, chosen.verdicts
    level = judged.constant
    return {
        "sheet": panel.sheet.name,
        "rubric": panel.rubric.name,
        "people": [{"name": p.name, "simulated": p.simulated} for p in panel.people.values()],
        "answers": judged.answers,
        "questions": judged.questions,
        "clusters": judged.clusters,
        "overlap": judged.overlap,
        "ceiling": judged.ceiling,
        "constant": {"score": level.score, "exact": level.exact} if level else None,
        "simulated": chosen.field.reference.simulated,
    }


def _rows(chosen: Choice) -> list[dict]:
    rows = [_row(one, chosen) for one in chosen.verdicts.judges]
    rows += [_sparse(judge, why, chosen) for judge, why in chosen.field.sparse.items()]
    return [row | {"on_front": _on_front(row, rows)} for row in rows]


def _row(one: Judged, chosen: Choice) -> dict:
    more, decision = chosen.more[one.judge.id], chosen.decision
    conditions = {name: _condition(each) for name, each in one.conditions.items()}
    difference = conditions[DIFFERENCE]["estimate"] if DIFFERENCE in conditions else _ITSELF
    return {
        **_identity(one.judge, chosen),
        "verdict": one.verdict,
        "why": one.why,
        "difference": difference,
        "exact": one.exact._asdict(),
        "qwk": conditions[KAPPA]["estimate"],
        "judge_minus_ceiling": conditions[CEILING]["estimate"],
        "conditions": conditions,
        "failure_recall": one.failure_recall.share._asdict() | _failing(one),
        "vetoed": vetoed(
            one.failure_recall, Terms(decision.margin, failure_recall=decision.caught_minimum)
        ),
        "failed": _failed(one.judge.id, chosen),
        **_money(chosen.costs[one.judge.id]),
        "more_labels": more.as_json(),
        "more_labels_why_none": more.why_none,
        "n": chosen.verdicts.answers,
        "questions": chosen.verdicts.questions,
        "clusters": chosen.verdicts.clusters,
    }


def _sparse(judge_id: int, why: str, chosen: Choice) -> dict:
    """The row of a judge that scored too few of the answers: everything undefined."""
    nothing = dict.fromkeys(("value", "low", "high")) | {"method": "", "why_none": why}
    figures = ("difference", "exact", "qwk", "judge_minus_ceiling")
    return {
        **_identity(chosen.field.on.panel.judges[judge_id], chosen),
        "verdict": CANNOT_TELL,
        "why": [why],
        **dict.fromkeys(figures, nothing),
        "conditions": {},
        "failure_recall": nothing | {"failing": 0, "count": None},
        "vetoed": False,
        "failed": _failed(judge_id, chosen),
        **_money(chosen.costs[judge_id]),
        "more_labels": None,
        "more_labels_why_none": why,
        "n": 0,
        "questions": 0,
        "clusters": 0,
    }


def _identity(judge: Grader, chosen: Choice) -> dict:
    return {
        "judge": chosen.field.on.panel.labels[judge.id],
        "fingerprint": judge.fingerprint,
        "simulated": judge.simulated,
        "is_reference": judge.id == chosen.field.reference.id,
    }


def _failed(judge_id: int, chosen: Choice) -> int:
    """How many of the answers that people scored a judge was asked about and left unscored."""
    on = chosen.field.on
    asked = on.panel.of(on.name, judge_id).status > 0
    return int((asked & on.panel.open & (on.people.why == "")).sum())


def _failing(one: Judged) -> dict:
    """How many answers people failed, and how many of them were caught where that is whole."""
    share, items, weight = one.failure_recall
    whole = items > 0 and abs(weight - items) < 1e-9
    return {"failing": items, "count": round(share.value * items) if whole else None}


def _money(spent: Cost) -> dict:
    return {
        "cost_per_1000": spent.per_1000,
        "seconds": spent.seconds,
        "seconds_p95": spent.seconds_p95,
        "cost": spent.as_json() | {"words": spent.words()},
    }


def _condition(one: Condition) -> dict:
    return {"estimate": one.estimate._asdict(), "above": one.above, "state": one.state}


_ITSELF = {"value": 0.0, "low": 0.0, "high": 0.0, "method": "to itself", "why_none": None}


def _on_front(row: dict, rows: list[dict]) -> bool:
    """Whether no other judge is at least as good in price and agreement and better in one."""
    return _known(row) and not any(_beats(other, row) for other in rows if _known(other))


def _known(row: dict) -> bool:
    return row["cost_per_1000"] is not None and row["exact"]["value"] is not None


def _beats(one: dict, other: dict) -> bool:
    ours, theirs = ((-row["cost_per_1000"], row["exact"]["value"]) for row in (one, other))
    return ours != theirs and all(a >= b for a, b in zip(ours, theirs, strict=True))


def _signature(chosen: Choice) -> str:
    panel, judged = chosen.field.on.panel, chosen.verdicts
    methods = [one.exact.method for one in judged.judges if one.exact.method]
    parts = {
        "rubric": panel.rubric.name,
        "versions": versions(panel, chosen.decision.criterion),
        "people": ", ".join(named(p.name, p.simulated) for p in panel.people.values()),
        "answers": judged.answers,
        "questions": judged.questions,
        "clusters": judged.clusters,
        **synthetic(panel),
        "intervals": methods[0] if methods else "none",
        "seed": SEED,
    }
    return " | ".join(f"{key}: {value}" for key, value in parts.items())
