"""Topicality in words: the finding, the tables for a terminal, and what each caveat means."""

from collections.abc import Sequence
from typing import Any

from reports.text import UNDEFINED, number, plain_share, table
from reports.topicality import NO, YES

QUESTION = "Do questions about the topic fare better than others?"
NOTHING = "No measure has been found on these answers yet. Begin with `judge computed`."
EACH = "Every interval is 95% for itself; with many measures, some differ by chance."


def title(found: dict[str, Any]) -> str:
    """Which measures tell the topic from the other sets, in one sentence."""
    rows = found["measures"]
    if not rows:
        return NOTHING
    if len(found["sets"]) < 2:
        return f"There is one set, {found['topic']}, and nothing to hold it against"
    told = {against: _told(found, against) for against in _others(found)}
    alike = [against for against, said in told.items() if not said]
    return "; ".join([*filter(None, told.values()), *([_alike(found, alike)] if alike else [])])


def detail(found: dict[str, Any]) -> str:
    """What the finding rests on, and what limits it."""
    sets = ", ".join(
        f"{one['set']} ({one['items']:,} answers, {one['questions']:,} questions)"
        for one in found["sets"]
    )
    said = [f"Sets by {found['by']}: {sets}.", *found["caveats"]]
    if found["without"]:
        said.append(f"Without a number: {', '.join(found['without'])}.")
    if len(found["measures"]) > 1 and len(found["sets"]) > 1:
        said.append(EACH)
    return " ".join(said)


def chart_title(row: dict[str, Any]) -> str:
    """What one measure's picture shows."""
    known = [one for one in row["sets"] if one["mean"] is not None]
    if not known:
        return f"{row['title']}: no number yet"
    said = ", ".join(f"{one['set']} {one['mean']:.2f}" for one in known)
    verdicts = {one["verdict"] for one in row["contrasts"]}
    told = {frozenset({YES}): "the topic fares better", frozenset({NO}): "the topic fares worse"}
    return f"{row['title']}: {said}" + (
        f"; {told.get(frozenset(verdicts), 'cannot tell them all apart')}" if verdicts else ""
    )


def convergence_title(rows: Sequence[dict[str, Any]]) -> str:
    """From how many resamples on every error stays within 5% of the last."""
    known = [one["settled"] for row in rows for one in row["sets"] if one["settled"]]
    if not known:
        return "No error to settle yet"
    return f"Every standard error stays within 5% of the last from B = {max(known):,} on"


def drawn(found: dict[str, Any]) -> str:
    """How often the means were drawn again, and whether that was often enough."""
    said = f"B = {found['resamples']:,} draws of whole questions, seed {found['seed']}."
    return f"{said} {convergence_title(found['measures'])}."


def alt(row: dict[str, Any]) -> str:
    """One measure's picture in words."""
    sets = "; ".join(f"{one['set']} {number(best(one))}, n = {one['n']}" for one in row["sets"])
    apart = "".join(f" {contrast(row, one)}" for one in row["contrasts"])
    return f"{row['title']} by {row['judge']}: {sets}.{apart}"


def contrast(row: dict[str, Any], one: dict[str, Any]) -> str:
    """One contrast as a sentence."""
    topic = row["sets"][0]["set"]
    if one["difference"]["value"] is None:
        return f"{topic} and {one['against']}: {one['difference']['why_none']}."
    if one["exceeds"] is None:
        apart = f"{topic} minus {one['against']}: {number(one['difference'], '+')}"
        return f"{apart} ({one['difference']['why_none']})."
    return (
        f"{topic} minus {one['against']}: {number(one['difference'], '+')}; the mean of {topic} is "
        f"above in {plain_share(one['exceeds'])} of pairs of resamples, which overlap by "
        f"{plain_share(one['overlap'])}."
    )


def contrasts(row: dict[str, Any]) -> list[str]:
    """Every contrast of a measure as a sentence; those without an interval share one by reason."""
    bare: dict[str, list[str]] = {}
    said = []
    for one in row["contrasts"]:
        apart = one["difference"]
        if apart["value"] is None or one["exceeds"] is not None:
            said.append(contrast(row, one))
        else:
            bare.setdefault(apart["why_none"], []).append(f"{one['against']} {number(apart, '+')}")
    topic = row["sets"][0]["set"]
    return said + [f"{topic} minus {', '.join(them)} ({why})." for why, them in bare.items()]


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
            "measure": row["title"],
            "judge": row["judge"],
            "set": one["set"],
            "n": one["n"],
            "questions": one["questions"],
            "mean": one["mean"],
            "percentiles": limits(one["interval"]),
            "Wilson": limits(one["wilson"]) if one["wilson"] else "",
            "variance of the mean": one["variance"],
            "standard error": one["error"],
            "settled from B": one["settled"],
            "left out": ", ".join(
                f"{n:,} {status.replace('_', ' ')}" for status, n in one["left_out"].items()
            ),
            "beside": ", ".join(one["flags"]),
        }
        for row in rows
        for one in row["sets"]
    ]


def contrast_rows(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row per measure and contrast."""
    return [
        {
            "measure": row["title"],
            "judge": row["judge"],
            "against": one["against"],
            "difference": one["difference"]["value"],
            "interval": limits(one["difference"]),
            "P(above)": one["exceeds"],
            "overlap": one["overlap"],
            "P(answer above)": one["item_exceeds"],
            "the topic is": one["verdict"],
        }
        for row in rows
        for one in row["contrasts"]
    ]


def convergence_rows(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row per measure and set: the standard error from the first B resamples, by B."""
    return [
        {"measure": row["title"], "set": one["set"]}
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
    return [f"{why[0].upper()}{why[1:]}: {', '.join(names)}." for why, names in by_reason.items()]


def _others(found: dict[str, Any]) -> list[str]:
    return [one["set"] for one in found["sets"][1:]]


def _told(found: dict[str, Any], against: str) -> str:
    """Where the topic fares better or worse than a set; '' where neither can be told."""
    verdicts = [
        (row, one)
        for row in found["measures"]
        for one in row["contrasts"]
        if one["against"] == against
    ]
    better = [pair for pair in verdicts if pair[1]["verdict"] == YES]
    worse = [pair for pair in verdicts if pair[1]["verdict"] == NO]
    if not better and not worse:
        return ""
    said = [f"better on {len(better)}"] if better else []
    said += [f"worse on {len(worse)}"] if worse else []
    row, one = max(better + worse, key=lambda pair: abs(pair[1]["difference"]["value"]))
    above = "" if one["exceeds"] is None else f"; above in {plain_share(one['exceeds'])} of draws"
    return (
        f"{found['topic']} fares {' and '.join(said)} of {len(verdicts)} measures than {against}, "
        f"most on {row['title']} ({number(one['difference'], '+')}{above})"
    )


def _alike(found: dict[str, Any], others: Sequence[str]) -> str:
    """That a topic and some sets cannot be told apart, in one sentence for all of them."""
    n = len(found["measures"])
    on = "the one measure" if n == 1 else f"any of {n} measures"
    if len(others) == 1:
        return f"{found['topic']} and {others[0]} cannot be told apart on {on}"
    listed = f"{', '.join(others[:-1])} or {others[-1]}"
    return f"{found['topic']} cannot be told apart from {listed} on {on}"


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
