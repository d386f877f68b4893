"""Study of examples: does showing a judge examples bring it nearer to people, and at what price?"""

from collections.abc import Mapping
from typing import NamedTuple

from reports import compare
from reports import compare_words as words
from reports.compare import apart
from reports.cost import Cost, dollars
from reports.panel import Panel
from reports.reference import EACH
from reports.side import first_target, side_by_side
from reports.simulated import named
from reports.study import Study, cannot_run
from reports.text import share
from reports.variants import Variant
from stats.draws import Draws
from stats.estimate import Estimate
from stats.simultaneous import simultaneous
from words.said import joined, said

NAME = "examples"
QUESTION = said("Does a judge do better when the prompt shows examples of each score?")
PUBLISHED = said(
    "Databricks (2023): examples changed little for GPT-4, but made GPT-3.5, whose scores were of "
    "no use without them, put the answering models in GPT-4's order, at a tenth of the price and "
    "three times the speed."
)
HEADS = (said("judge"), said("examples"), said("distance from people"))
HEADS += (said("with against without"), said("models in order"), said("scores used"))
HEADS += (said("commonest"), said("same again"), said("without a score"), said("USD per 1,000"))
MISSING = (
    said("No judge has graded this sheet both without and with examples, all else the same."),
    said("Run one both ways, for instance “judge gpt-6-luna-zero-shot gpt-6-luna-few-shot”."),
    said(
        "Judges whose grades came from a file can be named, the one without examples first: "
        "“compare --study examples --judge WITHOUT --judge WITH”."
    ),
)


class Pair(NamedTuple):
    """The same judge without and with examples."""

    zero: Variant
    few: Variant


def study(
    chosen: list[Variant],
    people: Panel,
    kind: str = EACH,
    costs: Mapping[int, Cost] | None = None,
    told: bool = False,
) -> Study:
    """Every judge without and with examples, all on the same answers.

    Args:
        chosen: The variants.
        people: Who they are held against.
        kind: `each` or `consensus`.
        costs: What judges cost, by grader id.
        told: The user named the two variants, the one without examples first.
    """
    pairs = pairs_of(chosen) or ([Pair(*chosen)] if told and len(chosen) == 2 else [])
    if not pairs:
        return cannot_run(NAME, QUESTION, PUBLISHED, MISSING)
    every = list({v.label: v for pair in pairs for v in pair}.values())
    target = first_target(every, people)
    found = compare.report(every, people, target, None, kind, costs)
    if not found["n"]:
        why = said("{sentence}.", sentence=words.title(found))
        return cannot_run(NAME, QUESTION, PUBLISHED, (why,))
    rows = {row["variant"]: row for row in found["variants"]}
    stand_in = _stand_in(pairs, rows)
    gains = _gains(every, [*pairs, *stand_in], people, target, kind)
    with_gain = list(zip(pairs, gains, strict=False))
    answers = [_sentence(pair, gain) for pair, gain in with_gain]
    answers += [_in_place(pair, gains[-1], rows) for pair in stand_in]
    return Study(
        NAME,
        QUESTION,
        joined(" ", answers),
        True,
        _rests_on(found, bool(pairs_of(chosen))),
        PUBLISHED,
        _missing(rows),
        HEADS,
        tuple(
            _line(rows[one.label], gain if one is pair.few else None)
            for pair, gain in with_gain
            for one in pair
        ),
        tuple(
            {"zero": rows[pair.zero.label], "few": rows[pair.few.label], "further": gain._asdict()}
            for pair, gain in with_gain
        ),
    )


def pairs_of(chosen: list[Variant]) -> list[Pair]:
    """The variants that differ in nothing but examples."""
    zero = {_but_examples(v): v for v in chosen if _recipe(v) == "zero_shot"}
    few = [v for v in chosen if _recipe(v) == "few_shot"]
    return [Pair(zero[_but_examples(v)], v) for v in few if _but_examples(v) in zero]


def _recipe(variant: Variant) -> str | None:
    return variant.asked.recipe() if variant.asked else None


