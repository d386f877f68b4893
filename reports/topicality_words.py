"""Topicality in words: the finding, the tables for a terminal, and what each caveat means."""

from collections.abc import Sequence
from typing import Any

from reports.measures import left_out
from reports.text import UNDEFINED, number, plain_share, table
from reports.topicality import NO, NOT_MEASURED, YES
from words.said import Said, capital, joined, said

QUESTION = said("Do questions about the topic fare better than others?")
NOTHING = said("No measure has been found on these answers yet. Begin with `judge computed`.")
EACH = said("Every interval is 95% for itself; with many measures, some differ by chance.")


def title(found: dict[str, Any]) -> str:
    """Which measures tell the topic from the other sets, in one sentence."""
    rows = found["measures"]
    if not rows:
        return NOTHING
    if len(found["sets"]) < 2:
        return said(
            "There is one set, {topic}, and nothing to hold it against", topic=found["topic"]
        )
    told = {against: _told(found, against) for against in _others(found)}
    measured = {against: _measured(found, against) for against in told}
    alike = [against for against, apart in told.items() if not apart and measured[against]]
    without = [against for against in told if not measured[against]]
    parts = [*told.values(), _alike(found, alike) if alike else ""]
    return joined("; ", [*parts, _not_compared(found, without) if without else ""])


def detail(found: dict[str, Any]) -> str:
    """What the finding rests on, and what limits it."""
    sets = joined(
        ", ",
        (
            said(
                "{set} ({answers:,} answers, {questions:,} questions)",
                set=one["set"],
                answers=one["items"],
                questions=one["questions"],
            )
            for one in found["sets"]
        ),
    )
    by = said("sheet") if found["by"] == "sheet" else found["by"]
    told = [said("Sets by {column}: {sets}.", column=by, sets=sets), *found["caveats"]]
    if found["without"]:
        told.append(said("Without a number: {measures}.", measures=joined(", ", found["without"])))
    if len(found["measures"]) > 1 and len(found["sets"]) > 1:
        told.append(EACH)
    return joined(" ", told)


def chart_title(row: dict[str, Any]) -> str:
    """What one measure's picture shows."""
    known = [one for one in row["sets"] if one["mean"] is not None]
    if not known:
        return said("{measure}: no number yet", measure=row["title"])
    means = ", ".join(f"{one['set']} {one['mean']:.2f}" for one in known)
    shown = said("{measure}: {means}", measure=row["title"], means=means)
    verdicts = {one["verdict"] for one in row["contrasts"]} - {NOT_MEASURED}
    if not verdicts:
        return shown
    told = {
        frozenset({YES}): said("the topic fares better"),
        frozenset({NO}): said("the topic fares worse"),
    }
    unsure = said("cannot tell them all apart")
    return joined("; ", [shown, told.get(frozenset(verdicts), unsure)])


def convergence_title(rows: Sequence[dict[str, Any]]) -> str:
    """From how many resamples on every error stays within 5% of the last."""
    known = [one["settled"] for row in rows for one in row["sets"] if one["settled"]]
    if not known:
        return said("No error to settle yet")
    return said(
        "Every standard error stays within 5% of the last from B = {resamples:,} on",
        resamples=max(known),
    )


def drawn(found: dict[str, Any]) -> str:
    """How often the means were drawn again, and whether that was often enough."""
    how = f"B = {found['resamples']:,} draws of whole questions, seed {found['seed']}."
    return f"{how} {convergence_title(found['measures'])}."


def alt(row: dict[str, Any]) -> str:
    """One measure's picture in words."""
    sets = "; ".join(f"{one['set']} {number(best(one))}, n = {one['n']}" for one in row["sets"])
    shown = said(
        "{measure} by {judge}: {sets}.", measure=row["title"], judge=row["judge"], sets=sets
    )
    return joined(" ", [shown, *(contrast(row, one) for one in row["contrasts"])])


