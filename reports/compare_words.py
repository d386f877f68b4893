"""The comparison of variants in words: the finding, what stands beside it, and what to run next."""

from collections.abc import Sequence

from data.counted import counted
from data.statuses import status_words
from reports.left_out import reasons
from reports.majority_baseline import baseline_name, sentence
from reports.panel import COMPOSITE
from reports.simulated import named, people_sentence
from reports.text import UNDEFINED, number, percent, plain_share, share
from words.said import joined, said

HOLISTIC = said("the composite")


def title(found: dict) -> str:
    """Which variant is nearest to people, and whether that is beyond the error."""
    rows = real(found)
    if not rows:
        return said("No judge has graded this sheet yet, so there is nothing to compare")
    if not found["n"]:
        return said("The variants share no answer that people graded, so nothing can be compared")
    best, base = nearest(found), row_of(found, found["base"])
    on = spoken(found["target"])
    if found["headline"]["withheld"]:
        return _withheld(best, on, found["headline"]["withheld"])
    if len(rows) == 1:
        return said(
            "{name} is {away} away from people on {on}, {answers}; there is no other variant "
            "beside it",
            name=name(best),
            away=away(best),
            on=on,
            answers=counted(found["n"], "answer"),
        )
    if best is base:
        return _base_first(base, rows, on)
    return said(
        "{name} is nearer to people on {on} than {base}: {ours}% of the scale away instead of "
        "{theirs}%"
        if _nearer(best)
        else "Cannot tell yet whether {name} is nearer to people on {on} than {base}: {ours}% of "
        "the scale away instead of {theirs}%",
        name=name(best),
        on=on,
        base=name(base),
        ours=percent(best["mae"]["value"]),
        theirs=percent(base["mae"]["value"]),
    )


def _withheld(best: dict, on: str, reasons: list[dict]) -> str:
    """The title where the nearest variant is not shown to be any better."""
    return said(
        "No variant stands out on {on}: {name} is nearest to annotators, {share:.1f}% of the scale "
        "away, but {reasons}",
        on=on,
        name=name(best),
        share=100 * best["mae"]["value"],
        reasons=sentence(reasons),
    )


def detail(found: dict) -> str:
    """What must stand beside the title: how many were compared, what is left out, who is who."""
    if not found["variants"]:
        return ""
    parts = [
        _same(found),
        _coarser(found),
        _baseline(found),
        _people(found),
        _left_out(found),
        _holding_back(found),
        *(
            said("{variant} is not compared: {why}.", variant=variant, why=why)
            for variant, why in found["not_compared"].items()
        ),
        people_sentence(sum(p["simulated"] for p in found["people"]), len(found["people"])),
    ]
    return joined(" ", parts)


def advice(found: dict) -> list[str]:
    """What to run to learn more, a sentence each; nothing where nothing is missing."""
    rows = real(found)
    prompts = {row["prompt"] for row in rows} - {None}
    told = []
    if len(prompts) < 2:
        told.append(
            said(
                "To compare prompts, run a second one over this sheet: a few-shot judge beside a "
                "zero-shot one, or your own prompt."
            )
        )
    if len({tuple(row["scale"]) for row in rows}) < 2:
        told.append(
            said(
                "To compare scales, run the same judge by another rubric: on the command line "
                "“judge NAME --rubric doc-qa-0-10”."
            )
        )
    if not any(row["steadiness"]["repeats"] > 1 for row in rows):
        told.append(
            said(
                "To see how steady a judge is, ask it more than once: “judge NAME --repeat 3” asks "
                "three times in all."
            )
        )
    unknown = [row["variant"] for row in rows if row["model"] is None]
    if unknown:
        told.append(
            said(
                "The prompts of {unknown} are not stored, since their grades came from a file; "
                "judges run from here show theirs.",
                unknown=joined(", ", unknown),
            )
        )
    return told


def real(found: dict) -> list[dict]:
    """The variants without the baseline."""
    return [row for row in found["variants"] if not row["floor"]]


def row_of(found: dict, label: str | None) -> dict | None:
    """The entry of a variant."""
    return next((row for row in found["variants"] if row["variant"] == label), None)


def nearest(found: dict) -> dict | None:
    """The variant nearest to people, the baseline left aside; the first on a tie."""
    known = [row for row in real(found) if row["mae"]["value"] is not None]
    return min(known, key=lambda row: row["mae"]["value"], default=None)


def name(row: dict) -> str:
    """A variant as sentences name it."""
    if row["floor"]:
        return said("the floor, baseline,")
    return named(row["variant"], row["simulated"])


def spoken(target: str) -> str:
    """A criterion, or the composite, in a sentence."""
    return HOLISTIC if target == COMPOSITE else target.replace("_", " ")


def away(row: dict) -> str:
    """The distance from people, as `4% [3, 6] of the scale`."""
    return said("{share} of the scale", share=share(row["mae"]))


def against_base(row: dict) -> str:
    """A difference of distances (`further`) in percent of the scale, as `nearer by 3 [1, 5]`."""
    found = row["further"]
    if found["value"] is None:
        return UNDEFINED
    if beyond(row) == "unsure" and found["low"] is not None:
        return said("cannot tell, {amount}", amount=amount(row))
    return said(
        "further by {amount}" if found["value"] > 0 else "nearer by {amount}", amount=amount(row)
    )


def amount(row: dict) -> str:
    """The same difference without its direction; with a sign where that is not beyond the error."""
    found = row["further"]
    if found["low"] is None:
        return _points(abs(found["value"]))
    sign = -1 if beyond(row) == "nearer" else 1
    low, high = sorted((sign * found["low"], sign * found["high"]))
    return f"{_points(sign * found['value'])} [{_points(low)}, {_points(high)}]"


