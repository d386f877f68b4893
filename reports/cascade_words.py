"""The cascade in words: the guarantee, the saving, and what is missing for a certificate."""

import math

from data.counted import counted
from reports.cascade import CERTIFIED, EXACT, NOTHING, PEOPLE, SIMULATED, WITHIN_ONE
from reports.cost import dollars
from reports.simulated import named
from reports.text import percent, share, table
from words.said import joined, said

MISSING = said(
    "What is missing: no judge was asked about an answer more than once, so none has shown how "
    "sure it is. Ask a cheap one three times, with judge NAME --repeat 3 or on its card under "
    "Judges; the cascade is then replayed over what is stored, at no cost."
)
_RATE = {
    EXACT: said("The rate is the share of accepted answers that differ from an annotator's score."),
    WITHIN_ONE: said(
        "The rate is the share of accepted answers that differ from an annotator's score by two or "
        "more."
    ),
}
ONE_CHOICE = said(
    "The guarantee is for one choice of judges and limits, made beforehand: trying many until one "
    "passes weakens it."
)


def title(found: dict) -> str:
    """The finding in one sentence."""
    if found["why_none"]:
        return said("Nothing is certified: {why}", why=found["why_none"])
    if found["verdict"] == NOTHING:
        return said("Nothing is certified: {why}", why=_not_enough(found))
    return said(
        "Believe {where}; {rest}"
        if found["verdict"] == CERTIFIED
        else "Simulated, so not certified: believe {where}; {rest}",
        where=_where(found),
        rest=_rest(found),
    )


def guarantee(found: dict) -> str:
    """The bound on the error rate, and what an error is; '' where nothing was tried."""
    tried = found["tried"]
    if not tried:
        return ""
    bound = said(
        "{errors} in {tested}: error rate at most {upper}% ({certainty}% confidence).",
        errors=counted(tried["errors"], "error"),
        tested=counted(tried["questions"], f"held-out {found['unit']}"),
        upper=_rounded_up(tried["upper"]),
        certainty=percent(found["certainty"]),
    )
    parts = [bound, _RATE[found["agreement"]]]
    if found["verdict"] == NOTHING:
        tested = said("Tested: {where}.", where=_where(found))
        parts = [tested, *parts, said("The limit is {limit}%.", limit=percent(found["at_most"]))]
    return joined(" ", parts)


def _rounded_up(share: float) -> str:
    """A bound in percent with at most one decimal, never below what it is."""
    return f"{math.ceil(1000 * share - 1e-9) / 10:g}"


def saving(found: dict) -> str:
    """What the cascade saves, in money where prices are known."""
    if found["why_none"] or found["coverage"]["value"] is None:
        return ""
    cost, kept = found["cost"], _kept(found)
    if cost["saved"] is None:
        return said(
            "{kept}. The saving in money is unknown: {why}.", kept=kept, why=cost["why_none"]
        )
    prices = said(
        "{cascade} instead of {dear} per 1,000 answers (simulated prices)"
        if found["simulated"]
        else "{cascade} instead of {dear} per 1,000 answers",
        cascade=dollars(cost["cascade"]),
        dear=dollars(cost["dear"]),
    )
    if cost["saved"] <= 0:
        return said("{kept}, but it saves no money: {prices}.", kept=kept, prices=prices)
    part = percent(cost["saved"] / cost["dear"])
    return said("{kept}: {prices}, {part}% less.", kept=kept, prices=prices, part=part)


def _kept(found: dict) -> str:
    """How much of the answers the dear judge or people are spared, or would be."""
    answers, to = counted(found["answers"], "answer"), _to(found)
    would = found["verdict"] == NOTHING
    if found["coverage"]["value"] == 1:
        return said(
            "If it held: none of {answers} would reach {to}"
            if would
            else "None of {answers} reach {to}",
            answers=answers,
            to=to,
        )
    return said(
        "If it held: {share} of {answers} would never reach {to}"
        if would
        else "{share} of {answers} never reach {to}",
        share=share(found["coverage"]),
        answers=answers,
        to=to,
    )


def replayed(found: dict) -> str:
    """How the cascade agrees with people beside the dear judge alone; '' without a dear judge."""
    replay = found["replay"]
    if not replay or not replay["n"]:
        return ""
    figures = {name: share(replay[name]["exact"]) for name in ("cascade", "dear", "cheap")}
    exact = said(
        "Replayed on {answers} that people graded, exact agreement is {cascade} for the cascade, "
        "{dear} for {to} alone and {cheap} for {judge} alone.",
        answers=counted(replay["n"], "answer"),
        to=_to(found),
        judge=_cheap(found),
        **figures,
    )
    return joined(" ", [exact, _caught(found)])