def contrast(row: dict[str, Any], one: dict[str, Any]) -> str:
    """One contrast as a sentence."""
    topic = row["sets"][0]["set"]
    if one["difference"]["value"] is None:
        why = one["difference"]["why_none"]
        return said("{topic} and {other}: {why}.", topic=topic, other=one["against"], why=why)
    figures = {
        "topic": topic,
        "other": one["against"],
        "difference": number(one["difference"], "+"),
    }
    if one["exceeds"] is None:
        why = one["difference"]["why_none"]
        return said("{topic} minus {other}: {difference} ({why}).", **figures, why=why)
    return said(
        "{topic} minus {other}: {difference}; the mean of {topic} is above in {above} of pairs of "
        "resamples, which overlap by {overlap}.",
        **figures,
        above=plain_share(one["exceeds"]),
        overlap=plain_share(one["overlap"]),
    )


def contrasts(row: dict[str, Any]) -> list[str]:
    """Every contrast of a measure as a sentence; those without an interval share one by reason."""
    bare: dict[str, list[str]] = {}
    told = []
    for one in row["contrasts"]:
        apart = one["difference"]
        if apart["value"] is None or one["exceeds"] is not None:
            told.append(contrast(row, one))
        else:
            bare.setdefault(apart["why_none"], []).append(f"{one['against']} {number(apart, '+')}")
    topic = row["sets"][0]["set"]
    return told + [
        said("{topic} minus {others} ({why}).", topic=topic, others=", ".join(them), why=why)
        for why, them in bare.items()
    ]


def best(one: dict[str, Any]) -> dict[str, Any]:
    """What to read of a set: Wilson's interval where there is one, else the percentiles."""
    return one["wilson"] or one["interval"]


def text(found: dict[str, Any]) -> str:
    """The whole report for a terminal."""
    if not found["measures"]:
        return NOTHING
    parts = [title(found) + ".", detail(found), _sets(found["measures"]), drawn(found)]
    if len(found["sets"]) > 1:
        parts.append(_contrasts(found["measures"]))
    reasons = reasons_of(found["measures"])
    return "\n\n".join(parts + (["\n".join(reasons)] if reasons else []))


