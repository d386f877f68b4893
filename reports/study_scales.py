"""Study of scales: which scale should judges grade on?"""

from collections.abc import Mapping

import numpy as np

from reports import compare
from reports import compare_words as words
from reports.cost import Cost
from reports.panel import Panel
from reports.reference import EACH
from reports.side import Side, first_target, side_by_side
from reports.simulated import named
from reports.study import Study, cannot_run, listed
from reports.text import UNDEFINED, number, share
from reports.variants import Variant
from stats.composite import composite_figures
from stats.estimate import Estimate
from stats.pairs import Pairs
from words.said import joined, said

NAME = "scales"
QUESTION = said("Which scale should judges grade on?")
PUBLISHED = said(
    "Databricks (2023) tried 0-1, 0-3, 1-5 and 0-10: judges kept the answering models in the same "
    "order on the coarse scales, agreed less with one another on finer ones, and on 0-10 nobody "
    "could say what tells neighbouring scores apart; it advises 0-3 or 1-5, and 0-1 for simple "
    "questions."
)
HEADS = (said("judge"), said("scale"), said("distance from people"), said("against the first"))
HEADS += (said("CCC"), said("models in order"), said("scores used"), said("commonest"))
HEADS += (said("same again"), said("other judges on this scale (CCC)"))
MISSING = (
    said("No judge has graded this sheet on two scales, all else the same."),
    said(
        "Run one by another rubric: “judge NAME --rubric doc-qa-0-10”, or doc-qa-0-1, doc-qa-0-4, "
        "doc-qa-1-5."
    ),
    said(
        "Judges whose grades came from a file can be named: “compare --study scales --judge A "
        "--judge B”."
    ),
)
NO_OTHER = said("no other model has graded on this scale")


def study(
    chosen: list[Variant],
    people: Panel,
    kind: str = EACH,
    costs: Mapping[int, Cost] | None = None,
    told: bool = False,
) -> Study:
    """The judge that graded on the most scales, each scale against the one people used.

    Args:
        chosen: The variants.
        people: Who they are held against.
        kind: `each` or `consensus`.
        costs: What judges cost, by grader id.
        told: The user named the variants; they are compared whatever else tells them apart.
    """
    groups = groups_of(chosen) or ([chosen] if told and _scales(chosen) > 1 else [])
    if not groups:
        return cannot_run(NAME, QUESTION, PUBLISHED, MISSING)
    group = max(groups, key=_scales)
    target = first_target(group, people)
    base = next((v for v in group if v.rubric.scale == people.rubric.scale), group[0])
    found = compare.report([base, *(v for v in group if v is not base)], people, target, base, kind)
    if not found["n"]:
        why = said("{sentence}.", sentence=words.title(found))
        return cannot_run(NAME, QUESTION, PUBLISHED, (why,))
    others = {v.label: among(v, chosen, people, target, kind) for v in group}
    rows = found["variants"]
    return Study(
        NAME,
        QUESTION,
        _answer(rows, base),
        True,
        _rests_on(found, len(groups)),
        PUBLISHED,
        _missing(rows, people),
        HEADS,
        tuple(_line(row, others[row["variant"]]) for row in rows),
        tuple(row | {"others": others[row["variant"]]._asdict()} for row in rows),
    )


def groups_of(chosen: list[Variant]) -> list[list[Variant]]:
    """The judges that differ in nothing but the rubric, each with two scales or more."""
    by: dict[str, list[Variant]] = {}
    for variant in chosen:
        if variant.asked is not None and variant.asked.kind == "rubric":
            by.setdefault(_but_rubric(variant), []).append(variant)
    return [group for group in by.values() if _scales(group) > 1]


def among(
    variant: Variant, chosen: list[Variant], people: Panel, target: str, kind: str
) -> Estimate:
    """Concordance of a variant with another model's judge by the same rubric; the first there is.

    On the answers that both scored and people graded.
    """
    mates = [v for v in chosen if v.rubric.name == variant.rubric.name and not v.floor]
    other = next((v for v in mates if _model(v) != _model(variant)), None)
    if other is None:
        return Estimate(None, why_none=NO_OTHER)
    return composite_figures(_between(side_by_side([variant, other], people, target, kind)))["ccc"]


