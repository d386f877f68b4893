"""Study of transfer: does what was found on one sheet hold on another?"""

from typing import NamedTuple

from reports import compare_words as words
from reports import ranking
from reports.compare import report
from reports.ranking import PEOPLE
from reports.simulated import named
from reports.study import Study, cannot_run
from reports.text import UNDEFINED, share
from reports.variants import Variant, Variants
from stats.estimate import Estimate
from stats.independent import difference
from stats.order import swaps
from words.said import joined, said

NAME = "transfer"
QUESTION = said("Does a judge that was calibrated on one sheet do as well on another?")
PUBLISHED = said(
    "Databricks (2023): a model that general benchmarks call nearly as good as GPT-3.5 was clearly "
    "worse on questions about documents, by GPT-4, GPT-3.5 and people alike; so results do not "
    "carry over from one use to another, and each use needs a benchmark of its own."
)
HEADS = (said("judge"), said("examples"), said("here"), said("there"))
HEADS += (said("there against here"), said("models in order there"))
SAME, OTHER, UNKNOWN = "same", "other", "unknown"


class Carried(NamedTuple):
    """One judge on two sheets: its distance from people on each, and the difference."""

    here: dict
    there: dict
    further: Estimate


def missing(sheet: str) -> tuple[str, ...]:
    """What the study needs."""
    return (
        said(
            "No judge has graded both “{sheet}” and another sheet that people graded by the same "
            "rubric.",
            sheet=sheet,
        ),
        said(
            "Import answers of the other use as a sheet of its own, let people grade some of it, "
            "and run the very same judge: “judge NAME --sheet OTHER”."
        ),
    )


def study(here: Variants, others: list[Variants], chosen: list[Variant], rubric: str) -> Study:
    """Every judge that graded this sheet and another one, by the same rubric as people.

    Args:
        here: This sheet's variants.
        others: Those of the other sheets.
        chosen: The variants of this sheet that are asked about.
        rubric: The rubric people graded under, on both sheets.
    """
    mine = {v.judge.id: v for v in chosen if not v.floor}
    found = [
        (other, carried) for other in others for carried in _carried(here, other, mine, rubric)
    ]
    if not found:
        return cannot_run(NAME, QUESTION, PUBLISHED, missing(here.sheet.name))
    there = max((other for other, _ in found), key=lambda o: sum(one is o for one, _ in found))
    rows = [carried for other, carried in found if other is there]
    order = people_order(here, there, rubric)
    return Study(
        NAME,
        QUESTION,
        said(
            "From {here} to {there}: {judges}. {order}",
            here=here.sheet.name,
            there=there.sheet.name,
            judges=joined("; ", [_sentence(carried) for carried in rows]),
            order=_order(order),
        ),
        True,
        _rests_on(rows, there, found),
        PUBLISHED,
        (),
        HEADS,
        tuple(_line(carried) for carried in rows),
        tuple(_figures(carried, here, there, order) for carried in rows),
    )


def people_order(here: Variants, there: Variants, rubric: str) -> str:
    """Whether people put the answering models that both sheets have in the same order."""
    means = [_means(variants, rubric) for variants in (here, there)]
    both = [model for model in means[0] if model in means[1]]
    if len(both) < 2:
        return UNKNOWN
    one, other = ([mean[model] for model in both] for mean in means)
    return OTHER if swaps(one, other) else SAME


def _carried(
    here: Variants, there: Variants, mine: dict[int, Variant], rubric: str
) -> list[Carried]:
    """The judges of both sheets, each by itself on all answers it shares with people."""
    if rubric not in there.graded:
        return []
    again = [v for v in there.every if v.judge.id in mine]
    found = []
    for other in again:
        one = mine[other.judge.id]
        if one.rubric.name != other.rubric.name:
            continue
        rows = [
            report([variant], variants.people(rubric), None)["variants"]
            for variants, variant in ((here, one), (there, other))
        ]
        if all(row and row[0]["mae"]["value"] is not None for row in rows):
            near, far = rows[0][0], rows[1][0]
            apart = difference(Estimate(**far["mae"]), Estimate(**near["mae"]))
            found.append(Carried(near, far, apart))
    return found


def _means(variants: Variants, rubric: str) -> dict[str, float]:
    models = ranking.report(variants.people(rubric))["models"]
    mine = [row for row in models if row["grader"] == PEOPLE]
    return {row["answer_model"]: row["value"] for row in mine if row["value"] is not None}


def _sentence(carried: Carried) -> str:
    name = named(carried.here["variant"], carried.here["simulated"])
    row = {"further": carried.further._asdict()}
    about = {"name": name, "points": words.amount(row)}
    stands = words.beyond(row)
    if stands == "unsure":
        return said(
            "whether {name} is further from people there cannot be told yet ({points} percent of "
            "the scale)",
            **about,
        )
    return said(
        "{name} is nearer to people there by {points} percent of the scale"
        if stands == "nearer"
        else "{name} is further from people there by {points} percent of the scale",
        **about,
    )


def _order(order: str) -> str:
    return {
        SAME: said("People put the answering models in the same order on both."),
        OTHER: said("People put the answering models in another order there."),
        UNKNOWN: said("The sheets share no two answering models whose order could be compared."),
    }[order]


def _line(carried: Carried) -> tuple[str, ...]:
    return (
        carried.here["variant"],
        carried.here["examples"] or UNDEFINED,
        share(carried.here["mae"]),
        share(carried.there["mae"]),
        words.against_base({"further": carried.further._asdict()}),
        words.order(carried.there),
    )


def _rests_on(rows: list[Carried], there: Variants, found: list) -> str:
    sheets = len({other.sheet.name for other, _ in found})
    more = said(
        "Of {sheets} other sheets, {there} shares most judges with this one.",
        sheets=sheets,
        there=there.sheet.name,
    )
    simulated = any(one.here["simulated"] for one in rows)
    parts = [
        said(
            "Distance from people on each sheet, on all answers the judge and people share there; "
            "the questions are others, so nothing is paired. Limits of each judge by itself."
        ),
        more if sheets > 1 else "",
        said("Simulated judges are among them.") if simulated else "",
    ]
    return joined(" ", parts)


def _figures(carried: Carried, here: Variants, there: Variants, order: str) -> dict:
    return {
        "variant": carried.here["variant"],
        "here": {"sheet": here.sheet.name, "mae": carried.here["mae"]},
        "there": {"sheet": there.sheet.name, "mae": carried.there["mae"]},
        "further": carried.further._asdict(),
        "people_order": order,
    }