def set_rows(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row per measure and set: the figures of the bootstrap."""
    return [
        {
            said("measure"): row["title"],
            said("judge"): row["judge"],
            said("set"): one["set"],
            said("n"): one["n"],
            said("questions"): one["questions"],
            said("mean"): one["mean"],
            said("percentiles"): limits(one["interval"]),
            said("Wilson"): limits(one["wilson"]) if one["wilson"] else "",
            said("variance of the mean"): one["variance"],
            said("standard error"): one["error"],
            said("settled from B"): one["settled"],
            said("left out"): left_out(one | {"not_asked": 0}),
            said("beside"): joined(", ", one["flags"]),
        }
        for row in rows
        for one in row["sets"]
    ]


def contrast_rows(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row per measure and contrast."""
    return [
        {
            said("measure"): row["title"],
            said("judge"): row["judge"],
            said("against"): one["against"],
            said("difference"): one["difference"]["value"],
            said("interval"): limits(one["difference"]),
            said("P(above)"): one["exceeds"],
            said("overlap"): one["overlap"],
            said("P(answer above)"): one["item_exceeds"],
            said("the topic is"): one["verdict"],
        }
        for row in rows
        for one in row["contrasts"]
    ]


def convergence_rows(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row per measure and set: the standard error from the first B resamples, by B."""
    return [
        {said("measure"): row["title"], said("set"): one["set"]}
        | {f"{step['resamples']:,}": step["error"] for step in one["convergence"]}
        for row in rows
        for one in row["sets"]
    ]


def limits(estimate: dict[str, Any]) -> str:
    """The limits of an estimate; a dash without."""
    if estimate["low"] is None:
        return UNDEFINED
    return f"[{estimate['low']:.3f}, {estimate['high']:.3f}]"


def reasons_of(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Why intervals and contrasts are missing, each reason once."""
    missing = [
        (estimate["why_none"], row["title"])
        for row in rows
        for estimate in (
            *(best(one) for one in row["sets"]),
            *(one["difference"] for one in row["contrasts"]),
        )
        if estimate["why_none"]
    ]
    by_reason: dict[str, list[str]] = {}
    for why, name in missing:
        if name not in by_reason.setdefault(why, []):
            by_reason[why].append(name)
    return [
        said("{why}: {measures}.", why=capital(why), measures=joined(", ", names))
        for why, names in by_reason.items()
    ]


def _others(found: dict[str, Any]) -> list[str]:
    return [one["set"] for one in found["sets"][1:]]


def _told(found: dict[str, Any], against: str) -> str:
    """Where the topic fares better or worse than a set; '' where neither can be told."""
    verdicts = [
        (row, one)
        for row in found["measures"]
        for one in row["contrasts"]
        if one["against"] == against and one["verdict"] != NOT_MEASURED
    ]
    better = [pair for pair in verdicts if pair[1]["verdict"] == YES]
    worse = [pair for pair in verdicts if pair[1]["verdict"] == NO]
    if not better and not worse:
        return ""
    row, one = max(better + worse, key=lambda pair: abs(pair[1]["difference"]["value"]))
    difference = number(one["difference"], "+")
    if one["exceeds"] is not None:
        above = plain_share(one["exceeds"])
        difference = said("{apart}; above in {above} of draws", apart=difference, above=above)
    return said(
        _fares(bool(better), bool(worse)),
        topic=found["topic"],
        better=len(better),
        worse=len(worse),
        n=len(verdicts),
        other=against,
        measure=row["title"],
        difference=difference,
    )


def _fares(better: bool, worse: bool) -> Said:
    """The sentence on where a topic fares better, worse, or both."""
    if better and worse:
        return said(
            "{topic} fares better on {better} and worse on {worse} of {n} measures than {other}, "
            "most on {measure} ({difference})"
        )
    if better:
        return said(
            "{topic} fares better on {better} of {n} measures than {other}, most on {measure} "
            "({difference})"
        )
    return said(
        "{topic} fares worse on {worse} of {n} measures than {other}, most on {measure} "
        "({difference})"
    )


def _measured(found: dict[str, Any], against: str) -> int:
    """On how many measures both the topic and a set have a number."""
    contrasts = [one for row in found["measures"] for one in row["contrasts"]]
    return sum(one["against"] == against and one["verdict"] != NOT_MEASURED for one in contrasts)


def _not_compared(found: dict[str, Any], others: Sequence[str]) -> Said:
    """That a topic and some sets have no measure in common, so nothing is known of them."""
    listed = joined(", ", others)
    return said(
        "{topic} is not compared with {others}: no measure has a number of both",
        topic=found["topic"],
        others=listed,
    )


def _alike(found: dict[str, Any], others: Sequence[str]) -> str:
    """That a topic and some sets cannot be told apart, in one sentence for all of them."""
    n = max(_measured(found, against) for against in others)
    on = said("the one measure") if n == 1 else said("any of {n} measures", n=n)
    topic = found["topic"]
    if len(others) == 1:
        return said(
            "{topic} and {other} cannot be told apart on {measures}",
            topic=topic,
            other=others[0],
            measures=on,
        )
    listed = said("{several} or {last}", several=", ".join(others[:-1]), last=others[-1])
    return said(
        "{topic} cannot be told apart from {others} on {measures}",
        topic=topic,
        others=listed,
        measures=on,
    )


def _sets(rows: Sequence[dict[str, Any]]) -> str:
    shown = set_rows(rows)
    heads = [name for name in shown[0] if name != "settled from B"]
    return table(heads, ([_cell(line[name]) for name in heads] for line in shown))


def _contrasts(rows: Sequence[dict[str, Any]]) -> str:
    shown = contrast_rows(rows)
    return table(list(shown[0]), ([_cell(cell) for cell in line.values()] for line in shown))


def _cell(value: object) -> object:
    if value is None:
        return UNDEFINED
    return f"{value:.4f}" if isinstance(value, float) else value