def steady(found: dict) -> str:
    """How often the cheap judge repeats itself; '' where it was not asked again."""
    again = found["steadiness"]
    if not again or again["exact"]["value"] is None:
        return ""
    return said(
        "Asked again, {judge} gives the same score {same} of the time."
        if again["flips"]["value"] is None
        else "Asked again, {judge} gives the same score {same} of the time and one that is off by "
        "two or more {flips}.",
        judge=_cheap(found),
        same=share(again["exact"]),
        flips=share(again["flips"]),
    )


def limits(found: dict) -> str:
    """How people's own agreement bounds what can be certified; '' where it is unknown or higher."""
    people = found["ceiling"]["value"]
    if people is None or 1 - people <= found["at_most"]:
        return ""
    return said(
        "People themselves differ on {share}% of these answers, so a limit of {limit}% can hardly "
        "be reached.",
        share=percent(1 - people),
        limit=percent(found["at_most"]),
    )


def every_sentence(found: dict) -> list[str]:
    """All that must be said, the title first."""
    told = [said("{text}.", text=title(found)), guarantee(found), saving(found)]
    told += [replayed(found), steady(found), limits(found)]
    told += [ONE_CHOICE if found["verdict"] in (CERTIFIED, SIMULATED) else ""]
    return [one for one in told if one]


def level(found: dict, confidence: float) -> str:
    """A level of confidence in words, as `2 of 3 repeats agree`."""
    if found["second"]:
        return said("both judges agree" if confidence else "the judges differ")
    same = round(confidence * found["asks"])
    return said("{n} of {asks} repeats agree", n=same, asks=found["asks"])


def sampling(found: dict) -> str:
    """What set the threshold and what tested it."""
    return said(
        "Threshold set on {setting}, tested on {tested} others; {left} not sampled. One answer per "
        "{unit}, sampled in proportion to its number of answers; errors against one annotator "
        "each. Seed {seed}.",
        setting=counted(found["setting"], found["unit"]),
        tested=found["certifying"],
        left=found["not_drawn"],
        unit=said(found["unit"]),
        seed=found["seed"],
    )


def text(found: dict) -> str:
    """The report for a terminal."""
    levels = table(
        ("confidence", "answers", "graded by people", "in error"),
        (
            (level(found, row["confidence"]), row["answers"], row["graded"], row["errors"])
            for row in found["levels"]
        ),
    )
    return "\n".join([*every_sentence(found), sampling(found), "", levels])


def _not_enough(found: dict) -> str:
    tried, needed = found["tried"], found["needed"]
    if tried is None:
        return said(
            "people graded too few questions"
            if found["unit"] == "question"
            else "people graded too few documents"
        )
    seen = said(
        "it {differ} on {errors} of the {questions} that tested it",
        differ=_differ(found, 1),
        errors=tried["errors"],
        questions=counted(tried["questions"], found["unit"]),
    )
    if tried["errors"] == 0:
        return said("{seen}, but it takes {needed} without an error", seen=seen, needed=needed)
    return said(
        "{seen}; it takes {more:,} with no more errors, or {needed} without any"
        if found["more"]
        else "{seen}; it takes more than 100,000 with no more errors, or {needed} without any",
        seen=seen,
        more=found["more"],
        needed=needed,
    )


def _where(found: dict) -> str:
    judge, least = _cheap(found), (found["threshold"] or found["tried"])["confidence"]
    if least <= min(row["confidence"] for row in found["levels"]):
        return said("{judge} on every answer", judge=judge)
    if found["second"]:
        second = named(found["second"], found["second"] in found["simulated"])
        return said("{judge} where {second} gives the same score", judge=judge, second=second)
    same = round(least * found["asks"])
    if same == found["asks"]:
        return said("{judge} where all {n} repeats give the same score", judge=judge, n=same)
    return said(
        "{judge} where at least {n} of {asks} repeats give the same score",
        judge=judge,
        n=same,
        asks=found["asks"],
    )


def _caught(found: dict) -> str:
    """Of the answers people failed, how many cascade and dear judge fail; '' where none is."""
    cascade, dear = (found["replay"][name]["caught"] for name in ("cascade", "dear"))
    if cascade["value"] is None:
        return ""
    return said(
        "Of the answers people failed it catches {cascade}, {to} {dear}.",
        cascade=share(cascade),
        to=_to(found),
        dear=share(dear),
    )


def _rest(found: dict) -> str:
    return said(
        "{share}% of the answers never reach {to}",
        share=percent(found["coverage"]["value"]),
        to=_to(found),
    )


def _cheap(found: dict) -> str:
    return named(found["cheap"], found["cheap"] in found["simulated"])


def _to(found: dict) -> str:
    to = found["to"]
    return said("people") if to == PEOPLE else named(to, to in found["simulated"])


def _differ(found: dict, count: int) -> str:
    if found["agreement"] == WITHIN_ONE:
        return said(
            "differs from a person's score by two or more"
            if count == 1
            else "differ from a person's score by two or more"
        )
    return said("differs from a person's score" if count == 1 else "differ from a person's score")