def _between(side: Side) -> Pairs:
    items = np.flatnonzero(side.shared)
    one, other = (
        side.panel.of("composite", side.mapped(place).id).score[items] for place in (0, 1)
    )
    return Pairs(one, other, np.ones(len(items)), items, side.panel.cluster[items])


def _scales(group: list[Variant]) -> int:
    return len({variant.rubric.scale for variant in group})


def _model(variant: Variant) -> str:
    return variant.asked.model if variant.asked else variant.judge.name


def _but_rubric(variant: Variant) -> str:
    same = {"name": "judge", "about": "", "rubric": "any"}
    return variant.asked.model_copy(update=same).body()


def _answer(rows: list[dict], base: Variant) -> str:
    judge = named(base.asked.model if base.asked else base.label, base.judge.simulated)
    own = words.scale(base.rubric.scale)
    others = [row for row in rows if row["variant"] != base.label]
    found = []
    for stands in ("nearer", "further", "unsure"):
        scales = [words.scale(row["scale"]) for row in others if words.beyond(row) == stands]
        if scales:
            found.append(_stands(stands, listed(scales), own))
    return said(
        "{judge} {orders}; it is {stands}.",
        judge=judge,
        orders=_orders(rows),
        stands=listed(found),
    )


def _orders(rows: list[dict]) -> str:
    """On which scales the answering models stand in the people's order."""
    by: dict[str, list[str]] = {"same": [], "unsure": [], "other": []}
    for row in rows:
        swaps = row["order"]["swaps"]
        sure = any(swap["certain"] for swap in swaps)
        key = "other" if sure else "unsure" if swaps else "same"
        by[key].append(words.scale(row["scale"]))
    if words.order(rows[0]) == UNDEFINED:
        return said("has no two answering models to put in order")
    told = [_order(key, listed(scales)) for key, scales in by.items() if scales]
    return said("puts the answering models {parts}", parts=listed(told))


def _stands(stands: str, scales: str, own: str) -> str:
    if stands == "unsure":
        return said("not to be told apart yet from {own} on {scales}", own=own, scales=scales)
    return said(
        "nearer to people on {scales} than on {own}"
        if stands == "nearer"
        else "further from people on {scales} than on {own}",
        scales=scales,
        own=own,
    )


def _order(order: str, scales: str) -> str:
    if order == "same":
        return said("in the people's order on {scales}", scales=scales)
    return said(
        "within the error of it on {scales}"
        if order == "unsure"
        else "in another order on {scales}",
        scales=scales,
    )


def _rests_on(found: dict, groups: int) -> str:
    on = said("On {target}.", target=words.spoken(found["target"]))
    most = ""
    if groups > 1:
        most = said(
            "Of {groups} judges with several scales, the one with the most is shown.",
            groups=groups,
        )
    return joined(" ", [on, words.detail(found), most])


def _line(row: dict, others: Estimate) -> tuple[str, ...]:
    return (
        row["variant"],
        words.scale(row["scale"]),
        share(row["mae"]),
        words.against_base(row),
        number(row["ccc"]),
        words.order(row),
        words.used(row["spread"]),
        words.commonest(row["spread"]),
        words.steady(row),
        number(others._asdict()),
    )


def _missing(rows: list[dict], people: Panel) -> tuple[str, ...]:
    found = []
    graded = words.scale(people.rubric.scale)
    fine = [words.scale(row["scale"]) for row in rows if row["own"]["why_none"]]
    if fine:
        found.append(
            said(
                "people's grades on {scales}. They graded on {graded} only; whether people can use "
                "a scale shows when two of them grade some answers on it.",
                scales=listed(fine),
                graded=graded,
            )
        )
    if not all(row["steadiness"]["repeats"] > 1 for row in rows):
        found.append(
            said("repeats. “judge NAME --repeat 3” shows on which scale a judge is steadier.")
        )
    return tuple(found)