def _but_examples(variant: Variant) -> str:
    """All that a judge is, but its name, prompt and examples."""
    same = {"name": "judge", "about": "", "prompt": "zero_shot", "examples": None}
    return f"{variant.rubric.name} {variant.asked.model_copy(update=same).body()}"


def _gains(
    every: list[Variant], pairs: list[Pair], people: Panel, target: str, kind: str
) -> list[Estimate]:
    """How much further from people with examples than without; the limits hold together."""
    side = side_by_side(every, people, target, kind)
    place = {variant.label: at for at, variant in enumerate(side.chosen)}
    members = [apart(side, place[pair.few.label], place[pair.zero.label]) for pair in pairs]
    return simultaneous(members, compare.LEVEL, Draws(), two_sided=True).estimates


def _sentence(pair: Pair, gain: Estimate) -> str:
    zero, few = pair
    name = (
        zero.asked.model
        if zero.asked
        else said("{few} (against {zero})", few=few.label, zero=zero.label)
    )
    row = {"further": gain._asdict()}
    about = {"name": named(name, zero.judge.simulated), "points": words.amount(row)}
    if words.beyond(row) == "unsure":
        return said(
            "Whether examples bring {name} nearer to people cannot be told yet: it is further by "
            "{points} percent of the scale.",
            **about,
        )
    return said(
        "With examples {name} is nearer to people by {points} percent of the scale."
        if words.beyond(row) == "nearer"
        else "With examples {name} is further from people by {points} percent of the scale.",
        **about,
    )


def _stand_in(pairs: list[Pair], rows: dict[str, dict]) -> list[Pair]:
    """The cheapest judge with examples in place of the dearest without; none at one price."""
    priced = {label: row["cost"]["per_1000"] for label, row in rows.items()}
    zeros = [pair.zero for pair in pairs if priced[pair.zero.label] is not None]
    fews = [pair.few for pair in pairs if priced[pair.few.label] is not None]
    if not zeros or not fews:
        return []
    dear = max(zeros, key=lambda variant: priced[variant.label])
    cheap = min(fews, key=lambda variant: priced[variant.label])
    other = Pair(dear, cheap)
    cheaper = priced[cheap.label] < priced[dear.label]
    return [other] if cheaper and other not in pairs else []


def _in_place(pair: Pair, gain: Estimate, rows: dict[str, dict]) -> str:
    """Whether the cheap judge with examples stands in for the dear one without."""
    row = {"further": gain._asdict()}
    cheap, dear = (rows[variant.label]["cost"]["per_1000"] for variant in (pair.few, pair.zero))
    return said(
        "{few}, with examples, beside {zero}, without: {apart} percent of the scale, at {cheap} "
        "instead of {dear} per 1,000 answers.",
        few=pair.few.label,
        zero=pair.zero.label,
        apart=words.against_base(row),
        cheap=dollars(cheap),
        dear=dollars(dear),
    )


def _rests_on(found: dict, by_prompt: bool) -> str:
    named_so = "" if by_prompt else said("Which of the two shows examples is as you named them.")
    on = said("On {target}.", target=words.spoken(found["target"]))
    return joined(" ", [on, words.detail(found), named_so])


def _line(row: dict, gain: Estimate | None) -> tuple[str, ...]:
    price = row["cost"]["per_1000"]
    return (
        row["variant"],
        said("with") if gain else said("without"),
        share(row["mae"]),
        words.against_base({"further": gain._asdict()}) if gain else "",
        words.order(row),
        words.used(row["spread"]),
        words.commonest(row["spread"]),
        words.steady(row),
        words.no_score(row),
        said("unknown") if price is None else f"{price:,.2f}",
    )


def _missing(rows: dict[str, dict]) -> tuple[str, ...]:
    found = []
    if len({row["model"] for row in rows.values()}) < 2:
        found.append(
            said(
                "a second model. A small one with examples beside a large one without shows "
                "whether the small one can stand in for it."
            )
        )
    if not all(row["steadiness"]["repeats"] > 1 for row in rows.values()):
        found.append(
            said("repeats. “judge NAME --repeat 3” shows whether examples make it steadier.")
        )
    return tuple(found)