def beyond(row: dict) -> str:
    """`nearer`, `further` or `unsure`: a difference of distances beyond its error."""
    return "nearer" if _nearer(row) else "further" if _further(row) else "unsure"


def skill(row: dict) -> str:
    """The share of the baseline's distance that a variant does away with."""
    return number(row["skill"])


def order(row: dict) -> str:
    """Whether a variant puts the answering models in the people's order."""
    found = row["order"]
    models = [m for m in found["models"] if None not in (m["people"]["value"], m["judge"]["value"])]
    if len(models) < 2:
        return UNDEFINED
    if not found["swaps"]:
        return said("as people")
    sure = sum(swap["certain"] for swap in found["swaps"])
    return said("{swaps}, {sure} sure", swaps=counted(len(found["swaps"]), "swap"), sure=sure)


def used(spread: dict) -> str:
    """How many scores of a scale are used, as `3 of 4, as if 2.4 evenly`."""
    if spread["effective"] is None:
        return UNDEFINED
    return said(
        "{used} of {of}, as if {effective:.1f} evenly",
        used=spread["used"],
        of=spread["of"],
        effective=spread["effective"],
    )


def commonest(spread: dict) -> str:
    """The commonest score with its share."""
    if spread["commonest"] is None:
        return UNDEFINED
    return said("{score} on {share}%", score=spread["commonest"], share=percent(spread["share"]))


def steady(row: dict) -> str:
    """How often a variant repeats its score."""
    found = row["steadiness"]
    if found["exact"]["value"] is None:
        return said("asked once")
    return said("{share} of {n:,}", share=share(found["exact"]), n=found["scores"])


def no_score(row: dict) -> str:
    """The share of answers without a score and why."""
    found = row["no_score"]
    if found["value"] is None:
        return UNDEFINED
    if not found["why"]:
        return plain_share(found["value"])
    why = [
        said("{count} {status}", count=count, status=status_words(status))
        for status, count in found["why"].items()
    ]
    return said("{share} ({why})", share=plain_share(found["value"]), why=joined(", ", why))


def scale(found: Sequence[int]) -> str:
    """A scale by its ends."""
    return f"{found[0]}-{found[-1]}"


def bias(row: dict) -> str:
    """The bias in percent of the scale, as `+5 [+2, +8]`."""
    found = row["bias"]
    if found["value"] is None:
        return UNDEFINED
    value = f"{100 * found['value']:+.1f}"
    if found["low"] is None:
        return value
    return f"{value} [{100 * found['low']:+.1f}, {100 * found['high']:+.1f}]"


def _nearer(row: dict) -> bool:
    return row["further"]["high"] is not None and row["further"]["high"] < 0


def _further(row: dict) -> bool:
    return row["further"]["low"] is not None and row["further"]["low"] > 0


def _points(value: float) -> str:
    return f"{100 * value:.0f}" if abs(value) >= 0.0995 or value == 0 else f"{100 * value:.1f}"


def _base_first(base: dict, rows: list[dict], on: str) -> str:
    """The title where no variant is nearer than the one they are compared with."""
    others = len(rows) - 1
    about = {"name": name(base), "on": on, "away": away(base)}
    if sum(_further(row) for row in rows) < others:
        return said(
            "Cannot tell yet whether another variant is as near to people on {on} as {name}, which "
            "is {away} away",
            **about,
        )
    if others == 1:
        return said(
            "{name} is nearest to people on {on}, {away} away; the other is further off", **about
        )
    return said(
        "{name} is nearest to people on {on}, {away} away; all {others} others are further off",
        **about,
        others=others,
    )


def _same(found: dict) -> str:
    rows = found["variants"]
    if len(rows) < 2:
        return ""
    return said(
        "{variants} variants on the same {answers} to {questions}, scores mapped to 0 to 1; limits "
        "of the differences hold for all {compared} comparisons together."
        if found["compared"] > 1
        else "{variants} variants on the same {answers} to {questions}, scores mapped to 0 to 1.",
        variants=len(rows),
        answers=counted(found["n"], "answer"),
        questions=counted(found["questions"], "question"),
        compared=found["compared"],
    )


def _coarser(found: dict) -> str:
    """A warning where scales differ: the distance favours the people's own."""
    if len({tuple(row["scale"]) for row in found["variants"]}) < 2:
        return ""
    return said(
        "People graded on {scale}: a coarser scale cannot come as near, so read CCC and the order "
        "of the models beside the distance.",
        scale=scale(found["people_scale"]),
    )


def _baseline(found: dict) -> str:
    """The constant that comes nearest, and how much better the nearest variant does."""
    always, best = found["majority_baseline"], nearest(found)
    if always["score"] is None or best is None:
        return ""
    return said(
        "The {baseline} is {share} of the scale away; skill score of {name}: {skill}.",
        baseline=baseline_name(always["score"]),
        share=share(always["mae"]),
        name=name(best),
        skill=skill(best),
    )


def _people(found: dict) -> str:
    ceiling = found["ceiling"]["mae"]
    if ceiling["value"] is None:
        return ""
    return said(
        "People are {share}% of the scale from one another.", share=percent(ceiling["value"])
    )


def _left_out(found: dict) -> str:
    if not found["left_out"]:
        return ""
    return said("Left out: {reasons}.", reasons=reasons(found["left_out"]))


def _holding_back(found: dict) -> str:
    if not found["holding_back"] or len(found["variants"]) < 2:
        return ""
    worst = found["holding_back"][0]
    return said(
        "Without {variant} there would be {without:,} answers to compare on.",
        variant=worst["variant"],
        without=worst["without"],
    )
